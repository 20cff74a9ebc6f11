// What bounds it: one kernel row and the gradient streaming through the caches for each row that moves.
#include "kernels/svm/adatron.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/common/clones.hpp"

namespace acumen {

namespace {

constexpr double FLAT = 1e-12;  // the curvature taken where a kernel has none, as SMO takes it

// By how much row i would like to leave its place, given its slope; epsilon's own slope counts against it.
double pull(const BoxProblem<double>& p, std::size_t i, double slope) {
    const double at = p.b[i];
    double worst = 0;
    if (at < p.high[i]) worst = std::max(worst, -slope + (at < 0 ? p.epsilon : -p.epsilon));
    if (at > p.low[i]) worst = std::max(worst, slope + (at > 0 ? p.epsilon : -p.epsilon));
    return worst;
}

// Where the row's own part of the objective is least, within its bounds.
double minimum(const BoxProblem<double>& p, std::size_t i, double slope, double curvature) {
    const double free = p.b[i] - slope / curvature, dead = p.epsilon / curvature;
    const double shrunk = free > dead ? free - dead : free < -dead ? free + dead : 0.0;
    return std::min(std::max(shrunk, p.low[i]), p.high[i]);
}

ACUMEN_CLONES void add_line(const double* line, double factor, double* gradient, std::size_t n) {
    for (std::size_t j = 0; j < n; ++j) gradient[j] += factor * line[j];
}

}  // namespace

SmoEnd adatron(const BoxProblem<double>& p, const Drawn& drawn, double tolerance, std::uint64_t max_sweeps,
               const Stop& stop) {
    SmoEnd end;
    std::uint64_t moves = 0;
    while (end.steps < max_sweeps) {
        double sum = std::accumulate(p.b, p.b + p.n, 0.0);  // afresh each sweep: rounding does not add up
        end.violation = 0;
        ++end.steps;
        for (std::size_t i = 0; i < p.n; ++i) {
            const double slope = p.gradient[i] + drawn.fold * sum + drawn.shift;
            const double worst = pull(p, i, slope);
            if (!(worst > 0)) continue;
            end.violation = std::max(end.violation, worst);
            const double curvature = std::max(p.lines->diagonal(i) + drawn.fold, FLAT);
            const double step = minimum(p, i, slope, curvature) - p.b[i];
            if (step == 0) continue;
            p.b[i] += step;
            sum += step;
            add_line(p.lines->line(i), step, p.gradient, p.n);
            if ((++moves & 0xFFF) == 0xFFF && stop && stop()) {
                end.stopped = true;
                return end;
            }
        }
        if (end.violation <= tolerance) break;
    }
    return end;
}

}  // namespace acumen
