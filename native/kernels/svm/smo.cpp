// Each step is two passes over the rows. The first finds the partner of the row that violates most: the one
// that lowers the objective most (second order, Fan, Chen and Lin 2005); gains are compared as fractions, by
// cross-multiplying, as a division in every lane would cost more than all the rest. The second updates the
// gradient and finds the next row on the way. Ties go to the row that comes first, in any number of lanes.
//
// What bounds it: two kernel rows and the gradient streaming through the caches for each step.
#include "kernels/svm/smo.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/common/clones.hpp"

namespace acumen {

namespace {

constexpr double NEVER = -std::numeric_limits<double>::infinity();
constexpr double FLAT = 1e-12;  // the curvature taken where a kernel has none: LIBSVM takes the same
constexpr std::size_t L = SMO_LANES;

// What a step knows: `up` and `down` are what epsilon adds to the ways up and down, minus infinity where the
// bounds bar one. A row stops at zero, where epsilon's slope changes its sign, and may go on from there.
struct State {
    std::size_t n;  // a multiple of L
    std::vector<double> up, down, diagonal, gradient;

    template <typename T>
    void mark(const BoxProblem<T>& p, std::size_t i) {
        up[i] = p.b[i] < p.high[i] ? (p.b[i] < 0 ? p.epsilon : -p.epsilon) : NEVER;
        down[i] = p.b[i] > p.low[i] ? (p.b[i] > 0 ? p.epsilon : -p.epsilon) : NEVER;
    }
};

// How far a row may go up, and down, before its slope or its bound changes; and where it then is.
template <typename T>
double top_of(const BoxProblem<T>& p, std::size_t i) {
    return p.b[i] < 0 ? std::min(0.0, p.high[i]) : p.high[i];
}

template <typename T>
double bottom_of(const BoxProblem<T>& p, std::size_t i) {
    return p.b[i] > 0 ? std::max(0.0, p.low[i]) : p.low[i];
}

struct Choice {
    std::size_t row;
    double value;
};

// The best of L lanes that hold values and the rows they come from.
Choice best_lane(const double* value, const double* row) {
    Choice best{static_cast<std::size_t>(row[0]), value[0]};
    for (std::size_t l = 1; l < L; ++l) {
        const auto r = static_cast<std::size_t>(row[l]);
        if (value[l] > best.value || (value[l] == best.value && r < best.row)) best = {r, value[l]};
    }
    return best;
}

// gradient += t (first - second), and the row of the steepest way up.
template <typename T>
[[gnu::always_inline]] inline Choice move_and_choose(std::size_t n, const T* ACUMEN_RESTRICT first,
                                                     const T* ACUMEN_RESTRICT second, double t, double s,
                                                     const double* ACUMEN_RESTRICT up,
                                                     double* ACUMEN_RESTRICT gradient) {
    double best[L], at[L], here[L];
    for (std::size_t l = 0; l < L; ++l) best[l] = NEVER, at[l] = here[l] = static_cast<double>(l);
    for (std::size_t i = 0; i < n; i += L) {
        for (std::size_t l = 0; l < L; ++l) {
            const double g = gradient[i + l] +
                             (t * static_cast<double>(first[i + l]) - s * static_cast<double>(second[i + l]));
            gradient[i + l] = g;
            const double v = up[i + l] - g;
            at[l] = v > best[l] ? here[l] : at[l];
            best[l] = v > best[l] ? v : best[l];
            here[l] += static_cast<double>(L);
        }
    }
    return best_lane(best, at);
}

ACUMEN_CLONES Choice move(std::size_t n, const double* first, const double* second, double t, double s,
                          const double* up, double* gradient) {
    return move_and_choose(n, first, second, t, s, up, gradient);
}

ACUMEN_CLONES Choice move_single(std::size_t n, const float* first, const float* second, double t, double s,
                                 const double* up, double* gradient) {
    return move_and_choose(n, first, second, t, s, up, gradient);
}

Choice move(std::size_t n, const float* first, const float* second, double t, double s, const double* up,
            double* gradient) {
    return move_single(n, first, second, t, s, up, gradient);
}

struct Partner {
    std::size_t row;
    double widest;  // the largest violation of any pair with the row
    bool any;
};

// The partner of row i, whose way up is `steep`: the largest (steep + g)^2 / (K_ii + K_jj - 2 K_ij).
template <typename T>
[[gnu::always_inline]] inline Partner choose_partner(std::size_t n, const T* ACUMEN_RESTRICT row,
                                                     double steep, double own,
                                                     const double* ACUMEN_RESTRICT down,
                                                     const double* ACUMEN_RESTRICT diagonal,
                                                     const double* ACUMEN_RESTRICT gradient) {
    double top[L], bottom[L], at[L], here[L], wide[L];
    for (std::size_t l = 0; l < L; ++l)
        top[l] = 0, bottom[l] = 1, wide[l] = NEVER, at[l] = here[l] = static_cast<double>(l);
    for (std::size_t i = 0; i < n; i += L) {
        for (std::size_t l = 0; l < L; ++l) {
            const double gap = down[i + l] + (gradient[i + l] + steep);
            const double curve = own + diagonal[i + l] - 2 * static_cast<double>(row[i + l]);
            const double under = curve > FLAT ? curve : FLAT;
            const double positive = gap > 0 ? gap : 0;
            const double over = positive * positive;
            wide[l] = gap > wide[l] ? gap : wide[l];
            const bool better = over * bottom[l] > top[l] * under;
            at[l] = better ? here[l] : at[l];
            top[l] = better ? over : top[l];
            bottom[l] = better ? under : bottom[l];
            here[l] += static_cast<double>(L);
        }
    }
    Partner found{0, NEVER, false};
    double most = 0;
    for (std::size_t l = 0; l < L; ++l) {
        if (wide[l] > found.widest) found.widest = wide[l];
        const auto r = static_cast<std::size_t>(at[l]);
        const double gain = top[l] / bottom[l];
        if (gain > most || (found.any && gain == most && r < found.row)) {
            if (gain <= 0) continue;
            most = gain;
            found.row = r;
            found.any = true;
        }
    }
    return found;
}

ACUMEN_CLONES Partner partner(std::size_t n, const double* row, double steep, double own, const double* down,
                              const double* diagonal, const double* gradient) {
    return choose_partner(n, row, steep, own, down, diagonal, gradient);
}

ACUMEN_CLONES Partner partner_single(std::size_t n, const float* row, double steep, double own,
                                     const double* down, const double* diagonal, const double* gradient) {
    return choose_partner(n, row, steep, own, down, diagonal, gradient);
}

Partner partner(std::size_t n, const float* row, double steep, double own, const double* down,
                const double* diagonal, const double* gradient) {
    return partner_single(n, row, steep, own, down, diagonal, gradient);
}

template <typename T>
SmoEnd in_pairs(const BoxProblem<T>& p, State& s, double tolerance, std::uint64_t max_steps,
                const Stop& stop) {
    SmoEnd end;
    const std::vector<T> nothing(s.n, T(0));
    Choice steepest = move(s.n, nothing.data(), nothing.data(), 0.0, 0.0, s.up.data(), s.gradient.data());
    for (;; ++end.steps) {
        const std::size_t i = steepest.row;
        const T* row = p.lines->line(i);
        const Partner found = partner(s.n, row, steepest.value, s.diagonal[i], s.down.data(),
                                      s.diagonal.data(), s.gradient.data());
        end.violation = found.any ? found.widest : 0;
        if (!found.any || end.violation <= tolerance || end.steps >= max_steps) return end;
        if ((end.steps & 0xFFF) == 0xFFF && stop && stop()) {
            end.stopped = true;
            return end;
        }
        const std::size_t j = found.row;
        const double curve = std::max(s.diagonal[i] + s.diagonal[j] - 2 * static_cast<double>(row[j]), FLAT);
        const double wish = (steepest.value + (s.gradient[j] + s.down[j])) / curve;
        // The clip bounds: neither of the two may leave its box.
        const double top = top_of(p, i), bottom = bottom_of(p, j);
        const double room_up = top - p.b[i], room_down = p.b[j] - bottom;
        const double t = std::min(wish, std::min(room_up, room_down));
        p.b[i] = t == room_up ? top : p.b[i] + t;
        p.b[j] = t == room_down ? bottom : p.b[j] - t;
        s.mark(p, i);
        s.mark(p, j);
        steepest = move(s.n, row, p.lines->line(j), t, t, s.up.data(), s.gradient.data());
    }
}

// Without the balance one coordinate at a time is enough: the one that gains most by itself.
template <typename T>
SmoEnd one_by_one(const BoxProblem<T>& p, State& s, double tolerance, std::uint64_t max_steps,
                  const Stop& stop) {
    SmoEnd end;
    for (;; ++end.steps) {
        double most = 0, widest = 0, step = 0;
        std::size_t best = s.n;
        for (std::size_t i = 0; i < p.n; ++i) {
            const double up = s.up[i] - s.gradient[i], down = s.down[i] + s.gradient[i];
            const double slope = std::max(up, down);
            if (!(slope > 0)) continue;
            widest = std::max(widest, slope);
            const double curve = std::max(s.diagonal[i], FLAT);
            const double room = up > down ? top_of(p, i) - p.b[i] : p.b[i] - bottom_of(p, i);
            const double t = std::min(slope / curve, room), gain = t * (slope - 0.5 * curve * t);
            if (gain > most) most = gain, best = i, step = up > down ? t : -t;
        }
        end.violation = widest;
        if (best == s.n || widest <= tolerance || end.steps >= max_steps) return end;
        if ((end.steps & 0xFFF) == 0xFFF && stop && stop()) {
            end.stopped = true;
            return end;
        }
        const double goal = step > 0 ? top_of(p, best) : bottom_of(p, best);
        p.b[best] = step == goal - p.b[best] ? goal : p.b[best] + step;
        s.mark(p, best);
        const T* row = p.lines->line(best);
        move(s.n, row, row, step, 0.0, s.up.data(), s.gradient.data());
    }
}

template <typename T>
SmoEnd solve(const BoxProblem<T>& p, double tolerance, std::uint64_t max_steps, const Stop& stop) {
    State s;
    s.n = (p.n + L - 1) / L * L;
    s.up.assign(s.n, NEVER);
    s.down.assign(s.n, NEVER);
    s.diagonal.assign(s.n, 0.0);
    s.gradient.assign(s.n, 0.0);
    for (std::size_t i = 0; i < p.n; ++i) {
        s.mark(p, i);
        s.diagonal[i] = p.lines->diagonal(i);
        s.gradient[i] = p.gradient[i];
    }
    const SmoEnd end = p.balanced ? in_pairs(p, s, tolerance, max_steps, stop)
                                  : one_by_one(p, s, tolerance, max_steps, stop);
    std::copy_n(s.gradient.begin(), p.n, p.gradient);
    return end;
}

}  // namespace

SmoEnd smo(const BoxProblem<double>& problem, double tolerance, std::uint64_t max_steps, const Stop& stop) {
    return problem.n ? solve(problem, tolerance, max_steps, stop) : SmoEnd{};
}

SmoEnd smo(const BoxProblem<float>& problem, double tolerance, std::uint64_t max_steps, const Stop& stop) {
    return problem.n ? solve(problem, tolerance, max_steps, stop) : SmoEnd{};
}

}  // namespace acumen
