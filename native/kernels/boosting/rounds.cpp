// The rounds of gradient boosting: slopes of the loss as whole numbers, a tree for each line, held-out loss.
#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/boosting/grow.hpp"
#include "kernels/common/clones.hpp"
#include "kernels/common/exp.hpp"

namespace acumen::boosting {

namespace {

constexpr std::size_t BLOCK = 4096;

ACUMEN_CLONES void small_exp(const double* score, std::size_t n, double* out) {
    for (std::size_t i = 0; i < n; ++i) {
        const double s = score[i];
        out[i] = exp_below_zero(s < 0 ? s : -s);
    }
}

// A power of two, so that rounding to a whole multiple of it is all that is lost.
double grid(double most, int bits) {
    if (!(most > 0)) return 1;
    return std::ldexp(1.0, static_cast<int>(std::ceil(std::log2(most))) - bits);
}

class Booster {
  public:
    Booster(const Given& given, const Options& options, std::size_t threads)
        : given_(given),
          options_(options),
          table_(given.table),
          crew_(threads),
          grower_(given.table, options, crew_),
          lines_(given.lines),
          scores_(table_.rows * lines_),
          cells_(table_.rows),
          slope_(table_.rows * lines_),
          curvature_(table_.classes ? table_.rows * lines_ : 0),
          drawn_(table_.rows, 1),
          wanted_(table_.columns.size(), 1),
          draw_(options.seed) {
        for (std::size_t i = 0; i < table_.rows; ++i)
            for (std::size_t k = 0; k < lines_; ++k) scores_[i * lines_ + k] = given.base[k];
        double total = 0;
        for (std::size_t i = 0; i < table_.rows; ++i) total += weight(i);
        units_.weight = given.weight_unit;
        const double whole = std::ceil(total / units_.weight) + 1;
        units_.shift = 62 - static_cast<int>(std::ceil(std::log2(whole + 1)));
    }

    Made run(const Tell& tell) {
        Made made;
        made.gain.assign(table_.columns.size(), 0.0);
        double least = std::numeric_limits<double>::infinity();
        std::size_t best = 0;
        for (std::size_t round = 0; round < options_.rounds; ++round) {
            if (options_.sample < 1) draw_rows();
            slopes();
            for (std::size_t k = 0; k < lines_; ++k) {
                if (options_.columns < 1) draw_columns();
                fill(k);
                made.trees.push_back(grower_.grow(cells_, units_, wanted_.data(), k, lines_, made.gain));
                grower_.settle(k, lines_, scores_.data());
            }
            if (given_.held) {
                made.held.push_back(loss());
                if (made.held.back() < least) {
                    least = made.held.back();
                    best = round;
                }
                if (options_.patience && round >= best + options_.patience) break;
            }
            if (tell(round + 1)) {
                made.stopped = true;
                break;
            }
        }
        return made;
    }

  private:
    double weight(std::size_t i) const { return table_.weight ? table_.weight[i] : 1.0; }

    void draw_rows() {
        for (std::uint8_t& each : drawn_) each = draw_.unit() < options_.sample;
    }

    void draw_columns() {
        const std::size_t n = wanted_.size();
        const auto most = std::max<std::size_t>(
            1, static_cast<std::size_t>(std::lround(options_.columns * static_cast<double>(n))));
        std::vector<std::uint32_t> order(n);
        for (std::size_t j = 0; j < n; ++j) order[j] = static_cast<std::uint32_t>(j);
        std::fill(wanted_.begin(), wanted_.end(), std::uint8_t{0});
        for (std::size_t j = 0; j < std::min(most, n); ++j) {
            std::swap(order[j], order[j + draw_.below(static_cast<std::uint32_t>(n - j))]);
            wanted_[order[j]] = 1;
        }
    }

    void slopes() {
        const std::size_t blocks = (table_.rows + BLOCK - 1) / BLOCK;
        crew_.share(blocks, [&](std::size_t block) {
            const std::size_t first = block * BLOCK, end = std::min(table_.rows, first + BLOCK);
            if (!table_.classes) {
                for (std::size_t i = first; i < end; ++i)
                    slope_[i] = drawn_[i] ? weight(i) * (scores_[i] - table_.response[i]) : 0.0;
                return;
            }
            if (lines_ == 1) {
                double small[BLOCK];
                small_exp(scores_.data() + first, end - first, small);
                for (std::size_t i = first; i < end; ++i) {
                    const double e = small[i - first], near = 1 / (1 + e), far = e * near;
                    const double p = scores_[i] >= 0 ? near : far, w = drawn_[i] ? weight(i) : 0.0;
                    slope_[i] = w * (p - (table_.label[i] == 1));
                    curvature_[i] = w * near * far;
                }
                return;
            }
            for (std::size_t i = first; i < end; ++i) {
                const double* score = scores_.data() + i * lines_;
                double top = score[0], total = 0;
                for (std::size_t k = 1; k < lines_; ++k) top = std::max(top, score[k]);
                double* out = slope_.data() + i * lines_;
                for (std::size_t k = 0; k < lines_; ++k) total += out[k] = exp_below_zero(score[k] - top);
                const double w = drawn_[i] ? weight(i) : 0.0;
                // Each line is grown as if the others stayed: what they do at the same time is allowed for by
                // K / (K - 1).
                const double more = static_cast<double>(lines_) / static_cast<double>(lines_ - 1);
                for (std::size_t k = 0; k < lines_; ++k) {
                    const double p = out[k] / total;
                    curvature_[i * lines_ + k] = w * more * p * (1 - p);
                    out[k] = w * (p - (table_.label[i] == static_cast<std::int32_t>(k)));
                }
            }
        });
    }

    // The cells of one line: slopes, curvatures and weights as whole numbers.
    void fill(std::size_t k) {
        const std::size_t blocks = (table_.rows + BLOCK - 1) / BLOCK;
        std::vector<double> most(blocks, 0.0), bent(blocks, 0.0), wide(blocks, 0.0);
        std::vector<std::int64_t> spread(blocks, 0), curved(blocks, 0);
        const auto curve = [&](std::size_t i) {
            return table_.classes ? curvature_[i * lines_ + k] : drawn_[i] ? weight(i) : 0.0;
        };
        const auto spread_of = [&](std::size_t i) {
            const double slope = slope_[i * lines_ + k];
            return slope == 0 ? 0.0 : slope * slope / weight(i);
        };
        crew_.share(blocks, [&](std::size_t block) {
            const std::size_t first = block * BLOCK, end = std::min(table_.rows, first + BLOCK);
            for (std::size_t i = first; i < end; ++i) {
                const double slope = slope_[i * lines_ + k];
                most[block] = std::max(most[block], std::fabs(slope));
                bent[block] += curve(i);
                wide[block] = std::max(wide[block], spread_of(i));
            }
        });
        double largest = 0, whole = 0, widest = 0;
        for (std::size_t block = 0; block < blocks; ++block) {
            largest = std::max(largest, most[block]);
            whole += bent[block];
            widest = std::max(widest, wide[block]);
        }
        const int rows = std::bit_width(table_.rows);
        units_.slope = grid(largest, std::min(60 - rows, 46));
        // Every row may be rounded up by one.
        units_.curvature = grid(whole, units_.shift - 2);
        const double apart = grid(widest, std::min(60 - rows, 46));
        const double up = 1 / units_.slope, over = 1 / units_.curvature, heavy = 1 / units_.weight,
                     aside = 1 / apart;
        crew_.share(blocks, [&](std::size_t block) {
            const std::size_t first = block * BLOCK, end = std::min(table_.rows, first + BLOCK);
            for (std::size_t i = first; i < end; ++i) {
                Cell& cell = cells_[i];
                cell.slope = std::llrint(slope_[i * lines_ + k] * up);
                const double w = drawn_[i] ? weight(i) : 0.0;
                const std::int64_t bend = std::llrint(curve(i) * over);
                cell.rest = (static_cast<std::uint64_t>(std::llrint(w * heavy)) << units_.shift) +
                            static_cast<std::uint64_t>(bend);
                curved[block] += bend;
                spread[block] += std::llrint(spread_of(i) * aside);
            }
        });
        std::int64_t all_curved = 0, all_spread = 0;
        for (std::size_t block = 0; block < blocks; ++block) {
            all_curved += curved[block];
            all_spread += spread[block];
        }
        // As rows are spread now. Of a log loss the two should be equal; what is told apart further than that
        // is no noise, and what is told better is less of it.
        units_.noise = all_curved > 0 ? static_cast<double>(all_spread) * apart /
                                            (static_cast<double>(all_curved) * units_.curvature)
                                      : 0;
        if (table_.classes) units_.noise = std::min(units_.noise, 1.0);
    }

    // The mean loss of the rows held out; blocks are added in their order.
    double loss() {
        const std::size_t blocks = (table_.rows + BLOCK - 1) / BLOCK;
        std::vector<double> lost(blocks, 0.0), total(blocks, 0.0);
        crew_.share(blocks, [&](std::size_t block) {
            const std::size_t end = std::min(table_.rows, (block + 1) * BLOCK);
            for (std::size_t i = block * BLOCK; i < end; ++i) {
                const double w = given_.held[i];
                if (!(w > 0)) continue;
                total[block] += w;
                const double* score = scores_.data() + i * lines_;
                if (!table_.classes) {
                    const double apart = score[0] - table_.response[i];
                    lost[block] += w * apart * apart;
                } else if (lines_ == 1) {
                    const double against = table_.label[i] == 1 ? -score[0] : score[0];
                    lost[block] += w * (std::log1p(std::exp(-std::fabs(against))) + std::max(against, 0.0));
                } else {
                    double top = score[0], sum = 0;
                    for (std::size_t k = 1; k < lines_; ++k) top = std::max(top, score[k]);
                    for (std::size_t k = 0; k < lines_; ++k) sum += std::exp(score[k] - top);
                    lost[block] += w * (std::log(sum) + top - score[table_.label[i]]);
                }
            }
        });
        double a = 0, b = 0;
        for (std::size_t block = 0; block < blocks; ++block) a += lost[block], b += total[block];
        return b > 0 ? a / b : 0;
    }

    const Given& given_;
    const Options& options_;
    const forest::Table& table_;
    Crew crew_;
    Grower grower_;
    std::size_t lines_;
    std::vector<double> scores_;
    std::vector<Cell> cells_;
    std::vector<double> slope_, curvature_;
    std::vector<std::uint8_t> drawn_, wanted_;
    forest::Draw draw_;
    Units units_;
};

}  // namespace

Made boost(const Given& given, const Options& options, std::size_t threads, const Tell& tell) {
    Booster booster(given, options, threads);
    return booster.run(tell);
}

}  // namespace acumen::boosting
