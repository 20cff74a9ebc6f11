#include "kernels/forests/bag.hpp"

#include <algorithm>
#include <cmath>

namespace acumen::forest {

namespace {

// So many draws a row are made one by one; where there are more, each row's number of times is drawn at once.
constexpr double ONE_BY_ONE = 8;

// How many of n tries succeed, each with probability p, drawn at once however many tries there are.
//
// log(k!) for k >= 0, by Stirling's series; exact to about 1e-10. std::lgamma writes a global.
double log_factorial(double k) {
    double low = 1;
    while (k < 16) low *= ++k;  // k! = 16! / ((k + 1) ... 16)
    const double x = k + 1, r = 1 / (x * x);
    return (x - 0.5) * std::log(x) - x + 0.91893853320467274 +
           (1.0 / 12 - r * (1.0 / 360 - r * (1.0 / 1260 - r / 1680))) / x - std::log(low);
}

// `unit` gives numbers from 0 to below 1. Few successes: by going through them; else by Hoermann's
// transformed rejection (1993).
template <class Unit>
double binomial(double n, double p, Unit&& unit) {
    if (!(n > 0) || !(p > 0)) return 0;
    if (p >= 1) return n;
    if (p > 0.5) return n - binomial(n, 1 - p, unit);
    if (n * p < 10) {
        const double odds = p / (1 - p), none = std::exp(n * std::log1p(-p));
        for (;;) {
            double u = unit(), mass = none;
            for (double k = 0; k <= n && k < 200; ++k) {
                if (u < mass) return k;
                u -= mass;
                mass *= odds * (n - k) / (k + 1);
            }
        }
    }
    const double spread = std::sqrt(n * p * (1 - p)), b = 1.15 + 2.53 * spread;
    const double a = -0.0873 + 0.0248 * b + 0.01 * p, c = n * p + 0.5, squeeze = 0.92 - 4.2 / b;
    const double alpha = (2.83 + 5.1 / b) * spread, odds = std::log(p / (1 - p));
    const double mode = std::floor((n + 1) * p), top = log_factorial(mode) + log_factorial(n - mode);
    for (;;) {
        const double u = unit() - 0.5, v = unit(), edge = 0.5 - std::abs(u);
        const double k = std::floor((2 * a / edge + b) * u + c);
        if (!(k >= 0 && k <= n)) continue;
        if (edge >= 0.07 && v <= squeeze) return k;
        if (std::log(v * alpha / (a / (edge * edge) + b)) <=
            top - log_factorial(k) - log_factorial(n - k) + (k - mode) * odds)
            return k;
    }
}

double draws_of(const Options& options, double whole) {
    return std::max(1.0, std::round(options.sample * whole));
}

}  // namespace

bool Bag::counts(const Table& table, const Options& options) {
    // few groups of very many rows could be drawn more often than a word holds
    if (table.unit && table.rows >= (std::size_t{1} << 26)) return false;
    if (!table.weight) return true;
    if (!options.bootstrap || table.unit) return false;
    double sum = 0;
    for (std::size_t i = 0; i < table.rows; ++i) sum += table.weight[i];
    return sum < 0x1p31;
}

Bag::Bag(const Table& table, const Options& options) : table_(table), options_(options) {
    if (!options.bootstrap || table.unit || !table.weight) return;
    cumulated_.resize(table.rows);
    double sum = 0;
    for (std::size_t i = 0; i < table.rows; ++i) cumulated_[i] = sum += table.weight[i];
}

void Bag::draw(Draw& numbers, std::vector<double>& weight) {
    const std::size_t n = table_.rows;
    weight.resize(n);
    if (!options_.bootstrap) {
        for (std::size_t i = 0; i < n; ++i) weight[i] = table_.weight ? table_.weight[i] : 1.0;
        return;
    }
    const std::size_t units = table_.unit ? table_.units : n;
    times_.assign(units, 0);
    if (cumulated_.empty()) {
        const auto draws = static_cast<std::size_t>(draws_of(options_, static_cast<double>(units)));
        for (std::size_t d = 0; d < draws; ++d) ++times_[numbers.below(static_cast<std::uint32_t>(units))];
    } else {
        const double total = cumulated_.back();
        const double draws = draws_of(options_, total);
        if (draws <= ONE_BY_ONE * static_cast<double>(n)) {
            for (double d = 0; d < draws; ++d) {
                const double at = numbers.unit() * total;
                const auto place = std::upper_bound(cumulated_.begin(), cumulated_.end() - 1, at);
                ++times_[static_cast<std::size_t>(place - cumulated_.begin())];
            }
        } else {
            double left = draws;  // of each row, of what the rows before it left
            for (std::size_t i = 0; i < n && left > 0; ++i) {
                const double before = i ? cumulated_[i - 1] : 0.0;
                const double share = i + 1 == n ? 1.0 : table_.weight[i] / (total - before);
                times_[i] = binomial(left, share, [&] { return numbers.unit(); });
                left -= times_[i];
            }
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        weight[i] = times_[table_.unit ? static_cast<std::size_t>(table_.unit[i]) : i];
        if (table_.unit && table_.weight) weight[i] *= table_.weight[i];
    }
}

}  // namespace acumen::forest
