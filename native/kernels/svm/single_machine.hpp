// One machine for all classes (Crammer and Singer 2001), linear, by dual ascent over rows.
#pragma once

#include "kernels/common/parallel.hpp"
#include "kernels/linear/linear_rows.hpp"

namespace acumen {

// minimise 1/2 sum over classes |w_c|^2 + sum over rows cost_i max over c of
//     (1 - [c is i's class] + f_c(x_i) - f_own(x_i)),    f_c(x) = w_c'(x, bias) + shift_c.
// `a` (rows x classes) is the dual: w_c = sum a_ic (x_i, bias); a_ic <= cost_i for the own class, <= 0 for
// the others, every row's sum is 0. `w` is (width + 1) x classes and goes along.
struct SingleProblem {
    std::size_t classes;
    const std::int32_t* label;
    const double *cost, *squares, *shift;
    double bias;
    double *a, *w;
};

struct SingleEnd {
    std::uint64_t sweeps = 0;
    double violation = 0;
    bool stopped = false;
};

template <typename Rows>
SingleEnd single_machine(const Rows& rows, const SingleProblem& problem, double tolerance,
                         std::uint64_t max_sweeps, std::uint64_t seed, const Stop& stop);

}  // namespace acumen
