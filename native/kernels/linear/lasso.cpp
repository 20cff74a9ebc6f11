#include "kernels/linear/lasso.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "kernels/common/clones.hpp"
#include "kernels/linear/triangle.hpp"

namespace acumen {
namespace {

// a'b in four lanes of eight, summed in a fixed order, so that the answer does not depend on the instruction
// set.
ACUMEN_CLONES double dot(const double* ACUMEN_RESTRICT a, const double* ACUMEN_RESTRICT b, std::size_t n) {
    double lane[32] = {};
    std::size_t i = 0;
    for (; i + 32 <= n; i += 32)
        for (std::size_t k = 0; k < 32; ++k) lane[k] += a[i + k] * b[i + k];
    double tail = 0.0;
    for (; i < n; ++i) tail += a[i] * b[i];
    for (std::size_t width = 16; width; width /= 2)
        for (std::size_t k = 0; k < width; ++k) lane[k] += lane[k + width];
    return lane[0] + tail;
}

// y -= step * x
ACUMEN_CLONES void subtract(double* ACUMEN_RESTRICT y, const double* ACUMEN_RESTRICT x, double step,
                            std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) y[i] -= step * x[i];
}

double shrunk(double value, double by) { return value > by ? value - by : value < -by ? value + by : 0.0; }

class Descent {
  public:
    explicit Descent(const LassoProblem& problem)
        : problem_(problem),
          w_(problem.columns),
          gradient_(problem.product, problem.product + problem.columns),
          square_(problem.columns),
          owned_(problem.columns),
          is_active_(problem.columns) {
        for (std::size_t j = 0; j < problem.columns; ++j)
            square_[j] = problem.gram ? problem.gram[j * problem.columns + j]
                                      : dot(column(j), column(j), problem.rows);
    }

    bool solve(double penalty, const LassoLimits& limits, const Stop& stop, LassoPoint& point) {
        double settled = 1e-3;  // of the largest change seen; the gap asks for smaller ones
        point.sweeps = 0;
        leave();
        join(penalty);
        while (true) {
            double largest = 0.0;
            for (std::size_t i = 0; i < PATIENCE && point.sweeps < limits.sweeps; ++i) {
                const double change = sweep(penalty);
                largest = std::max(largest, change);
                if (++point.sweeps % 16 == 0 && stop && stop()) return false;
                if (change <= settled * largest) break;
            }
            refresh();
            const bool joined = join(penalty);
            point.gap = problem_.total > 0.0 ? gap(penalty) / problem_.total : 0.0;
            if (point.gap <= limits.tolerance || point.sweeps >= limits.sweeps) return true;
            if (joined) continue;
            if (largest == 0.0) return true;  // nothing moves any more
            settled *= 1e-2;
            // Columns that are nearly alike pass their weight to each other in tiny steps: solve for all at
            // once.
            if (point.sweeps >= PATIENCE) {
                step_at_once(penalty);
                refresh();
                join(penalty);
                point.gap = gap(penalty) / problem_.total;
                if (point.gap <= limits.tolerance) return true;
            }
        }
    }

    const std::vector<double>& coefficients() const { return w_; }

  private:
    static constexpr std::size_t PATIENCE = 64, MOST_AT_ONCE = 1000;

    const double* column(std::size_t j) const { return problem_.factor + j * problem_.rows; }

    // The inner products of a column with all columns.
    const double* inner(std::size_t j) {
        if (problem_.gram) return problem_.gram + j * problem_.columns;
        if (!owned_[j]) {
            owned_[j] = std::make_unique<double[]>(problem_.columns);
            for (std::size_t k = 0; k < problem_.columns; ++k)
                owned_[j][k] = k == j      ? square_[j]
                               : owned_[k] ? owned_[k][j]
                                           : dot(column(j), column(k), problem_.rows);
        }
        return owned_[j].get();
    }

    // Coordinates that the last penalty left at zero are out of play until they break a condition again.
    void leave() {
        std::size_t kept = 0;
        for (const std::size_t j : active_) {
            if (w_[j] != 0.0)
                active_[kept++] = j;
            else
                is_active_[j] = 0;
        }
        active_.resize(kept);
        gather();
    }

    // Takes in what breaks the conditions of the optimum; whether there was anything.
    bool join(double penalty) {
        const std::size_t before = active_.size();
        for (std::size_t j = 0; j < problem_.columns; ++j) {
            if (is_active_[j] || square_[j] <= 0.0 || std::abs(gradient_[j]) <= penalty) continue;
            is_active_[j] = 1;
            active_.push_back(j);
        }
        if (active_.size() > before) gather();
        return active_.size() > before;
    }

    // With the signs of the coordinates that are not zero held, the loss is a quadratic: go to its minimum,
    // or as far towards it as no sign turns; the coordinate that would turn becomes zero, and the others go
    // on.
    void step_at_once(double penalty) {
        std::vector<std::size_t> free;
        for (const std::size_t j : active_)
            if (w_[j] != 0.0) free.push_back(j);
        while (!free.empty() && free.size() <= MOST_AT_ONCE) {
            const std::size_t m = free.size();
            std::vector<double> gram(m * m), factor(m * m), wanted(m);
            for (std::size_t a = 0; a < m; ++a) {
                const double* row = inner(free[a]);
                for (std::size_t b = 0; b < m; ++b) gram[a * m + b] = row[free[b]];
                wanted[a] = problem_.product[free[a]] - std::copysign(penalty, w_[free[a]]);
            }
            if (!cholesky(gram.data(), m, factor.data())) return;
            for (std::size_t a = 0; a < m; ++a) {  // R'z = wanted
                for (std::size_t b = 0; b < a; ++b) wanted[a] -= factor[b * m + a] * wanted[b];
                wanted[a] /= factor[a * m + a];
            }
            for (std::size_t a = m; a-- > 0;) {  // R w = z
                for (std::size_t b = a + 1; b < m; ++b) wanted[a] -= factor[a * m + b] * wanted[b];
                wanted[a] /= factor[a * m + a];
            }
            double share = 1.0;
            std::size_t turned = m;
            for (std::size_t a = 0; a < m; ++a) {
                const double now = w_[free[a]];
                if (std::isnan(wanted[a])) return;
                if (wanted[a] * now > 0.0) continue;
                const double until = now / (now - wanted[a]);
                if (turned == m || until < share) {
                    share = until;
                    turned = a;
                }
            }
            for (std::size_t a = 0; a < m; ++a) w_[free[a]] += share * (wanted[a] - w_[free[a]]);
            if (turned == m) return;
            w_[free[turned]] = 0.0;
            free.erase(free.begin() + static_cast<std::ptrdiff_t>(turned));
        }
    }

    // The inner products among the active coordinates, side by side.
    void gather() {
        const std::size_t m = active_.size();
        among_.resize(m * m);
        for (std::size_t a = 0; a < m; ++a) {
            const double* row = inner(active_[a]);
            for (std::size_t b = 0; b < m; ++b) among_[a * m + b] = row[active_[b]];
        }
        near_.resize(m);
    }

    // One step on each active coordinate; the largest change of the fit, squared.
    double sweep(double penalty) {
        const std::size_t m = active_.size();
        for (std::size_t a = 0; a < m; ++a) near_[a] = gradient_[active_[a]];
        double largest = 0.0;
        for (std::size_t a = 0; a < m; ++a) {
            const std::size_t j = active_[a];
            const double now = shrunk(near_[a] + square_[j] * w_[j], penalty) / square_[j];
            const double step = now - w_[j];
            if (step == 0.0) continue;
            w_[j] = now;
            subtract(near_.data(), among_.data() + a * m, step, m);
            largest = std::max(largest, step * step * square_[j]);
        }
        for (std::size_t a = 0; a < m; ++a) gradient_[active_[a]] = near_[a];
        return largest;
    }

    // The gradient of every coordinate, afresh: steps would otherwise leave their rounding behind.
    void refresh() {
        gradient_.assign(problem_.product, problem_.product + problem_.columns);
        for (const std::size_t j : active_)
            if (w_[j] != 0.0) subtract(gradient_.data(), inner(j), w_[j], problem_.columns);
    }

    // How far the loss may be from the best there is, by a feasible point of the dual (residuals shrunk).
    double gap(double penalty) const {
        double steepest = 0.0, fitted = 0.0, reached = 0.0, size = 0.0;
        for (std::size_t j = 0; j < problem_.columns; ++j) {
            steepest = std::max(steepest, std::abs(gradient_[j]));
            fitted += w_[j] * (problem_.product[j] + gradient_[j]);
            reached += w_[j] * problem_.product[j];
            size += std::abs(w_[j]);
        }
        const double towards = problem_.total - reached;             // target'residual
        const double left = std::max(problem_.total - fitted, 0.0);  // residual'residual
        const double share = steepest > penalty ? penalty / steepest : 1.0;
        return 0.5 * left + penalty * size - (share * towards - 0.5 * share * share * left);
    }

    const LassoProblem& problem_;
    std::vector<double> w_, gradient_, square_;
    std::vector<std::unique_ptr<double[]>> owned_;
    std::vector<std::size_t> active_;
    std::vector<char> is_active_;
    std::vector<double> among_, near_;
};

}  // namespace

bool lasso_path(const LassoProblem& problem, const double* penalties, std::size_t n_penalties,
                const LassoLimits& limits, const Stop& stop, double* coefficients, LassoPoint* points) {
    Descent descent(problem);
    for (std::size_t i = 0; i < n_penalties; ++i) {
        if (!descent.solve(penalties[i], limits, stop, points[i])) return false;
        std::copy(descent.coefficients().begin(), descent.coefficients().end(),
                  coefficients + i * problem.columns);
    }
    return true;
}

}  // namespace acumen
