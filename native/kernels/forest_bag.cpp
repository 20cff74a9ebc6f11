#include "kernels/forest_bag.hpp"

#include <algorithm>
#include <cmath>

namespace acumen::forest {

namespace {

std::size_t draws_of(const Options& options, double whole) {
    return std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(options.sample * whole)));
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
        const std::size_t draws = draws_of(options_, static_cast<double>(units));
        for (std::size_t d = 0; d < draws; ++d) ++times_[numbers.below(static_cast<std::uint32_t>(units))];
    } else {
        const double total = cumulated_.back();
        const std::size_t draws = draws_of(options_, total);
        for (std::size_t d = 0; d < draws; ++d) {
            const double at = numbers.unit() * total;
            const auto place = std::upper_bound(cumulated_.begin(), cumulated_.end() - 1, at);
            ++times_[static_cast<std::size_t>(place - cumulated_.begin())];
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        weight[i] = times_[table_.unit ? static_cast<std::size_t>(table_.unit[i]) : i];
        if (table_.unit && table_.weight) weight[i] *= table_.weight[i];
    }
}

}  // namespace acumen::forest
