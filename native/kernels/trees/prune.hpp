// C4.5's pessimistic pruning with subtree raising, for which the rows are needed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/trees/leaves.hpp"

namespace acumen {

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
