#include "kernels/cn2.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace acumen::rules {

namespace {

constexpr std::size_t MANY = 400'000;  // cells of work that are worth a second thread

// Better: of higher quality, then of more weight; else what came first stays.
struct Rank {
    double quality = -std::numeric_limits<double>::infinity();
    double weight = 0;
    bool operator>(const Rank& other) const {
        return quality != other.quality ? quality > other.quality : weight > other.weight;
    }
};

// Rows that pass some tests, among those that are left.
struct Candidate {
    Rank rank;
    std::uint64_t cover = 0;  // a sum over the rows: two candidates of one sum cover the same rows
    std::size_t parent = 0;
    Test test;
    std::int32_t label = -1;
};

struct Member {
    Rule rule;
    RowList rows;
    std::uint64_t cover = 0;
    std::vector<char> has;  // by row
};

std::uint64_t mixed(std::uint64_t row) { return Draws(row * 0x9e3779b97f4a7c15u + 1).next(); }

class Search {
  public:
    Search(const Coded& rows, const Cn2Options& options)
        : rows_(rows), options_(options), k_(rows.classes), prior_(rows.classes, 0.0) {
        double total = 0;
        for (std::size_t i = 0; i < rows.n; ++i) {
            const double w = rows.weight_of(static_cast<std::int32_t>(i));
            prior_[static_cast<std::size_t>(rows.label[i])] += w;
            total += w;
        }
        for (double& share : prior_) share /= total;
        for (const double share : prior_)
            needed_.push_back(share > 0 ? options.critical / (2.0 * std::log(1.0 / share)) : 0.0);
        known_classes_ =
            static_cast<double>(std::count_if(prior_.begin(), prior_.end(), [](double p) { return p > 0; }));
        hashes_.resize(rows.n);
        for (std::size_t i = 0; i < rows.n; ++i) hashes_[i] = mixed(i);
        all_ = sorted_columns(rows);
        if (!rows.weight) {
            table_.resize(rows.n + 1, 0.0);
            for (std::size_t i = 2; i <= rows.n; ++i)
                table_[i] = static_cast<double>(i) * std::log2(static_cast<double>(i));
        }
    }

    // The best rule for the rows that are left; of `target` alone unless that is below zero. False: none.
    bool best_rule(const RowList& left, std::int32_t target, Rule& made, std::int32_t& label) {
        std::vector<double> counts(k_, 0.0);
        Member empty;
        empty.rows = left;
        mark(empty);
        keep_sorted(empty, target);
        for (const std::int32_t row : left) {
            counts[static_cast<std::size_t>(rows_.label[row])] += rows_.weight_of(row);
            empty.cover += hashes_[static_cast<std::size_t>(row)];
        }
        target_ = target;
        now_ = counts;
        now_total_ = 0;
        for (const double w : counts) now_total_ += w;
        const double before = quality(counts.data(), now_total_, majority(counts.data()));
        std::vector<Member> beam{std::move(empty)};
        Candidate best;
        Rule best_tests;
        for (std::size_t size = 1; !beam.empty() && (!options_.most || size <= options_.most); ++size) {
            std::vector<Candidate> next;
            Candidate found;
            expand(beam, next, found);
            if (found.label >= 0 && (best.label < 0 || found.rank > best.rank)) {
                best_tests = beam[found.parent].rule;
                best_tests.push_back(found.test);
                best = found;
            }
            std::vector<Member> following;
            for (const Candidate& one : next) {
                Member member;
                member.rule = beam[one.parent].rule;
                member.rule.push_back(one.test);
                member.rows = passing(rows_, one.test, beam[one.parent].rows);
                member.cover = one.cover;
                mark(member);
                if (best.label < 0 || bound(member) > best.rank) following.push_back(std::move(member));
            }
            beam = std::move(following);
        }
        if (best.label < 0 || !(best.rank.quality - before > options_.threshold)) return false;
        made = std::move(best_tests);
        label = best.label;
        return true;
    }

    std::size_t tried() const { return tried_; }

  private:
    // -- rows in order ----------------------------------------------------------------------------

    void mark(Member& member) const {
        member.has.assign(rows_.n, 0);
        for (const std::int32_t row : member.rows) member.has[static_cast<std::size_t>(row)] = 1;
    }

    // Only rows that are left; of one target they are always fewer than before.
    void keep_sorted(const Member& left, std::int32_t target) {
        if (sorted_.empty() || target != sorted_for_) sorted_ = all_;
        sorted_for_ = target;
        for (Sorted& one : sorted_) {
            std::size_t kept = 0;
            for (std::size_t i = 0; i < one.rows.size(); ++i)
                if (left.has[static_cast<std::size_t>(one.rows[i])]) {
                    one.rows[kept] = one.rows[i];
                    one.codes[kept++] = one.codes[i];
                }
            one.rows.resize(kept);
            one.codes.resize(kept);
        }
    }

    // -- measures ---------------------------------------------------------------------------------

    double n_log_n(double n) const {
        if (!rows_.weight) return table_[static_cast<std::size_t>(n)];
        return n > 0 ? n * std::log2(n) : 0.0;
    }

    std::int32_t majority(const double* counts) const {
        if (target_ >= 0) return target_;
        return static_cast<std::int32_t>(std::max_element(counts, counts + k_) - counts);
    }

    // Of one class against the others together: counted on beyond 1 where the class is the smaller part, so
    // that less of it is always worse.
    double entropy(const double* counts, double total) const {
        double sum = n_log_n(total);
        if (target_ >= 0) {
            const double mine = counts[target_], others = total - mine;
            sum -= n_log_n(mine) + n_log_n(others);
            return mine < others ? 2.0 - sum / total : sum / total;
        }
        for (std::size_t c = 0; c < k_; ++c) sum -= n_log_n(counts[c]);
        return sum / total;
    }

    double likelihood_ratio(const double* counts, double total) const {
        const auto term = [&](double n, double share) {
            return n > 0 ? n * std::log(n / (total * share)) : 0.0;
        };
        double sum = 0;
        if (target_ >= 0) {
            const double share = prior_[static_cast<std::size_t>(target_)];
            sum = term(counts[target_], share) + term(total - counts[target_], 1.0 - share);
            if (counts[target_] < share * total) sum = -sum;  // it speaks against the class
        } else {
            for (std::size_t c = 0; c < k_; ++c) sum += term(counts[c], prior_[c]);
        }
        return 2.0 * sum;
    }

    double quality(const double* counts, double total, std::int32_t label) const {
        const auto c = static_cast<std::size_t>(label);
        switch (options_.measure) {
            case Measure::entropy:
                return -entropy(counts, total);
            case Measure::laplace:
                return (counts[c] + 1.0) / (total + known_classes_);
            case Measure::m_estimate:
                return (counts[c] + options_.m * prior_[c]) / (total + options_.m);
            case Measure::likelihood_ratio:
                return likelihood_ratio(counts, total);
            default:
                return (counts[c] - total * now_[c] / now_total_) / now_total_;
        }
    }

    // No rule with more tests can be better than this: one that keeps the rows of a class and no others.
    Rank bound(const double* counts) const {
        Rank best;
        for (std::size_t c = 0; c < k_; ++c) {
            if (!(counts[c] > 0) || (target_ >= 0 && static_cast<std::size_t>(target_) != c)) continue;
            double pure = 0;
            switch (options_.measure) {
                case Measure::entropy:
                    break;
                case Measure::likelihood_ratio:
                    pure = 2.0 * (counts[c] * std::log(counts[c] / (counts[c] * prior_[c])));
                    break;
                case Measure::laplace:
                    pure = (counts[c] + 1.0) / (counts[c] + known_classes_);
                    break;
                case Measure::m_estimate:
                    pure = (counts[c] + options_.m * prior_[c]) / (counts[c] + options_.m);
                    break;
                default:
                    pure = (counts[c] - counts[c] * now_[c] / now_total_) / now_total_;
            }
            const Rank one{pure, counts[c]};
            if (one > best) best = one;
        }
        return best;
    }

    Rank bound(const Member& member) const {
        std::vector<double> counts(k_, 0.0);
        for (const std::int32_t row : member.rows)
            counts[static_cast<std::size_t>(rows_.label[row])] += rows_.weight_of(row);
        return bound(counts.data());
    }

    // Whether some part of these rows could be significant at all: the rows of one class alone would be most
    // so.
    bool can_be_significant(const double* counts) const {
        if (!(options_.critical > 0)) return true;
        if (target_ >= 0) return counts[target_] >= needed_[static_cast<std::size_t>(target_)];
        for (std::size_t c = 0; c < k_; ++c)
            if (counts[c] > 0 && counts[c] >= needed_[c]) return true;
        return false;
    }

    // -- one step of the search -------------------------------------------------------------------

    struct Found {
        std::vector<Candidate> beam;
        Candidate best;
        std::size_t tried = 0;
    };

    void insert(std::vector<Candidate>& beam, const Candidate& one) const {
        for (const Candidate& other : beam)
            if (other.cover == one.cover) return;
        auto place = beam.end();
        while (place != beam.begin() && one.rank > (place - 1)->rank) --place;
        if (static_cast<std::size_t>(place - beam.begin()) >= options_.beam) return;
        beam.insert(place, one);
        if (beam.size() > options_.beam) beam.pop_back();
    }

    bool allowed(const Test& test, std::int32_t label) const {
        const auto j = static_cast<std::size_t>(test.column), c = static_cast<std::size_t>(label);
        if (test.op == Op::below) return rows_.below_allowed(c, j);
        return test.op != Op::above || rows_.above_allowed(c, j);
    }

    bool fits(const Rule& rule, const Test& test, std::int32_t label) const {
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

    void consider(Found& found, const Member& from, std::size_t parent, const double* counts,
                  std::uint64_t cover, std::size_t j, Op op, std::int32_t value) const {
        double total = 0;
        for (std::size_t c = 0; c < k_; ++c) total += counts[c];
        if (!(total > 0) || total < options_.min_covered || cover == from.cover) return;
        Candidate one;
        one.label = majority(counts);
        if (!can_be_significant(counts)) return;
        one.rank = {quality(counts, total, one.label), total};
        one.cover = cover;
        one.parent = parent;
        one.test = {static_cast<std::int32_t>(j), op, value, {}};
        const bool room = found.beam.size() < options_.beam || one.rank > found.beam.back().rank;
        if (room && bound(counts) > one.rank) insert(found.beam, one);
        const auto c = static_cast<std::size_t>(one.label);
        // Of one class against the others only rules that speak for it.
        if (target_ >= 0 && !(counts[c] * now_total_ > now_[c] * total)) return;
        if (found.best.label >= 0 && !(one.rank > found.best.rank)) return;
        if (options_.critical > 0 && likelihood_ratio(counts, total) < options_.critical) return;
        if (fits(from.rule, one.test, one.label)) found.best = one;
    }

    struct Scratch {
        std::vector<double> cells, left, right;
        std::vector<std::uint64_t> covers, keys;
        std::vector<std::int32_t> codes;
    };

    void tally(const Member& from, std::size_t j, Scratch& space) const {
        const std::int32_t* column = rows_.columns[j];
        const auto size = static_cast<std::size_t>(rows_.sizes[j]);
        space.codes.clear();
        if (!sorted_[j].rows.empty() && 16 * from.rows.size() > sorted_[j].rows.size()) {
            const Sorted& all = sorted_[j];
            const std::size_t most = std::min(size, from.rows.size());
            space.cells.assign(most * k_, 0.0);
            space.covers.assign(most, 0);
            std::size_t at = 0;
            for (std::size_t i = 0; i < all.rows.size(); ++i) {
                const std::int32_t row = all.rows[i];
                if (!from.has[static_cast<std::size_t>(row)]) continue;
                if (space.codes.empty() || space.codes.back() != all.codes[i]) {
                    at = space.codes.size();
                    space.codes.push_back(all.codes[i]);
                }
                space.cells[at * k_ + static_cast<std::size_t>(rows_.label[row])] += rows_.weight_of(row);
                space.covers[at] += hashes_[static_cast<std::size_t>(row)];
            }
            return;
        }
        if (size <= 4 * from.rows.size() + 16) {
            space.cells.assign(size * k_, 0.0);
            space.covers.assign(size, 0);
            for (const std::int32_t row : from.rows)
                if (const std::int32_t code = column[row]; code >= 0) {
                    space.cells[static_cast<std::size_t>(code) * k_ +
                                static_cast<std::size_t>(rows_.label[row])] += rows_.weight_of(row);
                    space.covers[static_cast<std::size_t>(code)] += hashes_[static_cast<std::size_t>(row)];
                }
            std::size_t kept = 0;
            for (std::size_t c = 0; c < size; ++c) {
                const double* cell = &space.cells[c * k_];
                if (std::all_of(cell, cell + k_, [](double w) { return !(w > 0); })) continue;
                std::copy(cell, cell + k_, space.cells.begin() + static_cast<std::ptrdiff_t>(kept * k_));
                space.covers[kept++] = space.covers[c];
                space.codes.push_back(static_cast<std::int32_t>(c));
            }
            return;
        }
        space.keys.clear();
        for (const std::int32_t row : from.rows)
            if (const std::int32_t code = column[row]; code >= 0)
                space.keys.push_back(static_cast<std::uint64_t>(code) << 32 |
                                     static_cast<std::uint32_t>(row));
        std::sort(space.keys.begin(), space.keys.end());
        space.cells.assign(space.keys.size() * k_, 0.0);
        space.covers.assign(space.keys.size(), 0);
        for (const std::uint64_t key : space.keys) {
            const auto code = static_cast<std::int32_t>(key >> 32);
            const auto row = static_cast<std::int32_t>(key & 0xffffffffu);
            if (space.codes.empty() || space.codes.back() != code) space.codes.push_back(code);
            const std::size_t at = space.codes.size() - 1;
            space.cells[at * k_ + static_cast<std::size_t>(rows_.label[row])] += rows_.weight_of(row);
            space.covers[at] += hashes_[static_cast<std::size_t>(row)];
        }
    }

    // The one class of a cell; -1 where it has several.
    std::int32_t pure(const double* cell) const {
        std::int32_t found = -1;
        for (std::size_t c = 0; c < k_; ++c)
            if (cell[c] > 0) {
                if (found >= 0) return -1;
                found = static_cast<std::int32_t>(c);
            }
        return found;
    }

    Found tried(const Member& from, std::size_t parent, std::size_t j, Scratch& space) const {
        Found found;
        tally(from, j, space);
        const std::size_t n = space.codes.size();
        found.tried = rows_.ordered[j] ? 2 * (n ? n - 1 : 0) : n;
        if (!rows_.ordered[j]) {
            for (std::size_t i = 0; i < n; ++i)
                consider(found, from, parent, &space.cells[i * k_], space.covers[i], j, Op::is,
                         space.codes[i]);
            return found;
        }
        space.left.assign(k_, 0.0);
        space.right.assign(k_, 0.0);
        std::uint64_t left = 0, right = 0;
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t c = 0; c < k_; ++c) space.right[c] += space.cells[i * k_ + c];
            right += space.covers[i];
        }
        for (std::size_t i = 0; i + 1 < n; ++i) {
            const double* cell = &space.cells[i * k_];
            for (std::size_t c = 0; c < k_; ++c) {
                space.left[c] += cell[c];
                space.right[c] -= cell[c];
            }
            left += space.covers[i];
            right -= space.covers[i];
            // Between two values of one and the same class no cut is best: every measure bends one way there.
            const std::int32_t here = pure(cell);
            if (here >= 0 && here == pure(cell + k_)) continue;
            consider(found, from, parent, space.left.data(), left, j, Op::below, space.codes[i]);
            consider(found, from, parent, space.right.data(), right, j, Op::above, space.codes[i + 1]);
        }
        return found;
    }

    void expand(const std::vector<Member>& beam, std::vector<Candidate>& next, Candidate& best) {
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
            return [this, &tasks, &beam, &found, space = Scratch()](std::size_t t) mutable {
                const auto [p, j] = tasks[t];
                found[t] = tried(beam[p], p, j, space);
            };
        };
        for_blocks(tasks.size(), work >= MANY ? options_.threads : 1, Stop(), worker);
        for (const Found& one : found) {
            tried_ += one.tried;
            for (const Candidate& each : one.beam) insert(next, each);
            if (one.best.label >= 0 && (best.label < 0 || one.best.rank > best.rank)) best = one.best;
        }
    }

    const Coded& rows_;
    const Cn2Options& options_;
    std::size_t k_;
    std::vector<double> prior_, needed_, now_, table_;
    double known_classes_ = 0, now_total_ = 0;
    std::vector<std::uint64_t> hashes_;
    std::vector<Sorted> all_, sorted_;
    std::int32_t sorted_for_ = -1, target_ = -1;
    std::size_t tried_ = 0;
};

RowList of_class(const Coded& rows, const RowList& some, std::int32_t label) {
    RowList made;
    for (const std::int32_t row : some)
        if (rows.label[row] == label) made.push_back(row);
    return made;
}

}  // namespace

Learned cn2(const Coded& rows, const Cn2Options& options, const Stop& stop) {
    Search search(rows, options);
    RowList all(rows.n);
    for (std::size_t i = 0; i < rows.n; ++i) all[i] = static_cast<std::int32_t>(i);
    Learned made;
    std::vector<std::int32_t> targets{-1};  // any class at a time, or each in turn
    if (!options.ordered) {
        targets.resize(rows.classes);
        for (std::size_t c = 0; c < rows.classes; ++c) targets[c] = static_cast<std::int32_t>(c);
    }
    for (const std::int32_t target : targets) {
        RowList left = all;
        while (!left.empty() && (options.ordered || !of_class(rows, left, target).empty())) {
            if (stop && stop()) {
                made.rules.clear();
                made.stopped = true;
                return made;
            }
            RuleOfClass one;
            if (!search.best_rule(left, target, one.rule, one.label)) break;
            const RowList mine = covered(rows, one.rule, left);
            left = without(left, options.ordered ? mine : of_class(rows, mine, target));
            made.rules.push_back(std::move(one));
        }
    }
    made.tried = search.tried();
    return made;
}

}  // namespace acumen::rules
