// Log densities of Gaussians with a covariance matrix.
#pragma once

#include "kernels/common/columns.hpp"
#include "kernels/common/parallel.hpp"

namespace acumen {

// Adds log N(x; mean, covariance) to total[row][class]. `factor` (classes x columns x columns) is the
// inverse of the lower Cholesky factor of each covariance; only its lower triangle is read. A row in which
// some value is NaN or infinite is left as it was; `skipped` says how many. The result is finite for every
// other row, as in add_gaussian_logs. False when `stop` ended it early.
bool add_quadratic_logs(const Columns& values, std::size_t classes, const double* mean, const double* factor,
                        double* total, std::size_t threads, const Stop& stop, std::size_t& skipped);

}  // namespace acumen
