#include "kernels/rule_grow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace acumen::rules {

namespace {

constexpr double NONE = -std::numeric_limits<double>::infinity();
// So many cells of work are worth a second thread.
constexpr std::size_t MANY = 400'000;

// Rows of weight one, counted two at a time: all in the lower half, those of the class in the upper.
struct Whole {
    std::uint64_t both = 0;
    void operator+=(Whole other) { both += other.both; }
    Whole operator-(Whole other) const { return {both - other.both}; }
    std::uint64_t right() const { return both >> 32; }
    std::uint64_t all() const { return both & 0xffffffffu; }
};

struct Weighed {
    double p = 0, t = 0;
    void operator+=(Weighed other) {
        p += other.p;
        t += other.t;
    }
    Weighed operator-(Weighed other) const { return {p - other.p, t - other.t}; }
    double right() const { return p; }
    double all() const { return t; }
};

struct Best {
    double gain = NONE, right = 0;
    Test test;
    std::size_t tried = 0;  // rules looked at
};

}  // namespace

struct Grower::Inside {
    const Coded& rows;
    GrowOptions options;
    std::int32_t label = 0;
    std::vector<Whole> whole;      // what each row adds, where rows weigh one each
    std::vector<Weighed> weighed;  // and where they do not
    std::vector<double> logs;      // of whole counts
    std::vector<Sorted> sorted;    // where rows weigh one each
    mutable std::vector<std::uint8_t>
        state;                          // of each row in growing: 1 of another class, 2 of the class, else 0
    mutable std::vector<Sorted> kept;   // of the rule in growing: the same for the rows it covers
    mutable std::vector<char> shorter;  // which columns have that
    mutable std::size_t tried = 0;      // rules looked at so far

    Inside(const Coded& given, const GrowOptions& asked) : rows(given), options(asked) {
        if (rows.weight) return;
        sorted = sorted_columns(rows);
        state.assign(rows.n, 0);
        kept.resize(sorted.size());
        shorter.assign(sorted.size(), 0);
        logs.resize(rows.n + 3);
        logs[0] = NONE;
        for (std::size_t i = 1; i < logs.size(); ++i) logs[i] = std::log2(static_cast<double>(i));
    }

    double log_of(std::uint64_t count) const { return logs[count]; }
    double log_of(double weight) const { return std::log2(weight); }

    template <typename S>
    double share_log(const S& some) const {
        return options.smoothed ? log_of(some.right() + 1) - log_of(some.all() + 1)
                                : log_of(some.right()) - log_of(some.all());
    }

    template <typename S>
    double gain(const S& some, double before) const {
        return static_cast<double>(some.right()) * (share_log(some) - before);
    }

    template <typename S>
    const std::vector<S>& adds() const {
        if constexpr (std::is_same_v<S, Whole>)
            return whole;
        else
            return weighed;
    }

    template <typename S>
    S sum(std::span<const std::int32_t> some) const {
        S made;
        for (const std::int32_t row : some) made += adds<S>()[static_cast<std::size_t>(row)];
        return made;
    }

    template <typename S>
    void set_state(std::span<const std::int32_t> some) const {
        if constexpr (std::is_same_v<S, Whole>)
            for (const std::int32_t row : some)
                state[static_cast<std::size_t>(row)] = rows.label[row] == label ? 2 : 1;
    }

    template <typename S>
    void clear_state(std::span<const std::int32_t> some) const {
        if constexpr (std::is_same_v<S, Whole>)
            for (const std::int32_t row : some) state[static_cast<std::size_t>(row)] = 0;
    }

    // What the codes of one column that occur have, in ascending order.
    template <typename S>
    void tally(std::size_t j, std::span<const std::int32_t> some, std::vector<std::int32_t>& codes,
               std::vector<S>& sums, std::vector<S>& cells, std::vector<std::uint64_t>& keys) const {
        const std::int32_t* column = rows.columns[j];
        const std::size_t size = static_cast<std::size_t>(rows.sizes[j]);
        const std::vector<S>& add = adds<S>();
        codes.clear();
        sums.clear();
        if constexpr (std::is_same_v<S, Whole>) {
            // In order of the codes, a byte a row: that stays in cache where a count for each code would not.
            // What is left of the column is kept, so that the next test walks through that alone.
            const bool begun = shorter[j];
            if (const Sorted& all = begun ? kept[j] : sorted[j];
                !sorted[j].rows.empty() && (begun || 8 * some.size() > all.rows.size())) {
                Sorted& mine = kept[j];
                const std::size_t n = all.rows.size();
                if (!begun) {
                    mine.rows.resize(n);
                    mine.codes.resize(n);
                }
                std::size_t left = 0;
                for (std::size_t i = 0; i < n; ++i) {
                    const std::int32_t row = all.rows[i], code = all.codes[i];
                    const std::uint64_t is = state[static_cast<std::size_t>(row)];
                    if (!is) continue;
                    if (codes.empty() || codes.back() != code) {
                        codes.push_back(code);
                        sums.push_back(S{});
                    }
                    sums.back().both += 1u + ((is >> 1) << 32);
                    mine.rows[left] = row;
                    mine.codes[left++] = code;
                }
                mine.rows.resize(left);
                mine.codes.resize(left);
                shorter[j] = 1;
                return;
            }
        }
        if (size <= 4 * some.size() + 16) {
            cells.assign(size, S{});
            for (const std::int32_t row : some)
                if (const std::int32_t code = column[row]; code >= 0)
                    cells[static_cast<std::size_t>(code)] += add[static_cast<std::size_t>(row)];
            for (std::size_t c = 0; c < size; ++c)
                if (cells[c].all() > 0) {
                    codes.push_back(static_cast<std::int32_t>(c));
                    sums.push_back(cells[c]);
                }
            return;
        }
        keys.clear();
        for (const std::int32_t row : some)
            if (const std::int32_t code = column[row]; code >= 0)
                keys.push_back(static_cast<std::uint64_t>(code) << 32 | static_cast<std::uint32_t>(row));
        std::sort(keys.begin(), keys.end());
        for (const std::uint64_t key : keys) {
            const auto code = static_cast<std::int32_t>(key >> 32);
            if (codes.empty() || codes.back() != code) {
                codes.push_back(code);
                sums.push_back(S{});
            }
            sums.back() += add[key & 0xffffffffu];
        }
    }

    template <typename S>
    void consider(Best& best, const S& some, double before, std::size_t j, Op op, std::int32_t value) const {
        if (!(some.right() > 0)) return;
        const double found = gain(some, before);
        if (!(found > best.gain)) return;
        best.gain = found;
        best.right = static_cast<double>(some.right());
        best.test = {static_cast<std::int32_t>(j), op, value, {}};
    }

    template <typename S>
    Best thresholds(std::size_t j, const std::vector<std::int32_t>& codes, const std::vector<S>& sums,
                    double before) const {
        Best best;
        S known;
        for (const S& one : sums) known += one;
        const bool low = rows.below_allowed(static_cast<std::size_t>(label), j);
        const bool high = rows.above_allowed(static_cast<std::size_t>(label), j);
        if (codes.size() > 1) best.tried = (codes.size() - 1) * (std::size_t{low} + std::size_t{high});
        S left;
        for (std::size_t i = 0; i < codes.size(); ++i) {
            const S right = known - left;
            left += sums[i];
            // A value without a row of the class makes either test worse by taking it in.
            if (!(sums[i].right() > 0)) continue;
            if (low && i + 1 < codes.size()) consider(best, left, before, j, Op::below, codes[i]);
            if (high && i > 0) consider(best, right, before, j, Op::above, codes[i]);
        }
        return best;
    }

    template <typename S>
    Best levels(std::size_t j, const std::vector<std::int32_t>& codes, const std::vector<S>& sums,
                double before) const {
        Best best;
        for (std::size_t i = 0; i < codes.size(); ++i) consider(best, sums[i], before, j, Op::is, codes[i]);
        if (!options.sets || codes.size() < 3) return best;
        // The purest levels together: by their share of the class, of equal ones the first.
        std::vector<std::size_t> order(codes.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        const auto share = [&](std::size_t i) {
            return static_cast<double>(sums[i].right()) / static_cast<double>(sums[i].all());
        };
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return share(a) > share(b); });
        best.tried += codes.size() - 2;
        S together = sums[order[0]];
        std::size_t taken = 0;
        for (std::size_t i = 1; i + 1 < order.size(); ++i) {
            together += sums[order[i]];
            const double was = best.gain;
            consider(best, together, before, j, Op::among, 0);
            if (best.gain > was) taken = i + 1;
        }
        if (best.test.op == Op::among && taken) {
            best.test.levels.assign(static_cast<std::size_t>(rows.sizes[j]), 0);
            for (std::size_t i = 0; i < taken; ++i)
                best.test.levels[static_cast<std::size_t>(codes[order[i]])] = 1;
            best.test.value = static_cast<std::int32_t>(taken);
        }
        return best;
    }

    template <typename S>
    std::vector<Best> best_of_each(const std::vector<std::size_t>& wanted, std::span<const std::int32_t> some,
                                   double before) const {
        std::vector<Best> found(wanted.size());
        const std::size_t threads = wanted.size() * some.size() >= MANY ? options.threads : 1;
        const auto worker = [&] {
            return [this, &wanted, &some, before, &found, codes = std::vector<std::int32_t>(),
                    sums = std::vector<S>(), cells = std::vector<S>(),
                    keys = std::vector<std::uint64_t>()](std::size_t block) mutable {
                const std::size_t j = wanted[block];
                tally<S>(j, some, codes, sums, cells, keys);
                found[block] = rows.ordered[j] ? thresholds<S>(j, codes, sums, before)
                                               : levels<S>(j, codes, sums, before);
            };
        };
        for_blocks(wanted.size(), threads, Stop(), worker);
        return found;
    }

    template <typename S>
    bool grow(Rule& rule, RowList some) const {
        std::vector<char> used(rows.columns.size(), 0);
        std::vector<std::int32_t> due = options.must;
        const auto took = [&](const Test& test) {
            const auto j = static_cast<std::size_t>(test.column);
            if (!rows.ordered[j]) used[j] = 1;
            std::erase(due, rows.group[j]);
        };
        for (const Test& test : rule) took(test);
        S now = sum<S>(some);
        set_state<S>(some);
        std::fill(shorter.begin(), shorter.end(), char{0});
        while (!options.most || rule.size() < options.most) {
            if (due.empty() && !(now.all() > now.right())) break;
            std::vector<std::size_t> wanted;
            for (std::size_t j = 0; j < used.size(); ++j)
                if (!used[j] &&
                    (due.empty() || std::find(due.begin(), due.end(), rows.group[j]) != due.end()))
                    wanted.push_back(j);
            Best best;
            if (due.empty()) best.gain = 0.0;  // only what gains; of what must be tested the best
            for (Best& one : best_of_each<S>(wanted, some, share_log(now))) {
                tried += one.tried;
                if (!options.worth.empty() && one.gain > NONE) {
                    const double worth = options.worth[static_cast<std::size_t>(one.test.column)];
                    // What must be tested may lose; it then loses the less, the more it is worth.
                    one.gain = one.gain > 0 ? one.gain * worth : one.gain / worth;
                }
                if (one.gain > best.gain) best = std::move(one);
            }
            if (!(best.right > 0) || best.right < options.min_covered) break;
            clear_state<S>(some);
            some = passing(rows, best.test, some);
            set_state<S>(some);
            now = sum<S>(some);
            took(best.test);
            rule.push_back(std::move(best.test));
        }
        clear_state<S>(some);
        return due.empty();
    }
};

Grower::Grower(const Coded& rows, const GrowOptions& options)
    : inside_(std::make_unique<Inside>(rows, options)) {}

Grower::~Grower() = default;

void Grower::aim(std::int32_t label) {
    Inside& in = *inside_;
    in.label = label;
    if (in.rows.weight) {
        in.weighed.resize(in.rows.n);
        for (std::size_t i = 0; i < in.rows.n; ++i)
            in.weighed[i] = {in.rows.label[i] == label ? in.rows.weight[i] : 0.0, in.rows.weight[i]};
    } else {
        in.whole.resize(in.rows.n);
        for (std::size_t i = 0; i < in.rows.n; ++i)
            in.whole[i].both = 1u | (in.rows.label[i] == label ? std::uint64_t{1} << 32 : 0);
    }
}

std::size_t Grower::tried() const { return inside_->tried; }

bool Grower::grow(Rule& rule, RowList some) const {
    return inside_->rows.weight ? inside_->grow<Weighed>(rule, std::move(some))
                                : inside_->grow<Whole>(rule, std::move(some));
}

}  // namespace acumen::rules
