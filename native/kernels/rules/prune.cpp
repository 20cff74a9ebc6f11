// Pruning of one rule on rows held back.
#include <algorithm>
#include <bit>

#include "kernels/rules/ripper.hpp"

namespace acumen::rules {

namespace {

// Above so many tests not every set of them is tried, but one test after another left out.
constexpr std::size_t MANY_TESTS = 16;

// How good a rule is that covers so much of what is held back.
double worth(const Share& covers, const Share& held, bool whole, bool smoothed) {
    if (whole) return (covers.right + held.wrong() - covers.wrong()) / held.all;
    if (smoothed) return (covers.right + 1.0) / (covers.all + 2.0);
    return covers.all > 0 ? (covers.right - covers.wrong()) / covers.all : -1.0;
}

bool tests_all(const Coded& rows, const Rule& rule, std::uint32_t kept,
               const std::vector<std::int32_t>& must) {
    for (const std::int32_t wanted : must) {
        bool found = false;
        for (std::size_t i = 0; i < rule.size() && !found; ++i)
            found = (kept >> i & 1) && rows.group[static_cast<std::size_t>(rule[i].column)] == wanted;
        if (!found) return false;
    }
    return true;
}

Rule chosen(const Rule& rule, std::uint32_t kept) {
    Rule made;
    for (std::size_t i = 0; i < rule.size(); ++i)
        if (kept >> i & 1) made.push_back(rule[i]);
    return made;
}

Rule best_prefix(const Coded& rows, const Rule& rule, std::span<const std::int32_t> held, const Share& all,
                 std::int32_t label, bool whole, const std::vector<std::int32_t>& must) {
    RowList some(held.begin(), held.end());
    std::size_t keep = 0;
    bool any = must.empty();
    double best = any ? worth(all, all, whole, true) : 0.0;
    std::vector<std::int32_t> due = must;
    for (std::size_t k = 0; k < rule.size(); ++k) {
        some = passing(rows, rule[k], some);
        std::erase(due, rows.group[static_cast<std::size_t>(rule[k].column)]);
        if (!due.empty()) continue;
        const double now = worth(share_of(rows, some, label), all, whole, true);
        if (!any || now > best) {
            best = now;
            keep = k + 1;
            any = true;
        }
    }
    return {rule.begin(), rule.begin() + static_cast<std::ptrdiff_t>(any ? keep : rule.size())};
}

// What every set of tests covers: rows by which tests they pass, then summed over larger sets.
Rule best_subset(const Coded& rows, const Rule& rule, std::span<const std::int32_t> held, const Share& all,
                 std::int32_t label, bool whole, const std::vector<std::int32_t>& must) {
    const std::size_t k = rule.size();
    const std::uint32_t every = (std::uint32_t{1} << k) - 1;
    std::vector<Share> covers(every + 1);
    for (const std::int32_t row : held) {
        std::uint32_t passed = 0;
        for (std::size_t i = 0; i < k; ++i)
            if (rule[i].passes(rows.columns[static_cast<std::size_t>(rule[i].column)][row]))
                passed |= 1u << i;
        const double w = rows.weight_of(row);
        covers[passed].all += w;
        if (rows.label[row] == label) covers[passed].right += w;
    }
    for (std::size_t i = 0; i < k; ++i)
        for (std::uint32_t s = 0; s <= every; ++s)
            if (!(s >> i & 1)) {
                covers[s].all += covers[s | 1u << i].all;
                covers[s].right += covers[s | 1u << i].right;
            }
    std::uint32_t best = every;
    double most = 0.0;
    bool any = false;
    for (std::uint32_t s = 0; s <= every; ++s) {
        if (!tests_all(rows, rule, s, must)) continue;
        const double now = worth(covers[s], all, whole, false);
        const bool shorter = std::popcount(s) < std::popcount(best);
        if (!any || now > most || (now == most && shorter)) {
            any = true;
            most = now;
            best = s;
        }
    }
    return chosen(rule, best);
}

// Of many tests: leave out the one whose loss helps most, as long as it does no harm.
Rule shortened(const Coded& rows, Rule rule, std::span<const std::int32_t> held, const Share& all,
               std::int32_t label, bool whole, const std::vector<std::int32_t>& must) {
    double now = worth(share_of(rows, covered(rows, rule, held), label), all, whole, false);
    while (rule.size() > MANY_TESTS) {
        std::size_t best = rule.size();
        double most = now;
        for (std::size_t i = 0; i < rule.size(); ++i) {
            Rule less = rule;
            less.erase(less.begin() + static_cast<std::ptrdiff_t>(i));
            bool keeps = true;
            for (const std::int32_t wanted : must)
                keeps &= std::any_of(less.begin(), less.end(), [&](const Test& test) {
                    return rows.group[static_cast<std::size_t>(test.column)] == wanted;
                });
            const double value =
                keeps ? worth(share_of(rows, covered(rows, less, held), label), all, whole, false) : -2.0;
            if (value > most || (value == most && best == rule.size())) {
                most = value;
                best = i;
            }
        }
        if (best == rule.size()) break;
        rule.erase(rule.begin() + static_cast<std::ptrdiff_t>(best));
        now = most;
    }
    return rule;
}

}  // namespace

Rule pruned(const Coded& rows, const Rule& rule, std::span<const std::int32_t> held, std::int32_t label,
            bool whole, const RipperOptions& options) {
    const Share all = share_of(rows, held, label);
    if (rule.empty() || !(all.all > 0)) return rule;
    const std::vector<std::int32_t>& must = options.grow.must;
    if (!options.subsets) return best_prefix(rows, rule, held, all, label, whole, must);
    if (rule.size() <= MANY_TESTS) return best_subset(rows, rule, held, all, label, whole, must);
    const Rule made = shortened(rows, rule, held, all, label, whole, must);
    return made.size() <= MANY_TESTS ? best_subset(rows, made, held, all, label, whole, must) : made;
}

}  // namespace acumen::rules
