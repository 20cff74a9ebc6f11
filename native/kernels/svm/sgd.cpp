// Steps of 1 / (lambda (t + delay)) with lambda = 1 / total make the weights a sum of the rows' pulls over
// lambda (t + delay): the sum alone is kept (`v`), so a step touches only its row's entries (Shalev-Shwartz
// et al. 2011). The mean of all weights, step t counted t-fold (Lacoste-Julien et al. 2012), is the mean of
// v, which needs one more vector: v minus each pull's share of the time before it came.
//
// What bounds it: the draw of a row, two passes over it, and the misses that a random row costs.
#include "kernels/svm/sgd.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace acumen {

template <typename Rows>
bool descend(const Rows& rows, const DescentProblem& p, std::uint64_t steps, std::uint64_t seed, double delay,
             double* w, double* pulls, const Stop& stop) {
    const std::size_t n = rows.n, width = rows.width;
    const double total = p.ends[n - 1];
    Random random{seed};
    std::vector<double> v(width + 1, 0.0), before(width + 1, 0.0);
    std::uint64_t t = 0;
    bool whole = true;
    while (t < steps) {
        const double at = static_cast<double>(random.next() >> 11) * 0x1p-53 * total;
        const std::size_t i = std::min<std::size_t>(
            n - 1, static_cast<std::size_t>(std::upper_bound(p.ends, p.ends + n, at) - p.ends));
        const double scale = total / (static_cast<double>(t) + 1.0 + delay);
        const double f = scale * (product(rows, i, v.data()) + p.bias * v[width]) + p.shift;
        double pull;
        if (p.numbers) {
            const double error = p.z[i] - f, slack = std::max(std::fabs(error) - p.epsilon, 0.0);
            pull = std::copysign(p.squared ? 2 * slack : (slack > 0 ? 1.0 : 0.0), error);
        } else {
            const double slack = std::max(1 - p.z[i] * f, 0.0);
            pull = p.z[i] * (p.squared ? 2 * slack : (slack > 0 ? 1.0 : 0.0));
        }
        if (pull != 0) {
            add(rows, i, pull, v.data());
            v[width] += pull * p.bias;
            add(rows, i, pull * static_cast<double>(t), before.data());
            before[width] += pull * p.bias * static_cast<double>(t);
            pulls[i] += pull;
        }
        ++t;
        if ((t & 0xFFFF) == 0 && stop && stop()) {
            whole = false;
            break;
        }
    }
    // The sum over s of v_s is t v - before; weights are v_s total / (s + delay), counted by s + delay.
    const double done = static_cast<double>(t), count = done * (done + 1) / 2 + done * delay;
    for (std::size_t k = 0; k <= width; ++k) w[k] = count > 0 ? total * (done * v[k] - before[k]) / count : 0;
    const double last = done > 0 ? total / (done + delay) : 0;
    for (std::size_t i = 0; i < n; ++i) pulls[i] *= last;
    return whole;
}

template bool descend(const DenseRows&, const DescentProblem&, std::uint64_t, std::uint64_t, double, double*,
                      double*, const Stop&);
template bool descend(const SparseRows&, const DescentProblem&, std::uint64_t, std::uint64_t, double, double*,
                      double*, const Stop&);

}  // namespace acumen
