// Products of some rows with weights and weighted sums of some rows, over threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/common/parallel.hpp"
#include "kernels/linear/linear_rows.hpp"

namespace acumen {

// `which` are the rows, in any order. Every row has one more attribute of the value `bias` (0 leaves it out),
// so that weights and sums of rows are width + 1 numbers. False when `stop` ended it early.

// out[s] = row s of `which` times v.
template <typename Rows>
bool row_products(const Rows& rows, std::span<const std::int64_t> which, double bias, const double* v,
                  double* out, std::size_t threads, const Stop& stop);

// out = the sum of the rows of `which`, each times its own number in u.
template <typename Rows>
bool row_sum(const Rows& rows, std::span<const std::int64_t> which, double bias, const double* u, double* out,
             std::size_t threads, const Stop& stop);

// out = the sum of the squares of the rows of `which`, number by number, each row times its own number in u.
template <typename Rows>
bool row_squares(const Rows& rows, std::span<const std::int64_t> which, double bias, const double* u,
                 double* out, std::size_t threads, const Stop& stop);

// out = the sum of scale[s] (row s times v) row s: the curvature that these rows give to v, in one pass.
bool row_curvature(const DenseRows& rows, std::span<const std::int64_t> which, double bias,
                   const double* scale, const double* v, double* out, std::size_t threads, const Stop& stop);
bool row_curvature(const SparseRows& rows, std::span<const std::int64_t> which, double bias,
                   const double* scale, const double* v, double* out, std::size_t threads, const Stop& stop);

}  // namespace acumen
