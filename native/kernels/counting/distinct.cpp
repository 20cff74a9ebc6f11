// A column with many values is left after the first rows, so what costs is columns of few values: a value met
// before is found at its place in a small table, without a search.
#include "kernels/counting/distinct.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace acumen {

namespace {

constexpr std::size_t SEEN = 64;          // places of the table of values met before
constexpr std::size_t MOST_TABLES = 256;  // parts beyond which each value is searched for
constexpr double LARGEST = 1e300;

std::size_t place_of(double x) {
    return static_cast<std::size_t>((std::bit_cast<std::uint64_t>(x) * 0x9E3779B97F4A7C15ULL) >> 58);
}

// Puts a value among the ascending ones; false once there are too many.
bool insert(double* values, std::int32_t& count, std::size_t limit, double x) {
    double* const end = values + count;
    double* const at = std::lower_bound(values, end, x);
    if (at != end && *at == x) return true;
    if (static_cast<std::size_t>(count) == limit || std::fabs(x) > LARGEST) {
        std::fill(values, values + limit, 0.0);
        count = static_cast<std::int32_t>(limit + 1);
        return false;
    }
    std::copy_backward(at, end, end + 1);
    *at = x;
    ++count;
    return true;
}

}  // namespace

void add_distinct(const Columns& columns, const Rows& rows, const Distinct& into) {
    const bool tables = rows.parts <= MOST_TABLES;
    const auto full = static_cast<std::int32_t>(into.limit + 1);
    std::vector<double> seen;
    for (std::size_t j = 0; j < columns.size(); ++j) {
        const auto& column = columns.columns[j];
        std::size_t open = 0;  // parts that may still gain a value
        for (std::size_t p = 0; p < rows.parts; ++p) open += into.count[p * columns.size() + j] != full;
        if (tables) seen.assign(rows.parts * SEEN, std::numeric_limits<double>::quiet_NaN());
        for (std::size_t i = 0; i < rows.n && open; ++i) {
            double x = column[i];
            const std::size_t p = rows.part_of(i);
            if (p >= rows.parts || !std::isfinite(x)) continue;
            const std::size_t cell = p * columns.size() + j;
            if (into.count[cell] == full) continue;
            if (x == 0) x = 0;  // one zero, without a sign
            double* const met = tables ? &seen[p * SEEN + place_of(x)] : nullptr;
            if (met && *met == x) continue;
            if (rows.class_of(i) >= rows.classes || !(rows.weight_of(i) > 0)) continue;
            if (met) *met = x;
            if (!insert(into.values + cell * into.limit, into.count[cell], into.limit, x)) --open;
        }
    }
}

void merge_distinct(const Distinct& into, const double* values, const std::int32_t* count, std::size_t n) {
    const auto full = static_cast<std::int32_t>(into.limit + 1);
    for (std::size_t k = 0; k < n; ++k) {
        double* const mine = into.values + k * into.limit;
        if (into.count[k] == full) continue;
        if (count[k] == full) {
            std::fill(mine, mine + into.limit, 0.0);
            into.count[k] = full;
            continue;
        }
        for (std::int32_t i = 0; i < count[k]; ++i)
            if (!insert(mine, into.count[k], into.limit,
                        values[k * into.limit + static_cast<std::size_t>(i)]))
                break;
    }
}

}  // namespace acumen
