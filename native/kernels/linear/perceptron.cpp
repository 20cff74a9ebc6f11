// An epoch is a chain: a move must be made before the next row can be judged, so one thread does it all and
// lanes run over the columns of one row (each product is summed in eight lanes, whatever the instruction
// set).
//
// What bounds it: reading the rows once, two operations for each number; in the dual one line of the kernel
// matrix for each move.
#include "kernels/linear/perceptron.hpp"

#include "kernels/common/clones.hpp"

namespace acumen {

namespace {

ACUMEN_CLONES double dot(const double* ACUMEN_RESTRICT a, const double* ACUMEN_RESTRICT b, std::size_t n) {
    double lane[PACK] = {};
    std::size_t j = 0;
    for (; j + PACK <= n; j += PACK)
        for (std::size_t l = 0; l < PACK; ++l) lane[l] += a[j + l] * b[j + l];
    double sum = 0;
    for (const double part : lane) sum += part;
    for (; j < n; ++j) sum += a[j] * b[j];
    return sum;
}

ACUMEN_CLONES void add(double* ACUMEN_RESTRICT a, const double* ACUMEN_RESTRICT b, double factor,
                       std::size_t n) {
    for (std::size_t j = 0; j < n; ++j) a[j] += factor * b[j];
}

double product(const PerceptronRows& rows, std::size_t i, const double* weights) {
    if (!rows.starts) return dot(rows.values + i * rows.columns, weights, rows.columns);
    double sum = 0;
    for (std::int64_t p = rows.starts[i]; p < rows.starts[i + 1]; ++p)
        sum += rows.values[p] * weights[rows.places[p]];
    return sum;
}

void move(const PerceptronRows& rows, std::size_t i, double factor, double* weights) {
    if (!rows.starts) return add(weights, rows.values + i * rows.columns, factor, rows.columns);
    for (std::int64_t p = rows.starts[i]; p < rows.starts[i + 1]; ++p)
        weights[rows.places[p]] += factor * rows.values[p];
}

constexpr std::size_t NONE = static_cast<std::size_t>(-1);

// The vector that is wrongly as large as the row's own; NONE where there is none.
template <typename Value>
std::size_t rival_of(std::size_t own, std::size_t vectors, bool tie_is_right, const Value& value) {
    const double mine = value(own);
    std::size_t best = NONE;
    double largest = 0;
    for (std::size_t v = 0; v < vectors; ++v) {
        if (v == own) continue;
        const double theirs = value(v);
        if (best == NONE || theirs > largest) best = v, largest = theirs;
    }
    if (largest < mine || (largest == mine && tie_is_right && own < best)) return NONE;
    return best;
}

// One epoch over values got by `value(row, vector)` and moved by `shift(row, vector, factor)`.
template <typename Value, typename Shift>
std::size_t epoch(std::span<const std::int32_t> labels, std::span<const std::int64_t> order,
                  const PerceptronRule& rule, std::size_t vectors, double& step, const Value& value,
                  const Shift& shift) {
    std::size_t moves = 0;
    for (const std::int64_t at : order) {
        const auto i = static_cast<std::size_t>(at);
        const auto label = static_cast<std::size_t>(labels[i]);
        const double factor = rule.weight ? rule.rate * rule.weight[i] : rule.rate;
        if (vectors == 1) {
            const double h = value(i, 0);
            const bool right = label ? h > 0 || (h == 0 && rule.tie_is_right) : h < 0;
            if (!right) shift(i, 0, label ? factor : -factor), ++moves;
        } else {
            const std::size_t rival =
                rival_of(label, vectors, rule.tie_is_right, [&](std::size_t v) { return value(i, v); });
            if (rival != NONE) shift(i, label, factor), shift(i, rival, -factor), ++moves;
        }
        step += 1.0;
    }
    return moves;
}

}  // namespace

std::size_t perceptron_epoch(const PerceptronRows& rows, std::span<const std::int32_t> labels,
                             std::span<const std::int64_t> order, const PerceptronRule& rule,
                             std::size_t vectors, double* weights, double* lag, double& step) {
    const std::size_t d = rows.columns;
    return epoch(
        labels, order, rule, vectors, step,
        [&](std::size_t i, std::size_t v) { return product(rows, i, weights + v * d); },
        [&](std::size_t i, std::size_t v, double factor) {
            move(rows, i, factor, weights + v * d);
            if (lag) move(rows, i, factor * step, lag + v * d);
        });
}

std::size_t kernel_perceptron_epoch(const double* kernel, std::size_t rows,
                                    std::span<const std::int32_t> labels, std::span<const std::int64_t> order,
                                    const PerceptronRule& rule, std::size_t vectors, double* alpha,
                                    double* products, double* lag, double& step) {
    return epoch(
        labels, order, rule, vectors, step,
        [&](std::size_t i, std::size_t v) { return products[v * rows + i]; },
        [&](std::size_t i, std::size_t v, double factor) {
            alpha[v * rows + i] += factor;
            if (lag) lag[v * rows + i] += factor * step;
            add(products + v * rows, kernel + i * rows, factor, rows);
        });
}

}  // namespace acumen
