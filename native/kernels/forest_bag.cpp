#include "kernels/forest_bag.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/binomial.hpp"

namespace acumen::forest {

namespace {

// So many draws a row are made one by one; where there are more, each row's number of times is drawn at once.
constexpr double ONE_BY_ONE = 8;

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
