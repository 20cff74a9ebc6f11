// Sixty-four rows at a time are turned into columns (they then fit in the first cache), and lanes run over
// rows: each row's sum is taken in column order whatever the instruction set and the layout.
//
// What bounds it: for a few classes memory and the turning, a nanosecond a value or so; from about ten
// classes the four operations a value and class.
#include "kernels/densities/gaussian.hpp"

#include <cmath>
#include <limits>

#include "kernels/common/lanes.hpp"
#include "kernels/common/transpose.hpp"

namespace acumen {

namespace {

constexpr std::size_t BLOCK = 4096;  // rows a thread takes at a time
constexpr double LARGEST = std::numeric_limits<double>::max();
constexpr double SMALLEST = std::numeric_limits<double>::min();
constexpr double LOG_TWO_PI = 1.8378770664093453;

// What is used of a class's column: log N = -(x - mean)^2 * half - log_norm.
struct Cell {
    double mean, half, log_norm;
};

constexpr std::size_t WIDE = 8;  // registers for sums

// sum[r] = sum over columns of (x - mean)^2 * half, for TURN rows.
template <std::size_t BYTES>
ACUMEN_INLINE void add_squares_in(const double* x, const Cell* cells, std::size_t columns, double* sum) {
    constexpr std::size_t N = LANES<BYTES>;
    for (std::size_t first = 0; first < TURN; first += WIDE * N) {
        Lanes<BYTES> s[WIDE] = {};
        for (std::size_t j = 0; j < columns; ++j) {
            const double mean = cells[j].mean, half = cells[j].half;
            for (std::size_t p = 0; p < WIDE; ++p) {
                Lanes<BYTES> v;
                fetch<BYTES>(x + j * TURN + first + p * N, v);
                v -= mean;
                s[p] += v * v * half;
            }
        }
        for (std::size_t p = 0; p < WIDE; ++p) put<BYTES>(s[p], sum + first + p * N);
    }
}
ACUMEN_WIDTHS(void, add_squares, (const double* x, const Cell* cells, std::size_t columns, double* sum),
              (x, cells, columns, sum))

// The same where values are missing: `x` is zero and `known` is 0 there, else 1; `norm` gathers the log_norm
// of the known ones.
template <std::size_t BYTES>
ACUMEN_INLINE void add_known_squares_in(const double* x, const double* known, const Cell* cells,
                                        std::size_t columns, double* sum, double* norm) {
    constexpr std::size_t N = LANES<BYTES>, HALF = WIDE / 2;
    for (std::size_t first = 0; first < TURN; first += HALF * N) {
        Lanes<BYTES> s[HALF] = {}, t[HALF] = {};
        for (std::size_t j = 0; j < columns; ++j) {
            const Cell cell = cells[j];
            for (std::size_t p = 0; p < HALF; ++p) {
                Lanes<BYTES> v, k;
                fetch<BYTES>(x + j * TURN + first + p * N, v);
                fetch<BYTES>(known + j * TURN + first + p * N, k);
                v -= cell.mean;
                s[p] += v * v * cell.half * k;
                t[p] += k * cell.log_norm;
            }
        }
        for (std::size_t p = 0; p < HALF; ++p) {
            put<BYTES>(s[p], sum + first + p * N);
            put<BYTES>(t[p], norm + first + p * N);
        }
    }
}
ACUMEN_WIDTHS(void, add_known_squares,
              (const double* x, const double* known, const Cell* cells, std::size_t columns, double* sum,
               double* norm),
              (x, known, cells, columns, sum, norm))

// Whether all of some turned rows is known; where it is not, `known` is filled and the gaps are zeroed.
ACUMEN_CLONES bool all_known(double* x, std::size_t n, double* known) {
    std::size_t gaps = 0;
    for (std::size_t i = 0; i < n; ++i) gaps += !(std::fabs(x[i]) <= LARGEST);
    if (!gaps) return true;
    for (std::size_t i = 0; i < n; ++i) {
        const bool here = std::fabs(x[i]) <= LARGEST;
        known[i] = here ? 1.0 : 0.0;
        x[i] = here ? x[i] : 0.0;
    }
    return false;
}

// One row whose squares overflow.
double careful_log(const double* x, const double* known, const Cell* cells, std::size_t columns) {
    double sum = 0;
    for (std::size_t j = 0; j < columns; ++j) {
        const double value = x[j * TURN];
        if ((known && known[j * TURN] == 0.0) || cells[j].half == 0.0) continue;
        // Half the distance cannot overflow; its square times half of the precision is z * z / 2.
        const double log_z = std::log(std::fabs(value * 0.5 - cells[j].mean * 0.5)) + std::log(2.0) +
                             0.5 * std::log(2.0) + 0.5 * std::log(cells[j].half);
        sum += 0.5 * capped_square(log_z) + cells[j].log_norm;
    }
    return -sum;
}

std::vector<Cell> cells_of(const double* mean, const double* variance, std::size_t n) {
    std::vector<Cell> cells(n);
    for (std::size_t k = 0; k < n; ++k) {
        if (std::isnan(mean[k]) || std::isnan(variance[k])) continue;  // all zero: adds nothing
        const double v = std::clamp(variance[k], SMALLEST, LARGEST);
        cells[k] = {std::clamp(mean[k], -LARGEST, LARGEST), 0.5 / v, 0.5 * (LOG_TWO_PI + std::log(v))};
    }
    return cells;
}

}  // namespace

double capped_square(double log_z) {
    const double log_cap = 0.5 * std::log(LARGEST_SQUARE);
    if (log_z <= log_cap) return std::exp(2 * log_z);
    return LARGEST_SQUARE * (1 + 0.01 * (log_z - log_cap));
}

bool add_gaussian_logs(const Columns& values, std::size_t classes, const double* mean, const double* variance,
                       double* total, std::size_t threads, const Stop& stop) {
    const std::size_t d = values.size();
    if (!d || !classes) return true;
    const std::vector<Cell> cells = cells_of(mean, variance, classes * d);
    std::vector<double> norms(classes);
    for (std::size_t k = 0; k < classes * d; ++k) norms[k / d] += cells[k].log_norm;
    return for_blocks((values.rows + BLOCK - 1) / BLOCK, threads, stop, [&] {
        return [&, turned = std::vector<double>(d * TURN), gaps = std::vector<double>(d * TURN),
                turn = Turner(values)](std::size_t block) mutable {
            double sum[TURN], norm[TURN];
            const std::size_t end = std::min(values.rows, (block + 1) * BLOCK);
            for (std::size_t first = block * BLOCK; first < end; first += TURN) {
                const std::size_t count = std::min(TURN, end - first);
                turn(first, count, turned.data());
                const double* x = turned.data();
                const double* known = all_known(turned.data(), d * TURN, gaps.data()) ? nullptr : gaps.data();
                for (std::size_t c = 0; c < classes; ++c) {
                    const Cell* of_class = cells.data() + c * d;
                    if (known)
                        add_known_squares(x, known, of_class, d, sum, norm);
                    else
                        add_squares(x, of_class, d, sum);
                    for (std::size_t r = 0; r < count; ++r)
                        total[(first + r) * classes + c] +=
                            sum[r] < 0.5 * LARGEST_SQUARE  // the sum is of half squares
                                ? -sum[r] - (known ? norm[r] : norms[c])
                                : careful_log(x + r, known ? known + r : nullptr, of_class, d);
                }
            }
        };
    });
}

bool add_level_logs(std::span<const CodeColumn> columns, std::size_t rows, std::size_t classes,
                    std::span<const double* const> tables, std::span<const std::size_t> levels, double* total,
                    std::size_t threads, const Stop& stop) {
    // Each table turned to levels x classes, so that a code's log probabilities lie together; a last line
    // of zeros is for the codes outside.
    std::vector<std::vector<double>> turned(columns.size());
    for (std::size_t j = 0; j < columns.size(); ++j) {
        turned[j].resize((levels[j] + 1) * classes);
        for (std::size_t c = 0; c < classes; ++c)
            for (std::size_t v = 0; v < levels[j]; ++v)
                turned[j][v * classes + c] = tables[j][c * levels[j] + v];
    }
    constexpr std::size_t rows_at_once = 512;  // their totals stay in the first cache for all columns
    const auto add_tile = [&](std::size_t first, std::size_t count) {
        for (std::size_t j = 0; j < columns.size(); ++j) {
            const double* table = turned[j].data();
            const auto n = static_cast<std::uint32_t>(levels[j]);
            double* sum = total + first * classes;
            if (classes == 2) {
                for (std::size_t i = 0; i < count; ++i, sum += 2) {
                    const double* add =
                        table + 2 * std::min(static_cast<std::uint32_t>(columns[j][first + i]), n);
                    sum[0] += add[0];
                    sum[1] += add[1];
                }
                continue;
            }
            for (std::size_t i = 0; i < count; ++i, sum += classes) {
                const auto code = std::min(static_cast<std::uint32_t>(columns[j][first + i]), n);
                const double* add = table + code * classes;
                for (std::size_t c = 0; c < classes; ++c) sum[c] += add[c];
            }
        }
    };
    return for_blocks((rows + BLOCK - 1) / BLOCK, threads, stop, [&] {
        return [&](std::size_t block) {
            const std::size_t end = std::min(rows, (block + 1) * BLOCK);
            for (std::size_t first = block * BLOCK; first < end; first += rows_at_once)
                add_tile(first, std::min(rows_at_once, end - first));
        };
    });
}

}  // namespace acumen
