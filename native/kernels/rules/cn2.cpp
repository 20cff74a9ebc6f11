#include "kernels/rules/cn2.hpp"

#include "kernels/rules/cn2_step.hpp"

namespace acumen::rules {

namespace {

class Search {
  public:
    Search(const Coded& rows, const Cn2Options& options)
        : rows_(rows), options_(options), judge_(rows, options), step_(rows, options, judge_) {}

    // The best rule for the rows that are left; of `target` alone unless that is below zero. False: none.
    bool best_rule(const RowList& left, std::int32_t target, Rule& made, std::int32_t& label) {
        // Of one target ever fewer rows are left.
        if (!orders_ || target != target_) orders_ = std::make_shared<std::vector<Order>>(orders_of(rows_));
        target_ = target;
        std::vector<Member> beam;
        beam.push_back(step_.member({}, left, orders_));
        orders_ = beam.front().orders;
        judge_.aim(beam.front().counts, target);
        const double* counts = beam.front().counts.data();
        const double before = judge_.quality(counts, beam.front().weight, judge_.majority(counts));
        Candidate best;
        Rule best_tests;
        std::vector<Member> next;
        for (std::size_t size = 1; !beam.empty() && (!options_.most || size <= options_.most); ++size) {
            const Candidate found = step_.expand(beam, best, next, tried_);
            if (found.label >= 0) {
                best_tests = beam[found.parent].rule;
                best_tests.push_back(found.test);
                best = found;
            }
            beam.clear();
            for (Member& member : next)
                if (best.label < 0 || judge_.bound(member.counts.data()) > best.rank)
                    beam.push_back(std::move(member));
        }
        if (best.label < 0 || !(best.rank.quality - before > options_.threshold)) return false;
        made = std::move(best_tests);
        label = best.label;
        return true;
    }

    std::size_t tried() const { return tried_; }

  private:
    const Coded& rows_;
    const Cn2Options& options_;
    Judge judge_;
    Step step_;
    std::shared_ptr<std::vector<Order>> orders_;  // of the rows left, or of more
    std::int32_t target_ = -1;
    std::size_t tried_ = 0;
};

RowList of_class(const Coded& rows, const RowList& some, std::int32_t label) {
    return filtered(some, [&](std::int32_t row) { return rows.label[row] == label; });
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
