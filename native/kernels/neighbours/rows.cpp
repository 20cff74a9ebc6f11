#include "kernels/neighbours/rows.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/common/clones.hpp"
#include "kernels/common/lanes.hpp"

namespace acumen {

namespace {

constexpr double NOWHERE = std::numeric_limits<double>::infinity();
constexpr double UNKNOWN = std::numeric_limits<double>::quiet_NaN();

struct Sums {
    alignas(64) double number[NEAR_LANES];
    alignas(64) double level[NEAR_LANES];
    alignas(64) double lack[NEAR_LANES];
    alignas(64) double dropped[NEAR_LANES];  // of what is lacking: known, but left out
};

template <NearRule RULE>
ACUMEN_INLINE double part(double away, double weight, bool capped, double power) {
    if constexpr (RULE == NearRule::squared) return away * away * weight;
    const double size = std::fabs(away);
    const double kept = capped && size > 1 ? 1 : size;
    if constexpr (RULE == NearRule::power) return std::pow(kept, power) * weight;
    return kept * weight;
}

template <NearRule RULE>
ACUMEN_INLINE double join(double sum, double more) {
    if constexpr (RULE == NearRule::largest) return more > sum ? more : sum;
    return sum + more;
}

template <NearRule RULE>
ACUMEN_INLINE void add_number(const double* ACUMEN_RESTRICT x, double q, double factor, double weight,
                              bool capped, double power, double* ACUMEN_RESTRICT sum) {
    for (std::size_t i = 0; i < NEAR_LANES; ++i)
        sum[i] = join<RULE>(sum[i], part<RULE>((q - x[i]) * factor, weight, capped, power));
}

template <NearRule RULE>
ACUMEN_INLINE void add_gappy(const double* ACUMEN_RESTRICT x, double q, double factor, double weight,
                             bool capped, double power, double* ACUMEN_RESTRICT sum,
                             double* ACUMEN_RESTRICT lack) {
    for (std::size_t i = 0; i < NEAR_LANES; ++i) {
        const bool known = x[i] == x[i];
        const double more = part<RULE>((q - x[i]) * factor, weight, capped, power);
        sum[i] = known ? join<RULE>(sum[i], more) : sum[i];
        lack[i] += known ? 0 : weight;
    }
}

#define ACUMEN_NEAR_LOOPS(name, RULE)                                                                     \
    ACUMEN_CLONES void name##_whole(const double* x, double q, double factor, double weight, bool capped, \
                                    double power, double* sum) {                                          \
        add_number<RULE>(x, q, factor, weight, capped, power, sum);                                       \
    }                                                                                                     \
    ACUMEN_CLONES void name##_gappy(const double* x, double q, double factor, double weight, bool capped, \
                                    double power, double* sum, double* lack) {                            \
        add_gappy<RULE>(x, q, factor, weight, capped, power, sum, lack);                                  \
    }
ACUMEN_NEAR_LOOPS(squared, NearRule::squared)
ACUMEN_NEAR_LOOPS(absolute, NearRule::absolute)
ACUMEN_NEAR_LOOPS(largest, NearRule::largest)
#undef ACUMEN_NEAR_LOOPS

void power_whole(const double* x, double q, double factor, double weight, bool capped, double power,
                 double* sum) {
    add_number<NearRule::power>(x, q, factor, weight, capped, power, sum);
}
void power_gappy(const double* x, double q, double factor, double weight, bool capped, double power,
                 double* sum, double* lack) {
    add_gappy<NearRule::power>(x, q, factor, weight, capped, power, sum, lack);
}

#if defined(__GNUC__)
template <std::size_t BYTES>
ACUMEN_INLINE bool any_within(const Lanes<BYTES>* sum, std::size_t count, double reach) {
    auto any = sum[0] <= reach;
    for (std::size_t t = 1; t < count; ++t) any |= sum[t] <= reach;
    std::uint64_t bits[LANES<BYTES>], some = 0;
    std::memcpy(bits, &any, sizeof bits);
    for (const std::uint64_t each : bits) some |= each;
    return some != 0;
}
#else
template <std::size_t BYTES>
ACUMEN_INLINE bool any_within(const Lanes<BYTES>*, std::size_t, double) {
    return true;
}
#endif

// All squared differences of complete rows in one loop: what most searches are made of.
template <std::size_t BYTES>
ACUMEN_INLINE unsigned squares_in(const double* x, const double* q, const double* factor, std::size_t d,
                                  double reach, double* keys) {
    constexpr std::size_t STEP = NEAR_GROUP, WIDE = STEP / LANES<BYTES>;
    unsigned near = 0;
    for (std::size_t first = 0; first < NEAR_LANES; first += STEP) {
        Lanes<BYTES> sum[WIDE] = {};
        for (std::size_t j = 0; j < d; ++j)
            for (std::size_t t = 0; t < WIDE; ++t) {
                Lanes<BYTES> v;
                fetch<BYTES>(x + j * NEAR_LANES + first + t * LANES<BYTES>, v);
                v -= q[j];
                v = v * factor[j];
                sum[t] += v * v;
            }
        for (std::size_t t = 0; t < WIDE; ++t) put<BYTES>(sum[t], keys + first + t * LANES<BYTES>);
        if (any_within<BYTES>(sum, WIDE, reach)) near |= 1U << (first / STEP);
    }
    return near;
}
ACUMEN_WIDTHS(unsigned, squares,
              (const double* x, const double* q, const double* factor, std::size_t d, double reach,
               double* keys),
              (x, q, factor, d, reach, keys))

// How many of a tile's squares, to the bit those of `squares`, are at most `reach`.
ACUMEN_CLONES std::int64_t count_squares(const double* ACUMEN_RESTRICT x, const double* ACUMEN_RESTRICT q,
                                         const double* ACUMEN_RESTRICT factor, std::size_t d, double reach) {
    alignas(64) double sum[NEAR_LANES];
    for (std::size_t i = 0; i < NEAR_LANES; ++i) sum[i] = 0;
    for (std::size_t j = 0; j < d; ++j)
        for (std::size_t i = 0; i < NEAR_LANES; ++i) {
            const double away = (x[j * NEAR_LANES + i] - q[j]) * factor[j];
            sum[i] += away * away;
        }
    std::int64_t count = 0;
    for (std::size_t i = 0; i < NEAR_LANES; ++i) count += sum[i] <= reach;
    return count;
}

// sum[i]: the squared distance of row i from a box; beyond the last row NaN.
ACUMEN_CLONES void squares_to_box(const double* ACUMEN_RESTRICT x, const double* ACUMEN_RESTRICT low,
                                  const double* ACUMEN_RESTRICT high, const double* ACUMEN_RESTRICT factor,
                                  std::size_t d, double* ACUMEN_RESTRICT sum) {
    for (std::size_t i = 0; i < NEAR_LANES; ++i) sum[i] = 0;
    for (std::size_t j = 0; j < d; ++j) {
        const double* ACUMEN_RESTRICT at = x + j * NEAR_LANES;
        for (std::size_t i = 0; i < NEAR_LANES; ++i) {
            const double below = low[j] - at[i], above = at[i] - high[j];
            const double apart = below > above ? below : above;
            const double away = (apart < 0 ? 0 : apart) * factor[j];  // of a NaN: NaN
            sum[i] += away * away;
        }
    }
}

ACUMEN_CLONES void add_levels(const std::int32_t* ACUMEN_RESTRICT x, std::int32_t q, double differ,
                              double* ACUMEN_RESTRICT sum) {
    for (std::size_t i = 0; i < NEAR_LANES; ++i) sum[i] += x[i] != q ? differ : 0;
}

ACUMEN_CLONES void add_gappy_levels(const std::int32_t* ACUMEN_RESTRICT x, std::int32_t q,
                                    std::int32_t missing, double differ, double count,
                                    double* ACUMEN_RESTRICT sum, double* ACUMEN_RESTRICT lack) {
    for (std::size_t i = 0; i < NEAR_LANES; ++i) {
        const bool known = x[i] != missing;
        sum[i] += known && x[i] != q ? differ : 0;
        lack[i] += known ? 0 : count;
    }
}

// What the parts come to: the key.
ACUMEN_INLINE double joined(const NearForm& form, double number, double level, double lack, double dropped,
                            double whole) {
    const double sum = form.rule == NearRule::largest ? (number > level ? number : level) : number + level;
    const double known = whole - lack;
    if (!(known > whole * 1e-12)) return dropped > 0 ? 0 : NOWHERE;
    if (form.share) return sum / known;
    if (lack == 0 || form.rule == NearRule::largest) return sum;
    return sum * whole / known;
}

}  // namespace

void NearForm::settle() {
    whole = extra_count;
    for (const double w : weight) whole += w;
    for (const double c : count) whole += c;
}

bool near_plain(const NearForm& form, const NearRows& rows) {
    return form.rule == NearRule::squared && !form.share && !rows.q && !form.extra_count && rows.complete &&
           rows.d && std::all_of(form.weight.begin(), form.weight.end(), [](double w) { return w == 1; });
}

double NearForm::distance(double key) const {
    switch (root) {
        case NearRoot::square_root:
            return unit * std::sqrt(key);
        case NearRoot::power_root:
            return unit * std::pow(key, 1 / power);
        case NearRoot::half:
            return unit * key / 2;
        case NearRoot::odds:
            return key == NOWHERE ? key : key / (1 - key);
        default:
            return unit * key;
    }
}

double NearForm::key(double distance) const {
    switch (root) {
        case NearRoot::square_root:
            return distance / unit * (distance / unit);
        case NearRoot::power_root:
            return std::pow(distance / unit, power);
        case NearRoot::half:
            return distance / unit * 2;
        case NearRoot::odds:
            return distance == NOWHERE ? distance : distance / (1 + distance);
        default:
            return distance / unit;
    }
}

void NearRows::lay(const NearForm& form) {
    const std::size_t count = n_tiles();
    tiles.assign(count * d * NEAR_LANES, UNKNOWN);
    levels.resize(count * q * NEAR_LANES);
    gaps.assign(count * (d + q), 0);
    complete = true;
    for (std::size_t t = 0; t < count; ++t)
        for (std::size_t i = 0; i < NEAR_LANES; ++i) {
            const std::size_t place = t * NEAR_LANES + i;
            const double* from = place < n ? values + order[place] * d : nullptr;
            const std::int32_t* line = place < n && q ? codes + order[place] * q : nullptr;
            for (std::size_t j = 0; j < d; ++j) {
                if (!from) continue;
                tiles[(t * d + j) * NEAR_LANES + i] = from[j];
                if (from[j] != from[j]) gaps[t * (d + q) + j] = 1, complete = false;
            }
            for (std::size_t j = 0; j < q; ++j) {
                const auto missing = static_cast<std::int32_t>(form.levels[j]);
                const std::int32_t code = line ? line[j] : missing;
                levels[(t * q + j) * NEAR_LANES + i] = code;
                if (line && code == missing) gaps[t * (d + q) + d + j] = 1, complete = false;
            }
        }
}

void near_keys(const NearForm& form, const NearRows& rows, const NearQuery& query, std::size_t tile,
               double* keys) {
    const std::size_t d = rows.d, q = rows.q;
    const double* x = rows.tiles.data() + tile * d * NEAR_LANES;
    const std::int32_t* c = rows.levels.data() + tile * q * NEAR_LANES;
    const std::uint8_t* gap = rows.gaps.data() + tile * (d + q);
    const double* factor = query.factor ? query.factor : form.factor.data();
    Sums sums;
    std::fill_n(sums.number, NEAR_LANES, 0.0);
    std::fill_n(sums.level, NEAR_LANES, 0.0);
    std::fill_n(sums.lack, NEAR_LANES, 0.0);
    std::fill_n(sums.dropped, NEAR_LANES, 0.0);
    double absent = 0;  // what the query itself lacks
    for (std::size_t j = 0; j < d; ++j) {
        const double value = query.values[j], weight = form.weight[j];
        if (value != value) {
            absent += weight;
            continue;
        }
        const double* column = x + j * NEAR_LANES;
        const auto call = [&](auto whole, auto gappy) {
            if (gap[j])
                gappy(column, value, factor[j], weight, form.capped, form.power, sums.number, sums.lack);
            else
                whole(column, value, factor[j], weight, form.capped, form.power, sums.number);
        };
        switch (form.rule) {
            case NearRule::squared:
                call(squared_whole, squared_gappy);
                break;
            case NearRule::absolute:
                call(absolute_whole, absolute_gappy);
                break;
            case NearRule::largest:
                call(largest_whole, largest_gappy);
                break;
            case NearRule::power:
                call(power_whole, power_gappy);
                break;
        }
    }
    for (std::size_t j = 0; j < q; ++j) {
        const std::int32_t code = query.codes[j];
        if (code == -1) {
            absent += form.count[j];
            continue;
        }
        const std::int32_t* column = c + j * NEAR_LANES;
        const auto missing = static_cast<std::int32_t>(form.levels[j]);
        if (form.differ[j] != form.differ[j]) {
            const double* line = form.table[j].data() + static_cast<std::size_t>(code) * (form.levels[j] + 1);
            for (std::size_t i = 0; i < NEAR_LANES; ++i) {
                const double more = line[column[i]];
                if (more != more)
                    sums.lack[i] += form.count[j];
                else if (more < 0)
                    sums.lack[i] += form.count[j], sums.dropped[i] += form.count[j];
                else if (form.rule == NearRule::largest)
                    sums.level[i] = std::max(sums.level[i], more);
                else
                    sums.level[i] += more;
            }
        } else if (form.rule == NearRule::largest) {
            for (std::size_t i = 0; i < NEAR_LANES; ++i) {
                if (column[i] == missing)
                    sums.lack[i] += form.count[j];
                else if (column[i] != code)
                    sums.level[i] = std::max(sums.level[i], form.differ[j]);
            }
        } else if (gap[d + j]) {
            add_gappy_levels(column, code, missing, form.differ[j], form.count[j], sums.level, sums.lack);
        } else {
            add_levels(column, code, form.differ[j], sums.level);
        }
    }
    const double whole = form.whole;
    const std::size_t first = tile * NEAR_LANES, last = std::min(rows.n, first + NEAR_LANES);
    for (std::size_t place = first; place < last; ++place) {
        const std::size_t i = place - first;
        double number = sums.number[i], lack = sums.lack[i];
        if (query.extra) {
            const double more = query.extra[rows.order[place]];
            if (more != more)
                lack += form.extra_count;
            else
                number = form.rule == NearRule::largest ? std::max(number, more) : number + more;
        }
        keys[i] = joined(form, number, sums.level[i], absent + lack, sums.dropped[i], whole);
    }
    for (std::size_t place = last; place < first + NEAR_LANES; ++place) keys[place - first] = UNKNOWN;
}

double near_key(const NearForm& form, const NearRows& rows, const NearQuery& query, std::size_t row) {
    const double* x = rows.values + row * rows.d;
    const double* factor = query.factor ? query.factor : form.factor.data();
    double number = 0, level = 0, lack = 0, absent = 0, dropped = 0;
    for (std::size_t j = 0; j < rows.d; ++j) {
        const double value = query.values[j], weight = form.weight[j];
        if (value != value) {
            absent += weight;
            continue;
        }
        if (x[j] != x[j]) {
            lack += weight;
            continue;
        }
        const double away = (value - x[j]) * factor[j];
        switch (form.rule) {
            case NearRule::squared:
                number += away * away * weight;
                break;
            case NearRule::absolute:
                number += part<NearRule::absolute>(away, weight, form.capped, form.power);
                break;
            case NearRule::largest:
                number = std::max(number, part<NearRule::largest>(away, weight, form.capped, form.power));
                break;
            case NearRule::power:
                number += part<NearRule::power>(away, weight, form.capped, form.power);
                break;
        }
    }
    for (std::size_t j = 0; j < rows.q; ++j) {
        const std::int32_t code = query.codes[j], other = rows.codes[row * rows.q + j];
        if (code == -1) {
            absent += form.count[j];
            continue;
        }
        double more = form.differ[j];
        if (more != more)
            more = form.table[j][static_cast<std::size_t>(code) * (form.levels[j] + 1) +
                                 static_cast<std::size_t>(other)];
        else if (other == static_cast<std::int32_t>(form.levels[j]))
            more = UNKNOWN;
        else if (other == code)
            more = 0;
        if (more != more)
            lack += form.count[j];
        else if (more < 0)
            lack += form.count[j], dropped += form.count[j];
        else if (form.rule == NearRule::largest)
            level = std::max(level, more);
        else
            level += more;
    }
    if (query.extra) {
        const double more = query.extra[row];
        if (more != more)
            lack += form.extra_count;
        else
            number = form.rule == NearRule::largest ? std::max(number, more) : number + more;
    }
    return joined(form, number, level, absent + lack, dropped, form.whole);
}

unsigned near_squares(const NearForm& form, const NearRows& rows, const double* values, std::size_t tile,
                      double reach, double* keys) {
    return squares(rows.tiles.data() + tile * rows.d * NEAR_LANES, values, form.factor.data(), rows.d, reach,
                   keys);
}

std::size_t near_count(const NearForm& form, const NearRows& rows, const double* values, std::size_t tile,
                       double reach) {
    const double* x = rows.tiles.data() + tile * rows.d * NEAR_LANES;
    return static_cast<std::size_t>(count_squares(x, values, form.factor.data(), rows.d, reach));
}

std::uint64_t near_reached(const NearForm& form, const NearRows& rows, std::size_t tile, const double* low,
                           const double* high, double reach) {
    alignas(64) double sum[NEAR_LANES];
    squares_to_box(rows.tiles.data() + tile * rows.d * NEAR_LANES, low, high, form.factor.data(), rows.d,
                   sum);
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < NEAR_LANES; ++i) found |= std::uint64_t{sum[i] <= reach} << i;
    return found;
}

double near_square(const NearForm& form, const NearRows& rows, const double* values, std::size_t row) {
    const double* x = rows.values + row * rows.d;
    double sum = 0;
    for (std::size_t j = 0; j < rows.d; ++j) {
        const double away = (x[j] - values[j]) * form.factor[j];
        sum += away * away;
    }
    return sum;
}

}  // namespace acumen
