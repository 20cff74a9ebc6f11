// Rows are copied to a tile of some 64, centred and scaled on the way, with a one for the intercept and
// zeros up to a whole number of packs. Everything else happens in that tile: it lies in the first cache.
//
// What bounds it: reading the rows from memory for two classes without second derivatives; with them, and
// with many classes, multiply and add, one pack each a cycle, nothing being fused.
#include <cstring>
#include <vector>

#include "kernels/common/clones.hpp"
#include "kernels/common/tile_strips.hpp"
#include "kernels/linear/gram.hpp"
#include "kernels/linear/logistic.hpp"
#include "kernels/linear/logistic_link.hpp"

namespace acumen {

namespace {

constexpr std::size_t PLACES = 4;  // lines are padded to a multiple

std::size_t padded(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

struct Shape {
    std::size_t columns, width;  // width: columns and intercept, padded
    std::size_t lines, across;   // across: lines padded, or one
    std::size_t tile;            // rows

    Shape(std::size_t d, std::size_t k)
        : columns(d), width(padded(d + 1, PACK)), lines(k), across(k == 1 ? 1 : padded(k, PLACES)) {
        tile = std::clamp<std::size_t>((std::size_t{1} << 15) / (width * sizeof(double)), 8, 64) / 8 * 8;
    }
    std::size_t pairs() const { return lines * (lines + 1) / 2; }
};

struct Sums {
    double loss = 0;
    std::vector<double> gradient;  // lines padded x width
    std::vector<double> hessian;   // pair of lines x width x width, packs on and above the diagonal
};

ACUMEN_CLONES void load(const Columns& values, bool by_rows, const double* ACUMEN_RESTRICT centre,
                        const double* ACUMEN_RESTRICT factor, std::size_t first, std::size_t rows,
                        const Shape& shape, double* ACUMEN_RESTRICT tile) {
    const std::size_t d = shape.columns, width = shape.width;
    if (by_rows) {
        for (std::size_t r = 0; r < rows; ++r) {
            const double* from = d ? &values.columns[0][first + r] : nullptr;
            double* to = tile + r * width;
            for (std::size_t j = 0; j < d; ++j) {
                const double x = (from[j] - centre[j]) * factor[j];
                to[j] = x - x == 0 ? x : 0.0;  // neither NaN nor infinite
            }
        }
    } else {
        for (std::size_t j = 0; j < d; ++j)
            for (std::size_t r = 0; r < rows; ++r) {
                const double x = (values.columns[j][first + r] - centre[j]) * factor[j];
                tile[r * width + j] = x - x == 0 ? x : 0.0;
            }
    }
    for (std::size_t r = 0; r < rows; ++r) {
        tile[r * width + d] = 1.0;
        for (std::size_t j = d + 1; j < width; ++j) tile[r * width + j] = 0.0;
    }
}

// WIDE registers of lines for a strip of rows.
template <std::size_t BYTES, std::size_t WIDE>
ACUMEN_INLINE void score_strip(const double* x, std::size_t width, std::size_t columns,
                               const double* coefficient, std::size_t across, double* scores) {
    Lanes<BYTES> sum[STRIP][WIDE] = {};
    for (std::size_t j = 0; j <= columns; ++j) {
        Lanes<BYTES> w[WIDE];
        for (std::size_t t = 0; t < WIDE; ++t)
            fetch<BYTES>(coefficient + j * across + t * LANES<BYTES>, w[t]);
        for (std::size_t s = 0; s < STRIP; ++s)
            for (std::size_t t = 0; t < WIDE; ++t) sum[s][t] += w[t] * x[s * width + j];
    }
    for (std::size_t s = 0; s < STRIP; ++s)
        for (std::size_t t = 0; t < WIDE; ++t) put<BYTES>(sum[s][t], scores + s * across + t * LANES<BYTES>);
}

// Scores of a tile; `coefficient` is width for one line, width x across for several.
template <std::size_t BYTES>
ACUMEN_INLINE void score_in(const double* tile, const Shape& shape, std::size_t rows,
                            const double* coefficient, double* scores) {
    constexpr std::size_t N = LANES<BYTES>, LAST = BYTES < 32 ? BYTES : 32;
    const std::size_t width = shape.width, across = shape.across;
    if (shape.lines == 1) {
        for (std::size_t r = 0; r < rows; ++r) {
            Lanes<BYTES> sum[PACK / N] = {};
            for (std::size_t j = 0; j < width; j += PACK)
                for (std::size_t t = 0; t < PACK / N; ++t) {
                    Lanes<BYTES> x, w;
                    fetch<BYTES>(tile + r * width + j + t * N, x);
                    fetch<BYTES>(coefficient + j + t * N, w);
                    sum[t] += x * w;
                }
            double lane[PACK];
            for (std::size_t t = 0; t < PACK / N; ++t) put<BYTES>(sum[t], lane + t * N);
            scores[r] =
                ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
        }
        return;
    }
    for (std::size_t r = 0; r < rows; r += STRIP) {  // the tile has room for a whole strip
        const double* x = tile + r * width;
        double* to = scores + r * across;
        std::size_t k = 0;
        for (; k + 2 * N <= across; k += 2 * N)
            score_strip<BYTES, 2>(x, width, shape.columns, coefficient + k, across, to + k);
        for (; k + N <= across; k += N)
            score_strip<BYTES, 1>(x, width, shape.columns, coefficient + k, across, to + k);
        for (; k < across; k += LANES<LAST>)
            score_strip<LAST, 1>(x, width, shape.columns, coefficient + k, across, to + k);
    }
}
ACUMEN_WIDTHS(void, score,
              (const double* tile, const Shape& shape, std::size_t rows, const double* coefficient,
               double* scores),
              (tile, shape, rows, coefficient, scores))

// Scores become probabilities, with several lines a line after the other (lines x tile), as the residuals
// are.
ACUMEN_CLONES double link(double* scores, const Shape& shape, std::size_t rows, const std::int32_t* label,
                          const double* weight, double* turned, double* residual, double* small) {
    if (shape.lines == 1) return link_two(scores, rows, label, weight, residual, small);
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t k = 0; k < shape.lines; ++k)
            turned[k * shape.tile + r] = scores[r * shape.across + k];
    return link_lines(turned, shape.tile, rows, shape.lines, label, weight, residual, small);
}

// gradient += residual' tile, a strip of lines (or, with one line, two rows) at a time.
template <std::size_t BYTES>
ACUMEN_INLINE void add_gradient_in(const double* tile, const Shape& shape, std::size_t rows,
                                   const double* residual, double* gradient) {
    const std::size_t width = shape.width;
    if (shape.lines > 1) {
        for (std::size_t k = 0; k < shape.lines; k += STRIP)  // `across` is whole strips
            add_strips<BYTES>(tile, width, rows, residual + k * shape.tile, {1, shape.tile}, 0,
                              gradient + k * width);
        return;
    }
    for (std::size_t j = 0; j < width; j += LANES<BYTES>) {
        Lanes<BYTES> sum0{}, sum1{}, x;
        std::size_t r = 0;
        for (; r + 2 <= rows; r += 2) {
            fetch<BYTES>(tile + r * width + j, x);
            sum0 += x * residual[r];
            fetch<BYTES>(tile + (r + 1) * width + j, x);
            sum1 += x * residual[r + 1];
        }
        if (r < rows) {
            fetch<BYTES>(tile + r * width + j, x);
            sum0 += x * residual[r];
        }
        sum0 += sum1;
        add_to<BYTES>(sum0, gradient + j);
    }
}
ACUMEN_WIDTHS(void, add_gradient,
              (const double* tile, const Shape& shape, std::size_t rows, const double* residual,
               double* gradient),
              (tile, shape, rows, residual, gradient))

// One thread's tile and what is computed from it.
class Worker {
  public:
    Worker(const Columns& values, const double* centre, const double* factor, const Outcomes& outcomes,
           const Shape& shape, const double* coefficient)
        : values_(values),
          outcomes_(outcomes),
          centre_(centre),
          factor_(factor),
          coefficient_(coefficient),
          shape_(shape),
          by_rows_(values.side_by_side(0, values.size())),
          tile_(shape.tile * shape.width),
          scores_(shape.tile * shape.across),
          turned_(shape.lines == 1 ? 0 : shape.tile * shape.lines),
          residual_(shape.tile * shape.across),
          small_(2 * shape.tile),
          strip_(shape.tile * STRIP) {}

    void operator()(std::size_t first, std::size_t last, Sums& sums) {
        for (; first < last; first += shape_.tile) {
            const std::size_t rows = std::min(shape_.tile, last - first);
            const double* weight = outcomes_.weight ? outcomes_.weight + first : nullptr;
            load(values_, by_rows_, centre_, factor_, first, rows, shape_, tile_.data());
            score(tile_.data(), shape_, rows, coefficient_, scores_.data());
            sums.loss += link(scores_.data(), shape_, rows, outcomes_.label.data() + first, weight,
                              turned_.data(), residual_.data(), small_.data());
            add_gradient(tile_.data(), shape_, rows, residual_.data(), sums.gradient.data());
            if (!sums.hessian.empty()) add_hessian(rows, weight, sums.hessian.data());
        }
    }

  private:
    void add_hessian(std::size_t rows, const double* weight, double* square) {
        const std::size_t size = shape_.width * shape_.width;
        const double* share = shape_.lines == 1 ? scores_.data() : turned_.data();
        for (std::size_t a = 0; a < shape_.lines; ++a)
            for (std::size_t b = a; b < shape_.lines; ++b, square += size) {
                for (std::size_t r = 0; r < rows; ++r) {
                    const double p = share[a * shape_.tile + r], q = share[b * shape_.tile + r];
                    small_[r] = (weight ? weight[r] : 1.0) * (a == b ? p * (1.0 - p) : -p * q);
                }
                add_square(tile_.data(), shape_.width, rows, small_.data(), strip_.data(), square);
            }
    }

    const Columns& values_;
    const Outcomes& outcomes_;
    const double *centre_, *factor_, *coefficient_;
    const Shape& shape_;
    bool by_rows_;
    std::vector<double> tile_, scores_, turned_, residual_, small_, strip_;
};

void unpack(const Shape& shape, const std::vector<double>& packed, double* out) {
    const std::size_t each = shape.columns + 1, side = shape.lines * each;
    const double* square = packed.data();
    for (std::size_t a = 0; a < shape.lines; ++a)
        for (std::size_t b = a; b < shape.lines; ++b, square += shape.width * shape.width)
            for (std::size_t i = 0; i < each; ++i)
                for (std::size_t j = 0; j < each; ++j) {
                    const double x = square[j < i ? j * shape.width + i : i * shape.width + j];
                    out[(a * each + i) * side + b * each + j] = x;
                    out[(b * each + j) * side + a * each + i] = x;
                }
}

}  // namespace

bool logistic_dense(const Columns& values, const double* centre, const double* factor,
                    const Outcomes& outcomes, const double* coefficients, double& loss, double* gradient,
                    double* hessian, std::size_t threads, const Stop& stop) {
    const Shape shape(values.size(), outcomes.lines);
    const std::size_t n = outcomes.label.size(), each = shape.columns + 1;
    std::vector<double> turned(shape.width * shape.across);
    for (std::size_t k = 0; k < shape.lines; ++k)
        for (std::size_t j = 0; j < each; ++j) turned[j * shape.across + k] = coefficients[k * each + j];
    const std::size_t square = hessian ? shape.pairs() * shape.width * shape.width : 0;
    // So many slices that threads are never idle for long, so few that their sums take no room to speak of.
    const std::size_t most = std::clamp<std::size_t>((std::size_t{1} << 23) / (square + 1), 2, 16);
    const std::size_t slices = std::clamp<std::size_t>(n / 2048, 1, most);
    std::vector<Sums> sums(slices);
    for (Sums& each_sum : sums) {
        each_sum.gradient.resize(padded(shape.lines, STRIP) * shape.width);
        each_sum.hessian.resize(square);
    }
    const bool whole = for_blocks(slices, threads, stop, [&] {
        return [&, worker = Worker(values, centre, factor, outcomes, shape, turned.data())](
                   std::size_t slice) mutable {
            worker(slice * n / slices, (slice + 1) * n / slices, sums[slice]);
        };
    });
    if (!whole) return false;
    for (std::size_t s = 1; s < slices; ++s) {
        sums[0].loss += sums[s].loss;
        for (std::size_t i = 0; i < sums[0].gradient.size(); ++i) sums[0].gradient[i] += sums[s].gradient[i];
        for (std::size_t i = 0; i < square; ++i) sums[0].hessian[i] += sums[s].hessian[i];
    }
    loss = sums[0].loss;
    for (std::size_t k = 0; k < shape.lines; ++k)
        for (std::size_t j = 0; j < each; ++j) gradient[k * each + j] = sums[0].gradient[k * shape.width + j];
    if (hessian) unpack(shape, sums[0].hessian, hessian);
    return true;
}

}  // namespace acumen
