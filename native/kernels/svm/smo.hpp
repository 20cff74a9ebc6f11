// Sequential minimal optimisation over kernel lines that stay where they are: those of a small problem, or of
// the working set of a large one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/common/parallel.hpp"

namespace acumen {

// The kernel matrix, asked for line by line. A line is n values filled up with zeros to a multiple of
// SMO_LANES, and stays in its place as long as the object lives.
template <typename T>
class KernelLines {
  public:
    virtual ~KernelLines() = default;
    virtual const T* line(std::size_t i) = 0;
    virtual double diagonal(std::size_t i) const = 0;
};

// A matrix held whole: n lines of `stride` values.
template <typename T>
class HeldLines final : public KernelLines<T> {
  public:
    HeldLines(const T* values, std::size_t stride) : values_(values), stride_(stride) {}
    const T* line(std::size_t i) override { return values_ + i * stride_; }
    double diagonal(std::size_t i) const override { return static_cast<double>(values_[i * stride_ + i]); }

  private:
    const T* values_;
    std::size_t stride_;
};

// minimise 1/2 b'Kb - z'b + epsilon sum |b| over low <= b <= high, low <= 0 <= high, and with the sum of b as
// it is where `balanced` (a free bias). `gradient` is Kb - z and goes along with b. Classifiers have no
// epsilon, and b = y alpha.
template <typename T>
struct BoxProblem {
    std::size_t n;
    KernelLines<T>* lines;
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
