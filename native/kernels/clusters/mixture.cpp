#include "kernels/clusters/mixture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/common/clones.hpp"
#include "kernels/common/exp.hpp"

namespace acumen {

namespace {

constexpr std::size_t T = MIXTURE_TILE;
// A component that has less than this of every row of a tile adds nothing that a sum could hold.
constexpr double NONE = 1e-25;

// Rows without a gap, turned, as many as there is room for; which ones they are.
class Tile {
  public:
    explicit Tile(const MixtureRows& rows) : turned(mixture_lines(rows.d) * T, 0.0), rows_(rows) {}

    // False when there are no more.
    bool fill() {
        n = 0;
        for (; next_ < rows_.n && n < T; ++next_) {
            const double* x = rows_.values + next_ * rows_.d;
            double check = 0;  // a NaN stays one, and infinities there are none
            for (std::size_t j = 0; j < rows_.d; ++j) {
                turned[j * T + n] = x[j];
                check += x[j];
            }
            if (check == check) at[n++] = next_;
        }
        for (std::size_t j = 0; j < rows_.d; ++j)
            for (std::size_t i = n; i < T; ++i) turned[j * T + i] = 0.0;
        return n > 0;
    }

    std::vector<double> turned;
    std::size_t at[T], n = 0;

  private:
    const MixtureRows& rows_;
    std::size_t next_ = 0;
};

ACUMEN_CLONES
void add_constant(double* ACUMEN_RESTRICT score, double constant, double* ACUMEN_RESTRICT most) {
    for (std::size_t i = 0; i < T; ++i) {
        score[i] += constant;
        most[i] = score[i] > most[i] ? score[i] : most[i];
    }
}

ACUMEN_CLONES
void to_shares(double* ACUMEN_RESTRICT score, const double* ACUMEN_RESTRICT most,
               double* ACUMEN_RESTRICT total) {
    for (std::size_t i = 0; i < T; ++i) {
        score[i] = exp_below_zero(score[i] - most[i]);
        total[i] += score[i];
    }
}

// What the log densities of a tile come to. The totals are from 1 to k, so their product over a tile is far
// from overflow, and rows that weigh one need one logarithm for all of them.
double tile_logs(const MixtureRows& rows, const Tile& tile, const double* most, const double* total) {
    double sum = 0;
    if (!rows.weight) {
        double product = 1;
        for (std::size_t i = 0; i < tile.n; ++i) {
            sum += most[i];
            product *= total[i];
        }
        return sum + std::log(product);
    }
    for (std::size_t i = 0; i < tile.n; ++i) sum += rows.weight[tile.at[i]] * (most[i] + std::log(total[i]));
    return sum;
}

double lane_sum(const double* lanes) {
    double sum = 0;
    for (std::size_t i = 0; i < PACK; ++i) sum += lanes[i];
    return sum;
}

}  // namespace

double mixture_pass(const MixtureRows& rows, const MixtureParts& parts, const MixtureSums& sums) {
    const std::size_t d = rows.d, k = parts.k, lines = mixture_lines(d);
    const std::size_t wide = parts.diagonal ? d : d * d;
    const std::size_t own = (1 + d + (parts.diagonal ? d : lines * lines)) * PACK;
    std::vector<double> away(lines * T, 0.0), shared(lines * T, 0.0), score(k * T), lanes(k * own, 0.0);
    double most[T], total[T], factor[T];
    double likelihood = 0;
    Tile tile(rows);
    while (tile.fill()) {
        std::fill_n(most, T, -std::numeric_limits<double>::infinity());
        std::fill_n(total, T, 0.0);
        for (std::size_t c = 0; c < k; ++c) {
            mixture_scores(tile.turned.data(), parts.mean + c * d, parts.factor + c * wide, d, parts.diagonal,
                           away.data(), score.data() + c * T);
            add_constant(score.data() + c * T, parts.constant[c], most);
        }
        for (std::size_t c = 0; c < k; ++c) to_shares(score.data() + c * T, most, total);
        likelihood += tile_logs(rows, tile, most, total);
        for (std::size_t i = 0; i < T; ++i) {
            const double weight = i >= tile.n ? 0.0 : rows.weight ? rows.weight[tile.at[i]] : 1.0;
            factor[i] = weight / total[i];
        }
        for (std::size_t c = 0; c < k; ++c) {
            double* share = score.data() + c * T;
            double largest = 0;
            for (std::size_t i = 0; i < T; ++i) {
                share[i] *= factor[i];
                largest = std::max(largest, share[i]);
            }
            if (largest < NONE) continue;
            mixture_sums(tile.turned.data(), parts.mean + c * d, share, d, parts.diagonal, away.data(),
                         shared.data(), lanes.data() + c * own);
        }
    }
    for (std::size_t c = 0; c < k; ++c) {
        const double* from = lanes.data() + c * own;
        sums.weight[c] += lane_sum(from);
        for (std::size_t j = 0; j < d; ++j) sums.first[c * d + j] += lane_sum(from + (1 + j) * PACK);
        from += (1 + d) * PACK;
        for (std::size_t j = 0; j < d; ++j) {
            if (parts.diagonal) {
                sums.second[c * d + j] += lane_sum(from + j * PACK);
                continue;
            }
            for (std::size_t l = 0; l <= j; ++l)
                sums.second[(c * d + j) * d + l] += lane_sum(from + (j * lines + l) * PACK);
        }
    }
    return likelihood;
}

void mixture_logs(const MixtureRows& rows, const MixtureParts& parts, double* out) {
    const std::size_t d = rows.d, k = parts.k, wide = parts.diagonal ? d : d * d;
    std::fill_n(out, rows.n * k, std::numeric_limits<double>::quiet_NaN());
    std::vector<double> away(mixture_lines(d) * T, 0.0);
    double score[T];
    Tile tile(rows);
    while (tile.fill())
        for (std::size_t c = 0; c < k; ++c) {
            mixture_scores(tile.turned.data(), parts.mean + c * d, parts.factor + c * wide, d, parts.diagonal,
                           away.data(), score);
            for (std::size_t i = 0; i < tile.n; ++i) out[tile.at[i] * k + c] = score[i] + parts.constant[c];
        }
}

}  // namespace acumen
