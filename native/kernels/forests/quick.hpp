// Many rows without gaps or levels down many trees: the common case of a prediction.
//
// What bounds a walk is how long each node takes to come. So trees are laid out anew, level by level, a node
// in four bytes: fifteen thousand of them are 60 kB, whose upper levels stay in the first cache.
//
//     column | cut << 8 | pair << 16     go on at 2 * pair + 1, or behind it where the code is above the cut
//
// A row has its codes in a byte each, and behind them one of 255, by which leaves lead to themselves: a left
// one has the cut 255, a right one 254.
#pragma once

#include "kernels/forests/walk.hpp"

namespace acumen::forest {

// Whether trees can be laid out so, and rows are so many that it pays.
bool suits_quick_walk(const Trees& trees, const CodeRows& rows);

// The same sums as add_values gives. A block of rows one of which has a gap goes the other way.
bool add_quickly(const Trees& trees, const CodeRows& rows, std::size_t threads, const Stop& stop,
                 double* out);

}  // namespace acumen::forest
