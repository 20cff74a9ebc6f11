#include "kernels/forest_walk.hpp"

#include <algorithm>
#include <array>

namespace acumen::forest {

namespace {

constexpr std::size_t LANES = 8;
// Of so many rows the codes, and a tree, lie in the second cache together.
constexpr std::size_t BLOCK = 4096;

bool lacks_nothing(const CodeRows& rows) {
    std::uint16_t most = 0;
    for (std::size_t i = 0; i < rows.rows * rows.width; ++i) most = std::max(most, rows.codes[i]);
    return most != NO_VALUE;
}

template <bool Sets, bool Whole>
void leaves_of(const Node* nodes, const std::uint32_t* sets, const std::uint8_t* nominal,
               const CodeRows& rows, const std::uint32_t* which, std::size_t count, std::uint32_t* out) {
    const std::uint8_t* asked = Sets ? nominal : nullptr;
    std::size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        std::array<std::uint32_t, LANES> at{};
        std::array<const std::uint16_t*, LANES> row;
        for (std::size_t l = 0; l < LANES; ++l) row[l] = rows.row(which ? which[i + l] : i + l);
        std::uint32_t moved = 1;
        while (moved) {
            moved = 0;
            for (std::size_t l = 0; l < LANES; ++l) {
                const std::uint32_t to = Whole && !Sets ? plain_next_of(nodes, at[l], row[l])
                                                        : next_of(nodes, sets, asked, at[l], row[l]);
                moved |= to ^ at[l];
                at[l] = to;
            }
        }
        std::copy(at.begin(), at.end(), out + i);
    }
    for (; i < count; ++i) {
        const std::uint16_t* row = rows.row(which ? which[i] : i);
        std::uint32_t at = 0;
        while (!nodes[at].leaf()) at = next_of(nodes, sets, asked, at, row);
        out[i] = at;
    }
}

}  // namespace

void leaves(const Node* nodes, const std::uint32_t* sets, const std::uint8_t* nominal, const CodeRows& rows,
            const std::uint32_t* which, std::size_t count, std::uint32_t* out, bool whole) {
    if (sets)
        leaves_of<true, false>(nodes, sets, nominal, rows, which, count, out);
    else if (whole)
        leaves_of<false, true>(nodes, sets, nominal, rows, which, count, out);
    else
        leaves_of<false, false>(nodes, sets, nominal, rows, which, count, out);
}

bool add_values(const Trees& trees, const CodeRows& rows, std::size_t threads, const Stop& stop,
                double* out) {
    const std::size_t k = trees.outputs, blocks = (rows.rows + BLOCK - 1) / BLOCK;
    return for_blocks(blocks, threads, stop, [&] {
        return [&, leaf = std::vector<std::uint32_t>(BLOCK)](std::size_t block) mutable {
            const std::size_t first = block * BLOCK, count = std::min(BLOCK, rows.rows - first);
            const CodeRows some{rows.row(first), count, rows.width};
            const bool whole = lacks_nothing(some);
            for (std::size_t t = 0; t < trees.size(); ++t) {
                const auto at = static_cast<std::size_t>(trees.start[t]);
                const auto set = static_cast<std::size_t>(trees.set_start[t]);
                const bool has_sets = trees.set_start[t + 1] > trees.set_start[t];
                leaves(trees.node.data() + at, has_sets ? trees.sets.data() + set : nullptr,
                       trees.nominal.data(), some, nullptr, count, leaf.data(), whole);
                const double* value = trees.value.data() + at * k;
                double* sum = out + first * k;
                if (k == 1) {
                    for (std::size_t i = 0; i < count; ++i) sum[i] += value[leaf[i]];
                } else if (k == 2) {
                    for (std::size_t i = 0; i < count; ++i) {
                        sum[2 * i] += value[2 * leaf[i]];
                        sum[2 * i + 1] += value[2 * leaf[i] + 1];
                    }
                } else {
                    for (std::size_t i = 0; i < count; ++i)
                        for (std::size_t c = 0; c < k; ++c) sum[i * k + c] += value[leaf[i] * k + c];
                }
            }
        };
    });
}

bool all_leaves(const Trees& trees, const CodeRows& rows, std::size_t threads, const Stop& stop,
                std::int32_t* out) {
    const std::size_t blocks = (rows.rows + BLOCK - 1) / BLOCK, n = trees.size();
    return for_blocks(blocks, threads, stop, [&] {
        return [&, leaf = std::vector<std::uint32_t>(BLOCK)](std::size_t block) mutable {
            const std::size_t first = block * BLOCK, count = std::min(BLOCK, rows.rows - first);
            const CodeRows some{rows.row(first), count, rows.width};
            const bool whole = lacks_nothing(some);
            for (std::size_t t = 0; t < n; ++t) {
                const auto at = static_cast<std::size_t>(trees.start[t]);
                const auto set = static_cast<std::size_t>(trees.set_start[t]);
                const bool has_sets = trees.set_start[t + 1] > trees.set_start[t];
                leaves(trees.node.data() + at, has_sets ? trees.sets.data() + set : nullptr,
                       trees.nominal.data(), some, nullptr, count, leaf.data(), whole);
                for (std::size_t i = 0; i < count; ++i)
                    out[(first + i) * n + t] = static_cast<std::int32_t>(leaf[i]);
            }
        };
    });
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
