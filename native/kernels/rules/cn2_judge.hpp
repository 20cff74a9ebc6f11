// How good rules are for CN2, how good longer ones could still become, and whether chance could have made
// them.
#pragma once

#include <limits>

#include "kernels/rules/cn2.hpp"

namespace acumen::rules {

// Better: of higher quality, then of more weight; else what came first stays.
struct Rank {
    double quality = -std::numeric_limits<double>::infinity();
    double weight = 0;
    bool operator>(const Rank& other) const {
        return quality != other.quality ? quality > other.quality : weight > other.weight;
    }
    bool operator==(const Rank& other) const = default;
};

// Counts are of what a rule covers, by class.
class Judge {
  public:
    Judge(const Coded& rows, const Cn2Options& options);

    // The rows that are left have these counts; a rule is sought for `target`, or any class where that is
    // below zero.
    void aim(std::vector<double> left, std::int32_t target);

    std::size_t classes() const { return k_; }
    std::int32_t majority(const double* counts) const;
    double quality(const double* counts, double total, std::int32_t label) const;

    // No rule with more tests can be better than this: one that keeps the rows of a class and no others.
    Rank bound(const double* counts) const;

    // No rule is of higher quality whose counts are between these.
    double most(const double* low, const double* high) const;

    bool significant(const double* counts, double total) const;
    // Whether some part of these rows could be: the rows of one class alone would be most so.
    bool can_be_significant(const double* counts) const;
    // Of one class against the others only rules that make it more likely count.
    bool speaks_for(const double* counts, double total) const;

  private:
    double n_log_n(double n) const;
    double entropy(const double* counts, double total) const;
    double least_entropy(const double* low, const double* high) const;
    double likelihood_ratio(const double* counts, double total) const;
    double pure(double weight, std::size_t c) const;
    double against(double mine, double others, std::size_t c) const;

    const Cn2Options& options_;
    std::size_t k_;
    bool weighted_;
    std::int32_t target_ = -1;
    std::vector<double> prior_, needed_, now_;
    std::vector<double> table_;  // n log n of whole numbers, where rows weigh one each
    double known_classes_ = 0, now_total_ = 0;
};

}  // namespace acumen::rules
