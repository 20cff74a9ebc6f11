// Inner products of eight rows with all centres, four centres at a time in registers. Compiled with
// multiplications fused into additions, as BLAS does for the same products; means.cpp trusts them to within
// rounding only.
#include "kernels/clones.hpp"
#include "kernels/means.hpp"

// As ACUMEN_CLONES, but plain AVX2 has no fused operations.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__GLIBC__) && \
    !defined(ACUMEN_SANITIZED)
#define ACUMEN_FUSED_CLONES __attribute__((target_clones("default", "arch=x86-64-v3")))
#else
#define ACUMEN_FUSED_CLONES
#endif

namespace acumen {

namespace {

template <std::size_t AT_ONCE>
[[gnu::always_inline]] inline void scores(const double* ACUMEN_RESTRICT turned, std::size_t d,
                                          const double* ACUMEN_RESTRICT centres,
                                          const double* ACUMEN_RESTRICT squares,
                                          double* ACUMEN_RESTRICT score) {
    double sum[AT_ONCE][PACK] = {};
    for (std::size_t j = 0; j < d; ++j)
        for (std::size_t a = 0; a < AT_ONCE; ++a)
            for (std::size_t i = 0; i < PACK; ++i) sum[a][i] += turned[j * PACK + i] * centres[a * d + j];
    for (std::size_t a = 0; a < AT_ONCE; ++a)
        for (std::size_t i = 0; i < PACK; ++i) score[a * PACK + i] = squares[a] - 2 * sum[a][i];
}

}  // namespace

ACUMEN_FUSED_CLONES
void means_scores(const double* turned, std::size_t d, const double* centres, const double* squares,
                  std::size_t k, double* score) {
    std::size_t c = 0;
    for (; c + 4 <= k; c += 4) scores<4>(turned, d, centres + c * d, squares + c, score + c * PACK);
    for (; c < k; ++c) scores<1>(turned, d, centres + c * d, squares + c, score + c * PACK);
}

}  // namespace acumen
