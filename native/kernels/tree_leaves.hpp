// How rows fall on the leaves of a tree, and how many more errors than it has made a leaf is expected to
// make.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/parallel.hpp"
#include "kernels/tree_walk.hpp"

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
