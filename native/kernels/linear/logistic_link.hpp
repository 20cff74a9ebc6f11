// From scores to probabilities, for a few rows that lie in cache.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "kernels/common/exp.hpp"
#include "kernels/common/lanes.hpp"

namespace acumen {

// log(1 + s) of a number s from 0 to 1, written so that the compiler runs it in lanes. Above sqrt(2) - 1 the
// sum is halved first; log((1 + t) / (1 - t)) is then a power series in t of at most 0.172, whose first term
// is kept apart so that small s lose nothing. Within two units of the last place; NaN stays NaN.
inline double log1p_of_share(double s) {
    constexpr double ln2 = 0.693147180559945309417;
    const bool large = s > 0.41421356237309503;
    const double x = large ? (s - 1.0) * 0.5 : s;
    const double t = x / (2.0 + x), q = t * t;
    double p = 1.0 / 21.0;
    p = p * q + 1.0 / 19.0;
    p = p * q + 1.0 / 17.0;
    p = p * q + 1.0 / 15.0;
    p = p * q + 1.0 / 13.0;
    p = p * q + 1.0 / 11.0;
    p = p * q + 1.0 / 9.0;
    p = p * q + 1.0 / 7.0;
    p = p * q + 1.0 / 5.0;
    p = p * q + 1.0 / 3.0;
    // log(1 + x) = 2 t (1 + q p) = x - t (x - 2 q p): the first term carries the digits.
    const double part = x - t * (x - 2.0 * q * p);
    return large ? ln2 + part : part;
}

// Two classes: the score is the log-odds of class 1, and becomes its probability. Returns the loss.
ACUMEN_INLINE double link_two(double* score, std::size_t rows, const std::int32_t* label,
                              const double* weight, double* residual, double* small) {
    for (std::size_t r = 0; r < rows; ++r) small[r] = exp_below_zero(-std::fabs(score[r]));
    for (std::size_t r = 0; r < rows; ++r) {
        const double w = weight ? weight[r] : 1.0;
        const double against = label[r] ? -score[r] : score[r];
        residual[r] = w * ((against > 0 ? against : 0.0) + log1p_of_share(small[r]));
    }
    double loss = 0;  // added up apart, in order, so that the logarithms run in lanes
    for (std::size_t r = 0; r < rows; ++r) loss += residual[r];
    for (std::size_t r = 0; r < rows; ++r) {
        const double top = score[r] >= 0 ? 1.0 : small[r], p = top / (1.0 + small[r]);
        score[r] = p;
        residual[r] = (weight ? weight[r] : 1.0) * (p - (label[r] ? 1.0 : 0.0));
    }
    return loss;
}

// Several classes, lanes running over the rows: the scores of a line stand together, `stride` from those of
// the next. `small` has room for two lines.
ACUMEN_INLINE double link_lines(double* ACUMEN_RESTRICT score, std::size_t stride, std::size_t rows,
                                std::size_t lines, const std::int32_t* label, const double* weight,
                                double* ACUMEN_RESTRICT residual, double* ACUMEN_RESTRICT small) {
    double *ACUMEN_RESTRICT top = small, *ACUMEN_RESTRICT sum = small + stride;
    for (std::size_t r = 0; r < rows; ++r) top[r] = score[r];
    for (std::size_t k = 1; k < lines; ++k)
        for (std::size_t r = 0; r < rows; ++r) {
            const double x = score[k * stride + r];
            top[r] = top[r] < x ? x : top[r];
        }
    double loss = 0;
    for (std::size_t r = 0; r < rows; ++r) {
        const double own = score[static_cast<std::size_t>(label[r]) * stride + r] - top[r];
        loss -= weight ? weight[r] * own : own;
        sum[r] = 0;
    }
    for (std::size_t k = 0; k < lines; ++k)
        for (std::size_t r = 0; r < rows; ++r) {
            const double e = exp_below_zero(score[k * stride + r] - top[r]);
            score[k * stride + r] = e;
            sum[r] += e;
        }
    for (std::size_t r = 0; r < rows; ++r) {
        const double log = std::log(sum[r]);
        loss += weight ? weight[r] * log : log;
        sum[r] = 1.0 / sum[r];
        top[r] = weight ? weight[r] : 1.0;
    }
    for (std::size_t k = 0; k < lines; ++k)
        for (std::size_t r = 0; r < rows; ++r) {
            const double p = score[k * stride + r] * sum[r];
            score[k * stride + r] = p;
            residual[k * stride + r] = top[r] * p;
        }
    for (std::size_t r = 0; r < rows; ++r)
        residual[static_cast<std::size_t>(label[r]) * stride + r] -= top[r];
    return loss;
}

// Several classes: each row has `across` places, of which the first `lines` are scores; they become
// probabilities, the other places zero.
ACUMEN_INLINE double link_many(double* score, std::size_t rows, std::size_t lines, std::size_t across,
                               const std::int32_t* label, const double* weight, double* residual) {
    double loss = 0;
    for (std::size_t r = 0; r < rows; ++r) {
        double *at = score + r * across, *left = residual + r * across;
        double top = at[0];
        for (std::size_t k = 1; k < lines; ++k) top = std::max(top, at[k]);
        const double own = at[label[r]] - top;
        for (std::size_t k = lines; k < across; ++k) at[k] = -std::numeric_limits<double>::infinity();
        for (std::size_t k = 0; k < across; ++k) at[k] = exp_below_zero(at[k] - top);
        double sum = 0;
        for (std::size_t k = 0; k < lines; ++k) sum += at[k];
        const double w = weight ? weight[r] : 1.0, share = 1.0 / sum;
        loss += w * (std::log(sum) - own);
        for (std::size_t k = 0; k < across; ++k) at[k] *= share;
        for (std::size_t k = 0; k < across; ++k) left[k] = w * at[k];
        left[label[r]] -= w;
    }
    return loss;
}

}  // namespace acumen
