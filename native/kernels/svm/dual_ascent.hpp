// Stochastic dual ascent for linear machines: one row at a time, the weights going along.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/common/parallel.hpp"
#include "kernels/linear/linear_rows.hpp"

namespace acumen {

// minimise 1/2 |w|^2 - z'b + 1/2 sum ridge b^2 + epsilon sum |b| over low <= b <= high, where w is the sum of
// b_i (x_i, bias): `bias` is the value of one more attribute, the same in every row; 0 leaves it out.
// `w` has width + 1 numbers and goes along with b; `squares` are |x_i|^2.
struct AscentProblem {
    const double *z, *low, *high, *ridge, *squares;
    double epsilon, bias;
    double *b, *w;
};

struct AscentEnd {
    std::uint64_t sweeps = 0;
    double violation = 0;  // the largest met in the last sweep over all rows
    bool stopped = false;
};

// Sweeps in an order drawn afresh each time from `seed`, until the largest violation is within `tolerance`.
AscentEnd dual_ascent(const DenseRows& rows, const AscentProblem& problem, double tolerance,
                      std::uint64_t max_sweeps, std::uint64_t seed, const Stop& stop);
AscentEnd dual_ascent(const SparseRows& rows, const AscentProblem& problem, double tolerance,
                      std::uint64_t max_sweeps, std::uint64_t seed, const Stop& stop);

}  // namespace acumen
