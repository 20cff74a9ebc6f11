#include "kernels/boosting/stump_rows.hpp"

#include <algorithm>

#include "kernels/common/clones.hpp"

namespace acumen::forest {

namespace {

constexpr double GRID = 0x1p44;
// Added and taken away again, it leaves a number below 2^51 rounded to a whole one.
constexpr double WHOLE = 0x1.8p52;
// Neighbouring rows of one code would wait for one another; of these tables each takes the next.
constexpr std::size_t TABLES = 4;

double snapped(double weight) {
    const double whole = (weight * GRID + WHOLE) - WHOLE;
    return weight > 0 ? (whole > 1.0 ? whole : 1.0) / GRID : 0.0;
}

ACUMEN_CLONES void scale(double* ACUMEN_RESTRICT weight, const std::uint8_t* ACUMEN_RESTRICT side,
                         std::size_t n, double left, double right) {
    for (std::size_t i = 0; i < n; ++i) weight[i] = snapped(weight[i] * (side[i] ? right : left));
}

template <class Code>
void count(const Code* codes, const double* what, std::size_t n, std::size_t room, double* tables) {
    double *a = tables, *b = a + room, *c = b + room, *d = c + room;
    std::size_t i = 0;
    for (; i + TABLES <= n; i += TABLES) {
        a[codes[i]] += what[i];
        b[codes[i + 1]] += what[i + 1];
        c[codes[i + 2]] += what[i + 2];
        d[codes[i + 3]] += what[i + 3];
    }
    for (; i < n; ++i) a[codes[i]] += what[i];
}

}  // namespace

double on_grid(double weight) { return snapped(weight); }

BoostRows::BoostRows(const Table& table)
    : weight(table.rows),
      side(table.rows, 0),
      columns_(table.columns),
      first_(table.classes + 1, 0),
      place_(table.rows),
      narrow_(table.columns.size()),
      wide_(table.columns.size()) {
    const std::size_t n = table.rows;
    const auto label = [&](std::size_t i) { return static_cast<std::size_t>(table.label[i]); };
    for (std::size_t i = 0; i < n; ++i) ++first_[label(i) + 1];
    for (std::size_t c = 0; c < table.classes; ++c) first_[c + 1] += first_[c];
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) {
        place_[i] = static_cast<std::uint32_t>(next[label(i)]++);
        total += table.weight ? table.weight[i] : 1.0;
    }
    for (std::size_t i = 0; i < n; ++i)
        weight[place_[i]] = on_grid((table.weight ? table.weight[i] : 1.0) / total);
    start = weight;
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        if (columns_[j].narrow) {
            narrow_[j].resize(n);
            for (std::size_t i = 0; i < n; ++i) narrow_[j][place_[i]] = columns_[j].narrow[i];
        } else {
            wide_[j].resize(n);
            for (std::size_t i = 0; i < n; ++i) wide_[j][place_[i]] = columns_[j].wide[i];
        }
    }
}

void BoostRows::sums_by_code(std::size_t j, const std::vector<double>& what, std::size_t stride,
                             std::vector<double>& sums) const {
    const std::size_t room = columns_[j].narrow ? 256 : 65536, slots = columns_[j].slots;
    sums.resize(classes() * stride + TABLES * room);
    double* tables = sums.data() + classes() * stride;
    const auto clear = [&] {
        for (std::size_t t = 0; t < TABLES; ++t) {
            std::fill_n(tables + t * room, slots, 0.0);
            tables[(t + 1) * room - 1] = 0;  // rows without a value
        }
    };
    for (std::size_t c = 0; c < classes(); ++c) {
        clear();
        const std::size_t from = begin(c), n = end(c) - from;
        columns_[j].narrow ? count(narrow_[j].data() + from, what.data() + from, n, room, tables)
                           : count(wide_[j].data() + from, what.data() + from, n, room, tables);
        for (std::size_t slot = 0; slot < slots; ++slot)
            sums[c * stride + slot] =
                (tables[slot] + tables[room + slot]) + (tables[2 * room + slot] + tables[3 * room + slot]);
    }
}

void BoostRows::part(std::size_t j, const std::vector<std::uint8_t>& goes_right) {
    if (columns_[j].narrow)
        for (std::size_t i = 0; i < size(); ++i) side[i] = goes_right[narrow_[j][i]];
    else
        for (std::size_t i = 0; i < size(); ++i) side[i] = goes_right[wide_[j][i]];
}

void BoostRows::sums_by_side(const std::vector<double>& what, std::vector<double>& sums) const {
    sums.assign(2 * classes(), 0.0);
    for (std::size_t c = 0; c < classes(); ++c) {
        double both[2] = {0, 0};
        for (std::size_t i = begin(c); i < end(c); ++i) {
            both[0] += what[i];
            both[1] += side[i] ? what[i] : 0.0;
        }
        sums[2 * c] = both[0] - both[1];
        sums[2 * c + 1] = both[1];
    }
}

void BoostRows::reweigh(std::size_t c, double left, double right) {
    scale(weight.data() + begin(c), side.data() + begin(c), end(c) - begin(c), left, right);
}

}  // namespace acumen::forest
