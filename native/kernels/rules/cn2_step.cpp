#include "kernels/rules/cn2_step.hpp"

#include <algorithm>

#include "kernels/common/parallel.hpp"

namespace acumen::rules {

namespace {

constexpr std::size_t MANY = 150'000;    // cells of work that are worth a second thread
constexpr std::size_t FEW_CLASSES = 64;  // of more, counting runs costs more than it spares
constexpr std::size_t SHRUNK = 16;       // a column left with so small a part is sorted anew
constexpr std::size_t RUN = 16;          // rows whose thresholds are bounded together
constexpr double LEEWAY = 1e-9;          // for what rounding may do to a bound

// The one class of a cell; -1 where it has several.
std::int32_t one_class(const double* cell, std::size_t k) {
    std::int32_t found = -1;
    for (std::size_t c = 0; c < k; ++c)
        if (cell[c] > 0) {
            if (found >= 0) return -1;
            found = static_cast<std::int32_t>(c);
        }
    return found;
}

}  // namespace

// A thread's own: room to count in, and what its columns have found so far. No rule that is worse than the
// last of as many different ranks as the beam has places will be carried on, whatever others find.
struct Step::Scratch {
    std::vector<double> cells, left, right, here, next, low, high;
    std::vector<std::uint32_t> whole;
    std::vector<std::uint64_t> keys;
    std::vector<std::int32_t> codes;
    std::vector<std::uint8_t> labels;
    std::vector<Rank> top;
    Rank best;

    void note(const Rank& rank, std::size_t places) {
        auto at = top.end();
        while (at != top.begin() && rank > *(at - 1)) --at;
        if (at != top.begin() && *(at - 1) == rank) return;
        top.insert(at, rank);
        if (top.size() > places) top.pop_back();
    }
    bool full(std::size_t places) const { return top.size() == places; }
};

Step::Step(const Coded& rows, const Cn2Options& options, const Judge& judge)
    : rows_(rows),
      options_(options),
      judge_(judge),
      k_(rows.classes),
      runs_(!rows.weight && rows.classes <= FEW_CLASSES),
      hashes_(rows.n) {
    for (std::size_t i = 0; i < rows.n; ++i) hashes_[i] = Draws(i * 0x9e3779b97f4a7c15u + 1).next();
}

Member Step::member(Rule rule, RowList rows, std::shared_ptr<const std::vector<Order>> parents) const {
    Member made{std::move(rule),
                std::move(rows),
                std::vector<double>(k_, 0.0),
                0,
                0,
                RowBits(rows_.n),
                std::move(parents),
                std::make_shared<std::vector<Order>>(rows_.columns.size())};
    for (const std::int32_t row : made.rows) {
        made.counts[static_cast<std::size_t>(rows_.label[row])] += rows_.weight_of(row);
        made.cover += hashes_[static_cast<std::size_t>(row)];
    }
    for (const double w : made.counts) made.weight += w;
    made.has.hold(made.rows);
    return made;
}

// -- rules ------------------------------------------------------------------------------------------------

bool Step::allowed(const Test& test, std::int32_t label) const {
    const auto j = static_cast<std::size_t>(test.column), c = static_cast<std::size_t>(label);
    if (test.op == Op::below) return rows_.below_allowed(c, j);
    return test.op != Op::above || rows_.above_allowed(c, j);
}

bool Step::fits(const Rule& rule, const Test& test, std::int32_t label) const {
    if (!allowed(test, label)) return false;
    for (const Test& one : rule)
        if (!allowed(one, label)) return false;
    for (const std::int32_t wanted : options_.must) {
        bool found = rows_.group[static_cast<std::size_t>(test.column)] == wanted;
        for (const Test& one : rule) found |= rows_.group[static_cast<std::size_t>(one.column)] == wanted;
        if (!found) return false;
    }
    return true;
}

void Step::keep(std::vector<Candidate>& beam, const Candidate& one) const {
    auto place = beam.end();
    while (place != beam.begin() && one.rank > (place - 1)->rank) --place;
    if (static_cast<std::size_t>(place - beam.begin()) >= options_.beam) return;
    beam.insert(place, one);
    if (beam.size() > options_.beam) beam.pop_back();
}

void Step::consider(const Member& from, std::size_t parent, const double* counts, const Test& test,
                    Scratch& space, Found& found) const {
    double total = 0;
    for (std::size_t c = 0; c < k_; ++c) total += counts[c];
    if (!(total > 0) || total < options_.min_covered || total == from.weight) return;
    if (!judge_.can_be_significant(counts)) return;
    Candidate one;
    one.label = judge_.majority(counts);
    one.rank = {judge_.quality(counts, total, one.label), total};
    one.parent = parent;
    one.test = test;
    const bool late = space.full(options_.beam) && space.top.back() > one.rank;
    const bool room = found.beam.size() < options_.beam || one.rank > found.beam.back().rank;
    if (room && !late && judge_.bound(counts) > one.rank) {
        keep(found.beam, one);
        space.note(one.rank, options_.beam);
    }
    if (!(one.rank > space.best) || !judge_.speaks_for(counts, total)) return;
    if (!judge_.significant(counts, total) || !fits(from.rule, one.test, one.label)) return;
    found.best = one;
    space.best = one.rank;
}

// -- columns whose codes are counted ------------------------------------------------------------------------

void Step::by_code(const Member& from, std::size_t parent, std::size_t j, Scratch& space,
                   Found& found) const {
    const std::int32_t* column = rows_.columns[j];
    const auto size = static_cast<std::size_t>(rows_.sizes[j]);
    space.cells.assign(size * k_, 0.0);
    if (rows_.weight) {
        for (const std::int32_t row : from.rows)
            if (const std::int32_t code = column[row]; code >= 0)
                space.cells[static_cast<std::size_t>(code) * k_ +
                            static_cast<std::size_t>(rows_.label[row])] += rows_.weight[row];
    } else {
        // Missing values, of code -1, are counted in front.
        space.whole.assign((size + 1) * k_, 0);
        for (const std::int32_t row : from.rows)
            ++space.whole[static_cast<std::size_t>(std::max(column[row], -1) + 1) * k_ +
                          static_cast<std::size_t>(rows_.label[row])];
        std::copy(space.whole.begin() + static_cast<std::ptrdiff_t>(k_), space.whole.end(),
                  space.cells.begin());
    }
    space.codes.clear();
    for (std::size_t c = 0; c < size; ++c) {
        const double* cell = &space.cells[c * k_];
        if (std::any_of(cell, cell + k_, [](double w) { return w > 0; }))
            space.codes.push_back(static_cast<std::int32_t>(c));
    }
    const std::size_t n = space.codes.size();
    const auto cell_of = [&](std::size_t i) {
        return &space.cells[static_cast<std::size_t>(space.codes[i]) * k_];
    };
    if (!rows_.ordered[j]) {
        found.tried = n;
        for (std::size_t i = 0; i < n; ++i)
            consider(from, parent, cell_of(i), {static_cast<std::int32_t>(j), Op::is, space.codes[i], {}},
                     space, found);
        return;
    }
    found.tried = 2 * (n ? n - 1 : 0);
    space.left.assign(k_, 0.0);
    space.right.assign(k_, 0.0);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t c = 0; c < k_; ++c) space.right[c] += cell_of(i)[c];
    for (std::size_t i = 0; i + 1 < n; ++i) {
        for (std::size_t c = 0; c < k_; ++c) {
            space.left[c] += cell_of(i)[c];
            space.right[c] -= cell_of(i)[c];
        }
        const std::int32_t pure = one_class(cell_of(i), k_);
        if (pure < 0 || pure != one_class(cell_of(i + 1), k_))
            cut(from, parent, j, space.codes[i], space.codes[i + 1], {}, space, found);
    }
}

// Both sides of a threshold. Between two values of one and the same class there is none to be tried: every
// measure bends one way there.
void Step::cut(const Member& from, std::size_t parent, std::size_t j, std::int32_t below, std::int32_t above,
               Sides sides, Scratch& space, Found& found) const {
    const auto column = static_cast<std::int32_t>(j);
    if (sides.below) consider(from, parent, space.left.data(), {column, Op::below, below, {}}, space, found);
    if (sides.above) consider(from, parent, space.right.data(), {column, Op::above, above, {}}, space, found);
}

// -- columns in order ---------------------------------------------------------------------------------------

// What the rule's rows are in order of a column, from its parent's or sorted anew; and their labels.
void Step::order_of(const Member& from, std::size_t j, Scratch& space) const {
    Order& mine = (*from.orders)[j];
    const Order& before = (*from.parents)[j];
    if (space.labels.size() < before.size() + 1) space.labels.resize(before.size() + 1);
    std::uint8_t* const labels = space.labels.data();
    const auto note = [labels, of = rows_.label](std::size_t at, std::uint32_t row) {
        labels[at] = static_cast<std::uint8_t>(of[row]);
    };
    if (SHRUNK * from.rows.size() > before.size()) {
        mine.resize(before.size());
        mine.resize(pack_order(before, from.has.words(), mine.data(), note));
        return;
    }
    space.keys.clear();
    for (const std::int32_t row : from.rows)
        if (const std::int32_t code = rows_.columns[j][row]; code >= 0)
            space.keys.push_back(static_cast<std::uint64_t>(code) << 32 | static_cast<std::uint32_t>(row));
    std::sort(space.keys.begin(), space.keys.end());
    mine.resize(space.keys.size());
    for (std::size_t i = 0; i < mine.size(); ++i) {
        const auto row = static_cast<std::uint32_t>(space.keys[i]);
        mine[i] = row | (!i || space.keys[i] >> 32 != space.keys[i - 1] >> 32 ? FIRST : 0);
        note(i, row);
    }
}

// Whether a rule with counts between these could be carried on or be the best.
bool Step::worth_a_look(const double* low, const double* high, const Scratch& space) const {
    double total = 0;
    for (std::size_t c = 0; c < k_; ++c) total += high[c];
    if (total < options_.min_covered || !judge_.can_be_significant(high)) return false;
    const double most = judge_.most(low, high);
    const double least = space.full(options_.beam) ? std::min(space.top.back().quality, space.best.quality)
                                                   : -std::numeric_limits<double>::infinity();
    return most >= least - LEEWAY * (1.0 + std::abs(least));
}

void Step::in_order(const Member& from, std::size_t parent, std::size_t j, Scratch& space,
                    Found& found) const {
    order_of(from, j, space);
    const Order& order = (*from.orders)[j];
    const std::size_t codes = codes_in(order);
    found.tried = 2 * (codes ? codes - 1 : 0);
    space.left.assign(k_, 0.0);
    space.right.assign(k_, 0.0);
    for (const std::uint32_t one : order) {
        const std::int32_t row = row_of(one);
        space.right[static_cast<std::size_t>(rows_.label[row])] += rows_.weight_of(row);
    }
    if (!runs_) {
        run(from, parent, j, order, 0, order.size(), {}, space, found);
        return;
    }
    space.low.resize(k_);
    space.high.resize(k_);
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
        end = run_end(order, begin, RUN);
        for (std::size_t c = 0; c < k_; ++c)
            space.low[c] = static_cast<double>(
                count_bytes(space.labels.data() + begin, end - begin, static_cast<std::uint8_t>(c)));
        // With the run and without it: what a threshold in it leaves on either side is between.
        space.here = space.low;
        for (std::size_t c = 0; c < k_; ++c) {
            space.high[c] = space.left[c] + space.here[c];
            space.low[c] = space.right[c] - space.here[c];
        }
        const Sides sides{worth_a_look(space.left.data(), space.high.data(), space),
                          worth_a_look(space.low.data(), space.right.data(), space)};
        if (sides.below || sides.above) {
            run(from, parent, j, order, begin, end, sides, space, found);
        } else {
            space.left = space.high;
            space.right = space.low;
        }
    }
}

// Every threshold of a run of codes; takes its rows from right to left.
void Step::run(const Member& from, std::size_t parent, std::size_t j, std::span<const std::uint32_t> order,
               std::size_t begin, std::size_t end, Sides sides, Scratch& space, Found& found) const {
    const auto gather = [&](std::size_t at, std::vector<double>& cell) {
        cell.assign(k_, 0.0);
        do {
            const std::int32_t row = row_of(order[at++]);
            cell[static_cast<std::size_t>(rows_.label[row])] += rows_.weight_of(row);
        } while (at < order.size() && !(order[at] & FIRST));
        return at;
    };
    if (begin == end) return;
    for (std::size_t at = gather(begin, space.here), here = begin; here < end;) {
        for (std::size_t c = 0; c < k_; ++c) {
            space.left[c] += space.here[c];
            space.right[c] -= space.here[c];
        }
        if (at == order.size()) return;
        const std::size_t after = gather(at, space.next);
        const std::int32_t pure = one_class(space.here.data(), k_);
        if (pure < 0 || pure != one_class(space.next.data(), k_)) {
            const std::int32_t* column = rows_.columns[j];
            cut(from, parent, j, column[row_of(order[here])], column[row_of(order[at])], sides, space, found);
        }
        std::swap(space.here, space.next);
        here = at;
        at = after;
    }
}

// -- all columns of all rules -------------------------------------------------------------------------------

Found Step::column(const Member& from, std::size_t parent, std::size_t j, Scratch& space) const {
    Found found;
    if (rows_.ordered[j] && rows_.sizes[j] > FEW_CODES)
        in_order(from, parent, j, space, found);
    else
        by_code(from, parent, j, space, found);
    return found;
}

Candidate Step::expand(const std::vector<Member>& beam, const Candidate& sofar, std::vector<Member>& next,
                       std::size_t& tried) const {
    std::vector<std::pair<std::size_t, std::size_t>> tasks;
    std::size_t work = 0;
    for (std::size_t p = 0; p < beam.size(); ++p) {
        std::vector<char> used(rows_.columns.size(), 0);
        for (const Test& test : beam[p].rule)
            if (!rows_.ordered[static_cast<std::size_t>(test.column)])
                used[static_cast<std::size_t>(test.column)] = 1;
        for (std::size_t j = 0; j < used.size(); ++j)
            if (!used[j]) {
                tasks.emplace_back(p, j);
                work += beam[p].rows.size();
            }
    }
    std::vector<Found> found(tasks.size());
    const auto worker = [&] {
        Scratch space;
        if (sofar.label >= 0) space.best = sofar.rank;
        return [this, &tasks, &beam, &found, space = std::move(space)](std::size_t t) mutable {
            const auto [p, j] = tasks[t];
            found[t] = column(beam[p], p, j, space);
        };
    };
    for_blocks(tasks.size(), work >= MANY ? options_.threads : 1, Stop(), worker);
    // One column after the other, so that nothing depends on who was quicker. Rules that cover the same rows
    // count once.
    Candidate best;
    std::vector<Candidate> kept;
    next.clear();
    for (const Found& one : found) {
        tried += one.tried;
        if (one.best.label >= 0 && (best.label < 0 || one.best.rank > best.rank)) best = one.best;
        for (const Candidate& each : one.beam) {
            if (kept.size() == options_.beam && !(each.rank > kept.back().rank)) continue;
            Rule rule = beam[each.parent].rule;
            rule.push_back(each.test);
            Member made = member(std::move(rule), passing(rows_, each.test, beam[each.parent].rows),
                                 beam[each.parent].orders);
            if (std::any_of(next.begin(), next.end(), [&](const Member& m) { return m.cover == made.cover; }))
                continue;
            std::size_t place = kept.size();
            while (place > 0 && each.rank > kept[place - 1].rank) --place;
            kept.insert(kept.begin() + static_cast<std::ptrdiff_t>(place), each);
            next.insert(next.begin() + static_cast<std::ptrdiff_t>(place), std::move(made));
            if (kept.size() > options_.beam) {
                kept.pop_back();
                next.pop_back();
            }
        }
    }
    return best;
}

}  // namespace acumen::rules
