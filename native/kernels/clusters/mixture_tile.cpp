// The inner products of a mixture's pass, in registers. Compiled with multiplications fused into additions,
// as BLAS does for the same products: results agree to rounding between processors, and to the byte on one.
#include "kernels/clusters/mixture.hpp"
#include "kernels/common/lanes.hpp"

namespace acumen {

namespace {

constexpr std::size_t T = MIXTURE_TILE;

template <std::size_t BYTES>
ACUMEN_INLINE void differ(const double* turned, const double* mean, std::size_t d, double* away) {
    constexpr std::size_t L = LANES<BYTES>;
    for (std::size_t j = 0; j < d; ++j)
        for (std::size_t i = 0; i < T; i += L) {
            Lanes<BYTES> x;
            fetch<BYTES>(turned + j * T + i, x);
            x -= mean[j];
            put<BYTES>(x, away + j * T + i);
        }
}

template <std::size_t BYTES>
ACUMEN_INLINE void mixture_scores_in(const double* turned, const double* mean, const double* factor,
                                     std::size_t d, bool diagonal, double* away, double* score) {
    constexpr std::size_t L = LANES<BYTES>, AT_ONCE = 4;
    differ<BYTES>(turned, mean, d, away);
    for (std::size_t i = 0; i < T; i += AT_ONCE * L) {
        Lanes<BYTES> whole[AT_ONCE] = {};
        for (std::size_t j = 0; j < d; ++j) {
            Lanes<BYTES> sum[AT_ONCE] = {};
            const double* line = diagonal ? factor + j : factor + j * d + j;
            for (std::size_t l = diagonal ? j : 0; l <= j; ++l) {
                const double by = line[static_cast<std::ptrdiff_t>(l) - static_cast<std::ptrdiff_t>(j)];
                for (std::size_t a = 0; a < AT_ONCE; ++a) {
                    Lanes<BYTES> y;
                    fetch<BYTES>(away + l * T + i + a * L, y);
                    sum[a] += y * by;
                }
            }
            for (std::size_t a = 0; a < AT_ONCE; ++a) whole[a] += sum[a] * sum[a];
        }
        for (std::size_t a = 0; a < AT_ONCE; ++a) put<BYTES>(whole[a] * -0.5, score + i + a * L);
    }
}

template <std::size_t BYTES>
ACUMEN_INLINE void mixture_sums_in(const double* turned, const double* mean, const double* share,
                                   std::size_t d, bool diagonal, double* away, double* shared,
                                   double* lanes) {
    constexpr std::size_t L = LANES<BYTES>;
    const std::size_t lines = mixture_lines(d);
    differ<BYTES>(turned, mean, d, away);
    Lanes<BYTES> whole = {};
    for (std::size_t i = 0; i < T; i += L) {
        Lanes<BYTES> s;
        fetch<BYTES>(share + i, s);
        whole += s;
    }
    add_to<BYTES>(whole, lanes);
    for (std::size_t j = 0; j < d; ++j) {
        Lanes<BYTES> first = {}, second = {};
        for (std::size_t i = 0; i < T; i += L) {
            Lanes<BYTES> s, y;
            fetch<BYTES>(share + i, s);
            fetch<BYTES>(away + j * T + i, y);
            s = s * y;
            first += s;
            put<BYTES>(s, shared + j * T + i);
            second += s * y;
        }
        add_to<BYTES>(first, lanes + (1 + j) * PACK);
        if (diagonal) add_to<BYTES>(second, lanes + (1 + d + j) * PACK);
    }
    if (diagonal) return;
    double* products = lanes + (1 + d) * PACK;
    for (std::size_t j = 0; j < d; j += 2)
        for (std::size_t l = 0; l <= j + 1; l += 4) {
            Lanes<BYTES> sum[2][4] = {};
            for (std::size_t i = 0; i < T; i += L) {
                Lanes<BYTES> one, other;
                fetch<BYTES>(shared + j * T + i, one);
                fetch<BYTES>(shared + (j + 1) * T + i, other);
                for (std::size_t b = 0; b < 4; ++b) {
                    Lanes<BYTES> y;
                    fetch<BYTES>(away + (l + b) * T + i, y);
                    sum[0][b] += one * y;
                    sum[1][b] += other * y;
                }
            }
            for (std::size_t a = 0; a < 2; ++a)
                for (std::size_t b = 0; b < 4; ++b)
                    add_to<BYTES>(sum[a][b], products + ((j + a) * lines + l + b) * PACK);
        }
}

}  // namespace

ACUMEN_FUSED_WIDTHS(mixture_scores,
                    (const double* turned, const double* mean, const double* factor, std::size_t d,
                     bool diagonal, double* away, double* score),
                    (turned, mean, factor, d, diagonal, away, score))
ACUMEN_FUSED_WIDTHS(mixture_sums,
                    (const double* turned, const double* mean, const double* share, std::size_t d,
                     bool diagonal, double* away, double* shared, double* lanes),
                    (turned, mean, share, d, diagonal, away, shared, lanes))

}  // namespace acumen
