#include "kernels/rules/cn2_judge.hpp"

#include <algorithm>
#include <cmath>

namespace acumen::rules {

Judge::Judge(const Coded& rows, const Cn2Options& options)
    : options_(options), k_(rows.classes), weighted_(rows.weight != nullptr), prior_(rows.classes, 0.0) {
    double total = 0;
    for (std::size_t i = 0; i < rows.n; ++i) {
        const double w = rows.weight_of(static_cast<std::int32_t>(i));
        prior_[static_cast<std::size_t>(rows.label[i])] += w;
        total += w;
    }
    for (double& share : prior_) {
        share /= total;
        needed_.push_back(share > 0 ? options.critical / (2.0 * std::log(1.0 / share)) : 0.0);
        known_classes_ += share > 0;
    }
    if (weighted_) return;
    table_.resize(rows.n + 1, 0.0);
    for (std::size_t i = 2; i <= rows.n; ++i)
        table_[i] = static_cast<double>(i) * std::log2(static_cast<double>(i));
}

void Judge::aim(std::vector<double> left, std::int32_t target) {
    target_ = target;
    now_ = std::move(left);
    now_total_ = 0;
    for (const double w : now_) now_total_ += w;
}

std::int32_t Judge::majority(const double* counts) const {
    if (target_ >= 0) return target_;
    return static_cast<std::int32_t>(std::max_element(counts, counts + k_) - counts);
}

double Judge::n_log_n(double n) const {
    if (!weighted_) return table_[static_cast<std::size_t>(n)];
    return n > 0 ? n * std::log2(n) : 0.0;
}

// Of one class against the others together: counted on beyond 1 where the class is the smaller part, so
// that less of it is always worse.
double Judge::entropy(const double* counts, double total) const {
    double sum = n_log_n(total);
    if (target_ >= 0) {
        const double mine = counts[target_], others = total - mine;
        sum -= n_log_n(mine) + n_log_n(others);
        return mine < others ? 2.0 - sum / total : sum / total;
    }
    for (std::size_t c = 0; c < k_; ++c) sum -= n_log_n(counts[c]);
    return sum / total;
}

double Judge::likelihood_ratio(const double* counts, double total) const {
    const auto term = [&](double n, double share) { return n > 0 ? n * std::log(n / (total * share)) : 0.0; };
    double sum = 0;
    if (target_ >= 0) {
        const double share = prior_[static_cast<std::size_t>(target_)];
        sum = term(counts[target_], share) + term(total - counts[target_], 1.0 - share);
        if (counts[target_] < share * total) sum = -sum;  // it speaks against the class
    } else {
        for (std::size_t c = 0; c < k_; ++c) sum += term(counts[c], prior_[c]);
    }
    return 2.0 * sum;
}

double Judge::quality(const double* counts, double total, std::int32_t label) const {
    const auto c = static_cast<std::size_t>(label);
    switch (options_.measure) {
        case Measure::entropy:
            return -entropy(counts, total);
        case Measure::likelihood_ratio:
            return likelihood_ratio(counts, total);
        default:
            return against(counts[c], total - counts[c], c);
    }
}

// The measures that look at one class and at the others together.
double Judge::against(double mine, double others, std::size_t c) const {
    const double total = mine + others;
    switch (options_.measure) {
        case Measure::laplace:
            return (mine + 1.0) / (total + known_classes_);
        case Measure::m_estimate:
            return (mine + options_.m * prior_[c]) / (total + options_.m);
        default:
            return (mine - total * now_[c] / now_total_) / now_total_;
    }
}

double Judge::pure(double weight, std::size_t c) const {
    if (options_.measure == Measure::entropy) return 0.0;
    if (options_.measure == Measure::likelihood_ratio)
        return 2.0 * (weight * std::log(weight / (weight * prior_[c])));
    return against(weight, 0.0, c);
}

Rank Judge::bound(const double* counts) const {
    Rank best;
    for (std::size_t c = 0; c < k_; ++c) {
        if (!(counts[c] > 0) || (target_ >= 0 && static_cast<std::size_t>(target_) != c)) continue;
        const Rank one{pure(counts[c], c), counts[c]};
        if (one > best) best = one;
    }
    return best;
}

// Measures of one class gain by more of it and by less of any other.
double Judge::most(const double* low, const double* high) const {
    if (options_.measure == Measure::likelihood_ratio) return std::numeric_limits<double>::infinity();
    if (options_.measure == Measure::entropy && target_ < 0) return -least_entropy(low, high);
    double all = 0, best = -std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < k_; ++c) all += low[c];
    for (std::size_t c = 0; c < k_; ++c) {
        if (!(high[c] > 0) || (target_ >= 0 && static_cast<std::size_t>(target_) != c)) continue;
        const double mine = high[c], others = all - low[c];
        if (options_.measure != Measure::entropy) {
            best = std::max(best, against(mine, others, c));
            continue;
        }
        const double total = mine + others;
        const double sum = (n_log_n(total) - n_log_n(mine) - n_log_n(others)) / total;
        best = std::max(best, mine >= others ? -sum : sum - 2.0);
    }
    return best;
}

// Entropy is quasi-concave in counts, so that it is least in a corner of the box. Corners of many classes are
// too many: there the total's entropy, which grows with every count, is at least that of the least counts.
double Judge::least_entropy(const double* low, const double* high) const {
    constexpr std::size_t FEW = 4;
    double total = 0, sum = 0;
    if (k_ > FEW) {
        double most = 0;
        for (std::size_t c = 0; c < k_; ++c) {
            total += low[c];
            most += high[c];
            sum += n_log_n(low[c]);
        }
        return most > 0 ? (n_log_n(total) - sum) / most : 0.0;
    }
    double ends[FEW][2], logs[FEW][2];
    for (std::size_t c = 0; c < k_; ++c)
        for (std::size_t end = 0; end < 2; ++end) {
            ends[c][end] = end ? high[c] : low[c];
            logs[c][end] = n_log_n(ends[c][end]);
        }
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t corner = 0; corner < std::size_t{1} << k_; ++corner) {
        total = sum = 0;
        for (std::size_t c = 0; c < k_; ++c) {
            total += ends[c][corner >> c & 1];
            sum += logs[c][corner >> c & 1];
        }
        if (total > 0) least = std::min(least, (n_log_n(total) - sum) / total);
    }
    return least;
}

bool Judge::significant(const double* counts, double total) const {
    return !(options_.critical > 0) || likelihood_ratio(counts, total) >= options_.critical;
}

bool Judge::can_be_significant(const double* counts) const {
    if (!(options_.critical > 0)) return true;
    if (target_ >= 0) return counts[target_] >= needed_[static_cast<std::size_t>(target_)];
    for (std::size_t c = 0; c < k_; ++c)
        if (counts[c] > 0 && counts[c] >= needed_[c]) return true;
    return false;
}

bool Judge::speaks_for(const double* counts, double total) const {
    if (target_ < 0) return true;
    return counts[target_] * now_total_ > now_[static_cast<std::size_t>(target_)] * total;
}

}  // namespace acumen::rules
