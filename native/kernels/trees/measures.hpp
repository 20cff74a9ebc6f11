// Split measures: one value for the class counts of a branch. The gain of a split is the sum of the values of
// its branches, less that of all rows, per weight; src/acumen/trees/measures.py has the same table in Python.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "kernels/trees/types.hpp"

namespace acumen::tree {

// Scores no further apart than this are equal: a share of the larger, or an absolute difference of gains.
inline constexpr double EQUAL = 1e-12, TINY = 1e-14;

inline bool better(double score, double best, double scale = 1.0) {
    return score > best + std::max(EQUAL * std::abs(best), TINY * scale);
}

inline double xlogx(double x) { return x > 0 ? x * std::log2(x) : 0.0; }

// `shares` are the class shares of all rows of the node; only cart and twoing look at them.
inline double branch_value(Measure measure, const double* n, std::size_t classes, const double* shares) {
    double weight = 0, sum = 0;
    for (std::size_t c = 0; c < classes; ++c) weight += n[c];
    if (!(weight > 0)) return 0;
    switch (measure) {
        case Measure::gain_ratio:
        case Measure::gain:
            for (std::size_t c = 0; c < classes; ++c) sum += xlogx(n[c]);
            return sum - xlogx(weight);
        case Measure::gini:
            for (std::size_t c = 0; c < classes; ++c) sum += n[c] * n[c];
            return sum / weight;
        case Measure::error:
            return *std::max_element(n, n + classes);
        case Measure::cart:
        case Measure::twoing:
            for (std::size_t c = 0; c < classes; ++c) sum += std::abs(n[c] - weight * shares[c]);
            return measure == Measure::cart ? sum : sum * sum / (4 * weight);
    }
    return 0;
}

}  // namespace acumen::tree
