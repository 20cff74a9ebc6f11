#include "kernels/rules/ripper.hpp"

#include <algorithm>
#include <limits>

#include "kernels/rules/bits.hpp"

namespace acumen::rules {

std::uint64_t Draws::below(std::uint64_t n) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * n) >> 64);
}

namespace {

// A message may be so many bits longer than the shortest so far before rules end (Cohen 1995).
constexpr double SURPLUS = 64.0;

struct Known {
    Rule rule;
    RowList rows;  // of the class's rows, those it covers
    double bits = 0;
};

// A numeric test goes where another one of the rule on the same side is stricter.
Rule cleaned(const Rule& rule) {
    Rule made;
    for (std::size_t i = 0; i < rule.size(); ++i) {
        bool weaker = false;
        for (std::size_t k = 0; k < rule.size() && !weaker; ++k) {
            if (k == i || rule[k].column != rule[i].column || rule[k].op != rule[i].op) continue;
            if (rule[i].op == Op::below) weaker = rule[k].value < rule[i].value;
            if (rule[i].op == Op::above) weaker = rule[k].value > rule[i].value;
            weaker |= rule[k].value == rule[i].value && k < i && rule[i].op != Op::among;
        }
        if (!weaker) made.push_back(rule[i]);
    }
    return made;
}

class OneClass {
  public:
    OneClass(const Coded& rows, Grower& grower, const RipperOptions& options, Draws& draws, RowList all,
             std::int32_t label, double expected, const Stop& stop)
        : rows_(rows),
          grower_(grower),
          options_(options),
          draws_(draws),
          all_(std::move(all)),
          label_(label),
          expected_(expected),
          stop_(stop) {
        total_ = share_of(rows_, all_, label_);
        times_.assign(rows_.n, 0);
        mark_.assign(rows_.n, 0);
        grower_.aim(label_);
    }

    bool learn(std::vector<Known>& found) {
        RowList left = all_;
        if (!build(found, left)) return false;
        if (!options_.by_error) reduce(found, 0);
        for (int pass = 0; pass < options_.passes; ++pass)
            if (!improve(found)) return false;
        return true;
    }

  private:
    // -- parts of the rows ------------------------------------------------------------------------

    // At random, of each class the same share: rows to grow on, and rows held back.
    void split(const RowList& some, RowList& grow, RowList& held) {
        grow.clear();
        held.clear();
        if (!(options_.prune_share > 0)) {
            grow = some;
            return;
        }
        std::vector<RowList> by_class(rows_.classes);
        for (const std::int32_t row : some)
            by_class[static_cast<std::size_t>(rows_.label[row])].push_back(row);
        double sofar = 0;
        double taken = 0;
        for (RowList& mine : by_class) {
            sofar += static_cast<double>(mine.size());
            const double upto = std::floor(options_.prune_share * sofar + 1e-9);
            const auto take = static_cast<std::size_t>(upto - taken);
            taken = upto;
            for (std::size_t i = 0; i < take; ++i) {
                const std::size_t k = i + static_cast<std::size_t>(draws_.below(mine.size() - i));
                std::swap(mine[i], mine[k]);
                mark_[static_cast<std::size_t>(mine[i])] = 1;
            }
        }
        grow.resize(some.size());
        held.resize(some.size());
        std::size_t grown = 0, kept = 0;
        for (const std::int32_t row : some) {  // without a branch, as no one can foresee it
            char& held_back = mark_[static_cast<std::size_t>(row)];
            grow[grown] = held[kept] = row;
            kept += static_cast<std::size_t>(held_back);
            grown += static_cast<std::size_t>(!held_back);
            held_back = 0;
        }
        grow.resize(grown);
        held.resize(kept);
    }

    double bits_of(const Rule& rule) const {
        double named = 0;
        for (const Test& test : rule) named += test.op == Op::among ? test.value : 1.0;
        return theory_bits(named, std::max(options_.conditions, named));
    }

    // The message of rules that together cover so much, of `bits` bits themselves.
    double length(const Share& covers, double bits) const {
        return bits + data_bits(expected_, covers.all, total_.all - covers.all, covers.wrong(),
                                total_.right - covers.right);
    }

    Known known(Rule rule, RowList covers) const {
        const double bits = bits_of(rule);
        return {std::move(rule), std::move(covers), bits};
    }

    // -- building ---------------------------------------------------------------------------------

    // Rules until no row of the class is left or a rule is not worth it; takes rows it covers out of `left`.
    bool build(std::vector<Known>& found, RowList& left) {
        double bits = 0;
        Share covers = together(found, bits);
        double shortest = std::min(length({}, 0.0), length(covers, bits));
        Share open = share_of(rows_, left, label_);
        RowList grow, held;
        while (open.right > 0) {
            if (stop_ && stop_()) return false;
            split(left, grow, held);
            Rule rule;
            if (!grower_.grow(rule, grow)) return true;
            rule = cleaned(pruned(rows_, rule, held, label_, false, options_));
            if (rule.empty()) return true;
            RowList mine = covered(rows_, rule, left);
            const Share covered_now = share_of(rows_, mine, label_);
            if (!(covered_now.right > 0)) return true;
            if (options_.by_error) {
                const RowList& judged = held.empty() ? grow : held;
                const Share there = share_of(rows_, covered(rows_, rule, judged), label_);
                if (2 * there.wrong() > there.all) return true;
            } else {
                const double own = bits_of(rule);
                const Share after{covers.right + covered_now.right, covers.all + covered_now.all};
                const double now = length(after, bits + own);
                shortest = std::min(shortest, now);
                if (now > shortest + SURPLUS || 2 * covered_now.wrong() >= covered_now.all) return true;
                bits += own;
                covers = after;
            }
            open.right -= covered_now.right;
            left = without(left, mine);
            if (left.empty()) open.right = 0;
            found.push_back(known(rule, covered(rows_, rule, all_)));
        }
        return true;
    }

    // -- rules together ---------------------------------------------------------------------------

    Share together(const std::vector<Known>& found, double& bits) {
        Share made;
        bits = 0;
        for (const Known& one : found) {
            made = plus(made, taken_in(one.rows));
            bits += one.bits;
        }
        for (const Known& one : found) left_out(one.rows);
        return made;
    }

    static Share plus(Share a, const Share& b) { return {a.right + b.right, a.all + b.all}; }
    static Share minus(Share a, const Share& b) { return {a.right - b.right, a.all - b.all}; }

    // Counts how often rows are covered; gives those that are now and were not.
    Share taken_in(const RowList& some) {
        Share made;
        for (const std::int32_t row : some)
            if (!times_[static_cast<std::size_t>(row)]++) add(made, row);
        return made;
    }

    // The other way round.
    Share left_out(const RowList& some) {
        Share made;
        for (const std::int32_t row : some)
            if (!--times_[static_cast<std::size_t>(row)]) add(made, row);
        return made;
    }

    // What only this rule covers of what is counted.
    Share only(const RowList& some) const {
        Share made;
        for (const std::int32_t row : some)
            if (times_[static_cast<std::size_t>(row)] == 1) add(made, row);
        return made;
    }

    void add(Share& made, std::int32_t row) const {
        const double w = rows_.weight_of(row);
        made.all += w;
        if (rows_.label[row] == label_) made.right += w;
    }

    // Leaves out rules from the last down to number `first`, each if the message is shorter without it.
    void reduce(std::vector<Known>& found, std::size_t first) {
        double bits = 0;
        Share covers;
        for (const Known& one : found) {
            covers = plus(covers, taken_in(one.rows));
            bits += one.bits;
        }
        for (std::size_t i = found.size(); i-- > first;) {
            const Share less = minus(covers, only(found[i].rows));
            if (length(less, bits - found[i].bits) < length(covers, bits)) {
                left_out(found[i].rows);
                covers = less;
                bits -= found[i].bits;
                found.erase(found.begin() + static_cast<std::ptrdiff_t>(i));
            }
        }
        for (const Known& one : found) left_out(one.rows);
    }

    // How long the message is with `one` in place of rule `at`, after rules behind it that it makes needless
    // are left out; `times_` counts all rules but the one at `at`, which cover `others` and take `bits`.
    double with(const std::vector<Known>& found, std::size_t at, const Known& one, Share others,
                double bits) {
        if (one.rule.empty()) return std::numeric_limits<double>::infinity();
        Share covers = plus(others, taken_in(one.rows));
        bits += one.bits;
        std::vector<std::size_t> gone;
        for (std::size_t i = found.size(); i-- > at + 1;) {
            const Share less = minus(covers, only(found[i].rows));
            if (length(less, bits - found[i].bits) < length(covers, bits)) {
                left_out(found[i].rows);
                covers = less;
                bits -= found[i].bits;
                gone.push_back(i);
            }
        }
        const double made = length(covers, bits);
        for (const std::size_t i : gone) taken_in(found[i].rows);
        left_out(one.rows);
        return made;
    }

    // -- optimisation -----------------------------------------------------------------------------

    bool improve(std::vector<Known>& found) {
        RowList left = all_, grow, held;
        for (std::size_t at = 0; at < found.size(); ++at) {
            if (stop_ && stop_()) return false;
            const auto here = found.begin() + static_cast<std::ptrdiff_t>(at);
            if (!(share_of(rows_, left, label_).right > 0)) {
                // What is needless goes; by description length `reduce` sees to it.
                if (options_.by_error) found.erase(here, found.end());
                break;
            }
            split(left, grow, held);
            const RowList mine = covered(rows_, found[at].rule, left);
            if (mine.empty() && options_.by_error) {
                found.erase(here);
                --at;
                continue;
            }
            if (!mine.empty()) {
                for (std::size_t i = at + 1; i < found.size(); ++i)
                    held = without(held, covered(rows_, found[i].rule, held));
                replace(found, at, grow, held);
            }
            left = without(left, covered(rows_, found[at].rule, left));
        }
        if (!build(found, left)) return false;
        if (!options_.by_error) reduce(found, 0);
        return true;
    }

    Known variant(Rule rule, const RowList& grow, const RowList& held) {
        if (!grower_.grow(rule, grow)) return {};
        rule = cleaned(pruned(rows_, rule, held, label_, true, options_));
        RowList covers = covered(rows_, rule, all_);
        return known(std::move(rule), std::move(covers));
    }

    // The rule itself, one grown anew, or one grown on from it: that of the shortest message.
    void replace(std::vector<Known>& found, std::size_t at, const RowList& grow, const RowList& held) {
        Known anew = variant({}, grow, held);
        Known revised = variant(found[at].rule, covered(rows_, found[at].rule, grow), held);
        Share others;
        double bits = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
            if (i == at) continue;
            others = plus(others, taken_in(found[i].rows));
            bits += found[i].bits;
        }
        const double old = with(found, at, found[at], others, bits);
        const double second = with(found, at, revised, others, bits);
        const double first = with(found, at, anew, others, bits);
        for (std::size_t i = 0; i < found.size(); ++i)
            if (i != at) left_out(found[i].rows);
        if (old <= second && old <= first) return;
        found[at] = second <= first ? std::move(revised) : std::move(anew);
    }

    const Coded& rows_;
    Grower& grower_;
    const RipperOptions& options_;
    Draws& draws_;
    RowList all_;
    std::int32_t label_;
    double expected_;
    const Stop& stop_;
    Share total_;
    std::vector<std::uint32_t> times_;
    std::vector<char> mark_;
};

}  // namespace

Learned ripper(const Coded& rows, std::span<const std::int32_t> order, const RipperOptions& options,
               const Stop& stop) {
    std::vector<double> weights(rows.classes, 0.0);
    RowList left(rows.n);
    for (std::size_t i = 0; i < rows.n; ++i) {
        left[i] = static_cast<std::int32_t>(i);
        weights[static_cast<std::size_t>(rows.label[i])] += rows.weight_of(left[i]);
    }
    double to_come = 0;
    for (const double w : weights) to_come += w;
    Grower grower(rows, options.grow);
    Draws draws(options.seed);
    Learned made;
    for (const std::int32_t label : order) {
        const double mine = weights[static_cast<std::size_t>(label)];
        const double expected = to_come > 0 ? mine / to_come : 0.0;
        if (!options.all_classes) to_come -= mine;
        if (!(share_of(rows, left, label).right > 0)) continue;
        OneClass learner(rows, grower, options, draws, left, label, expected, stop);
        std::vector<Known> found;
        if (!learner.learn(found)) {
            made.rules.clear();
            made.stopped = true;
            return made;
        }
        for (Known& one : found) {
            if (!options.all_classes) left = without(left, covered(rows, one.rule, left));
            made.rules.push_back({std::move(one.rule), label});
        }
    }
    made.tried = grower.tried();
    return made;
}

}  // namespace acumen::rules
