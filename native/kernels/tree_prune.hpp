// Pruning that needs the rows: how rows fall on leaves, and C4.5's pessimistic pruning with subtree raising.
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

// Adds the weight of each row to counts[leaf][label]; counts is nodes x classes. `weight` is that of each
// node, by which rows are shared out that no branch fits. The sums are the same for any number of threads.
// False when stopped.
bool count_on_leaves(const TreeArrays& tree, const TreeRows& rows, std::span<const double> weight,
                     std::size_t classes, std::size_t threads, const Stop& stop, double* counts);

// What pessimistic pruning adds to `errors` of `cases`: the upper limit of the binomial error rate at
// confidence `cf`, as AddErrs of C4.5 release 8 has it; `z2` is the square of the normal deviate of `cf`.
double extra_errors(double cases, double errors, double cf, double z2);
double deviate_squared(double cf);

struct Raised {
    std::vector<std::int32_t> first, branches, place;  // the structure; `place`: whose test a node now has
};

// C4.5's EstimateErrors from the leaves up: each node stays, becomes a leaf or is replaced by its heaviest
// branch, whichever has the fewest estimated errors (a saving of less than 0.1 does not keep a subtree).
// `regret` is classes x classes, (predicted, true), 0 to 1. `counts` is nodes x classes and is brought up to
// date.
bool raise_subtrees(const TreeArrays& tree, const TreeRows& rows, std::span<const double> regret,
                    std::size_t classes, double cf, bool raising, std::size_t threads, const Stop& stop,
                    double* counts, Raised& made);

}  // namespace acumen
