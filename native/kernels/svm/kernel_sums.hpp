// Kernel functions between rows, and weighted sums of them, without ever holding the whole kernel matrix.
#pragma once

#include <cstddef>

#include "kernels/common/parallel.hpp"

namespace acumen {

enum class KernelKind { linear, polynomial, rbf, sigmoid };

// linear x'y; polynomial (gamma x'y + offset)^degree; rbf exp(-gamma |x-y|^2); sigmoid tanh(gamma x'y +
// offset).
struct KernelFunction {
    KernelKind kind;
    double gamma, offset;
    unsigned degree;
};

// Rows of `width` numbers, row-major; `squares` are their squared norms.
template <typename T>
struct KernelRows {
    std::size_t n, width;
    const T* values;
    const T* squares;
};

// sums[i][c] += sum over j of coefficients[j][c] k(rows i, others j), c below `columns`; sums in doubles.
template <typename T>
bool add_kernel_sums(const KernelFunction& k, const KernelRows<T>& rows, const KernelRows<T>& others,
                     const double* coefficients, std::size_t columns, double* sums, std::size_t threads,
                     const Stop& stop);

// out[j][i] = k(others j, rows i), `stride` apart; the same numbers as the sums are made of.
template <typename T>
bool kernel_rows(const KernelFunction& k, const KernelRows<T>& rows, const KernelRows<T>& others,
                 T* const* out, std::size_t threads, const Stop& stop);

// sums[i] += sum over j of coefficients[j] lines[j][i]: kernel rows that were kept.
template <typename T>
bool add_kept_rows(const T* const* lines, const double* coefficients, std::size_t count, std::size_t n,
                   double* sums, std::size_t threads, const Stop& stop);

}  // namespace acumen
