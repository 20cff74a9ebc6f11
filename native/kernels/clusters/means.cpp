#include "kernels/clusters/means.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/common/clones.hpp"

namespace acumen {

namespace {

constexpr double INF = std::numeric_limits<double>::infinity();
// What a product may be off, for each attribute and in units of the squares behind it: eight times what
// rounding can.
constexpr double OFF = 8 * 2.3e-16;
// Bounds grow and shrink by rounded amounts, pass after pass.
constexpr double SLACK = 1 + 1e-9;

double apart(const double* x, const double* c, std::size_t d) {
    double sum = 0;
    for (std::size_t j = 0; j < d; ++j) {
        const double away = x[j] - c[j];
        if (away == away) sum += away * away;
    }
    return sum;
}

struct Nearest {
    std::int32_t label = 0;
    double best = INF, second = INF;  // squared distances, or bounds of them
};

Nearest by_differences(const double* x, const Centres& centres) {
    Nearest found;
    for (std::size_t c = 0; c < centres.k; ++c) {
        const double away = apart(x, centres.at + c * centres.d, centres.d);
        if (away < found.best) {
            found.second = found.best;
            found.best = away;
            found.label = static_cast<std::int32_t>(c);
        } else {
            found.second = std::min(found.second, away);
        }
    }
    return found;
}

// The squared lengths of eight rows.
ACUMEN_CLONES
void square_lanes(const double* ACUMEN_RESTRICT turned, std::size_t d, double* ACUMEN_RESTRICT length) {
    double sum[PACK] = {};
    for (std::size_t j = 0; j < d; ++j)
        for (std::size_t i = 0; i < PACK; ++i) sum[i] += turned[j * PACK + i] * turned[j * PACK + i];
    for (std::size_t i = 0; i < PACK; ++i) length[i] = sum[i];
}

// Whether one of n numbers is missing.
ACUMEN_CLONES
bool has_gap(const double* x, std::size_t n) {
    int found = 0;
    for (std::size_t i = 0; i < n; ++i) found |= x[i] != x[i];
    return found;
}

// The distances of some rows that miss nothing from the centres they had, in any order of addition: bounds.
ACUMEN_CLONES
void own_distances(const double* ACUMEN_RESTRICT values, const double* ACUMEN_RESTRICT centres, std::size_t d,
                   const std::int32_t* ACUMEN_RESTRICT label, const std::size_t* ACUMEN_RESTRICT asked,
                   std::size_t n, double* ACUMEN_RESTRICT out) {
    for (std::size_t a = 0; a < n; ++a) {
        const double* x = values + asked[a] * d;
        const double* c = centres + static_cast<std::size_t>(label[asked[a]]) * d;
        double sum[PACK] = {}, rest = 0;
        std::size_t j = 0;
        for (; j + PACK <= d; j += PACK)
            for (std::size_t i = 0; i < PACK; ++i) sum[i] += (x[j + i] - c[j + i]) * (x[j + i] - c[j + i]);
        for (; j < d; ++j) rest += (x[j] - c[j]) * (x[j] - c[j]);
        for (const double each : sum) rest += each;
        out[a] = std::sqrt(rest) * SLACK;
    }
}

// Up to eight rows that must be compared with all centres, gathered until there are as many.
class Batch {
  public:
    Batch(const MeansRows& rows, const Centres& centres, const Remembered& kept)
        : rows_(rows), centres_(centres), kept_(kept), turned_(rows.d * PACK) {}

    void add(std::size_t row) {
        const double* x = rows_.values + row * rows_.d;
        for (std::size_t j = 0; j < rows_.d; ++j) turned_[j * PACK + n_] = x[j];
        at_[n_] = row;
        if (++n_ == PACK) flush();
    }

    void flush() {
        if (!n_) return;
        square_lanes(turned_.data(), rows_.d, length_);
        means_nearest(turned_.data(), rows_.d, centres_.at, centres_.squares.data(), centres_.k, best_,
                      second_, label_);
        for (std::size_t i = 0; i < n_; ++i) settle(i);
        n_ = 0;
    }

    std::size_t changed = 0;

  private:
    void settle(std::size_t i) {
        const double off = OFF * static_cast<double>(rows_.d + 4) * (length_[i] + centres_.largest);
        Nearest found{static_cast<std::int32_t>(label_[i]), best_[i] + length_[i], second_[i] + length_[i]};
        if (!(second_[i] - best_[i] > 2 * off)) {  // also where something overflowed
            found = by_differences(rows_.values + at_[i] * rows_.d, centres_);
        } else {
            found.best += off;
            found.second -= off;
        }
        const std::size_t row = at_[i];
        changed += kept_.label[row] != found.label;
        kept_.label[row] = found.label;
        if (kept_.upper) {
            kept_.upper[row] = std::sqrt(std::max(found.best, 0.0)) * SLACK;
            kept_.lower[row] = std::sqrt(std::max(found.second, 0.0)) / SLACK;
        }
    }

    const MeansRows& rows_;
    const Centres& centres_;
    const Remembered& kept_;
    std::vector<double> turned_;
    double length_[PACK], best_[PACK], second_[PACK], label_[PACK];
    std::size_t at_[PACK];
    std::size_t n_ = 0;
};

ACUMEN_CLONES
void add_row(const double* ACUMEN_RESTRICT x, double weight, std::size_t d, double* ACUMEN_RESTRICT sum) {
    for (std::size_t j = 0; j < d; ++j) sum[j] += weight * x[j];
}

constexpr std::size_t TILE = 256;

// Of the rows that were asked for, those that may be nearest to another centre than they had before; the
// bounds of all are brought up to the moved centres.
class Stays {
  public:
    void leave(const MeansRows& rows, const Centres& centres, const Remembered& kept,
               std::vector<std::size_t>& asked) {
        std::size_t open = 0;
        for (const std::size_t i : asked) {
            const auto own = static_cast<std::size_t>(kept.label[i]);
            const double others = own == centres.farthest_at ? centres.farthest_but_one : centres.farthest;
            kept.upper[i] = (kept.upper[i] + centres.moved[own]) * SLACK;
            kept.lower[i] = (kept.lower[i] - others) / SLACK;
            bound_[open] = std::max(kept.lower[i], centres.half[own]);
            asked[open] = i;
            open += !(kept.upper[i] < bound_[open]);
        }
        own_distances(rows.values, centres.at, rows.d, kept.label, asked.data(), open, upper_);
        std::size_t left = 0;
        for (std::size_t a = 0; a < open; ++a) {
            const std::size_t i = asked[a];
            kept.upper[i] = upper_[a];
            asked[left] = i;
            left += !(upper_[a] < bound_[a]);
        }
        asked.resize(left);
    }

  private:
    double bound_[TILE + 1], upper_[TILE];
};

}  // namespace

Centres::Centres(const double* at_, std::size_t k_, std::size_t d_, const double* moved_)
    : at(at_), k(k_), d(d_), squares(k_, 0.0), half(k_, INF) {
    for (std::size_t c = 0; c < k; ++c) {
        for (std::size_t j = 0; j < d; ++j) squares[c] += at[c * d + j] * at[c * d + j];
        largest = std::max(largest, squares[c]);
    }
    if (!moved_) return;
    moved.assign(moved_, moved_ + k);
    for (std::size_t c = 0; c < k; ++c) {
        for (std::size_t e = 0; e < c; ++e) {
            const double middle = 0.5 * std::sqrt(apart(at + c * d, at + e * d, d)) / SLACK;
            half[c] = std::min(half[c], middle);
            half[e] = std::min(half[e], middle);
        }
        if (moved[c] > farthest) {
            farthest_but_one = farthest;
            farthest = moved[c];
            farthest_at = c;
        } else {
            farthest_but_one = std::max(farthest_but_one, moved[c]);
        }
    }
}

void means_pass(const MeansRows& rows, const Centres& centres, const Remembered& kept, MeansSums& sums) {
    const std::size_t d = rows.d;
    Batch batch(rows, centres, kept);
    Stays stays;
    std::vector<unsigned char> gaps(TILE);
    std::vector<std::size_t> asked;  // rows with a bound
    asked.reserve(TILE);
    const bool bounded = kept.upper && !centres.moved.empty();
    for (std::size_t first = 0; first < rows.n; first += TILE) {
        const std::size_t end = std::min(rows.n, first + TILE);
        const bool gappy = has_gap(rows.values + first * d, (end - first) * d);
        asked.clear();
        for (std::size_t i = first; i < end; ++i) {
            const double* x = rows.values + i * d;
            std::size_t known = gappy ? 0 : d;
            for (std::size_t j = 0; gappy && j < d; ++j) known += x[j] == x[j];
            gaps[i - first] = known < d;
            if (known < d) {
                const Nearest found = known ? by_differences(x, centres) : Nearest{-1};
                sums.changed += kept.label[i] != found.label;
                kept.label[i] = found.label;
                continue;
            }
            if (bounded && kept.label[i] >= 0)
                asked.push_back(i);
            else
                batch.add(i);
        }
        if (bounded) stays.leave(rows, centres, kept, asked);
        for (const std::size_t i : asked) batch.add(i);
        batch.flush();
        for (std::size_t i = first; i < end; ++i) {
            if (kept.label[i] < 0) continue;
            const auto own = static_cast<std::size_t>(kept.label[i]);
            const double* x = rows.values + i * d;
            const double weight = rows.weight ? rows.weight[i] : 1.0;
            if (!gaps[i - first]) {
                add_row(x, weight, d, sums.sum + own * d);
                sums.whole[own] += weight;
                continue;
            }
            for (std::size_t j = 0; j < d; ++j)
                if (x[j] == x[j]) {
                    sums.sum[own * d + j] += weight * x[j];
                    sums.known[own * d + j] += weight;
                }
        }
    }
    sums.changed += batch.changed;
}

void own_squares(const MeansRows& rows, const double* centres, const std::int32_t* label, double* out) {
    for (std::size_t i = 0; i < rows.n; ++i)
        out[i] = label[i] < 0 ? 0.0
                              : apart(rows.values + i * rows.d,
                                      centres + static_cast<std::size_t>(label[i]) * rows.d, rows.d);
}

ACUMEN_CLONES
void squared_distances(const MeansRows& rows, const double* centres, std::size_t k, double* out) {
    const std::size_t d = rows.d;
    std::vector<double> turned(d * PACK);
    for (std::size_t first = 0; first < rows.n; first += PACK) {
        const std::size_t here = std::min(PACK, rows.n - first);
        for (std::size_t i = 0; i < PACK; ++i) {
            const double* x = rows.values + (first + std::min(i, here - 1)) * d;
            for (std::size_t j = 0; j < d; ++j) turned[j * PACK + i] = x[j];
        }
        for (std::size_t c = 0; c < k; ++c) {
            double sum[PACK] = {};
            for (std::size_t j = 0; j < d; ++j)
                for (std::size_t i = 0; i < PACK; ++i) {
                    const double away = turned[j * PACK + i] - centres[c * d + j];
                    sum[i] += away == away ? away * away : 0.0;
                }
            for (std::size_t i = 0; i < here; ++i) out[(first + i) * k + c] = sum[i];
        }
    }
}

}  // namespace acumen
