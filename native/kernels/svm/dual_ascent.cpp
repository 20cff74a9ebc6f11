// A row's b goes to the minimum along its own coordinate, which is known in closed form: a step over the
// curvature, drawn towards zero by epsilon, clipped to the box (Hsieh et al. 2008). Rows whose both ways lead
// uphill by more than the last sweep's largest violation are left out (shrinking) until the others are done.
//
// What bounds it: for sparse rows the random access to w and the next row's entries, which are fetched ahead;
// for dense ones the two passes over a row.
#include "kernels/svm/dual_ascent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace acumen {

namespace {

constexpr double INF = std::numeric_limits<double>::infinity();
constexpr std::size_t RUN = 32;   // neighbours that are visited together
constexpr std::size_t AHEAD = 4;  // so many rows are fetched before their turn

// All that is known of a row but its entries, in one line of the cache: rows come in random order.
struct alignas(64) RowState {
    double z, low, high, ridge, curve, b;
    bool firm;  // so far uphill both ways that it is left out
};

// The largest violation a row has: how steep its better way is.
double steepest(const RowState& r, double epsilon, double gradient) {
    const double up = r.b < r.high ? (r.b < 0 ? epsilon : -epsilon) - gradient : -INF;
    const double down = r.b > r.low ? (r.b > 0 ? epsilon : -epsilon) + gradient : -INF;
    return std::max(up, down);
}

// Where a row's b would best be, the others staying where they are.
double best_along(const RowState& r, double epsilon, double gradient) {
    double goal;
    if (r.curve > 0) {
        const double free = r.b - gradient / r.curve, draw = epsilon / r.curve;
        goal = free > draw ? free - draw : free < -draw ? free + draw : 0;
    } else {
        goal = gradient < 0 ? INF : -INF;  // nothing holds it but the box
    }
    goal = std::min(std::max(goal, r.low), r.high);
    return std::isfinite(goal) ? goal : r.b;
}

std::vector<RowState> states_of(const AscentProblem& p, std::size_t n) {
    std::vector<RowState> states(n);
    for (std::size_t i = 0; i < n; ++i)
        states[i] = {p.z[i], p.low[i], p.high[i], p.ridge[i], p.squares[i] + p.bias * p.bias + p.ridge[i],
                     p.b[i], false};
    return states;
}

void shuffle(std::span<std::uint32_t> some, Random& random) {
    for (std::size_t s = 0; s + 1 < some.size(); ++s)
        std::swap(some[s], some[s + random.below(some.size() - s)]);
}

// The rows of `active`, which ascend, in runs of neighbours: runs in random order, and rows within each. Rows
// of a run come from memory together, which for short rows is more than half of the time.
void draw_order(std::span<const std::uint32_t> active, Random& random, std::vector<std::uint32_t>& runs,
                std::vector<std::uint32_t>& order) {
    runs.resize((active.size() + RUN - 1) / RUN);
    std::iota(runs.begin(), runs.end(), 0U);
    shuffle(runs, random);
    order.clear();
    for (const std::uint32_t run : runs) {
        const auto own = active.subspan(run * RUN, std::min(RUN, active.size() - run * RUN));
        const std::size_t before = order.size();
        order.insert(order.end(), own.begin(), own.end());
        shuffle(std::span(order).subspan(before), random);
    }
}

template <typename Rows>
AscentEnd ascend(const Rows& rows, const AscentProblem& p, double tolerance, std::uint64_t max_sweeps,
                 std::uint64_t seed, const Stop& stop) {
    AscentEnd end;
    Random random{seed};
    const std::size_t n = rows.n;
    std::vector<RowState> states = states_of(p, n);
    std::vector<std::uint32_t> everyone(n), active, runs, order;
    std::iota(everyone.begin(), everyone.end(), 0U);
    active = everyone;
    double firm = INF;  // rows steeper uphill than this are left out
    while (end.sweeps < max_sweeps) {
        double worst = 0;
        bool left_out = false;
        draw_order(active, random, runs, order);
        for (std::size_t s = 0; s < order.size(); ++s) {
            if (s + AHEAD < order.size()) {
                __builtin_prefetch(&states[order[s + AHEAD]], 1);
                fetch(rows, order[s + AHEAD]);
            }
            const std::size_t i = order[s];
            RowState& r = states[i];
            const double gradient = product(rows, i, p.w) + p.bias * p.w[rows.width] + r.ridge * r.b - r.z;
            const double way = steepest(r, p.epsilon, gradient);
            left_out |= r.firm = way < -firm;
            if (!(way > 0)) continue;
            worst = std::max(worst, way);
            if (way <= 1e-14) continue;
            const double goal = best_along(r, p.epsilon, gradient), t = goal - r.b;
            if (t == 0) continue;
            r.b = goal;
            add(rows, i, t, p.w);
            p.w[rows.width] += t * p.bias;
        }
        ++end.sweeps;
        end.stopped = stop && stop();
        if (end.stopped) break;
        const bool all = active.size() == n;
        if (left_out) std::erase_if(active, [&](std::uint32_t i) { return states[i].firm; });
        if (all && !left_out) end.violation = worst;
        if (worst <= tolerance) {
            if (all && !left_out) break;
            active = everyone;
            firm = INF;
            continue;
        }
        firm = worst > 0 ? worst : INF;
    }
    for (std::size_t i = 0; i < n; ++i) p.b[i] = states[i].b;
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
