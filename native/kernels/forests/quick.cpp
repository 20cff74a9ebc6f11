#include "kernels/forests/quick.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace acumen::forest {

namespace {

// So many rows walk side by side, so that none waits for another's memory; after some steps those that have
// arrived are left out, and the others go on so many steps at a time.
constexpr std::size_t LANES = 12, STEPS = 4;
// Rows that go down a tree one part after another, and those that go down all trees together.
constexpr std::size_t PART = 256, BLOCK = 65536;
constexpr std::size_t MOST_NODES = 131'071, MOST_COLUMNS = 63, MOST_CUT = 253;
constexpr std::uint8_t MIXED = 255;

// The rows of a block, a byte a code.
class ByteRows {
  public:
    explicit ByteRows(std::size_t width)
        : width_(width), stride_(std::max<std::size_t>(std::bit_ceil(width + 1), 16)) {}

    // False where a row lacks a value.
    bool take(const CodeRows& rows) {
        codes_.assign((rows.rows + LANES) * stride_, 255);
        std::uint16_t most = 0;
        for (std::size_t i = 0; i < rows.rows; ++i) {
            const std::uint16_t* from = rows.row(i);
            std::uint8_t* to = codes_.data() + i * stride_;
            for (std::size_t j = 0; j < width_; ++j) {
                most = std::max(most, from[j]);
                to[j] = static_cast<std::uint8_t>(from[j]);
            }
        }
        return most < 255;
    }
    const std::uint8_t* row(std::size_t i) const { return codes_.data() + i * stride_; }
    std::size_t width() const { return width_; }
    std::size_t stride() const { return stride_; }

  private:
    std::size_t width_, stride_;
    std::vector<std::uint8_t> codes_;
};

// One tree, level by level.
class QuickTree {
  public:
    // `value` are the class shares of its nodes (or, of one output, their means).
    void take(const Node* nodes, std::size_t size, const double* value, std::size_t outputs,
              std::size_t width) {
        step_.resize(size);
        only_.resize(size);
        from_.resize(size + 2);
        from_[0] = 0;
        std::uint32_t next = 1;
        const auto last = static_cast<std::uint32_t>(width);
        for (std::uint32_t at = 0; at < size;
             ++at) {  // no branch: nobody could foresee which nodes are leaves
            const std::uint32_t from = from_[at];
            const Node node = nodes[from];
            const bool leaf = node.leaf();
            const std::uint32_t left = node.child & ~LEAN;
            const std::uint32_t arrived = last | (255 - (at + 1) % 2) << 8 | (at - 1) / 2 << 16;
            const std::uint32_t on = node.column() | (node.cut() & 255) << 8 | next / 2 << 16;
            step_[at] = leaf ? arrived : on;
            only_[at] = outputs == 2 ? only_of_two(value + 2 * std::size_t{from}) : MIXED;
            from_[next] = left;
            from_[next + 1] = left + 1;
            next += leaf ? 0 : 2;
        }
        if (outputs > 2)
            for (std::size_t at = 0; at < size; ++at)
                only_[at] = only_of(value + from_[at] * outputs, outputs);
        first_ = std::bit_width(size) + 2;  // about as deep as half of the leaves are
    }

    void leaves(const ByteRows& rows, std::size_t first, std::size_t count, std::uint32_t* out) const {
        const std::uint8_t* row = rows.row(first);
        if (rows.stride() <= 16) return leaves<16>(row, rows.width(), count, out);
        if (rows.stride() == 32) return leaves<32>(row, rows.width(), count, out);
        leaves<64>(row, rows.width(), count, out);
    }

    // The class of all rows of a leaf, or MIXED.
    std::uint8_t only(std::uint32_t leaf) const { return only_[leaf]; }
    // Its place in the tree as the model has it.
    std::uint32_t place(std::uint32_t leaf) const { return from_[leaf]; }

  private:
    // The leaves of at most PART rows; behind the last there is room for LANES more.
    template <std::size_t STRIDE>
    void leaves(const std::uint8_t* rows, std::size_t width, std::size_t count, std::uint32_t* out) const {
        for (std::size_t i = 0; i < count; i += LANES) walk_from_root<STRIDE>(rows + i * STRIDE, out + i);
        std::array<std::uint16_t, PART + LANES> open;
        for (std::size_t i = 0; i < count; ++i) open[i] = static_cast<std::uint16_t>(i);
        for (;;) {
            std::size_t kept = 0;
            for (std::size_t i = 0; i < count; ++i) {
                const std::uint16_t row = open[i];
                open[kept] = row;
                kept += (step_[out[row]] & 255) != width;
            }
            count = kept;
            if (!count) return;
            // the last one goes on more than once where lanes are left
            std::fill_n(open.begin() + static_cast<std::ptrdiff_t>(count), LANES - 1, open[count - 1]);
            for (std::size_t i = 0; i < count; i += LANES) walk_on(rows, STRIDE, open.data() + i, out);
        }
    }

    static std::uint8_t only_of_two(const double* share) {
        const bool first = share[0] == 1.0 && share[1] == 0.0, second = share[1] == 1.0 && share[0] == 0.0;
        return static_cast<std::uint8_t>(255 - 255 * (first | second) + second);
    }

    static std::uint8_t only_of(const double* share, std::size_t outputs) {
        std::size_t one = 0, some = 0;
        for (std::size_t c = 0; c < outputs; ++c) {
            if (share[c] == 1.0) one = c;
            some += share[c] != 0.0;
        }
        return some == 1 && share[one] == 1.0 && one < MIXED ? static_cast<std::uint8_t>(one) : MIXED;
    }

    static std::uint32_t next_of(std::uint32_t node, const std::uint8_t* row) {
        return 2 * (node >> 16) + 1 + (static_cast<std::uint8_t>(node >> 8) < row[node & 255]);
    }

    // The first steps of LANES rows that lie together: where they stand, and they alone, is kept in
    // registers.
    template <std::size_t STRIDE>
    void walk_from_root(const std::uint8_t* rows, std::uint32_t* stands) const {
        std::array<std::uint32_t, LANES> at{};
        const std::uint32_t* step = step_.data();
        for (std::size_t steps = first_; steps; --steps)
            for (std::size_t l = 0; l < LANES; ++l) at[l] = next_of(step[at[l]], rows + l * STRIDE);
        for (std::size_t l = 0; l < LANES; ++l) stands[l] = at[l];
    }

    void walk_on(const std::uint8_t* rows, std::size_t stride, const std::uint16_t* open,
                 std::uint32_t* stands) const {
        std::array<std::uint32_t, LANES> at;
        std::array<const std::uint8_t*, LANES> row;
        const std::uint32_t* step = step_.data();
        for (std::size_t l = 0; l < LANES; ++l) {
            at[l] = stands[open[l]];
            row[l] = rows + open[l] * stride;
        }
        for (std::size_t steps = STEPS; steps; --steps)
            for (std::size_t l = 0; l < LANES; ++l) at[l] = next_of(step[at[l]], row[l]);
        for (std::size_t l = 0; l < LANES; ++l) stands[open[l]] = at[l];
    }

    std::vector<std::uint32_t> step_, from_;
    std::vector<std::uint8_t> only_;
    std::size_t first_ = 1;
};

}  // namespace

bool suits_quick_walk(const Trees& trees, const CodeRows& rows) {
    if (!trees.sets.empty() || rows.width > MOST_COLUMNS || !trees.size()) return false;
    std::size_t most = 0;
    for (std::size_t t = 0; t < trees.size(); ++t)
        most = std::max(most, static_cast<std::size_t>(trees.start[t + 1] - trees.start[t]));
    if (most > MOST_NODES || rows.rows * trees.size() < trees.node.size() / 4) return false;
    return std::all_of(trees.node.begin(), trees.node.end(),
                       [](const Node& node) { return node.leaf() || node.cut() <= MOST_CUT; });
}

bool add_quickly(const Trees& trees, const CodeRows& rows, std::size_t threads, const Stop& stop,
                 double* out) {
    const std::size_t k = trees.outputs, workers = std::max<std::size_t>(threads, 1);
    const std::size_t share = (rows.rows + workers - 1) / workers;
    const std::size_t size = std::max(PART, std::min(BLOCK, share));
    return for_blocks((rows.rows + size - 1) / size, threads, stop, [&] {
        return [&, tree = QuickTree(), codes = ByteRows(rows.width),
                leaf = std::vector<std::uint32_t>(PART + LANES)](std::size_t block) mutable {
            const std::size_t first = block * size, n = std::min(rows.rows - first, size);
            const CodeRows some{rows.row(first), n, rows.width};
            double* sums = out + first * k;
            if (!codes.take(some)) {
                add_slowly(trees, some, 1, {}, sums);
                return;
            }
            for (std::size_t t = 0; t < trees.size(); ++t) {
                const auto at = static_cast<std::size_t>(trees.start[t]);
                const std::size_t nodes = static_cast<std::size_t>(trees.start[t + 1]) - at;
                const double* value = trees.value.data() + at * k;
                if (nodes == 1) {
                    for (std::size_t i = 0; i < n; ++i)
                        for (std::size_t c = 0; c < k; ++c) sums[i * k + c] += value[c];
                    continue;
                }
                tree.take(trees.node.data() + at, nodes, value, k, rows.width);
                for (std::size_t i = 0; i < n; i += PART) {
                    const std::size_t count = std::min(PART, n - i);
                    tree.leaves(codes, i, count, leaf.data());
                    double* sum = sums + i * k;
                    for (std::size_t r = 0; r < count; ++r, sum += k) {
                        const std::uint8_t only = tree.only(leaf[r]);
                        if (only != MIXED) {
                            sum[only] += 1.0;
                            continue;
                        }
                        const double* mean = value + tree.place(leaf[r]) * k;
                        for (std::size_t c = 0; c < k; ++c) sum[c] += mean[c];
                    }
                }
            }
        };
    });
}

}  // namespace acumen::forest
