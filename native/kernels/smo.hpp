// Sequential minimal optimisation over a kernel matrix that is held whole: a small problem, or the working
// set of a large one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/parallel.hpp"

namespace acumen {

// minimise 1/2 b'Kb - z'b + epsilon sum |b| over low <= b <= high, low <= 0 <= high, and with the sum of b as
// it is where `balanced` (a free bias). `gradient` is Kb - z and goes along with b; `kernel` is n lines of
// `stride` values, zero behind the n-th. Classifiers have no epsilon, and b = y alpha.
template <typename T>
struct BoxProblem {
    std::size_t n, stride;
    const T* kernel;
    const double *low, *high;
    double *b, *gradient;
    double epsilon;
    bool balanced;
};

struct SmoEnd {
    std::uint64_t steps = 0;
    double violation = 0;  // the largest, of the pair (or coordinate) that would be next
    bool stopped = false;  // by Ctrl-C; b is feasible all the same
};

inline constexpr std::size_t SMO_LANES = 8;

// Steps until the largest violation is within `tolerance`, or `max_steps` are done.
SmoEnd smo(const BoxProblem<double>& problem, double tolerance, std::uint64_t max_steps, const Stop& stop);
SmoEnd smo(const BoxProblem<float>& problem, double tolerance, std::uint64_t max_steps, const Stop& stop);

}  // namespace acumen
