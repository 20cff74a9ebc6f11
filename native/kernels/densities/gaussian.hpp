// Log densities and log probabilities added to a table of rows x classes: what prediction is made of.
#pragma once

#include "kernels/common/columns.hpp"
#include "kernels/common/parallel.hpp"

namespace acumen {

// Adds the sum over columns of log N(x; mean, variance) to total[row][class], row-major; mean and variance
// are classes x columns. A value that is NaN or infinite is skipped. The result is finite for every row:
// squares that would overflow are replaced by something huge that still grows with the distance, so that
// the nearer class stays ahead. A variance is taken as at least the smallest normal double and at most the
// largest; a column whose mean or variance is NaN for a class adds nothing to it.
// False when `stop` ended it early.
bool add_gaussian_logs(const Columns& values, std::size_t classes, const double* mean, const double* variance,
                       double* total, std::size_t threads, const Stop& stop);

// Adds table[class][code] to total[row][class] for each column with its table (classes x levels[column]);
// codes outside the levels add nothing.
bool add_level_logs(std::span<const CodeColumn> columns, std::size_t rows, std::size_t classes,
                    std::span<const double* const> tables, std::span<const std::size_t> levels, double* total,
                    std::size_t threads, const Stop& stop);

// A stand-in for z * z that never overflows: beyond 1e150 it grows with log z only.
double capped_square(double log_z);

// Squares below this are used as they are.
inline constexpr double LARGEST_SQUARE = 1e300;

}  // namespace acumen
