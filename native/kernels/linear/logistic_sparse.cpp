// The matrix is there twice: scores go along its rows, the gradient along its columns, so that no two threads
// write to one place and every sum is taken in one order.
//
// What bounds it: two reads of the entries, and the places they point to, which lie in the second cache.
#include <vector>

#include "kernels/common/clones.hpp"
#include "kernels/linear/logistic.hpp"
#include "kernels/linear/logistic_link.hpp"

namespace acumen {

namespace {

constexpr std::size_t ROWS = 512;  // at a time

ACUMEN_CLONES double link(double* scores, std::size_t rows, std::size_t lines, const std::int32_t* label,
                          const double* weight, double* residual, double* small) {
    return lines == 1 ? link_two(scores, rows, label, weight, residual, small)
                      : link_many(scores, rows, lines, lines, label, weight, residual);
}

// Coefficients with the lines of one column side by side; the intercepts last.
std::vector<double> turned(const double* coefficients, std::size_t columns, std::size_t lines) {
    std::vector<double> made((columns + 1) * lines);
    for (std::size_t k = 0; k < lines; ++k)
        for (std::size_t j = 0; j <= columns; ++j) made[j * lines + k] = coefficients[k * (columns + 1) + j];
    return made;
}

// Entries first .. last times what they point to; four sums, so that one need not wait for the other.
double dot(const Compressed& lines, std::size_t first, std::size_t last, const double* with) {
    const double* value = lines.value.data();
    const std::int32_t* at = lines.at.data();
    double sum[4] = {};
    std::size_t e = first;
    for (; e + 4 <= last; e += 4)
        for (std::size_t u = 0; u < 4; ++u) sum[u] += value[e + u] * with[at[e + u]];
    for (; e < last; ++e) sum[0] += value[e] * with[at[e]];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void score(const Compressed& rows, std::size_t i, const double* coefficient, const double* intercept,
           std::size_t lines, double* out) {
    const auto first = static_cast<std::size_t>(rows.ends[i]),
               last = static_cast<std::size_t>(rows.ends[i + 1]);
    if (lines == 1) {
        *out = *intercept + dot(rows, first, last, coefficient);
        return;
    }
    for (std::size_t k = 0; k < lines; ++k) out[k] = intercept[k];
    for (std::size_t e = first; e < last; ++e) {
        const double* from = coefficient + static_cast<std::size_t>(rows.at[e]) * lines;
        for (std::size_t k = 0; k < lines; ++k) out[k] += rows.value[e] * from[k];
    }
}

}  // namespace

bool logistic_sparse(const Compressed& rows, const Compressed& columns, const Outcomes& outcomes,
                     const double* coefficients, double* scratch, double& loss, double* gradient,
                     std::size_t threads, const Stop& stop) {
    const std::size_t n = rows.size(), d = columns.size(), lines = outcomes.lines;
    const auto coefficient = turned(coefficients, d, lines);
    const std::size_t blocks = (n + ROWS - 1) / ROWS;
    std::vector<double> losses(blocks), totals(blocks * lines);
    const bool scored = for_blocks(blocks, threads, stop, [&] {
        return [&, scores = std::vector<double>(ROWS * lines),
                small = std::vector<double>(ROWS)](std::size_t block) mutable {
            const std::size_t first = block * ROWS, count = std::min(ROWS, n - first);
            for (std::size_t r = 0; r < count; ++r)
                score(rows, first + r, coefficient.data(), coefficient.data() + d * lines, lines,
                      scores.data() + r * lines);
            double* residual = scratch + first * lines;
            losses[block] = link(scores.data(), count, lines, outcomes.label.data() + first,
                                 outcomes.weight ? outcomes.weight + first : nullptr, residual, small.data());
            for (std::size_t r = 0; r < count; ++r)
                for (std::size_t k = 0; k < lines; ++k) totals[block * lines + k] += residual[r * lines + k];
        };
    });
    if (!scored) return false;
    loss = 0;
    for (const double part : losses) loss += part;
    const std::size_t groups = (d + ROWS - 1) / ROWS;
    const bool whole = for_blocks(groups, threads, stop, [&] {
        return [&, sum = std::vector<double>(lines)](std::size_t group) mutable {
            for (std::size_t j = group * ROWS; j < std::min(d, (group + 1) * ROWS); ++j) {
                const auto first = static_cast<std::size_t>(columns.ends[j]),
                           last = static_cast<std::size_t>(columns.ends[j + 1]);
                if (lines == 1) {
                    gradient[j] = dot(columns, first, last, scratch);
                    continue;
                }
                std::fill(sum.begin(), sum.end(), 0.0);
                for (std::size_t e = first; e < last; ++e) {
                    const double* left = scratch + static_cast<std::size_t>(columns.at[e]) * lines;
                    for (std::size_t k = 0; k < lines; ++k) sum[k] += columns.value[e] * left[k];
                }
                for (std::size_t k = 0; k < lines; ++k) gradient[k * (d + 1) + j] = sum[k];
            }
        };
    });
    for (std::size_t k = 0; k < lines; ++k) {
        double sum = 0;
        for (std::size_t block = 0; block < blocks; ++block) sum += totals[block * lines + k];
        gradient[k * (d + 1) + d] = sum;
    }
    return whole;
}

bool logistic_sparse_hessian(const Compressed& rows, std::size_t columns, const Outcomes& outcomes,
                             const double* coefficients, double* hessian, std::size_t threads,
                             const Stop& stop) {
    const std::size_t n = rows.size(), lines = outcomes.lines, each = columns + 1, side = lines * each;
    const auto coefficient = turned(coefficients, columns, lines);
    const std::size_t most = std::clamp<std::size_t>((std::size_t{1} << 23) / (side * side + 1), 2, 16);
    const std::size_t slices = std::clamp<std::size_t>(n / 512, 1, most);
    std::vector<std::vector<double>> sums(slices);
    const bool whole = for_blocks(slices, threads, stop, [&] {
        return [&, p = std::vector<double>(lines),
                left = std::vector<double>(lines)](std::size_t slice) mutable {
            auto& sum = sums[slice];
            sum.assign(side * side, 0.0);
            for (std::size_t i = slice * n / slices; i < (slice + 1) * n / slices; ++i) {
                double small = 0;
                const double w = outcomes.weight ? outcomes.weight[i] : 1.0;
                score(rows, i, coefficient.data(), coefficient.data() + columns * lines, lines, p.data());
                link(p.data(), 1, lines, outcomes.label.data() + i, nullptr, left.data(), &small);
                const auto first = static_cast<std::size_t>(rows.ends[i]),
                           last = static_cast<std::size_t>(rows.ends[i + 1]);
                for (std::size_t a = 0; a < lines; ++a)
                    for (std::size_t b = a; b < lines; ++b) {
                        const double heavy = w * (a == b ? p[a] * (1.0 - p[a]) : -p[a] * p[b]);
                        for (std::size_t e = first; e <= last; ++e) {
                            const std::size_t row =
                                a * each + (e < last ? static_cast<std::size_t>(rows.at[e]) : columns);
                            const double x = heavy * (e < last ? rows.value[e] : 1.0);
                            double* at = sum.data() + row * side + b * each;
                            for (std::size_t f = first; f < last; ++f)
                                at[static_cast<std::size_t>(rows.at[f])] += x * rows.value[f];
                            at[columns] += x;
                        }
                    }
            }
        };
    });
    if (!whole) return false;
    std::fill_n(hessian, side * side, 0.0);
    for (const auto& sum : sums)
        for (std::size_t i = 0; i < side * side; ++i) hessian[i] += sum[i];
    for (std::size_t i = 0; i < side; ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (i / each != j / each) hessian[i * side + j] = hessian[j * side + i];
    return true;
}

}  // namespace acumen
