// Kernel functions of inner products, in place: the matrix product is BLAS's work, the rest is done here.
#pragma once

#include <cstddef>

#include "kernels/common/parallel.hpp"

namespace acumen {

// products[i][j], an inner product of row i and row j, becomes exp(-gamma |row i - row j|^2), the norms being
// the squares |row|^2. A square distance that rounding made negative is zero; a NaN stays one. `products` is
// rows x columns, row-major. False when `stop` ended it early.
bool rbf_of_products(double* products, std::size_t rows, std::size_t columns, const double* row_norms,
                     const double* column_norms, double gamma, std::size_t threads, const Stop& stop);
bool rbf_of_products(float* products, std::size_t rows, std::size_t columns, const float* row_norms,
                     const float* column_norms, float gamma, std::size_t threads, const Stop& stop);

// The same from products in double precision to kernels in single: the distance loses no digits.
bool rbf_of_products(const double* products, float* out, std::size_t rows, std::size_t columns,
                     const double* row_norms, const double* column_norms, double gamma, std::size_t threads,
                     const Stop& stop);

}  // namespace acumen
