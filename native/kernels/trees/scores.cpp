// Where every test is a single cut, LANES rows go down together, each waiting for its own next node while the
// others move; leaves lead to themselves. A row with a missing value goes alone, as rows do under other
// tests.
//
// What bounds it: the wait for a node and a value at each level, shared by the lanes.
#include "kernels/trees/scores.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace acumen::tree {

namespace {

constexpr std::size_t BLOCK = 4096, LANES = 16;
constexpr std::size_t FEW = 8;  // nodes that are laid out in the time that a row needs to go down alone

struct Step {
    double cut;
    std::int32_t input;
    std::int32_t first;
};

bool single_cuts(const TreeArrays& tree) {
    for (std::size_t i = 0; i < tree.nodes; ++i)
        if (tree.first[i] >= 0 &&
            (tree.branches[i] != 2 || tree.tests.cut_at[i + 1] - tree.tests.cut_at[i] != 1 ||
             tree.tests.branch_at[i + 1] != tree.tests.branch_at[i]))
            return false;
    return true;
}

std::vector<Step> steps_of(const TreeArrays& tree) {
    std::vector<Step> made(tree.nodes);
    for (std::size_t i = 0; i < tree.nodes; ++i) {
        if (tree.first[i] < 0)
            // a leaf looks at the root's column, which holds numbers, as the first column need not
            made[i] = {std::numeric_limits<double>::infinity(), tree.tests.input[0],
                       static_cast<std::int32_t>(i)};
        else
            made[i] = {tree.tests.cuts[tree.tests.cut_at[i]], tree.tests.input[i], tree.first[i]};
    }
    return made;
}

// One row alone: to its leaf, or to all it belongs to in part.
class Walker {
  public:
    Walker(const TreeArrays& tree, std::span<const InputColumn> columns, std::span<const double> weight,
           const double* shares, const double* logs, std::size_t classes)
        : tree_(tree), columns_(columns), weight_(weight), shares_(shares), logs_(logs), classes_(classes) {}

    void score(std::size_t row, double* out) {
        std::size_t at = 0;
        while (tree_.first[at] >= 0) {
            const std::int32_t branch = branch_at(tree_, at, columns_, row);
            if (branch < 0) break;
            at = static_cast<std::size_t>(tree_.first[at] + branch);
        }
        if (tree_.first[at] < 0) {
            std::memcpy(out, logs_ + at * classes_, classes_ * sizeof(double));
            return;
        }
        std::fill_n(out, classes_, 0.0);
        open_.assign(1, {at, 1.0});
        while (!open_.empty()) {
            const auto [node, part] = open_.back();
            open_.pop_back();
            visit(node, part, row, out);
        }
        for (std::size_t c = 0; c < classes_; ++c) out[c] = std::log(out[c]);
    }

  private:
    struct Share {
        std::size_t node;
        double part;
    };

    void visit(std::size_t node, double part, std::size_t row, double* out) {
        if (tree_.first[node] < 0) {
            for (std::size_t c = 0; c < classes_; ++c) out[c] += part * shares_[node * classes_ + c];
            return;
        }
        const auto first = static_cast<std::size_t>(tree_.first[node]);
        const auto branches = static_cast<std::size_t>(tree_.branches[node]);
        const std::int32_t branch = branch_at(tree_, node, columns_, row);
        if (branch >= 0) {
            open_.push_back({first + static_cast<std::size_t>(branch), part});
            return;
        }
        double all = 0;
        for (std::size_t b = 0; b < branches; ++b) all += weight_[first + b];
        for (std::size_t b = branches; b-- > 0;) {
            const double share = all > 0 ? weight_[first + b] / all : 1.0 / static_cast<double>(branches);
            if (share > 0) open_.push_back({first + b, part * share});
        }
    }

    const TreeArrays& tree_;
    std::span<const InputColumn> columns_;
    std::span<const double> weight_;
    const double *shares_, *logs_;
    std::size_t classes_;
    std::vector<Share> open_;
};

}  // namespace

bool scores(const TreeArrays& tree, std::span<const InputColumn> columns, std::size_t rows,
            std::span<const double> weight, const double* shares, const double* logs, std::size_t classes,
            std::size_t threads, const Stop& stop, double* scores) {
    // laying the tree out for the lanes is a walk over all of it, which few rows do not pay for
    const bool lanes = tree.nodes > 1 && rows >= LANES && rows >= tree.nodes / FEW && single_cuts(tree);
    const std::vector<Step> steps = lanes ? steps_of(tree) : std::vector<Step>();
    return for_blocks((rows + BLOCK - 1) / BLOCK, threads, stop, [&] {
        return [&, walker = Walker(tree, columns, weight, shares, logs, classes)](std::size_t block) mutable {
            std::size_t row = block * BLOCK;
            const std::size_t end = std::min(row + BLOCK, rows);
            for (; lanes && row + LANES <= end; row += LANES) {
                std::int32_t at[LANES] = {};
                bool alone[LANES] = {}, moved = true;
                while (moved) {
                    moved = false;
                    for (std::size_t l = 0; l < LANES; ++l) {
                        const Step step = steps[static_cast<std::size_t>(at[l])];
                        const double x = columns[static_cast<std::size_t>(step.input)].numbers[row + l];
                        const std::int32_t next = step.first + (x > step.cut);
                        alone[l] |= (x != x) & (step.first != at[l]);
                        moved |= next != at[l];
                        at[l] = next;
                    }
                }
                for (std::size_t l = 0; l < LANES; ++l) {
                    double* out = scores + (row + l) * classes;
                    if (alone[l])
                        walker.score(row + l, out);
                    else
                        std::memcpy(out, logs + static_cast<std::size_t>(at[l]) * classes,
                                    classes * sizeof(double));
                }
            }
            for (; row < end; ++row) walker.score(row, scores + row * classes);
        };
    });
}

}  // namespace acumen::tree
