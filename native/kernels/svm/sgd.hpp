// Primal subgradient descent for linear machines, a row drawn at random at each step.
#pragma once

#include "kernels/common/parallel.hpp"
#include "kernels/linear/linear_rows.hpp"

namespace acumen {

// minimise 1/2 |w|^2 + total x the mean, over rows drawn in proportion to their cost, of the loss of
// f = w.(x, bias) + shift: max(0, 1 - z f), or max(0, |z - f| - epsilon) for `numbers`; squared where
// `squared`. `ends` are the sums of the costs up to and with each row, the last being `total`.
struct DescentProblem {
    const double *z, *ends;
    double epsilon, bias, shift;
    bool numbers, squared;
};

// `w` (width + 1 numbers) becomes the mean of all steps' weights, each counted by its number; `pulls` get
// what each row has added, so that the last weights are pulls'(x, bias). False when `stop` ended it early:
// then both are of the steps done.
template <typename Rows>
bool descend(const Rows& rows, const DescentProblem& problem, std::uint64_t steps, std::uint64_t seed,
             double delay, double* w, double* pulls, const Stop& stop);

}  // namespace acumen
