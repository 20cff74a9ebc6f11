// x log2 x of eight numbers at a time; to be inlined into loops that are compiled for several instruction
// sets.
#pragma once

#include <cstdint>

#include "kernels/common/clones.hpp"

namespace acumen::tree {

typedef std::int64_t PackBits __attribute__((vector_size(64)));
typedef std::uint64_t PackWords __attribute__((vector_size(64)));

// log2 m = 2 / ln 2 (s + s^3 / 3 + ...) with s = (m - 1) / (m + 1), m from sqrt(1/2) to sqrt 2, so |s| <
// 0.172 and eleven terms are exact to the last bits. Zero, and what rounding left below it, gives zero.
// Adds sign times that to `sum`; by reference, since packs are passed in other ways on other instruction
// sets.
inline __attribute__((always_inline)) void add_xlogx(const Pack& x, double sign, Pack& total) {
    constexpr std::uint64_t half = 0x3fe6a09e667f3bcd;  // sqrt(1/2)
    const PackBits above = x > 0.0;
    // What is below zero goes through too, to be left out at the end: its bits wrap, as unsigned ones may.
    const PackWords bits = (PackWords)x;
    const PackBits exponent = (PackBits)(bits - half) >> 52;
    const Pack m = (Pack)(bits - ((PackWords)exponent << 52));
    const Pack s = (m - 1.0) / (m + 1.0), t = s * s;
    Pack sum = t * (1.0 / 23) + 1.0 / 21;
    sum = sum * t + 1.0 / 19;
    sum = sum * t + 1.0 / 17;
    sum = sum * t + 1.0 / 15;
    sum = sum * t + 1.0 / 13;
    sum = sum * t + 1.0 / 11;
    sum = sum * t + 1.0 / 9;
    sum = sum * t + 1.0 / 7;
    sum = sum * t + 1.0 / 5;
    sum = sum * t + 1.0 / 3;
    sum = sum * t + 1.0;
    // A whole number below 2^51 as a double, by adding it to the last bits of 1.5 * 2^52.
    const Pack whole = (Pack)(exponent + 0x4338000000000000) - 6755399441055744.0;
    const Pack log = whole + s * sum * 2.8853900817779268147;
    total += (Pack)(above & (PackBits)(x * log)) * sign;
}

}  // namespace acumen::tree
