// Scores sorted with their labels: the area under the ROC curve, and the groups of equal scores from which
// every curve over a ranking is drawn.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernels/common/parallel.hpp"

namespace acumen {

enum class Ranked { done, not_a_number, stopped };

// Weight of the positive and the negative rows, and of the pairs (positive, negative) in which the positive
// row has the higher score, equal scores counting one half. Without weights all three are exact up to 2^53.
struct PairSums {
    double positive = 0, negative = 0, pairs = 0;
};

// For each distinct score, from the highest to the lowest, the weight of positive and negative rows.
struct TieGroups {
    std::vector<double> score, positive, negative;
};

// Empty `weights` mean that every row weighs one. -0.0 and 0.0 are one score; infinities are scores. A NaN
// among the scores ends it with `not_a_number`. The result does not depend on the number of threads.
Ranked pair_sums(std::span<const double> scores, const bool* positive, std::span<const double> weights,
                 std::size_t threads, const Stop& stop, PairSums& sums);

Ranked tie_groups(std::span<const double> scores, const bool* positive, std::span<const double> weights,
                  std::size_t threads, const Stop& stop, TieGroups& groups);

}  // namespace acumen
