#include "kernels/lasso.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "kernels/clones.hpp"

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
          product_(problem.columns),
          gradient_(problem.columns),
          square_(problem.columns),
          place_(problem.columns, NOWHERE),
          total_(dot(problem.target, problem.target, problem.rows) + problem.rest) {
        for (std::size_t j = 0; j < problem.columns; ++j) {
            product_[j] = dot(column(j), problem.target, problem.rows);
            square_[j] = dot(column(j), column(j), problem.rows);
        }
        gradient_ = product_;
    }

    bool solve(double penalty, const LassoLimits& limits, const Stop& stop, LassoPoint& point) {
        double settled = 1e-3;  // of the largest change seen; the gap asks for smaller ones
        point.sweeps = 0;
        join(penalty);
        while (true) {
            double largest = 0.0;
            while (point.sweeps < limits.sweeps) {
                const double change = sweep(penalty);
                largest = std::max(largest, change);
                if (++point.sweeps % 16 == 0 && stop && stop()) return false;
                if (change <= settled * largest) break;
            }
            refresh();
            const bool joined = join(penalty);
            point.gap = total_ > 0.0 ? gap(penalty) / total_ : 0.0;
            if (point.gap <= limits.tolerance || point.sweeps >= limits.sweeps) return true;
            if (!joined) {
                if (largest == 0.0) return true;  // nothing moves any more
                settled *= 1e-2;
            }
        }
    }

    const std::vector<double>& coefficients() const { return w_; }

  private:
    static constexpr std::size_t NOWHERE = static_cast<std::size_t>(-1);

    const double* column(std::size_t j) const { return problem_.factor + j * problem_.rows; }

    // Takes in what breaks the conditions of the optimum; whether there was anything.
    bool join(double penalty) {
        const std::size_t before = active_.size();
        for (std::size_t j = 0; j < problem_.columns; ++j) {
            if (place_[j] != NOWHERE || square_[j] <= 0.0 || std::abs(gradient_[j]) <= penalty) continue;
            place_[j] = active_.size();
            active_.push_back(j);
            auto inner = std::make_unique<double[]>(problem_.columns);
            for (std::size_t k = 0; k < problem_.columns; ++k)
                inner[k] = k == j ? square_[j] : dot(column(j), column(k), problem_.rows);
            inner_.push_back(std::move(inner));
        }
        if (active_.size() > before) gather();
        return active_.size() > before;
    }

    // The inner products among the active coordinates, side by side.
    void gather() {
        const std::size_t m = active_.size();
        among_.resize(m * m);
        for (std::size_t a = 0; a < m; ++a)
            for (std::size_t b = 0; b < m; ++b) among_[a * m + b] = inner_[a][active_[b]];
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
        gradient_ = product_;
        for (std::size_t a = 0; a < active_.size(); ++a)
            if (w_[active_[a]] != 0.0)
                subtract(gradient_.data(), inner_[a].get(), w_[active_[a]], problem_.columns);
    }

    // How far the loss may be from the best there is, by a feasible point of the dual (residuals shrunk).
    double gap(double penalty) const {
        double steepest = 0.0, fitted = 0.0, size = 0.0;
        for (std::size_t j = 0; j < problem_.columns; ++j) {
            steepest = std::max(steepest, std::abs(gradient_[j]));
            fitted += w_[j] * (product_[j] + gradient_[j]);
            size += std::abs(w_[j]);
        }
        double towards = 0.0;  // target'residual
        for (std::size_t j = 0; j < problem_.columns; ++j) towards += w_[j] * product_[j];
        towards = total_ - towards;
        const double left = std::max(total_ - fitted, 0.0);  // residual'residual
        const double share = steepest > penalty ? penalty / steepest : 1.0;
        return 0.5 * left + penalty * size - (share * towards - 0.5 * share * share * left);
    }

    const LassoProblem& problem_;
    std::vector<double> w_, product_, gradient_, square_;
    std::vector<std::size_t> place_, active_;
    std::vector<std::unique_ptr<double[]>> inner_;
    std::vector<double> among_, near_;
    double total_;
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
