// How rows fall on the leaves of a tree, and how many more errors than it has made a leaf is expected to
// make.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/common/parallel.hpp"
#include "kernels/trees/walk.hpp"

namespace acumen {

struct TreeRows {
    std::span<const InputColumn> columns;
    std::span<const std::int32_t> labels;  // each below the number of classes
    std::span<const double> weights;       // empty: ones
};

// A node, and how much of a row is there.
struct Step {
    std::size_t node;
    double weight;
};

// What is asked of a node again and again, in one place: a way down a large tree is a wait for each of its
// nodes.
struct Quick {
    double cut = 0;           // where the test is one cut of a number
    std::int32_t input = -1;  // of such a test; -1: another test
    std::int32_t first = -1;
    std::int32_t branches = 0;
    std::int32_t place = 0;  // whose test the node has
};

std::vector<Quick> quick_nodes(const TreeArrays& tree);

// As `branch_at`.
inline std::int32_t branch_of(const TreeArrays& tree, const Quick& node, std::span<const InputColumn> columns,
                              std::size_t row) {
    if (node.input >= 0) {
        const double value = columns[static_cast<std::size_t>(node.input)].numbers[row];
        if (value > node.cut) return 1;
        if (value <= node.cut) return 0;
    }
    return branch_at(tree, static_cast<std::size_t>(node.place), columns, row);
}

// The leaf of each row; -1 where it belongs to several in part. False when stopped.
bool leaves_of(const TreeArrays& tree, const TreeRows& rows, std::size_t threads, const Stop& stop,
               std::vector<std::int32_t>& leaf);

// Adds the weight of each row to counts[leaf][label]; counts is nodes x classes. `weight` is that of each
// node, by which rows are shared out that no branch fits. The sums are the same for any number of threads.
// False when stopped.
bool count_on_leaves(const TreeArrays& tree, const TreeRows& rows, std::span<const double> weight,
                     std::size_t classes, std::size_t threads, const Stop& stop, double* counts);

// What pessimistic pruning adds to `errors` of `cases`: the upper limit of the binomial error rate at
// confidence `cf`, as AddErrs of C4.5 release 8 has it; `z2` is the square of the normal deviate of `cf`.
double extra_errors(double cases, double errors, double cf, double z2);
double deviate_squared(double cf);

}  // namespace acumen
