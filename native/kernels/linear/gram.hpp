// Sums of products of columns over weighted rows, X' diag(weight) X, and the part of it that is one tile.
//
// The rows are cut into slices that depend on their number alone, and the slices' sums are added in order:
// threads do not change a bit of the answer.
#pragma once

#include <cstddef>

#include "kernels/common/columns.hpp"
#include "kernels/common/parallel.hpp"

namespace acumen {

// square += tile' diag(heavy) tile for a tile of rows x width, width being a multiple of eight; only packs on
// and above the diagonal are computed. `strip` has room for four numbers a row.
void add_square(const double* tile, std::size_t width, std::size_t rows, const double* heavy, double* strip,
                double* square);

// `gram` is (columns + 1) x (columns + 1), the last being a column of ones, and is overwritten. Rows of
// weight zero are passed over, whatever they hold. False when stopped.
bool weighted_gram(const Columns& values, const double* weight, double* gram, std::size_t threads,
                   const Stop& stop);

}  // namespace acumen
