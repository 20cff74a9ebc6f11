#include "kernels/forests/walk.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "kernels/forests/quick.hpp"

namespace acumen::forest {

namespace {

// So many rows walk side by side, so that none waits for another's memory; after some steps those that have
// arrived are left out, and the others go on so many steps at a time.
constexpr std::size_t LANES = 16, STEPS = 4;
// What rows bring with them while they go down one tree after another: they come one after the other and are
// foreseen, a tree's nodes are not, and should stay where they are.
constexpr std::size_t BYTES = 4096 * 1024, PART = 256;
// So few rows are not worth a tree's copy.
constexpr std::size_t FEW = 128;

bool lacks_nothing(const CodeRows& rows) {
    std::uint16_t most = 0;
    for (std::size_t i = 0; i < rows.rows * rows.width; ++i) most = std::max(most, rows.codes[i]);
    return most != NO_VALUE;
}

// A node without a lean, for rows that lack no value: the way on is one comparison and one addition.
struct Step {
    std::uint16_t column, cut;
    std::uint32_t child;

    std::uint32_t next(const std::uint16_t* row) const { return child + (cut < row[column]); }
};

void steps_of(const Node* nodes, std::size_t size, std::vector<Step>& out) {
    out.resize(size);
    if constexpr (std::endian::native == std::endian::little) {  // as they lie, but for the lean
        for (std::size_t at = 0; at < size; ++at) {
            std::uint64_t word;
            std::memcpy(&word, nodes + at, sizeof word);
            word &= ~(std::uint64_t{LEAN} << 32);
            std::memcpy(&out[at], &word, sizeof word);
        }
        return;
    }
    for (std::size_t at = 0; at < size; ++at)
        out[at] = {static_cast<std::uint16_t>(nodes[at].column()),
                   static_cast<std::uint16_t>(nodes[at].cut()), nodes[at].child & ~LEAN};
}

// Where rows stand after some steps more; `open` says which of them walk, LANES of them.
template <class Next>
void step(const Next& next, const CodeRows& rows, const std::uint32_t* which, const std::uint16_t* open,
          std::size_t steps, std::uint32_t* stands) {
    std::array<std::uint32_t, LANES> at;
    std::array<const std::uint16_t*, LANES> row;
    for (std::size_t l = 0; l < LANES; ++l) {
        at[l] = stands[open[l]];
        row[l] = rows.row(which ? which[open[l]] : open[l]);
    }
    for (; steps; --steps)
        for (std::size_t l = 0; l < LANES; ++l) at[l] = next(at[l], row[l]);
    for (std::size_t l = 0; l < LANES; ++l) stands[open[l]] = at[l];
}

// The leaves of at most PART rows, found by next(node, row), which leaves a row at a leaf where it is; of
// most rows more than `steps` away.
template <class Next, class Leaf>
void walk_part(const Next& next, const Leaf& leaf, const CodeRows& rows, const std::uint32_t* which,
               std::size_t count, std::size_t steps, std::uint32_t* out) {
    if (count < LANES / 2) {
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint16_t* row = rows.row(which ? which[i] : i);
            for (out[i] = 0; !leaf(out[i]);) out[i] = next(out[i], row);
        }
        return;
    }
    std::array<std::uint16_t, PART + LANES> open;
    for (std::size_t i = 0; i < count; ++i) open[i] = static_cast<std::uint16_t>(i), out[i] = 0;
    while (count) {
        // the last one goes on more than once where lanes are left
        std::fill_n(open.begin() + static_cast<std::ptrdiff_t>(count), LANES - 1, open[count - 1]);
        for (std::size_t i = 0; i < count; i += LANES) step(next, rows, which, open.data() + i, steps, out);
        std::size_t kept = 0;
        for (std::size_t i = 0; i < count; ++i) {
            open[kept] = open[i];
            kept += !leaf(out[open[i]]);
        }
        count = kept;
        steps = STEPS;
    }
}

template <class Next, class Leaf>
void walk(const Next& next, const Leaf& leaf, const CodeRows& rows, const std::uint32_t* which,
          std::size_t count, std::size_t steps, std::uint32_t* out) {
    for (std::size_t first = 0; first < count; first += PART) {
        const std::size_t n = std::min(PART, count - first);
        const CodeRows some{which ? rows.codes : rows.row(first), which ? rows.rows : n, rows.width};
        walk_part(next, leaf, some, which ? which + first : nullptr, n, steps, out + first);
    }
}

// One tree, as it is walked by rows with gaps or levels, or by rows without either.
class Walk {
  public:
    // `whole`: no row lacks a value; `rows`: how many will come.
    void take(const Node* nodes, std::size_t size, const std::uint32_t* sets, const std::uint8_t* nominal,
              bool whole, std::size_t rows) {
        nodes_ = nodes;
        sets_ = sets;
        nominal_ = sets ? nominal : nullptr;
        plain_ = whole && !sets && rows > FEW;
        if (plain_) steps_of(nodes, size, steps_);
        first_ =
            std::max<std::size_t>(std::bit_width(size), 3) - 2;  // a little less than a full tree is deep
    }

    void leaves(const CodeRows& rows, const std::uint32_t* which, std::size_t count, std::uint32_t* out) {
        using Row = const std::uint16_t*;
        const auto leaf = [this](std::uint32_t at) { return nodes_[at].leaf(); };
        if (plain_)
            walk([steps = steps_.data()](std::uint32_t at, Row row) { return steps[at].next(row); },
                 [steps = steps_.data()](std::uint32_t at) { return steps[at].cut == NO_CUT; }, rows, which,
                 count, first_, out);
        else if (sets_)
            walk([this](std::uint32_t at, Row row) { return next_of(nodes_, sets_, nominal_, at, row); },
                 leaf, rows, which, count, first_, out);
        else
            walk([nodes = nodes_](std::uint32_t at,
                                  Row row) { return next_of(nodes, nullptr, nullptr, at, row); },
                 leaf, rows, which, count, first_, out);
    }

  private:
    const Node* nodes_ = nullptr;
    const std::uint32_t* sets_ = nullptr;
    const std::uint8_t* nominal_ = nullptr;
    bool plain_ = false;
    std::size_t first_ = 1;
    std::vector<Step> steps_;
};

// Calls take(tree, first row, count, leaves) for all rows of all trees; of one row in the order of the trees.
template <class Take>
bool each_leaf(const Trees& trees, const CodeRows& rows, std::size_t threads, const Stop& stop,
               const Take& take) {
    const std::size_t most = std::max(PART, BYTES / (2 * rows.width + 8 * trees.outputs));
    const std::size_t workers = std::max<std::size_t>(threads, 1);
    const std::size_t share =
        workers * std::max<std::size_t>(1, (rows.rows + most * workers - 1) / (most * workers));
    const std::size_t size = std::max(PART, (rows.rows + share - 1) / share);
    return for_blocks((rows.rows + size - 1) / size, threads, stop, [&] {
        return [&, tree = Walk(), leaf = std::vector<std::uint32_t>(PART)](std::size_t block) mutable {
            const std::size_t first = block * size, last = std::min(rows.rows, first + size);
            const bool whole = lacks_nothing({rows.row(first), last - first, rows.width});
            for (std::size_t t = 0; t < trees.size(); ++t) {
                const auto at = static_cast<std::size_t>(trees.start[t]);
                const auto set = static_cast<std::size_t>(trees.set_start[t]);
                const bool has_sets = trees.set_start[t + 1] > trees.set_start[t];
                tree.take(trees.node.data() + at, static_cast<std::size_t>(trees.start[t + 1]) - at,
                          has_sets ? trees.sets.data() + set : nullptr, trees.nominal.data(), whole,
                          last - first);
                for (std::size_t i = first; i < last; i += PART) {
                    const std::size_t count = std::min(PART, last - i);
                    tree.leaves({rows.row(i), count, rows.width}, nullptr, count, leaf.data());
                    take(t, i, count, leaf.data());
                }
            }
        };
    });
}

}  // namespace

void leaves(const Tree& tree, const std::uint8_t* nominal, const CodeRows& rows, const std::uint32_t* which,
            std::size_t count, std::uint32_t* out, bool whole) {
    Walk walk;
    walk.take(tree.node.data(), tree.node.size(), tree.sets.empty() ? nullptr : tree.sets.data(), nominal,
              whole, count);
    walk.leaves(rows, which, count, out);
}

bool add_values(const Trees& trees, const CodeRows& rows, std::size_t threads, const Stop& stop,
                double* out) {
    return (suits_quick_walk(trees, rows) ? add_quickly : add_slowly)(trees, rows, threads, stop, out);
}

bool add_slowly(const Trees& trees, const CodeRows& rows, std::size_t threads, const Stop& stop,
                double* out) {
    const std::size_t k = trees.outputs;
    const auto add = [&](std::size_t t, std::size_t first, std::size_t count, const std::uint32_t* leaf) {
        const double* value = trees.value.data() + static_cast<std::size_t>(trees.start[t]) * k;
        double* sum = out + first * k;
        if (k == 1) {
            for (std::size_t i = 0; i < count; ++i) sum[i] += value[leaf[i]];
        } else if (k == 2) {
            for (std::size_t i = 0; i < count; ++i) {
                sum[2 * i] += value[2 * std::size_t{leaf[i]}];
                sum[2 * i + 1] += value[2 * std::size_t{leaf[i]} + 1];
            }
        } else {
            for (std::size_t i = 0; i < count; ++i)
                for (std::size_t c = 0; c < k; ++c) sum[i * k + c] += value[leaf[i] * k + c];
        }
    };
    return each_leaf(trees, rows, threads, stop, add);
}

bool all_leaves(const Trees& trees, const CodeRows& rows, std::size_t threads, const Stop& stop,
                std::int32_t* out) {
    const auto write = [&, n = trees.size()](std::size_t t, std::size_t first, std::size_t count,
                                             const std::uint32_t* leaf) {
        for (std::size_t i = 0; i < count; ++i) out[(first + i) * n + t] = static_cast<std::int32_t>(leaf[i]);
    };
    return each_leaf(trees, rows, threads, stop, write);
}

void contributions(const Trees& trees, const std::uint16_t* row, std::size_t columns, double* moved,
                   double* start) {
    const std::size_t k = trees.outputs;
    std::fill_n(moved, columns * k, 0.0);
    std::fill_n(start, k, 0.0);
    for (std::size_t t = 0; t < trees.size(); ++t) {
        const Node* nodes = trees.node.data() + trees.start[t];
        const double* value = trees.value.data() + static_cast<std::size_t>(trees.start[t]) * k;
        const std::uint32_t* sets = trees.sets.data() + trees.set_start[t];
        for (std::size_t c = 0; c < k; ++c) start[c] += value[c];
        std::uint32_t at = 0;
        while (!nodes[at].leaf()) {
            const std::uint32_t to = next_of(nodes, sets, trees.nominal.data(), at, row);
            double* sum = moved + nodes[at].column() * k;
            for (std::size_t c = 0; c < k; ++c) sum[c] += value[to * k + c] - value[at * k + c];
            at = to;
        }
    }
}

}  // namespace acumen::forest
