// The kernel adatron (Friess, Cristianini and Campbell 1998): rows take turns, each stepping along its own
// gradient and being projected back into its bounds.
#pragma once

#include <cstdint>

#include "kernels/svm/smo.hpp"

namespace acumen {

// A problem whose sum of b is drawn to zero by a constant `fold` added to the kernel and by `shift` added to
// every slope; both are 0 where the sum is free. `balanced` of the problem plays no part.
struct Drawn {
    double fold, shift;
};

// Sweeps over all rows, in their order, until no row violates its own conditions by more than `tolerance`, or
// `max_sweeps` are done. The step of a row is 1 / its curvature, so that it ends at its own minimum.
// SmoEnd::steps counts sweeps; `violation` is the largest met in the last one.
SmoEnd adatron(const BoxProblem<double>& problem, const Drawn& drawn, double tolerance,
               std::uint64_t max_sweeps, const Stop& stop);

}  // namespace acumen
