// Lanes run over the columns of one row; rows go to threads in blocks. Every element is reckoned by itself,
// so neither instruction set nor threads change it.
//
// What bounds it: about thirty multiplications and additions for each exponential, then the memory the
// products stream through.
#include "kernels/svm/kernel_rows.hpp"

#include "kernels/common/clones.hpp"
#include "kernels/common/exp.hpp"

namespace acumen {

namespace {

constexpr std::size_t BLOCK = 1 << 16;  // products a thread takes at a time

template <typename T>
inline T square_distance(T row_norm, T column_norm, T product) {
    const T square = (row_norm + column_norm) - (product + product);
    return square < T(0) ? T(0) : square;  // a NaN passes
}

ACUMEN_CLONES void rbf_row(double* ACUMEN_RESTRICT row, std::size_t n, double norm,
                           const double* ACUMEN_RESTRICT norms, double gamma) {
    for (std::size_t j = 0; j < n; ++j)
        row[j] = exp_below_zero(-gamma * square_distance(norm, norms[j], row[j]));
}

ACUMEN_CLONES void rbf_row_single(float* ACUMEN_RESTRICT row, std::size_t n, float norm,
                                  const float* ACUMEN_RESTRICT norms, float gamma) {
    for (std::size_t j = 0; j < n; ++j)
        row[j] = exp_below_zero(-gamma * square_distance(norm, norms[j], row[j]));
}

ACUMEN_CLONES void rbf_row_narrowed(const double* ACUMEN_RESTRICT row, float* ACUMEN_RESTRICT out,
                                    std::size_t n, double norm, const double* ACUMEN_RESTRICT norms,
                                    double gamma) {
    for (std::size_t j = 0; j < n; ++j)
        out[j] = exp_below_zero(static_cast<float>(-gamma * square_distance(norm, norms[j], row[j])));
}

// Calls each(row) for every row, some rows at a time.
template <typename Each>
bool over_rows(std::size_t rows, std::size_t columns, std::size_t threads, const Stop& stop,
               const Each& each) {
    if (!rows || !columns) return true;
    const std::size_t step = std::max<std::size_t>(1, BLOCK / columns);
    return for_blocks((rows + step - 1) / step, threads, stop, [&] {
        return [&](std::size_t block) {
            const std::size_t end = std::min(rows, (block + 1) * step);
            for (std::size_t i = block * step; i < end; ++i) each(i);
        };
    });
}

}  // namespace

bool rbf_of_products(double* products, std::size_t rows, std::size_t columns, const double* row_norms,
                     const double* column_norms, double gamma, std::size_t threads, const Stop& stop) {
    return over_rows(rows, columns, threads, stop, [&](std::size_t i) {
        rbf_row(products + i * columns, columns, row_norms[i], column_norms, gamma);
    });
}

bool rbf_of_products(float* products, std::size_t rows, std::size_t columns, const float* row_norms,
                     const float* column_norms, float gamma, std::size_t threads, const Stop& stop) {
    return over_rows(rows, columns, threads, stop, [&](std::size_t i) {
        rbf_row_single(products + i * columns, columns, row_norms[i], column_norms, gamma);
    });
}

bool rbf_of_products(const double* products, float* out, std::size_t rows, std::size_t columns,
                     const double* row_norms, const double* column_norms, double gamma, std::size_t threads,
                     const Stop& stop) {
    return over_rows(rows, columns, threads, stop, [&](std::size_t i) {
        rbf_row_narrowed(products + i * columns, out + i * columns, columns, row_norms[i], column_norms,
                         gamma);
    });
}

}  // namespace acumen
