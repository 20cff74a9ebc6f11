// Rows are copied to a tile of some 64, centred and scaled on the way, with a one for the intercept and
// zeros up to a whole number of packs. Everything else happens in that tile: it lies in the first cache.
//
// What bounds it: reading the rows from memory for two classes without second derivatives; with them, and
// with many classes, multiply and add, one pack each a cycle, nothing being fused.
#include <cstring>
#include <vector>

#include "kernels/clones.hpp"
#include "kernels/logistic.hpp"
#include "kernels/logistic_link.hpp"

namespace acumen {

namespace {

constexpr std::size_t STRIP = 4;  // rows or columns whose sums are in registers together

std::size_t padded(std::size_t n) { return (n + PACK - 1) / PACK * PACK; }

// Eight doubles where they lie, whatever their alignment.
#if defined(__GNUC__)
typedef double Loose __attribute__((vector_size(64), aligned(8), may_alias));
#else
using Loose = Pack;
#endif

ACUMEN_INLINE const Loose& pack_at(const double* from) { return *reinterpret_cast<const Loose*>(from); }

ACUMEN_INLINE void put(const Pack& pack, double* to) { std::memcpy(to, &pack, sizeof pack); }

struct Shape {
    std::size_t columns, width;  // width: columns and intercept, padded
    std::size_t lines, across;   // across: lines padded, or one
    std::size_t tile;            // rows

    Shape(std::size_t d, std::size_t k)
        : columns(d), width(padded(d + 1)), lines(k), across(k == 1 ? 1 : padded(k)) {
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

// Scores of a tile; `coefficient` is width for one line, width x across for several.
ACUMEN_CLONES void score(const double* tile, const Shape& shape, std::size_t rows, const double* coefficient,
                         double* scores) {
    const std::size_t width = shape.width;
    if (shape.lines == 1) {
        for (std::size_t r = 0; r < rows; ++r) {
            Pack sum{};
            for (std::size_t j = 0; j < width; j += PACK)
                sum += pack_at(tile + r * width + j) * pack_at(coefficient + j);
            double lane[PACK];
            put(sum, lane);
            scores[r] =
                ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
        }
        return;
    }
    for (std::size_t r = 0; r < rows; r += STRIP)  // the tile has room for a whole strip
        for (std::size_t k = 0; k < shape.across; k += PACK) {
            Pack sum0{}, sum1{}, sum2{}, sum3{};
            const double* x = tile + r * width;
            for (std::size_t j = 0; j <= shape.columns; ++j) {
                const Pack w = pack_at(coefficient + j * shape.across + k);
                sum0 += w * x[j];
                sum1 += w * x[width + j];
                sum2 += w * x[2 * width + j];
                sum3 += w * x[3 * width + j];
            }
            put(sum0, scores + r * shape.across + k);
            put(sum1, scores + (r + 1) * shape.across + k);
            put(sum2, scores + (r + 2) * shape.across + k);
            put(sum3, scores + (r + 3) * shape.across + k);
        }
}

ACUMEN_CLONES double link(double* scores, const Shape& shape, std::size_t rows, const std::int32_t* label,
                          const double* weight, double* residual, double* small) {
    return shape.lines == 1 ? link_two(scores, rows, label, weight, residual, small)
                            : link_many(scores, rows, shape.lines, shape.across, label, weight, residual);
}

// gradient += residual' tile, four lines (or, with one line, four rows) at a time.
ACUMEN_CLONES void add_gradient(const double* tile, const Shape& shape, std::size_t rows,
                                const double* residual, double* gradient) {
    const std::size_t width = shape.width, across = shape.across;
    if (shape.lines == 1) {
        for (std::size_t j = 0; j < width; j += PACK) {
            Pack sum0{}, sum1{};
            std::size_t r = 0;
            for (; r + 2 <= rows; r += 2) {
                sum0 += pack_at(tile + r * width + j) * residual[r];
                sum1 += pack_at(tile + (r + 1) * width + j) * residual[r + 1];
            }
            if (r < rows) sum0 += pack_at(tile + r * width + j) * residual[r];
            sum0 += sum1;
            sum0 += pack_at(gradient + j);
            put(sum0, gradient + j);
        }
        return;
    }
    for (std::size_t k = 0; k < shape.lines; k += STRIP)  // `across` is whole strips
        for (std::size_t j = 0; j < width; j += PACK) {
            Pack sum[STRIP] = {};
            for (std::size_t r = 0; r < rows; ++r) {
                const Pack x = pack_at(tile + r * width + j);
                const double* left = residual + r * across + k;
                for (std::size_t s = 0; s < STRIP; ++s) sum[s] += x * left[s];
            }
            for (std::size_t s = 0; s < STRIP; ++s) {
                double* at = gradient + (k + s) * width + j;
                sum[s] += pack_at(at);
                put(sum[s], at);
            }
        }
}

// square += tile' diag(heavy) tile, packs on and above the diagonal only.
ACUMEN_CLONES void add_square(const double* tile, std::size_t width, std::size_t rows, const double* heavy,
                              double* strip, double* square) {
    for (std::size_t i = 0; i < width; i += STRIP) {
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t s = 0; s < STRIP; ++s) strip[r * STRIP + s] = heavy[r] * tile[r * width + i + s];
        std::size_t j = i / PACK * PACK;
        for (; j + 2 * PACK <= width; j += 2 * PACK) {
            Pack a0{}, a1{}, a2{}, a3{}, b0{}, b1{}, b2{}, b3{};
            for (std::size_t r = 0; r < rows; ++r) {
                const Pack x = pack_at(tile + r * width + j), y = pack_at(tile + r * width + j + PACK);
                const double* z = strip + r * STRIP;
                a0 += x * z[0];
                b0 += y * z[0];
                a1 += x * z[1];
                b1 += y * z[1];
                a2 += x * z[2];
                b2 += y * z[2];
                a3 += x * z[3];
                b3 += y * z[3];
            }
            const Pack sums[STRIP][2] = {{a0, b0}, {a1, b1}, {a2, b2}, {a3, b3}};
            for (std::size_t s = 0; s < STRIP; ++s)
                for (std::size_t t = 0; t < 2; ++t) {
                    double* at = square + (i + s) * width + j + t * PACK;
                    Pack old = pack_at(at);
                    old += sums[s][t];
                    put(old, at);
                }
        }
        for (; j < width; j += PACK) {
            Pack sum[STRIP] = {};
            for (std::size_t r = 0; r < rows; ++r) {
                const Pack x = pack_at(tile + r * width + j);
                for (std::size_t s = 0; s < STRIP; ++s) sum[s] += x * strip[r * STRIP + s];
            }
            for (std::size_t s = 0; s < STRIP; ++s) {
                double* at = square + (i + s) * width + j;
                sum[s] += pack_at(at);
                put(sum[s], at);
            }
        }
    }
}

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
          residual_(shape.tile * shape.across),
          small_(shape.tile),
          strip_(shape.tile * STRIP) {}

    void operator()(std::size_t first, std::size_t last, Sums& sums) {
        for (; first < last; first += shape_.tile) {
            const std::size_t rows = std::min(shape_.tile, last - first);
            const double* weight = outcomes_.weight ? outcomes_.weight + first : nullptr;
            load(values_, by_rows_, centre_, factor_, first, rows, shape_, tile_.data());
            score(tile_.data(), shape_, rows, coefficient_, scores_.data());
            sums.loss += link(scores_.data(), shape_, rows, outcomes_.label.data() + first, weight,
                              residual_.data(), small_.data());
            add_gradient(tile_.data(), shape_, rows, residual_.data(), sums.gradient.data());
            if (!sums.hessian.empty()) add_hessian(rows, weight, sums.hessian.data());
        }
    }

  private:
    void add_hessian(std::size_t rows, const double* weight, double* square) {
        const std::size_t size = shape_.width * shape_.width;
        for (std::size_t a = 0; a < shape_.lines; ++a)
            for (std::size_t b = a; b < shape_.lines; ++b, square += size) {
                for (std::size_t r = 0; r < rows; ++r) {
                    const double p = scores_[r * shape_.across + a], q = scores_[r * shape_.across + b];
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
    std::vector<double> tile_, scores_, residual_, small_, strip_;
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
        each_sum.gradient.resize(padded(shape.lines) * shape.width);
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
