// The lasso by coordinate descent over a falling row of penalties, each starting where the last one ended.
//
//     minimise  |target - factor w|^2 / 2 + penalty |w|_1
//
// Only the coordinates in play ("active") are descended upon, by their own inner products; the others are
// looked at when those have settled, and join if they break the conditions of the optimum. Inner products are
// given, or those of a column with all others are computed once, when it first joins.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/common/parallel.hpp"

namespace acumen {

struct LassoProblem {
    const double* factor;   // column after column, `rows` numbers each; null where `gram` is given
    const double* gram;     // columns x columns, or null
    const double* product;  // of each column with the target
    std::size_t rows, columns;
    double total;  // squared length of the target
};

struct LassoLimits {
    double tolerance;    // of the duality gap, as a share of the target's squared length
    std::size_t sweeps;  // at most so many over the active coordinates, for each penalty
};

struct LassoPoint {
    double gap;          // duality gap reached, as a share of the target's squared length
    std::size_t sweeps;  // how many it took
};

// Fills coefficients (penalties x columns, row-major) and one point for each penalty. False when `stop` ended
// it.
bool lasso_path(const LassoProblem& problem, const double* penalties, std::size_t n_penalties,
                const LassoLimits& limits, const Stop& stop, double* coefficients, LassoPoint* points);

}  // namespace acumen
