// log(1 + s) of a number s from 0 to 1, written so that the compiler runs it in lanes. Above sqrt(2) - 1 the
// sum is halved first; log((1 + t) / (1 - t)) is then a power series in t of at most 0.172, whose first term
// is kept apart so that small s lose nothing. Within two units of the last place; NaN stays NaN.
#pragma once

namespace acumen {

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

}  // namespace acumen
