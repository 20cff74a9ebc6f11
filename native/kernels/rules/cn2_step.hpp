// One step of CN2's search: the rules of the beam, each with one test more.
#pragma once

#include <memory>

#include "kernels/rules/cn2_judge.hpp"
#include "kernels/rules/order.hpp"

namespace acumen::rules {

// A rule of the beam with one test more.
struct Candidate {
    Rank rank;
    std::size_t parent = 0;
    Test test;
    std::int32_t label = -1;  // below zero: none was found
};

// A rule of the beam and the rows it covers, among those that are left; columns of thresholds in order, which
// are made from its parent's when they are first asked for.
struct Member {
    Rule rule;
    RowList rows;
    std::vector<double> counts;
    double weight = 0;
    std::uint64_t cover = 0;  // a sum over the rows: two rules of one sum cover the same
    RowBits has;
    std::shared_ptr<const std::vector<Order>> parents;
    std::shared_ptr<std::vector<Order>> orders;
};

// What one column gave, or several.
struct Found {
    std::vector<Candidate> beam;
    Candidate best;
    std::size_t tried = 0;  // rules looked at
};

class Step {
  public:
    Step(const Coded& rows, const Cn2Options& options, const Judge& judge);

    Member member(Rule rule, RowList rows, std::shared_ptr<const std::vector<Order>> parents) const;

    // The best of all rules that have one test more than those of the beam, if it is better than `sofar`, and
    // those to be carried on, which come with their rows. Adds up how many were looked at.
    Candidate expand(const std::vector<Member>& beam, const Candidate& sofar, std::vector<Member>& next,
                     std::size_t& tried) const;

  private:
    struct Scratch;
    // Which sides of thresholds are to be looked at.
    struct Sides {
        bool below = true, above = true;
    };
    Found column(const Member& from, std::size_t parent, std::size_t j, Scratch& space) const;
    void by_code(const Member& from, std::size_t parent, std::size_t j, Scratch& space, Found& found) const;
    void in_order(const Member& from, std::size_t parent, std::size_t j, Scratch& space, Found& found) const;
    void run(const Member& from, std::size_t parent, std::size_t j, std::span<const std::uint32_t> order,
             std::size_t begin, std::size_t end, Sides sides, Scratch& space, Found& found) const;
    void cut(const Member& from, std::size_t parent, std::size_t j, std::int32_t below, std::int32_t above,
             Sides sides, Scratch& space, Found& found) const;
    void consider(const Member& from, std::size_t parent, const double* counts, const Test& test,
                  Scratch& space, Found& found) const;
    void order_of(const Member& from, std::size_t j, Scratch& space) const;
    bool worth_a_look(const double* low, const double* high, const Scratch& space) const;
    bool fits(const Rule& rule, const Test& test, std::int32_t label) const;
    bool allowed(const Test& test, std::int32_t label) const;
    void keep(std::vector<Candidate>& beam, const Candidate& one) const;

    const Coded& rows_;
    const Cn2Options& options_;
    const Judge& judge_;
    std::size_t k_;
    bool runs_;  // whether whole runs of thresholds can be passed over
    std::vector<std::uint64_t> hashes_;
};

}  // namespace acumen::rules
