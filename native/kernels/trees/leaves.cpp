#include "kernels/trees/leaves.hpp"

#include <algorithm>
#include <cmath>

namespace acumen {

namespace {

constexpr std::size_t POLL = 1 << 14, BLOCK = 1 << 12;

}  // namespace

std::vector<Quick> quick_nodes(const TreeArrays& tree) {
    std::vector<Quick> made(tree.nodes);
    for (std::size_t i = 0; i < tree.nodes; ++i) {
        Quick& node = made[i];
        node.first = tree.first[i];
        node.branches = tree.branches[i];
        node.place = static_cast<std::int32_t>(i);
        if (tree.tests.cut_at[i + 1] - tree.tests.cut_at[i] != 1) continue;
        node.cut = tree.tests.cuts[tree.tests.cut_at[i]];
        node.input = tree.tests.input[i];
    }
    return made;
}

bool leaves_of(const TreeArrays& tree, const TreeRows& rows, std::size_t threads, const Stop& stop,
               std::vector<std::int32_t>& leaf) {
    const std::size_t n = rows.labels.size();
    leaf.resize(n);
    const std::vector<Quick> nodes = quick_nodes(tree);
    return for_blocks((n + BLOCK - 1) / BLOCK, threads, stop, [&] {
        return [&](std::size_t block) {
            for (std::size_t row = block * BLOCK; row < std::min((block + 1) * BLOCK, n); ++row) {
                std::int32_t at = 0;
                while (at >= 0 && nodes[static_cast<std::size_t>(at)].branches) {
                    const Quick& node = nodes[static_cast<std::size_t>(at)];
                    const std::int32_t branch = branch_of(tree, node, rows.columns, row);
                    at = branch < 0 ? -1 : node.first + branch;
                }
                leaf[row] = at;
            }
        };
    });
}

bool count_on_leaves(const TreeArrays& tree, const TreeRows& rows, std::span<const double> weight,
                     std::size_t classes, std::size_t threads, const Stop& stop, double* counts) {
    std::vector<std::int32_t> leaf;
    if (!leaves_of(tree, rows, threads, stop, leaf)) return false;
    std::vector<Step> steps;
    for (std::size_t row = 0; row < rows.labels.size(); ++row) {
        if (row % POLL == POLL - 1 && stop && stop()) return false;
        const auto label = static_cast<std::size_t>(rows.labels[row]);
        const double all = rows.weights.empty() ? 1.0 : rows.weights[row];
        steps.assign(1, {leaf[row] < 0 ? 0 : static_cast<std::size_t>(leaf[row]), all});
        while (!steps.empty()) {
            auto [node, mass] = steps.back();
            steps.pop_back();
            std::int32_t branch = 0;
            while (tree.branches[node] && (branch = branch_at(tree, node, rows.columns, row)) >= 0)
                node = static_cast<std::size_t>(tree.first[node] + branch);
            if (!tree.branches[node]) {
                counts[node * classes + label] += mass;
                continue;
            }
            const auto first = static_cast<std::size_t>(tree.first[node]);
            const auto width = static_cast<std::size_t>(tree.branches[node]);
            double total = 0;
            for (std::size_t b = 0; b < width; ++b) total += weight[first + b];
            for (std::size_t b = width; b-- > 0;)
                if (const double share = weight[first + b] / total; share > 0)
                    steps.push_back({first + b, mass * share});
        }
    }
    return true;
}

double deviate_squared(double cf) {
    // The table of C4.5's AddErrs, read with interpolation.
    static constexpr double level[] = {0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00};
    static constexpr double deviate[] = {4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00};
    std::size_t i = 1;
    while (i < 8 && cf > level[i]) ++i;
    const double z =
        deviate[i - 1] + (deviate[i] - deviate[i - 1]) * (cf - level[i - 1]) / (level[i] - level[i - 1]);
    return z * z;
}

double extra_errors(double cases, double errors, double cf, double z2) {
    if (cases <= 0) return 0;
    if (errors < 0.9999) {
        const double none = cases * (1 - std::exp(std::log(cf) / cases));
        return errors < 1e-6 ? none : none + errors * (extra_errors(cases, 1.0, cf, z2) - none);
    }
    if (errors + 0.5 >= cases) return 0.67 * (cases - errors);
    const double e = errors + 0.5;
    const double rate = (e + z2 / 2 + std::sqrt(z2 * (e * (1 - e / cases) + z2 / 4))) / (cases + z2);
    return cases * rate - errors;
}

}  // namespace acumen
