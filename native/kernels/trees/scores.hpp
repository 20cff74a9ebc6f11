// Class probabilities of rows by a tree.
#pragma once

#include "kernels/common/parallel.hpp"
#include "kernels/trees/walk.hpp"

namespace acumen::tree {

// Writes log P(class | row) into `scores`, rows x classes. `shares` and `logs` are nodes x classes: the class
// probabilities of each node and their logarithms. A row that no branch fits goes down all of them in shares
// of `weight`, that of each node. False when stopped.
bool scores(const TreeArrays& tree, std::span<const InputColumn> columns, std::size_t rows,
            std::span<const double> weight, const double* shares, const double* logs, std::size_t classes,
            std::size_t threads, const Stop& stop, double* scores);

}  // namespace acumen::tree
