#include "kernels/networks/families.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace acumen {

namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();
constexpr std::size_t few_cells = 2048;  // four tables of them lie in the first cache

double log_gamma(double x) {
#ifdef _WIN32
    return std::lgamma(x);  // writes no global there
#else
    int sign = 0;
    return lgamma_r(x, &sign);  // std::lgamma writes a global
#endif
}

// Parents and child of every row as one number, the child varying fastest; and which of these numbers know
// all values.
struct Base {
    std::vector<std::uint32_t> cells;
    std::vector<std::uint8_t> known;
    std::size_t size = 1;
    double configurations = 1;  // of levels, whether seen or not

    // Whether the table is small enough.
    bool build(const CodedRows& rows, std::span<const std::int32_t> parents, std::int32_t child) {
        size = 1;
        configurations = 1;
        known.assign(1, 1);
        const auto widened = [&](std::size_t j) {
            const std::size_t slots = rows.slots(j), levels = static_cast<std::size_t>(rows.levels[j]);
            if (size * slots > most_cells) return false;
            std::vector<std::uint8_t> wider(size * slots);
            for (std::size_t c = 0; c < size; ++c)
                for (std::size_t v = 0; v < slots; ++v) wider[c * slots + v] = known[c] && v < levels;
            known.swap(wider);
            size *= slots;
            return true;
        };
        for (const std::int32_t p : parents) {
            if (!widened(static_cast<std::size_t>(p))) return false;
            configurations *= rows.levels[p];
        }
        if (!widened(static_cast<std::size_t>(child))) return false;
        cells.assign(rows.n, 0);
        const auto add = [&](std::int32_t j) {
            const std::uint16_t* codes = rows.column(static_cast<std::size_t>(j));
            const auto slots = static_cast<std::uint32_t>(rows.slots(static_cast<std::size_t>(j)));
            for (std::size_t i = 0; i < rows.n; ++i) cells[i] = cells[i] * slots + codes[i];
        };
        for (const std::int32_t p : parents) add(p);
        add(child);
        return true;
    }
};

// Counts of cells with another column in front of them; scratch is kept between calls.
class Counter {
  public:
    // The table of `slots` x base.size; slots of 1 and no codes count the base alone.
    const std::vector<double>& count(const CodedRows& rows, const Base& base, const std::uint16_t* codes,
                                     std::size_t slots) {
        const std::size_t size = slots * base.size;
        table_.assign(size, 0.0);
        const auto step = static_cast<std::uint32_t>(base.size);
        const std::uint32_t* cells = base.cells.data();
        if (rows.weights) {
            for (std::size_t i = 0; i < rows.n; ++i)
                table_[cells[i] + (codes ? codes[i] * step : 0u)] += rows.weights[i];
            return table_;
        }
        // Four tables in turn where they are small: neighbouring rows often are of one cell, and each would
        // wait for the other.
        const std::size_t ways = size <= few_cells ? 4 : 1;
        whole_.assign(size * ways, 0);
        std::uint32_t* whole = whole_.data();
        std::size_t i = 0;
        if (ways == 4) {
            const auto at = [&](std::size_t r) { return cells[r] + (codes ? codes[r] * step : 0u); };
            for (; i + 4 <= rows.n; i += 4) {
                ++whole[at(i)];
                ++whole[size + at(i + 1)];
                ++whole[2 * size + at(i + 2)];
                ++whole[3 * size + at(i + 3)];
            }
        }
        for (; i < rows.n; ++i) ++whole[cells[i] + (codes ? codes[i] * step : 0u)];
        for (std::size_t way = 0; way < ways; ++way)
            for (std::size_t c = 0; c < size; ++c) table_[c] += whole[way * size + c];
        return table_;
    }

  private:
    std::vector<double> table_;
    std::vector<std::uint32_t> whole_;
};

// `levels` slots of the column in front know their value.
double judged(const std::vector<double>& table, const Base& base, std::size_t levels, std::size_t child_slots,
              std::size_t child_levels, double configurations, std::size_t n_parents, double total,
              const FamilyScore& score) {
    double weight = 0;
    for (std::size_t s = 0; s < levels; ++s)
        for (std::size_t c = 0; c < base.size; ++c)
            if (base.known[c]) weight += table[s * base.size + c];
    if (!(weight > 0)) return nothing;
    const double factor = weight == total ? 1.0 : total / weight;
    const double levels_here = static_cast<double>(child_levels);
    const bool bayes = score.prior > 0;
    const double cell = score.spread ? score.prior / (configurations * levels_here) : score.prior;
    const double log_cell = bayes ? log_gamma(cell) : 0.0,
                 log_line = bayes ? log_gamma(cell * levels_here) : 0.0;
    double made = 0;
    for (std::size_t s = 0; s < levels; ++s)
        for (std::size_t c = 0; c < base.size; c += child_slots) {
            const double* line = table.data() + s * base.size + c;
            if (!base.known[c]) continue;
            double sum = 0;
            for (std::size_t v = 0; v < child_levels; ++v) sum += line[v];
            if (!(sum > 0)) continue;  // adds nothing to either score
            if (bayes) {
                made += log_line - log_gamma(cell * levels_here + sum * factor);
                for (std::size_t v = 0; v < child_levels; ++v)
                    if (line[v] > 0) made += log_gamma(cell + line[v] * factor) - log_cell;
            } else {
                double here = 0;
                for (std::size_t v = 0; v < child_levels; ++v)
                    if (line[v] > 0) here += line[v] * std::log(line[v] / sum);
                made += here * factor;
            }
        }
    if (!bayes) made -= configurations * (levels_here - 1) * score.per_parameter;
    return made - static_cast<double>(n_parents) * score.per_parent;
}

}  // namespace

void count_family(const CodedRows& rows, std::span<const std::int32_t> columns, std::span<double> table) {
    std::vector<std::size_t> cells(rows.n, 0);
    std::vector<std::uint8_t> known(rows.n, 1);
    for (const std::int32_t j : columns) {
        const std::uint16_t* codes = rows.column(static_cast<std::size_t>(j));
        const auto levels = static_cast<std::size_t>(rows.levels[j]);
        for (std::size_t i = 0; i < rows.n; ++i) {
            const bool here = codes[i] < levels;
            known[i] = known[i] && here;
            cells[i] = cells[i] * levels + (here ? codes[i] : 0);
        }
    }
    for (std::size_t i = 0; i < rows.n; ++i)
        if (known[i]) table[cells[i]] += rows.weights ? rows.weights[i] : 1.0;
}

bool score_family(const CodedRows& rows, std::int32_t child, std::span<const std::int32_t> parents,
                  std::span<const std::uint8_t> allowed, const FamilyScore& score, std::size_t threads,
                  const Stop& stop, std::span<double> out) {
    std::fill(out.begin(), out.end(), nothing);
    Base base;
    const bool fits = base.build(rows, parents, child);
    const auto own = static_cast<std::size_t>(child);
    const std::size_t child_slots = rows.slots(own),
                      child_levels = static_cast<std::size_t>(rows.levels[own]);
    return for_blocks(rows.columns, threads, stop, [&] {
        return [&, counter = Counter(), shorter = Base()](std::size_t j) mutable {
            const auto at = std::find(parents.begin(), parents.end(), static_cast<std::int32_t>(j));
            if (j == own) {
                if (!fits) return;
                out[j] = judged(counter.count(rows, base, nullptr, 1), base, 1, child_slots, child_levels,
                                base.configurations, parents.size(), rows.total, score);
            } else if (!allowed[j]) {
                return;
            } else if (at == parents.end()) {
                if (!fits || base.size * rows.slots(j) > most_cells) return;
                out[j] = judged(counter.count(rows, base, rows.column(j), rows.slots(j)), base,
                                static_cast<std::size_t>(rows.levels[j]), child_slots, child_levels,
                                base.configurations * rows.levels[j], parents.size() + 1, rows.total, score);
            } else {
                std::vector<std::int32_t> fewer(parents.begin(), parents.end());
                fewer.erase(fewer.begin() + (at - parents.begin()));
                if (!shorter.build(rows, fewer, child)) return;
                out[j] = judged(counter.count(rows, shorter, nullptr, 1), shorter, 1, child_slots,
                                child_levels, shorter.configurations, fewer.size(), rows.total, score);
            }
        };
    });
}

bool pair_information(const CodedRows& rows, std::int32_t given, std::size_t threads, const Stop& stop,
                      std::span<double> out) {
    std::fill(out.begin(), out.end(), 0.0);
    const std::size_t d = rows.columns;
    const std::size_t given_slots = given < 0 ? 1 : rows.slots(static_cast<std::size_t>(given));
    const std::size_t given_levels = given < 0 ? 1 : static_cast<std::size_t>(rows.levels[given]);
    return for_blocks(d, threads, stop, [&] {
        return [&, counter = Counter(), base = Base(), first = std::vector<double>(),
                second = std::vector<double>(), third = std::vector<double>()](std::size_t i) mutable {
            if (static_cast<std::int32_t>(i) == given) return;
            const auto child = static_cast<std::int32_t>(i);
            const std::size_t slots = rows.slots(i), levels = static_cast<std::size_t>(rows.levels[i]);
            // The base: this column, then what is given, varying fastest.
            const bool fits = given < 0 ? base.build(rows, {}, child)
                                        : base.build(rows, std::span<const std::int32_t>(&child, 1), given);
            for (std::size_t j = i + 1; j < d; ++j) {
                if (static_cast<std::int32_t>(j) == given) continue;
                const std::size_t others = static_cast<std::size_t>(rows.levels[j]);
                if (!fits || base.size * rows.slots(j) > most_cells) {
                    out[i * d + j] = out[j * d + i] = -1.0;
                    continue;
                }
                const auto& table = counter.count(rows, base, rows.column(j), rows.slots(j));
                first.assign(levels * given_levels, 0.0);
                second.assign(others * given_levels, 0.0);
                third.assign(given_levels, 0.0);
                const auto cell = [&](std::size_t b, std::size_t a, std::size_t g) {
                    return table[b * slots * given_slots + a * given_slots + g];
                };
                double total = 0;
                for (std::size_t b = 0; b < others; ++b)
                    for (std::size_t a = 0; a < levels; ++a)
                        for (std::size_t g = 0; g < given_levels; ++g) {
                            const double w = cell(b, a, g);
                            first[a * given_levels + g] += w;
                            second[b * given_levels + g] += w;
                            third[g] += w;
                            total += w;
                        }
                double sum = 0;
                for (std::size_t b = 0; b < others; ++b)
                    for (std::size_t a = 0; a < levels; ++a)
                        for (std::size_t g = 0; g < given_levels; ++g) {
                            const double w = cell(b, a, g);
                            if (w > 0)
                                sum += w *
                                       std::log(w * third[g] /
                                                (first[a * given_levels + g] * second[b * given_levels + g]));
                        }
                out[i * d + j] = out[j * d + i] = total > 0 ? std::max(sum / total, 0.0) : 0.0;
            }
        };
    });
}

}  // namespace acumen
