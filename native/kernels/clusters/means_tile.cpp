// The nearest of all centres to eight rows, and the second nearest: inner products of several centres at a
// time stay in registers, and so do the least scores. Compiled with multiplications fused into additions, as
// BLAS does for the same products; clusters/means.cpp trusts them to within rounding only.
#include <limits>

#include "kernels/clusters/means.hpp"
#include "kernels/common/lanes.hpp"

namespace acumen {

namespace {

template <std::size_t BYTES>
struct Least {
    static constexpr std::size_t N = PACK / LANES<BYTES>;
    Lanes<BYTES> best[N], second[N], label[N];
};

// Scores that are less take their places. Written by lanes where the compiler has no vectors.
template <std::size_t BYTES>
ACUMEN_INLINE void take(Least<BYTES>& least, std::size_t r, const Lanes<BYTES>& score, double own) {
#if defined(__GNUC__)
    const Lanes<BYTES> before = least.best[r];
    const auto less = score < before;
    const Lanes<BYTES> worse = less ? before : score;
    least.second[r] = worse < least.second[r] ? worse : least.second[r];
    least.label[r] = less ? own - Lanes<BYTES>{} : least.label[r];
    least.best[r] = less ? score : before;
#else
    for (std::size_t i = 0; i < LANES<BYTES>; ++i) {
        const double s = score.lane[i], before = least.best[r].lane[i];
        const double worse = s < before ? before : s;
        if (worse < least.second[r].lane[i]) least.second[r].lane[i] = worse;
        if (s < before) least.label[r].lane[i] = own, least.best[r].lane[i] = s;
    }
#endif
}

template <std::size_t BYTES, std::size_t AT_ONCE>
ACUMEN_INLINE void compare(const double* ACUMEN_RESTRICT turned, std::size_t d,
                           const double* ACUMEN_RESTRICT centres, const double* ACUMEN_RESTRICT squares,
                           std::size_t first, Least<BYTES>& least) {
    constexpr std::size_t N = Least<BYTES>::N;
    Lanes<BYTES> sum[AT_ONCE][N] = {};
    for (std::size_t j = 0; j < d; ++j) {
        Lanes<BYTES> x[N];
        for (std::size_t r = 0; r < N; ++r) fetch<BYTES>(turned + j * PACK + r * LANES<BYTES>, x[r]);
        for (std::size_t a = 0; a < AT_ONCE; ++a) {
            const double c = centres[(first + a) * d + j];
            for (std::size_t r = 0; r < N; ++r) sum[a][r] += x[r] * c;
        }
    }
    for (std::size_t a = 0; a < AT_ONCE; ++a)
        for (std::size_t r = 0; r < N; ++r) {
            Lanes<BYTES> score = sum[a][r] * -2.0;
            score -= -squares[first + a];
            take<BYTES>(least, r, score, static_cast<double>(first + a));
        }
}

template <std::size_t BYTES>
ACUMEN_INLINE void means_nearest_in(const double* turned, std::size_t d, const double* centres,
                                    const double* squares, std::size_t k, double* best, double* second,
                                    double* label) {
    constexpr std::size_t N = Least<BYTES>::N, AT_ONCE = BYTES == 64 ? 8 : BYTES == 32 ? 4 : 2;
    Least<BYTES> least = {};
    for (std::size_t r = 0; r < N; ++r) {
        least.best[r] -= -std::numeric_limits<double>::infinity();
        least.second[r] = least.best[r];
    }
    std::size_t c = 0;
    for (; c + AT_ONCE <= k; c += AT_ONCE) compare<BYTES, AT_ONCE>(turned, d, centres, squares, c, least);
    for (; c < k; ++c) compare<BYTES, 1>(turned, d, centres, squares, c, least);
    for (std::size_t r = 0; r < N; ++r) {
        put<BYTES>(least.best[r], best + r * LANES<BYTES>);
        put<BYTES>(least.second[r], second + r * LANES<BYTES>);
        put<BYTES>(least.label[r], label + r * LANES<BYTES>);
    }
}

}  // namespace

ACUMEN_FUSED_WIDTHS(means_nearest,
                    (const double* turned, std::size_t d, const double* centres, const double* squares,
                     std::size_t k, double* best, double* second, double* label),
                    (turned, d, centres, squares, k, best, second, label))

}  // namespace acumen
