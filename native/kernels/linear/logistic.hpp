// Logistic regression's pass over the rows: loss, gradient and, where asked, the matrix of second
// derivatives, all at one set of coefficients.
//
// Two classes have one line of coefficients (the log-odds of class 1), K of them K lines (softmax). A line is
// one coefficient for each column and at last the intercept. The rows are cut into slices that depend on
// their number alone, and the slices' sums are added in order: threads do not change a bit of the answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/common/columns.hpp"
#include "kernels/common/parallel.hpp"

namespace acumen {

struct Outcomes {
    std::span<const std::int32_t> label;  // 0 or 1 with one line, else 0 .. lines - 1; checked by the caller
    const double* weight = nullptr;       // null: every row weighs one
    std::size_t lines = 1;
};

// A compressed matrix: line i holds places ends[i] .. ends[i + 1] of `at` and `value`.
struct Compressed {
    std::span<const std::int64_t> ends;  // one more than there are lines
    std::span<const std::int32_t> at;
    std::span<const double> value;

    std::size_t size() const { return ends.size() - 1; }
};

// Columns are read as (x - centre) * factor, and what is missing or infinite as zero, which is the centre.
// `gradient` is lines x (columns + 1), `hessian` null or its square; both are overwritten. False when
// stopped.
bool logistic_dense(const Columns& values, const double* centre, const double* factor,
                    const Outcomes& outcomes, const double* coefficients, double& loss, double* gradient,
                    double* hessian, std::size_t threads, const Stop& stop);

// The same for a sparse matrix, given by rows and again by columns; `scratch` is rows x lines and is left
// holding the residuals, weight * (probability - truth).
bool logistic_sparse(const Compressed& rows, const Compressed& columns, const Outcomes& outcomes,
                     const double* coefficients, double* scratch, double& loss, double* gradient,
                     std::size_t threads, const Stop& stop);

// The second derivatives alone, for few columns.
bool logistic_sparse_hessian(const Compressed& rows, std::size_t columns, const Outcomes& outcomes,
                             const double* coefficients, double* hessian, std::size_t threads,
                             const Stop& stop);

}  // namespace acumen
