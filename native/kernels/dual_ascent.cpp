// A row's b goes to the minimum along its own coordinate, which is known in closed form: a step over the
// curvature, drawn towards zero by epsilon, clipped to the box (Hsieh et al. 2008). Rows whose both ways lead
// uphill by more than the last sweep's largest violation are left out (shrinking) until the others are done.
//
// What bounds it: for sparse rows the random access to w and the next row's entries, which are fetched ahead;
// for dense ones the two passes over a row.
#include "kernels/dual_ascent.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace acumen {

namespace {

constexpr double INF = std::numeric_limits<double>::infinity();

// The largest violation a row has: how steep its better way is.
double steepest(const AscentProblem& p, std::size_t i, double gradient) {
    const double b = p.b[i];
    const double up = b < p.high[i] ? (b < 0 ? p.epsilon : -p.epsilon) - gradient : -INF;
    const double down = b > p.low[i] ? (b > 0 ? p.epsilon : -p.epsilon) + gradient : -INF;
    return std::max(up, down);
}

template <typename Rows>
AscentEnd ascend(const Rows& rows, const AscentProblem& p, double tolerance, std::uint64_t max_sweeps,
                 std::uint64_t seed, const Stop& stop) {
    AscentEnd end;
    Random random{seed};
    const std::size_t n = rows.n;
    const double extra = p.bias * p.bias;
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    std::size_t active = n;
    double firm = INF;  // rows steeper uphill than this are left out
    while (end.sweeps < max_sweeps) {
        double worst = 0;
        std::size_t bound = active;
        for (std::size_t s = 0; s < bound; ++s) {
            // The order is drawn as it is walked, so that the row after this one can be fetched already.
            if (s == 0) std::swap(order[0], order[random.below(bound)]);
            if (s + 1 < bound) {
                std::swap(order[s + 1], order[s + 1 + random.below(bound - s - 1)]);
                fetch(rows, order[s + 1]);
            }
            const std::size_t i = order[s];
            const double gradient =
                product(rows, i, p.w) + p.bias * p.w[rows.width] + p.ridge[i] * p.b[i] - p.z[i];
            const double way = steepest(p, i, gradient);
            if (way < -firm) {
                std::swap(order[s], order[--bound]);
                --s;
                continue;
            }
            if (!(way > 0)) continue;
            worst = std::max(worst, way);
            if (way <= 1e-14) continue;
            const double curve = p.squares[i] + extra + p.ridge[i];
            double goal;
            if (curve > 0) {
                const double free = p.b[i] - gradient / curve, draw = p.epsilon / curve;
                goal = free > draw ? free - draw : free < -draw ? free + draw : 0;
            } else {
                goal = gradient < 0 ? INF : -INF;  // nothing holds it but the box
            }
            goal = std::min(std::max(goal, p.low[i]), p.high[i]);
            if (!std::isfinite(goal)) goal = p.b[i];
            const double t = goal - p.b[i];
            if (t == 0) continue;
            p.b[i] = goal;
            add(rows, i, t, p.w);
            p.w[rows.width] += t * p.bias;
        }
        ++end.sweeps;
        active = bound;
        if (stop && stop()) {
            end.stopped = true;
            return end;
        }
        if (active == n) end.violation = worst;
        if (worst <= tolerance) {
            if (active == n) return end;
            active = n;
            firm = INF;
            continue;
        }
        firm = worst > 0 ? worst : INF;
    }
    return end;
}

}  // namespace

AscentEnd dual_ascent(const DenseRows& rows, const AscentProblem& problem, double tolerance,
                      std::uint64_t max_sweeps, std::uint64_t seed, const Stop& stop) {
    return ascend(rows, problem, tolerance, max_sweeps, seed, stop);
}

AscentEnd dual_ascent(const SparseRows& rows, const AscentProblem& problem, double tolerance,
                      std::uint64_t max_sweeps, std::uint64_t seed, const Stop& stop) {
    return ascend(rows, problem, tolerance, max_sweeps, seed, stop);
}

}  // namespace acumen
