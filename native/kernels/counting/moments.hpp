// Weight, mean and sum of squared deviations of numbers, for each class (and part).
#pragma once

#include "kernels/common/columns.hpp"
#include "kernels/common/rows.hpp"

namespace acumen {

// Arrays of groups x columns, row-major, where group = part * classes + class. The mean is the unrounded
// sum of `mean` and `rest`: near 1e12 the last digit of a double is as large as the spread of the values.
struct Moments {
    double* weight;
    double* mean;
    double* rest;
    double* scatter;
};

// Adds the rows to the moments of their groups. NaN and the infinities are missing in their own column
// only; rows without a label, without a part or of weight zero are left out. True when surely nothing was
// missing (a sum that overflows may raise a false alarm).
bool add_moments(const Columns& values, const Rows& rows, const Moments& into);

// Adds other moments of `n` cells to these: Chan, Golub and LeVeque's pairwise update (1979).
void merge_moments(const Moments& into, const double* weight, const double* mean, const double* rest,
                   const double* scatter, std::size_t n);

}  // namespace acumen
