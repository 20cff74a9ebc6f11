// A few rows at a time meet a tile of training rows: the tile's columns, contiguous, stay in the first two
// caches while every row passes over them, and lanes run over training rows. A row's sum is taken tile by
// tile in the training rows' order, whoever takes it, so threads do not change it.
//
// What bounds it: the four operations for each pair and attribute, and one exponential for each pair that
// is near enough to count.
#include "kernels/densities/parzen.hpp"

#include <cmath>
#include <limits>

#include "kernels/common/clones.hpp"
#include "kernels/common/exp.hpp"
#include "kernels/densities/gaussian.hpp"

namespace acumen {

namespace {

constexpr std::size_t TILE = 256;    // training rows
constexpr std::size_t QUERIES = 16;  // rows a thread takes at a time
constexpr double LARGEST = std::numeric_limits<double>::max();
constexpr double FAR = std::numeric_limits<double>::infinity();
constexpr double HALF_LOG_TWO_PI = 0.9189385332046727;
constexpr double NEGLIGIBLE = 700.0;  // exp(-700) of the largest adds nothing to it

// One numeric attribute of one class.
struct Window {
    double width, centre, spread;
    double log_norm;  // of a window of this width
    double log_gap;   // how much more a window of the stand-in's width has
    bool gaps;        // whether some training value is missing
};

// sum[i] += half the square of (v[i] - x) / width.
ACUMEN_CLONES void add_gaussian(const double* ACUMEN_RESTRICT v, std::size_t n, double x, double scale,
                                double* ACUMEN_RESTRICT sum) {
    for (std::size_t i = 0; i < n; ++i) {
        const double z = (v[i] - x) * scale;
        sum[i] += z * z;
    }
}

ACUMEN_CLONES void add_gaussian_gaps(const double* ACUMEN_RESTRICT v, std::size_t n, double x, double scale,
                                     double stand_in, double* ACUMEN_RESTRICT sum) {
    for (std::size_t i = 0; i < n; ++i) {
        const double z = (v[i] - x) * scale;
        const double square = z * z;
        sum[i] += v[i] == v[i] ? square : stand_in;
    }
}

ACUMEN_CLONES void add_box(const double* ACUMEN_RESTRICT v, std::size_t n, double x, double half,
                           double stand_in, double* ACUMEN_RESTRICT sum) {
    for (std::size_t i = 0; i < n; ++i) {
        const double inside = std::fabs(v[i] - x) <= half ? 0.0 : FAR;
        sum[i] += v[i] == v[i] ? inside : stand_in;
    }
}

ACUMEN_CLONES void add_levels(const std::int32_t* ACUMEN_RESTRICT codes, std::size_t n, std::int32_t code,
                              double same, double other, double stand_in, double* ACUMEN_RESTRICT sum) {
    for (std::size_t i = 0; i < n; ++i) {
        const double known = codes[i] == code ? same : other;
        sum[i] += codes[i] < 0 ? stand_in : known;
    }
}

// The smallest of n distances; lane by lane, so that it runs as wide as the machine does.
ACUMEN_CLONES double least_of(const double* distance, std::size_t n) {
    double lane[PACK];
    std::fill_n(lane, PACK, FAR);
    std::size_t i = 0;
    for (; i + PACK <= n; i += PACK)
        for (std::size_t l = 0; l < PACK; ++l)
            lane[l] = distance[i + l] < lane[l] ? distance[i + l] : lane[l];
    for (; i < n; ++i) lane[i % PACK] = std::min(lane[i % PACK], distance[i]);
    return *std::min_element(lane, lane + PACK);
}

// The sum of weight * exp(nearest - distance), no distance being below `nearest`; terms below exp(-700) of
// the largest are left out.
ACUMEN_CLONES double sum_of_exps(const double* ACUMEN_RESTRICT distance, const double* ACUMEN_RESTRICT weight,
                                 std::size_t n, double nearest) {
    double term[TILE], lane[PACK] = {};
    for (std::size_t i = 0; i < n; ++i) {
        const double apart = distance[i] - nearest;
        const double x = apart < 700.0 ? -apart : -700.0;
        const double made = exp_below_zero(x) * weight[i];
        term[i] = apart < 700.0 ? made : 0.0;
    }
    std::size_t i = 0;
    for (; i + PACK <= n; i += PACK)
        for (std::size_t l = 0; l < PACK; ++l) lane[l] += term[i + l];
    for (; i < n; ++i) lane[i % PACK] += term[i];
    double sum = 0;
    for (const double part : lane) sum += part;
    return sum;
}

// A sum of weight * exp(-distance), kept relative to the smallest distance so far.
struct LogSum {
    double nearest = FAR, sum = 0;

    void add(const double* distance, const double* weight, std::size_t n) {
        const double least = least_of(distance, n);
        // Distances here are half squares.
        if (!(least < 0.5 * LARGEST_SQUARE) || least - nearest > NEGLIGIBLE) return;
        if (least < nearest) {
            sum *= std::exp(least - nearest);  // exp(-inf) at first, and the sum is zero then
            nearest = least;
        }
        sum += sum_of_exps(distance, weight, n, nearest);
    }
};

// Everything one call needs, and the work on one row and class.
class Densities {
  public:
    Densities(const ParzenRows& training, const ParzenWindows& windows)
        : training_(training),
          windows_(windows),
          of_(training.classes * training.numeric),
          log_total_(training.classes) {
        for (std::size_t c = 0; c < training.classes; ++c) {
            const std::size_t first = training.starts[c], last = training.starts[c + 1];
            double total = 0;
            for (std::size_t i = first; i < last; ++i) total += training.weight[i];
            log_total_[c] = std::log(total);
            for (std::size_t j = 0; j < training.numeric; ++j) {
                const std::size_t at = c * training.numeric + j;
                const double width = windows.width[at], spread = windows.spread[at];
                const double* v = training.values + j * training.n;
                const bool gaps = std::any_of(v + first, v + last, [](double x) { return x != x; });
                of_[at] = {width,
                           windows.centre[at],
                           spread,
                           std::log(width) + (windows.box ? 0.0 : HALF_LOG_TWO_PI),
                           std::log(spread) - std::log(width),
                           gaps};
            }
        }
    }

    // The distances of training rows first..first + n of class c from one row, in `distance`.
    void measure(std::size_t c, std::size_t first, std::size_t n, const double* x, const std::int32_t* code,
                 double* distance) const {
        std::fill_n(distance, n, 0.0);
        for (std::size_t j = 0; j < training_.numeric; ++j) {
            if (!known(x[j])) continue;
            const Window& window = of_[c * training_.numeric + j];
            const double* v = training_.values + j * training_.n + first;
            if (windows_.box)
                add_box(v, n, x[j], 0.5 * window.width, stand_in(window, x[j]), distance);
            else if (window.gaps)
                add_gaussian_gaps(v, n, x[j], std::sqrt(0.5) / window.width, stand_in(window, x[j]),
                                  distance);
            else
                add_gaussian(v, n, x[j], std::sqrt(0.5) / window.width, distance);
        }
        for (std::size_t j = 0; j < training_.nominal; ++j) {
            if (!known(code[j], j)) continue;
            const std::size_t at = c * training_.nominal + j;
            const double missing =
                windows_.log_level[j][c * windows_.levels[j] + static_cast<std::size_t>(code[j])];
            add_levels(training_.codes + j * training_.n + first, n, code[j], -windows_.log_same[at],
                       -windows_.log_other[at], -missing, distance);
        }
    }

    // Takes a weight of one from training row `row`, if it is in the tile: the row itself unless it weighs
    // more.
    void leave_out(std::int64_t row, std::size_t first, std::size_t n, double* distance) const {
        if (row < static_cast<std::int64_t>(first) || row >= static_cast<std::int64_t>(first + n)) return;
        const double weight = training_.weight[row];
        distance[static_cast<std::size_t>(row) - first] += weight > 1 ? -std::log1p(-1.0 / weight) : FAR;
    }

    double log_norm(std::size_t c, const double* x) const {
        double sum = 0;
        for (std::size_t j = 0; j < training_.numeric; ++j)
            if (known(x[j])) sum += of_[c * training_.numeric + j].log_norm;
        return sum;
    }

    double log_total(std::size_t c) const { return log_total_[c]; }

    // The log density of a row so far from the whole class that squares overflow: its nearest training row's.
    double careful_log(std::size_t c, const double* x, std::int64_t left_out) const {
        double nearest = FAR;
        for (std::size_t i = training_.starts[c]; i < training_.starts[c + 1]; ++i) {
            const double weight =
                training_.weight[i] - (static_cast<std::int64_t>(i) == left_out ? 1.0 : 0.0);
            if (!(weight > 0)) continue;
            double sum = 0;
            for (std::size_t j = 0; j < training_.numeric; ++j) {
                if (!known(x[j])) continue;
                const Window& window = of_[c * training_.numeric + j];
                const double v = training_.values[j * training_.n + i];
                const double at = v == v ? v : window.centre, width = v == v ? window.width : window.spread;
                // Half the distance cannot overflow.
                const double apart = std::fabs(x[j] * 0.5 - at * 0.5);
                sum += apart > 0 ? 0.5 * capped_square(std::log(apart) + std::log(2.0) - std::log(width)) : 0;
            }
            nearest = std::min(nearest, sum);
        }
        return -nearest - log_norm(c, x);
    }

  private:
    static bool known(double x) { return std::fabs(x) <= LARGEST; }
    bool known(std::int32_t code, std::size_t j) const {
        return static_cast<std::uint32_t>(code) < windows_.levels[j];
    }

    // The distance from a missing training value, norm included where it is another than the window's.
    double stand_in(const Window& window, double x) const {
        const double apart = std::fabs(x - window.centre);
        if (windows_.box) return apart <= 0.5 * window.spread ? window.log_gap : FAR;
        const double z = apart / window.spread;
        return 0.5 * z * z + window.log_gap;
    }

    const ParzenRows& training_;
    const ParzenWindows& windows_;
    std::vector<Window> of_;  // classes x numeric
    std::vector<double> log_total_;
};

}  // namespace

bool add_parzen_logs(const Columns& values, std::span<const CodeColumn> codes, std::size_t rows,
                     const ParzenRows& training, const ParzenWindows& windows, const std::int64_t* leave_out,
                     double* total, std::size_t threads, const Stop& stop) {
    const std::size_t d = training.numeric, q = training.nominal, classes = training.classes;
    const Densities densities(training, windows);
    return for_blocks((rows + QUERIES - 1) / QUERIES, threads, stop, [&] {
        return [&, x = std::vector<double>(QUERIES * d), code = std::vector<std::int32_t>(QUERIES * q),
                sums = std::vector<LogSum>(QUERIES)](std::size_t block) mutable {
            double distance[TILE];
            const std::size_t start = block * QUERIES, count = std::min(QUERIES, rows - start);
            for (std::size_t r = 0; r < count; ++r) {
                for (std::size_t j = 0; j < d; ++j) x[r * d + j] = values.columns[j][start + r];
                for (std::size_t j = 0; j < q; ++j) code[r * q + j] = codes[j][start + r];
            }
            for (std::size_t c = 0; c < classes; ++c) {
                std::fill(sums.begin(), sums.end(), LogSum{});
                const std::size_t last = training.starts[c + 1];
                for (std::size_t first = training.starts[c]; first < last; first += TILE) {
                    const std::size_t n = std::min(TILE, last - first);
                    for (std::size_t r = 0; r < count; ++r) {
                        densities.measure(c, first, n, x.data() + r * d, code.data() + r * q, distance);
                        if (leave_out) densities.leave_out(leave_out[start + r], first, n, distance);
                        sums[r].add(distance, training.weight + first, n);
                    }
                }
                for (std::size_t r = 0; r < count; ++r) {
                    const double* row = x.data() + r * d;
                    double& cell = total[(start + r) * classes + c];
                    if (sums[r].sum > 0)
                        cell += std::log(sums[r].sum) - sums[r].nearest - densities.log_total(c) -
                                densities.log_norm(c, row);
                    else if (windows.box)
                        cell = -FAR;
                    else
                        cell += densities.careful_log(c, row, leave_out ? leave_out[start + r] : -1);
                }
            }
        };
    });
}

}  // namespace acumen
