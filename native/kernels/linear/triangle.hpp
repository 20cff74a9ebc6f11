// Triangular factors of rows, for least squares.
//
//     triangular     rows -> R with R'R = rows'rows, by Householder's reflections
//     cholesky       R'R -> R
//     divide_rows    rows -> rows R^-1, by substitution
//     multiply       two factors -> their product
//
// Every sum is over eight lanes in a fixed order, and nothing is fused: every instruction set gives the same
// bytes.
#pragma once

#include <cstddef>

namespace acumen {

// `stack` holds p columns of m numbers each, one after the other, and is used up. `factor` becomes p x p,
// row-major, upper triangular with no negative number on its diagonal; rows beyond m are zero.
void triangular(double* stack, std::size_t m, std::size_t p, double* factor);

// Each row a of `rows` (n x p, row-major) becomes the q with q R = a; R is p x p, row-major, upper
// triangular, without a zero on its diagonal. Allocates p^2 numbers.
void divide_rows(double* rows, std::size_t n, std::size_t p, const double* factor);

// The upper triangular R with R'R = gram (p x p, row-major, of which the upper triangle is read); false, and
// `factor` of no use, where the matrix is not positive definite to the last digit.
bool cholesky(const double* gram, std::size_t p, double* factor) noexcept;

// product = a b for upper triangular matrices, row-major.
void multiply_triangles(const double* a, const double* b, std::size_t p, double* product) noexcept;

}  // namespace acumen
