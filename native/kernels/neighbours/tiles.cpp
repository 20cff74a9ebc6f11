// Inner products of queries and rows in single precision, many in registers together. They only propose rows:
// each is at most as far below the true value as `NearWorker::limit` allows for, and a row that passes is
// measured again in double precision. So this file may fuse multiplications into additions, and its bytes may
// differ between processors; what is found does not.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/neighbours/index.hpp"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__GLIBC__) && \
    !defined(ACUMEN_SANITIZED)
#define ACUMEN_FUSED_CLONES __attribute__((target_clones("default", "arch=x86-64-v3")))
#else
#define ACUMEN_FUSED_CLONES
#endif

namespace acumen {

#if defined(__GNUC__)

typedef float Eight __attribute__((vector_size(32)));
typedef std::int32_t Mask __attribute__((vector_size(32)));

ACUMEN_FUSED_CLONES unsigned near_products(const float* turned, const float* tile, const float* squares,
                                           std::size_t d, const float* limits, float* products) {
    constexpr std::size_t T = NearPanel::TALL, W = NearPanel::WIDE;
    Eight sum[T][2];
    Eight low, high;
    std::memcpy(&low, squares, sizeof low);
    std::memcpy(&high, squares + 8, sizeof high);
    for (std::size_t t = 0; t < T; ++t) sum[t][0] = low, sum[t][1] = high;
    for (std::size_t j = 0; j < d; ++j) {
        Eight a, b;
        std::memcpy(&a, tile + j * W, sizeof a);
        std::memcpy(&b, tile + j * W + 8, sizeof b);
        for (std::size_t t = 0; t < T; ++t) {
            const float x = turned[j * T + t];
            sum[t][0] += a * x;
            sum[t][1] += b * x;
        }
    }
    Mask any = {};
    for (std::size_t t = 0; t < T; ++t) any |= (sum[t][0] <= limits[t]) | (sum[t][1] <= limits[t]);
    std::uint64_t bits[4];
    std::memcpy(bits, &any, sizeof bits);
    if (!(bits[0] | bits[1] | bits[2] | bits[3])) return 0;
    unsigned hit = 0;
    for (std::size_t t = 0; t < T; ++t) {
        const Mask own = (sum[t][0] <= limits[t]) | (sum[t][1] <= limits[t]);
        std::memcpy(bits, &own, sizeof bits);
        if (bits[0] | bits[1] | bits[2] | bits[3]) hit |= 1U << t;
        std::memcpy(products + t * W, &sum[t][0], sizeof low);
        std::memcpy(products + t * W + 8, &sum[t][1], sizeof high);
    }
    return hit;
}

#else

unsigned near_products(const float* turned, const float* tile, const float* squares, std::size_t d,
                       const float* limits, float* products) {
    constexpr std::size_t T = NearPanel::TALL, W = NearPanel::WIDE;
    unsigned hit = 0;
    for (std::size_t t = 0; t < T; ++t)
        for (std::size_t i = 0; i < W; ++i) {
            float sum = squares[i];
            for (std::size_t j = 0; j < d; ++j) sum += turned[j * T + t] * tile[j * W + i];
            products[t * W + i] = sum;
            if (sum <= limits[t]) hit |= 1U << t;
        }
    return hit;
}

#endif

void lay_panel(const NearForm& form, const NearRows& rows, NearPanel& panel, std::size_t threads) {
    constexpr std::size_t W = NearPanel::WIDE;
    const std::size_t n = rows.n, d = rows.d, tiles = (n + W - 1) / W;
    panel.n = n;
    panel.d = d;
    // Rows in an order that has nothing to do with theirs: were they sorted, each would be nearer than the
    // last.
    panel.order.resize(n);
    std::uint64_t step = static_cast<std::uint64_t>(0.6180339887 * static_cast<double>(n)) | 1;
    const auto divisor = [](std::uint64_t a, std::uint64_t b) {
        while (b) {
            const std::uint64_t c = a % b;
            a = b, b = c;
        }
        return a;
    };
    while (divisor(step, n) != 1) ++step;
    for (std::size_t i = 0; i < n; ++i) panel.order[i] = static_cast<std::uint32_t>(i * step % n);
    // Any centre will do; one near the middle of the rows makes the products small, and their errors.
    const std::size_t some = std::min<std::size_t>(n, 4096);
    panel.centre.assign(d, 0.0);
    for (std::size_t place = 0; place < some; ++place)
        for (std::size_t j = 0; j < d; ++j)
            panel.centre[j] += rows.values[panel.order[place] * d + j] / static_cast<double>(some);
    const std::size_t spans = (tiles + NearPanel::SPAN - 1) / NearPanel::SPAN, wide = NearPanel::SPAN * W;
    std::vector<double> most(spans, 0.0);
    for_blocks(spans, threads, {}, [&] {
        return [&](std::size_t span) {
            double far[4] = {};  // four at a time, so that no one waits for the last
            for (std::size_t i = span * wide; i < std::min(n, (span + 1) * wide); ++i) {
                const double* x = rows.values + i * d;
                for (std::size_t j = 0; j < d; ++j) {
                    const double v = std::fabs((x[j] - panel.centre[j]) * form.factor[j]);
                    far[j % 4] = v > far[j % 4] ? v : far[j % 4];
                }
            }
            most[span] = std::max(std::max(far[0], far[1]), std::max(far[2], far[3]));
        };
    });
    const double furthest = *std::max_element(most.begin(), most.end());
    panel.scale = furthest > 0 && std::isfinite(furthest) ? std::ldexp(1.0, -std::ilogb(furthest)) : 1.0;
    if (!std::isfinite(panel.scale) || !(panel.scale > 0)) panel.scale = 1.0;
    panel.tiles.resize(tiles * d * W);
    panel.squares.assign(tiles * W, std::numeric_limits<float>::infinity());
    panel.longest.assign(spans, 0.0);
    for_blocks(spans, threads, {}, [&] {
        return [&](std::size_t span) {
            for (std::size_t place = span * wide; place < std::min(tiles * W, (span + 1) * wide); ++place) {
                float* to = panel.tiles.data() + (place / W) * d * W + place % W;
                if (place >= n) {
                    for (std::size_t j = 0; j < d; ++j) to[j * W] = 0;
                    continue;
                }
                const double* x = rows.values + panel.order[place] * d;
                double length = 0;
                for (std::size_t j = 0; j < d; ++j) {
                    const auto v =
                        static_cast<float>((x[j] - panel.centre[j]) * form.factor[j] * panel.scale);
                    to[j * W] = v;
                    length += static_cast<double>(v) * v;
                }
                panel.squares[place] = static_cast<float>(length);
                panel.longest[span] = std::max(panel.longest[span], std::sqrt(length));
            }
        };
    });
    panel.furthest = *std::max_element(panel.longest.begin(), panel.longest.end());
}

}  // namespace acumen
