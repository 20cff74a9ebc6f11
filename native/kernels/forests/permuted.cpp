#include "kernels/forests/bag.hpp"
#include "kernels/forests/grow.hpp"

namespace acumen::forest {

bool permuted(const Table& table, const Options& options, const std::vector<Tree>& trees,
              std::span<const std::uint64_t> seeds, const std::vector<std::vector<std::uint32_t>>& groups,
              std::size_t threads, const Stop& stop, double* out) {
    const Asked asked(table);
    const CodeRows rows = asked.all();
    const std::size_t width = asked.width, k = table.outputs();
    return for_blocks(trees.size(), threads, stop, [&] {
        return [&, bag = Bag(table, options), weight = std::vector<double>(),
                moved = std::vector<std::uint16_t>(), order = std::vector<std::uint32_t>(),
                other = std::vector<std::uint32_t>()](std::size_t t) mutable {
            const Tree& tree = trees[t];
            Draw draw(seeds[t]);
            bag.draw(draw, weight);
            Answers told;
            told_of(tree, weight, asked, told);
            const std::size_t n = told.rows.size();
            const auto error = [&](const std::vector<std::uint32_t>& leaf) {
                double sum = 0, total = 0;
                for (std::size_t i = 0; i < n; ++i) {
                    const std::uint32_t row = told.rows[i];
                    const double w = table.weight ? table.weight[row] : 1.0;
                    const double* value = tree.value.data() + leaf[i] * k;
                    total += w;
                    if (table.classes) {
                        const auto best =
                            static_cast<std::int32_t>(std::max_element(value, value + k) - value);
                        sum += best == table.label[row] ? 0.0 : w;
                    } else {
                        sum += w * (value[0] - table.response[row]) * (value[0] - table.response[row]);
                    }
                }
                return total > 0 ? sum / total : 0.0;
            };
            const double plain = error(told.leaves);
            std::vector<std::uint8_t> used(width, 0);
            for (const Node& node : tree.node)
                if (!node.leaf()) used[node.column()] = 1;
            moved.resize(n * width);
            other.resize(n);
            order.resize(n);
            for (std::size_t g = 0; g < groups.size(); ++g) {
                bool matters = false;
                for (const std::uint32_t j : groups[g]) matters |= used[j] != 0;
                double& made = out[t * groups.size() + g];
                made = 0;
                if (!matters || !n) continue;
                Draw mixed(seeds[t] ^ (0x9e3779b97f4a7c15u * (g + 1)));
                for (std::uint32_t i = 0; i < n; ++i) order[i] = i;
                for (std::size_t i = n; i > 1; --i)
                    std::swap(order[i - 1], order[mixed.below(static_cast<std::uint32_t>(i))]);
                for (std::size_t i = 0; i < n; ++i) {
                    std::copy_n(rows.row(told.rows[i]), width, moved.data() + i * width);
                    const std::uint16_t* from = rows.row(told.rows[order[i]]);
                    for (const std::uint32_t j : groups[g]) moved[i * width + j] = from[j];
                }
                leaves(tree, asked.nominal.data(), {moved.data(), n, width}, nullptr, n, other.data(),
                       asked.whole);
                made = error(other) - plain;
            }
        };
    });
}

}  // namespace acumen::forest
