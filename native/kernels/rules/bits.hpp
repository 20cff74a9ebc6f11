// How many bits rules and their exceptions take (Quinlan 1995, as RIPPER uses it; Cohen 1995).
#pragma once

#include <algorithm>
#include <cmath>

namespace acumen::rules {

// To tell which k of n things, each of which the receiver expects with chance p.
inline double subset_bits(double n, double k, double p) {
    const double most = std::min(p, 1.0 - 1e-9);
    double bits = 0.0;
    if (k > 0) bits -= k * std::log2(std::max(most, 1e-300));
    if (n > k) bits -= (n - k) * std::log2(1.0 - most);
    return bits;
}

// A rule of k conditions out of n possible ones; half of it, as conditions repeat each other.
inline double theory_bits(double k, double n) {
    if (k <= 0) return 0.0;
    double bits = std::log2(k);
    if (k > 1) bits += 2.0 * std::log2(bits);
    return 0.5 * (bits + subset_bits(n, k, k / n));
}

// The exceptions: `wrong` of the weight covered, `missed` of that not covered; `expected` is the share of the
// former among all exceptions that the receiver reckons with.
inline double data_bits(double expected, double cover, double uncover, double wrong, double missed) {
    double bits = std::log2(cover + uncover + 1.0);
    const double errors = wrong + missed;
    if (cover > uncover) {
        bits += subset_bits(cover, wrong, expected * errors / cover);
        if (uncover > 0) bits += subset_bits(uncover, missed, missed / uncover);
    } else {
        if (cover > 0) bits += subset_bits(cover, wrong, wrong / cover);
        if (uncover > 0) bits += subset_bits(uncover, missed, (1.0 - expected) * errors / uncover);
    }
    return bits;
}

}  // namespace acumen::rules
