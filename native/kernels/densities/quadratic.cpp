// Sixty-four rows are turned into columns, centred for a class and multiplied by its triangular factor in
// register blocks of four outputs by eight rows. Lanes run over rows, so each row's sums are taken in one
// order whatever the instruction set.
//
// What bounds it: multiply and add, one product a cycle and lane; the triangle halves them.
#include "kernels/densities/quadratic.hpp"

#include <atomic>
#include <cmath>
#include <limits>

#include "kernels/common/lanes.hpp"
#include "kernels/common/transpose.hpp"
#include "kernels/densities/gaussian.hpp"

namespace acumen {

namespace {

constexpr std::size_t BLOCK = 2048;
constexpr std::size_t STRIP = 4;
constexpr double LARGEST = std::numeric_limits<double>::max();
constexpr double LOG_TWO_PI = 1.8378770664093453;

// sum[r] = |F (x_r - mean)|^2 for TURN rows. `strips` holds F four rows at a time, each strip
// columns x 4; beyond the diagonal it is zero, so strip s needs only the first 4 (s + 1) columns.
template <std::size_t BYTES>
ACUMEN_INLINE void square_norms_in(const double* x, const double* mean, const double* strips,
                                   std::size_t columns, double* centred, double* sum) {
    constexpr std::size_t N = LANES<BYTES>, WIDE = PACK / N;
    for (std::size_t j = 0; j < columns; ++j)
        for (std::size_t r = 0; r < TURN; ++r) centred[j * TURN + r] = x[j * TURN + r] - mean[j];
    std::fill_n(sum, TURN, 0.0);
    for (std::size_t s = 0; s * STRIP < columns; ++s) {
        const double* strip = strips + s * columns * STRIP;
        const std::size_t end = std::min(columns, (s + 1) * STRIP);
        for (std::size_t first = 0; first < TURN; first += PACK) {
            Lanes<BYTES> part[STRIP][WIDE] = {};
            for (std::size_t j = 0; j < end; ++j) {
                Lanes<BYTES> z[WIDE];
                for (std::size_t t = 0; t < WIDE; ++t) fetch<BYTES>(centred + j * TURN + first + t * N, z[t]);
                for (std::size_t i = 0; i < STRIP; ++i)
                    for (std::size_t t = 0; t < WIDE; ++t) part[i][t] += z[t] * strip[j * STRIP + i];
            }
            for (std::size_t t = 0; t < WIDE; ++t) {
                Lanes<BYTES> norm;
                fetch<BYTES>(sum + first + t * N, norm);
                for (std::size_t i = 0; i < STRIP; ++i) norm += part[i][t] * part[i][t];
                put<BYTES>(norm, sum + first + t * N);
            }
        }
    }
}
ACUMEN_WIDTHS(void, square_norms,
              (const double* x, const double* mean, const double* strips, std::size_t columns,
               double* centred, double* sum),
              (x, mean, strips, columns, centred, sum))

// One row whose squares overflow: the deviations are scaled down first, and the norm is capped as a log.
double careful_square(const double* x, const double* mean, const double* factor, std::size_t columns,
                      std::vector<double>& z) {
    double scale = 0;
    z.resize(columns);
    for (std::size_t j = 0; j < columns; ++j) {
        z[j] = x[j * TURN] * 0.5 - mean[j] * 0.5;
        scale = std::max(scale, std::fabs(z[j]));
    }
    double largest = 0;
    for (std::size_t k = 0; k < columns * columns; ++k)
        if (k % columns <= k / columns) largest = std::max(largest, std::fabs(factor[k]));
    if (!(scale > 0) || !(largest > 0)) return 0;
    double norm = 0;
    for (std::size_t i = 0; i < columns; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j <= i; ++j) sum += factor[i * columns + j] / largest * (z[j] / scale);
        norm += sum * sum;
    }
    return norm > 0
               ? capped_square(std::log(2.0) + std::log(scale) + std::log(largest) + 0.5 * std::log(norm))
               : 0;
}

struct Prepared {
    std::vector<double> strips;  // classes x strips x columns x 4
    std::vector<double> norms;   // -log of the density's constant
    std::size_t size;            // of one class's strips
};

Prepared prepare(const double* factor, std::size_t classes, std::size_t d) {
    const std::size_t size = (d + STRIP - 1) / STRIP * STRIP * d;
    Prepared made{std::vector<double>(classes * size), std::vector<double>(classes), size};
    for (std::size_t c = 0; c < classes; ++c)
        for (std::size_t i = 0; i < d; ++i) {
            const double* row = factor + (c * d + i) * d;
            for (std::size_t j = 0; j <= i; ++j)
                made.strips[c * size + (i / STRIP * d + j) * STRIP + i % STRIP] = row[j];
            made.norms[c] += 0.5 * LOG_TWO_PI - std::log(std::fabs(row[i]));
        }
    return made;
}

}  // namespace

bool add_quadratic_logs(const Columns& values, std::size_t classes, const double* mean, const double* factor,
                        double* total, std::size_t threads, const Stop& stop, std::size_t& skipped) {
    const std::size_t d = values.size();
    skipped = 0;
    if (!d || !classes) return true;
    const Prepared prepared = prepare(factor, classes, d);
    std::atomic<std::size_t> left_out{0};
    const bool whole = for_blocks((values.rows + BLOCK - 1) / BLOCK, threads, stop, [&] {
        return [&, turned = std::vector<double>(d * TURN), centred = std::vector<double>(d * TURN),
                z = std::vector<double>(), turn = Turner(values)](std::size_t block) mutable {
            double sum[TURN];
            bool known[TURN];
            const std::size_t end = std::min(values.rows, (block + 1) * BLOCK);
            for (std::size_t first = block * BLOCK; first < end; first += TURN) {
                const std::size_t count = std::min(TURN, end - first);
                turn(first, count, turned.data());
                std::fill_n(known, TURN, true);
                for (std::size_t j = 0; j < d; ++j)
                    for (std::size_t r = 0; r < TURN; ++r)
                        known[r] = known[r] & (std::fabs(turned[j * TURN + r]) <= LARGEST);
                left_out += static_cast<std::size_t>(std::count(known, known + count, false));
                for (std::size_t c = 0; c < classes; ++c) {
                    square_norms(turned.data(), mean + c * d, prepared.strips.data() + c * prepared.size, d,
                                 centred.data(), sum);
                    for (std::size_t r = 0; r < count; ++r) {
                        if (!known[r]) continue;
                        if (!(sum[r] < LARGEST_SQUARE))
                            sum[r] =
                                careful_square(turned.data() + r, mean + c * d, factor + c * d * d, d, z);
                        total[(first + r) * classes + c] -= 0.5 * sum[r] + prepared.norms[c];
                    }
                }
            }
        };
    });
    skipped = left_out;
    return whole;
}

}  // namespace acumen
