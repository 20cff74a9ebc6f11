// exp of a number of at most zero, written so that the compiler runs it in lanes. 2^k times Taylor's
// polynomial of what is left, at most log(2) / 2; 2^k is multiplied in two steps, so that results below the
// smallest normal number come out too. Within two units of the last place; NaN stays NaN.
#pragma once

#include <bit>
#include <cstdint>

namespace acumen {

inline double exp_below_zero(double x) {
    constexpr double rounder = 6755399441055744.0;  // 1.5 * 2^52: adding it leaves a whole number below
    constexpr double log2_e = 1.4426950408889634, ln2_high = 0.693147180369123816490,
                     ln2_low = 1.90821492927058770002e-10;
    x = x < -746.0 ? -746.0 : x;  // exp(-746) is zero in doubles; a NaN passes
    const double k = (x * log2_e + rounder) - rounder;
    const double r = (x - k * ln2_high) - k * ln2_low;
    double p = 1.0 / 6227020800.0;
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    const double half = k * 0.5 + rounder, rest = (k - (half - rounder)) + rounder;
    const auto first = (std::bit_cast<std::uint64_t>(half) + 1023) << 52;
    const auto second = (std::bit_cast<std::uint64_t>(rest) + 1023) << 52;
    return p * std::bit_cast<double>(first) * std::bit_cast<double>(second);
}

inline float exp_below_zero(float x) {
    constexpr float rounder = 12582912.0F;  // 1.5 * 2^23
    constexpr float log2_e = 1.44269504F, ln2_high = 0.693359375F, ln2_low = -2.12194440e-4F;
    x = x < -104.0F ? -104.0F : x;
    const float k = (x * log2_e + rounder) - rounder;
    const float r = (x - k * ln2_high) - k * ln2_low;
    float p = 1.0F / 5040.0F;
    p = p * r + 1.0F / 720.0F;
    p = p * r + 1.0F / 120.0F;
    p = p * r + 1.0F / 24.0F;
    p = p * r + 1.0F / 6.0F;
    p = p * r + 0.5F;
    p = p * r + 1.0F;
    p = p * r + 1.0F;
    const float half = k * 0.5F + rounder, rest = (k - (half - rounder)) + rounder;
    const auto first = (std::bit_cast<std::uint32_t>(half) + 127) << 23;
    const auto second = (std::bit_cast<std::uint32_t>(rest) + 127) << 23;
    return p * std::bit_cast<float>(first) * std::bit_cast<float>(second);
}

}  // namespace acumen
