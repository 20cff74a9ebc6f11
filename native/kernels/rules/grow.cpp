#include "kernels/rules/grow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/common/bit_rows.hpp"
#include "kernels/rules/order.hpp"

namespace acumen::rules {

namespace {

constexpr double NONE = -std::numeric_limits<double>::infinity();
// So many cells of work are worth a second thread.
constexpr std::size_t MANY = 150'000;

constexpr std::size_t RUN = 64;  // rows whose thresholds are bounded together

// Rows of weight one, counted two at a time: all in the lower half, those of the class in the upper.
struct Whole {
    std::uint64_t both = 0;
    void operator+=(Whole other) { both += other.both; }
    Whole operator-(Whole other) const { return {both - other.both}; }
    std::uint64_t right() const { return both >> 32; }
    std::uint64_t all() const { return both & 0xffffffffu; }
    std::uint64_t wrong() const { return all() - right(); }
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

// What the codes of one column that occur have, in ascending order; and room to find it.
template <typename S>
struct Tally {
    std::vector<std::int32_t> codes;
    std::vector<S> sums;
    std::vector<S> cells;
    std::vector<std::uint64_t> keys;
    std::vector<std::uint8_t> of_class;
};

}  // namespace

struct Grower::Inside {
    const Coded& rows;
    GrowOptions options;
    std::int32_t label = 0;
    std::vector<Whole> whole;      // what each row adds, where rows weigh one each
    std::vector<Weighed> weighed;  // and where they do not
    // Where rows weigh one each: logarithms of counts, columns in order, the rows of each level, rows of the
    // class.
    std::vector<double> logs;
    std::vector<Order> orders;
    std::vector<std::vector<RowBits>> levels_of;
    RowBits of_class;
    // Of the rule in growing: the rows it covers, those of the class among them, and what is left of columns.
    mutable RowBits now_in, now_right;
    mutable std::vector<Order> kept;
    mutable std::vector<char> shorter;  // which columns have that
    mutable std::size_t tried = 0;      // rules looked at so far

    Inside(const Coded& given, const GrowOptions& asked)
        : rows(given),
          options(asked),
          of_class(given.weight ? 0 : given.n),
          now_in(given.weight ? 0 : given.n),
          now_right(given.weight ? 0 : given.n) {
        if (rows.weight) return;
        orders = orders_of(rows);
        kept.resize(orders.size());
        shorter.assign(orders.size(), 0);
        levels_of.resize(orders.size());
        RowList mine;
        for (std::size_t j = 0; j < orders.size(); ++j)
            for (std::int32_t code = 0; rows.sizes[j] <= FEW_CODES && code < rows.sizes[j]; ++code) {
                mine.clear();
                for (std::size_t i = 0; i < rows.n; ++i)
                    if (rows.columns[j][i] == code) mine.push_back(static_cast<std::int32_t>(i));
                levels_of[j].emplace_back(rows.n).hold(mine);
            }
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
    void hold(std::span<const std::int32_t> some) const {
        if constexpr (std::is_same_v<S, Whole>) {
            now_in.hold(some);
            now_right.hold_both(now_in, of_class);
        }
    }

    template <typename S>
    void tally(std::size_t j, std::span<const std::int32_t> some, Tally<S>& made) const {
        const std::int32_t* column = rows.columns[j];
        const std::size_t size = static_cast<std::size_t>(rows.sizes[j]);
        const std::vector<S>& add = adds<S>();
        made.codes.clear();
        made.sums.clear();
        const auto put = [&](std::size_t code, const S& sum) {
            if (!(sum.all() > 0)) return;
            made.codes.push_back(static_cast<std::int32_t>(code));
            made.sums.push_back(sum);
        };
        if constexpr (std::is_same_v<S, Whole>)
            if (!levels_of[j].empty() && size * now_in.size() <= some.size()) {
                for (std::size_t c = 0; c < size; ++c) {
                    const std::uint64_t* level = levels_of[j][c].words();
                    const std::uint64_t right = count_shared(level, now_right.words(), now_right.size());
                    put(c, {count_shared(level, now_in.words(), now_in.size()) | right << 32});
                }
                return;
            }
        if (size <= 4 * some.size() + 16) {
            made.cells.assign(size, S{});
            for (const std::int32_t row : some)
                if (const std::int32_t code = column[row]; code >= 0)
                    made.cells[static_cast<std::size_t>(code)] += add[static_cast<std::size_t>(row)];
            for (std::size_t c = 0; c < size; ++c) put(c, made.cells[c]);
            return;
        }
        made.keys.clear();
        for (const std::int32_t row : some)
            if (const std::int32_t code = column[row]; code >= 0)
                made.keys.push_back(static_cast<std::uint64_t>(code) << 32 | static_cast<std::uint32_t>(row));
        std::sort(made.keys.begin(), made.keys.end());
        for (const std::uint64_t key : made.keys) {
            const auto code = static_cast<std::int32_t>(key >> 32);
            if (made.codes.empty() || made.codes.back() != code) {
                made.codes.push_back(code);
                made.sums.push_back(S{});
            }
            made.sums.back() += add[key & 0xffffffffu];
        }
    }

    // -- the best threshold of a column in order ----------------------------------------------------

    // Whether the column is walked through in order; what is left of it is kept, so that the next test walks
    // through that alone.
    bool in_order(std::size_t j, std::size_t n) const {
        return !orders[j].empty() && (shorter[j] || 8 * n > orders[j].size());
    }

    // More of the class and less of others gains more, where there is a gain: so nothing in a run of codes
    // gains more than all its rows of the class with none of the others, beside what comes before it (or
    // behind).
    bool may_gain(std::uint64_t right, std::uint64_t wrong, double before, double floor) const {
        const double most = gain(Whole{(right + wrong) | right << 32}, before);
        return !(floor >= 0) || most >= floor - 1e-9 * (1.0 + floor);
    }

    Best threshold_in_order(std::size_t j, double before, double floor, Tally<Whole>& space) const {
        const Order& from = shorter[j] ? kept[j] : orders[j];
        Order& mine = kept[j];
        const std::size_t n = from.size();
        if (!shorter[j]) mine.resize(n);
        if (space.of_class.size() < n + 1) space.of_class.resize(n + 1);
        std::uint8_t* const right = space.of_class.data();
        const auto note = [right, words = of_class.words()](std::size_t at, std::uint32_t row) {
            right[at] = static_cast<std::uint8_t>(has_row(words, row));
        };
        mine.resize(pack_order(from, now_in.words(), mine.data(), note));
        shorter[j] = 1;
        Best best;
        best.gain = floor;
        const std::size_t codes = codes_in(mine);
        const bool low = rows.below_allowed(static_cast<std::size_t>(label), j);
        const bool high = rows.above_allowed(static_cast<std::size_t>(label), j);
        if (codes > 1) best.tried = (codes - 1) * (std::size_t{low} + std::size_t{high});
        const Whole known{mine.size() | count_bytes(right, mine.size(), 1) << 32};
        Whole left;
        for (std::size_t begin = 0, end = 0; begin < mine.size(); begin = end) {
            end = run_end(mine, begin, RUN);
            Whole behind = left;
            behind += Whole{(end - begin) | count_bytes(right + begin, end - begin, 1) << 32};
            const Whole after = known - behind, rest = known - left;
            if ((low && may_gain(behind.right(), left.wrong(), before, best.gain)) ||
                (high && may_gain(rest.right(), after.wrong(), before, best.gain)))
                run(j, {mine.data() + begin, mine.data() + end}, right + begin, left, known, before, best);
            left = behind;
        }
        return best;
    }

    // Every threshold of a run; `left` is what comes before it.
    void run(std::size_t j, std::span<const std::uint32_t> order, const std::uint8_t* right, Whole left,
             Whole known, double before, Best& best) const {
        const bool low = rows.below_allowed(static_cast<std::size_t>(label), j);
        const bool high = rows.above_allowed(static_cast<std::size_t>(label), j);
        for (std::size_t i = 0; i < order.size();) {
            const std::int32_t code = rows.columns[j][row_of(order[i])];
            Whole here;
            do {
                here.both += 1u + (static_cast<std::uint64_t>(right[i++]) << 32);
            } while (i < order.size() && !(order[i] & FIRST));
            const Whole rest = known - left;
            const bool first = !left.all();
            left += here;
            if (!here.right()) continue;  // taking it in makes either test worse
            if (low && left.all() < known.all()) consider(best, left, before, j, Op::below, code);
            if (high && !first) consider(best, rest, before, j, Op::above, code);
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
            if (!(sums[i].right() > 0)) continue;  // taking it in makes either test worse
            if (low && i + 1 < codes.size()) consider(best, left, before, j, Op::below, codes[i]);
            if (high && i > 0) consider(best, right, before, j, Op::above, codes[i]);
        }
        return best;
    }

    template <typename S>
    Best levels(std::size_t j, const std::vector<std::int32_t>& codes, const std::vector<S>& sums,
                double before) const {
        Best best;
        best.tried = codes.size();
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

    // The best test of each column; where it gains less than the best of another one, it may be any. Only
    // more than `floor` is wanted.
    template <typename S>
    std::vector<Best> best_of_each(const std::vector<std::size_t>& wanted, std::span<const std::int32_t> some,
                                   double before, double floor) const {
        std::vector<Best> found(wanted.size());
        const std::size_t threads = wanted.size() * some.size() >= MANY ? options.threads : 1;
        const auto worker = [&] {
            return [this, &wanted, &some, before, least = floor, &found,
                    space = Tally<S>()](std::size_t block) mutable {
                const std::size_t j = wanted[block];
                Best& best = found[block];
                bool done = false;
                if constexpr (std::is_same_v<S, Whole>)
                    if (in_order(j, some.size())) {
                        best = threshold_in_order(j, before, least, space);
                        done = true;
                    }
                if (!done) {
                    tally<S>(j, some, space);
                    best = rows.ordered[j] ? thresholds<S>(j, space.codes, space.sums, before)
                                           : levels<S>(j, space.codes, space.sums, before);
                }
                // Where columns are not worth the same, one that gains less may still be the better.
                if (options.worth.empty()) least = std::max(least, best.gain);
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
        std::fill(shorter.begin(), shorter.end(), char{0});
        while (!options.most || rule.size() < options.most) {
            if (due.empty() && !(now.all() > now.right())) break;
            std::vector<std::size_t> wanted;
            for (std::size_t j = 0; j < used.size(); ++j)
                if (!used[j] &&
                    (due.empty() || std::find(due.begin(), due.end(), rows.group[j]) != due.end()))
                    wanted.push_back(j);
            hold<S>(some);
            Best best;
            if (due.empty()) best.gain = 0.0;  // only what gains; of what must be tested the best
            for (Best& one : best_of_each<S>(wanted, some, share_log(now), best.gain)) {
                tried += one.tried;
                if (!options.worth.empty() && one.gain > NONE) {
                    const double worth = options.worth[static_cast<std::size_t>(one.test.column)];
                    // What must be tested may lose; it then loses the less, the more it is worth.
                    one.gain = one.gain > 0 ? one.gain * worth : one.gain / worth;
                }
                if (one.gain > best.gain) best = std::move(one);
            }
            if (!(best.right > 0) || best.right < options.min_covered) break;
            some = passing(rows, best.test, some);
            now = sum<S>(some);
            took(best.test);
            rule.push_back(std::move(best.test));
        }
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
        RowList mine;
        for (std::size_t i = 0; i < in.rows.n; ++i) {
            in.whole[i].both = 1u | (in.rows.label[i] == label ? std::uint64_t{1} << 32 : 0);
            if (in.rows.label[i] == label) mine.push_back(static_cast<std::int32_t>(i));
        }
        in.of_class.hold(mine);
    }
}

std::size_t Grower::tried() const { return inside_->tried; }

bool Grower::grow(Rule& rule, RowList some) const {
    return inside_->rows.weight ? inside_->grow<Weighed>(rule, std::move(some))
                                : inside_->grow<Whole>(rule, std::move(some));
}

}  // namespace acumen::rules
