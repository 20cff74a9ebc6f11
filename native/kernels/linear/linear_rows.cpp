#include "kernels/linear/linear_rows.hpp"

#include "kernels/common/clones.hpp"

namespace acumen {

// Eight sums side by side: the order of additions is fixed, and lanes can run.
ACUMEN_CLONES double dense_product(const double* ACUMEN_RESTRICT x, const double* ACUMEN_RESTRICT w,
                                   std::size_t n) {
    double sum[8] = {};
    std::size_t k = 0;
    for (; k + 8 <= n; k += 8)
        for (std::size_t l = 0; l < 8; ++l) sum[l] += x[k + l] * w[k + l];
    double rest = 0;
    for (; k < n; ++k) rest += x[k] * w[k];
    return (((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]))) + rest;
}

ACUMEN_CLONES void dense_add(const double* ACUMEN_RESTRICT x, double t, double* ACUMEN_RESTRICT w,
                             std::size_t n) {
    for (std::size_t k = 0; k < n; ++k) w[k] += t * x[k];
}

}  // namespace acumen
