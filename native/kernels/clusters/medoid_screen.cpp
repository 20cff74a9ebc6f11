// Gains of candidates in single precision, many in registers together. They only tell which candidates cannot
// be an improvement, with room for their errors; what is left is judged again in double precision. So this
// file may fuse multiplications into additions, and its bytes may differ between processors; what is found
// does not.
#include <cmath>
#include <cstring>

#include "kernels/clusters/medoids.hpp"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__GLIBC__) && \
    !defined(ACUMEN_SANITIZED)
#define ACUMEN_FUSED_CLONES __attribute__((target_clones("default", "arch=x86-64-v3")))
#else
#define ACUMEN_FUSED_CLONES
#endif

namespace acumen {

namespace {

constexpr std::size_t W = MedoidScreen::WIDE, T = MedoidScreen::TALL;
constexpr std::size_t FLUSH = 16;  // tiles summed in single precision before they are added to the whole

#if defined(__GNUC__)

typedef float Eight __attribute__((vector_size(32)));
typedef std::int32_t Mask __attribute__((vector_size(32)));

// Squared distances of T candidates to the W rows of a tile.
inline __attribute__((always_inline)) void tile_squares(const float* tile, const float* turned, std::size_t d,
                                                        Eight sum[T][2]) {
    for (std::size_t t = 0; t < T; ++t) sum[t][0] = sum[t][1] = Eight{};
    for (std::size_t j = 0; j < d; ++j) {
        Eight a, b;
        std::memcpy(&a, tile + j * W, sizeof a);
        std::memcpy(&b, tile + j * W + 8, sizeof b);
        for (std::size_t t = 0; t < T; ++t) {
            const float x = turned[j * T + t];
            const Eight u = a - x, v = b - x;
            sum[t][0] += u * u;
            sum[t][1] += v * v;
        }
    }
}

inline __attribute__((always_inline)) bool any(const Mask& mask) {
    std::uint64_t bits[4];
    std::memcpy(bits, &mask, sizeof bits);
    return (bits[0] | bits[1] | bits[2] | bits[3]) != 0;
}

#endif

}  // namespace

#if defined(__GNUC__)

ACUMEN_FUSED_CLONES void screen_medoid(const MedoidScreen& screen, std::size_t medoid, const float* turned,
                                       const double* away, double* gain, double* rest) {
    const std::size_t d = screen.d;
    double nearest = away[0];
    for (std::size_t t = 1; t < T; ++t) nearest = away[t] < nearest ? away[t] : nearest;
    std::size_t tile = screen.first[medoid];
    const std::size_t last = screen.first[medoid + 1];
    while (tile < last && screen.reach[tile] > nearest) {
        Eight won[T] = {}, lost[T] = {};
        for (std::size_t some = 0; some < FLUSH && tile < last && screen.reach[tile] > nearest;
             ++some, ++tile) {
            Eight sum[T][2];
            tile_squares(screen.tiles.data() + tile * d * W, turned, d, sum);
            for (std::size_t half = 0; half < 2; ++half) {
                Eight near, second, weight = {};
                std::memcpy(&near, screen.near.data() + tile * W + half * 8, sizeof near);
                std::memcpy(&second, screen.second.data() + tile * W + half * 8, sizeof second);
                if (!screen.weight.empty())
                    std::memcpy(&weight, screen.weight.data() + tile * W + half * 8, sizeof weight);
                const Eight square = second * second;
                for (std::size_t t = 0; t < T; ++t) {
                    if (!any(sum[t][half] < square)) continue;
                    alignas(32) float root[8];
                    std::memcpy(root, &sum[t][half], sizeof root);
                    for (float& each : root) each = __builtin_sqrtf(each);
                    Eight far;
                    std::memcpy(&far, root, sizeof far);
                    Eight less = (far < near ? far : near) - near;
                    const Eight held = far > near ? far : near;
                    Eight more = (held < second ? held : second) - second;
                    if (!screen.weight.empty()) less *= weight, more *= weight;
                    won[t] += less;
                    lost[t] += more;
                }
            }
        }
        for (std::size_t t = 0; t < T; ++t)
            for (std::size_t i = 0; i < 8; ++i) {
                gain[t] += static_cast<double>(won[t][i]);
                rest[t] += static_cast<double>(lost[t][i]);
            }
    }
}

#else

void screen_medoid(const MedoidScreen& screen, std::size_t medoid, const float* turned, const double* away,
                   double* gain, double* rest) {
    const std::size_t d = screen.d;
    double nearest = away[0];
    for (std::size_t t = 1; t < T; ++t) nearest = away[t] < nearest ? away[t] : nearest;
    for (std::size_t tile = screen.first[medoid]; tile < screen.first[medoid + 1]; ++tile) {
        if (!(screen.reach[tile] > nearest)) return;
        for (std::size_t t = 0; t < T; ++t)
            for (std::size_t i = 0; i < W; ++i) {
                float sum = 0;
                for (std::size_t j = 0; j < d; ++j) {
                    const float u = screen.tiles[(tile * d + j) * W + i] - turned[j * T + t];
                    sum += u * u;
                }
                const float far = std::sqrt(sum), near = screen.near[tile * W + i];
                const float second = screen.second[tile * W + i];
                const double w = screen.weight.empty() ? 1.0 : screen.weight[tile * W + i];
                gain[t] += w * static_cast<double>((far < near ? far : near) - near);
                const float held = far > near ? far : near;
                rest[t] += w * static_cast<double>((held < second ? held : second) - second);
            }
    }
}

#endif

}  // namespace acumen
