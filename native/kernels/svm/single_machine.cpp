// A row's whole line of the dual goes to its minimum at once, which is a projection: sort, then find how many
// classes share the own one's weight. Rows that were in order at the last sweep are left out (shrinking)
// until the others are nearly so; how near goes down with the violation, or rows left out too soon would be
// missed.
//
// What bounds it: k entries of w for each entry of a row, read and written.
#include "kernels/svm/single_machine.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace acumen {

namespace {

void products(const DenseRows& rows, std::size_t i, const double* w, std::size_t k, double* out) {
    for (std::size_t e = 0; e < rows.width; ++e) {
        const double x = rows.values[i * rows.width + e];
        if (x == 0) continue;
        for (std::size_t c = 0; c < k; ++c) out[c] += x * w[e * k + c];
    }
}

void products(const SparseRows& rows, std::size_t i, const double* w, std::size_t k, double* out) {
    for (std::int64_t e = rows.starts[i]; e < rows.starts[i + 1]; ++e)
        for (std::size_t c = 0; c < k; ++c)
            out[c] += rows.values[e] * w[static_cast<std::size_t>(rows.columns[e]) * k + c];
}

void add(const DenseRows& rows, std::size_t i, const double* t, std::size_t k, double* w) {
    for (std::size_t e = 0; e < rows.width; ++e)
        for (std::size_t c = 0; c < k; ++c) w[e * k + c] += rows.values[i * rows.width + e] * t[c];
}

void add(const SparseRows& rows, std::size_t i, const double* t, std::size_t k, double* w) {
    for (std::int64_t e = rows.starts[i]; e < rows.starts[i + 1]; ++e)
        for (std::size_t c = 0; c < k; ++c)
            w[static_cast<std::size_t>(rows.columns[e]) * k + c] += rows.values[e] * t[c];
}

// minimise 1/2 q |a|^2 + linear'a over a_own <= cost, other a <= 0, sum a = 0; into `a`.
void project(const std::vector<double>& linear, std::size_t own, double q, double cost,
             std::vector<double>& sorted, std::vector<double>& a) {
    const std::size_t k = linear.size();
    sorted = linear;
    sorted[own] += q * cost;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    // The level at which the classes that take part meet: a_c = min(bound, (level - linear_c) / q).
    double sum = sorted[0] - q * cost;
    std::size_t count = 1;
    for (; count < k && sum < static_cast<double>(count) * sorted[count]; ++count) sum += sorted[count];
    const double level = sum / static_cast<double>(count);
    for (std::size_t c = 0; c < k; ++c) a[c] = std::min(c == own ? cost : 0.0, (level - linear[c]) / q);
}

}  // namespace

template <typename Rows>
SingleEnd single_machine(const Rows& rows, const SingleProblem& p, double tolerance, std::uint64_t max_sweeps,
                         std::uint64_t seed, const Stop& stop) {
    SingleEnd end;
    Random random{seed};
    const std::size_t n = rows.n, k = p.classes;
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    std::vector<double> g(k), linear(k), sorted(k), goal(k);
    std::size_t active = n;
    bool shrinks = false;  // not in a sweep that is to look at all rows
    double near = std::max(1.0, tolerance);
    while (end.sweeps < max_sweeps) {
        double worst = 0;
        std::size_t bound = active;
        for (std::size_t s = 0; s < bound; ++s) {
            std::swap(order[s], order[s + random.below(bound - s)]);
            const std::size_t i = order[s], own = static_cast<std::size_t>(p.label[i]);
            double* a = p.a + i * k;
            for (std::size_t c = 0; c < k; ++c)
                g[c] = p.shift[c] + p.bias * p.w[rows.width * k + c] + (c == own ? 0.0 : 1.0);
            products(rows, i, p.w, k, g.data());
            double high = -std::numeric_limits<double>::infinity(), low = -high;
            for (std::size_t c = 0; c < k; ++c) {
                high = std::max(high, g[c]);
                if (a[c] < (c == own ? p.cost[i] : 0.0)) low = std::min(low, g[c]);
            }
            const double way = high - low;  // minus infinity where every a is at its bound: it cannot be
            if (!(way > 1e-14)) {
                // In order already; with all its a at zero it is likely to stay so.
                if (shrinks && a[own] == 0 && s + 1 < bound) std::swap(order[s--], order[--bound]);
                continue;
            }
            worst = std::max(worst, way);
            const double q = p.squares[i] + p.bias * p.bias;
            if (!(q > 0)) continue;
            for (std::size_t c = 0; c < k; ++c) linear[c] = g[c] - q * a[c];
            project(linear, own, q, p.cost[i], sorted, goal);
            bool moved = false;
            for (std::size_t c = 0; c < k; ++c) {
                const double t = goal[c] - a[c];
                moved = moved || t != 0;
                a[c] = goal[c];
                goal[c] = t;
            }
            if (!moved) continue;
            add(rows, i, goal.data(), k, p.w);
            for (std::size_t c = 0; c < k; ++c) p.w[rows.width * k + c] += p.bias * goal[c];
        }
        ++end.sweeps;
        active = bound;
        if (stop && stop()) {
            end.stopped = true;
            return end;
        }
        if (active == n) end.violation = worst;
        if (active == n && worst <= tolerance) return end;
        shrinks = worst > near;
        if (!shrinks) {
            active = n;
            near = std::max(0.5 * near, tolerance);
        }
    }
    return end;
}

template SingleEnd single_machine(const DenseRows&, const SingleProblem&, double, std::uint64_t,
                                  std::uint64_t, const Stop&);
template SingleEnd single_machine(const SparseRows&, const SingleProblem&, double, std::uint64_t,
                                  std::uint64_t, const Stop&);

}  // namespace acumen
