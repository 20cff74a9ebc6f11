// How many of n tries succeed, each with probability p: drawn at once, however many tries there are.
#pragma once

#include <cmath>

namespace acumen {

// log(k!) for k >= 0, by Stirling's series; exact to about 1e-10. std::lgamma writes a global.
inline double log_factorial(double k) {
    double low = 1;
    while (k < 16) low *= ++k;  // k! = 16! / ((k + 1) ... 16)
    const double x = k + 1, r = 1 / (x * x);
    return (x - 0.5) * std::log(x) - x + 0.91893853320467274 +
           (1.0 / 12 - r * (1.0 / 360 - r * (1.0 / 1260 - r / 1680))) / x - std::log(low);
}

// `unit` gives numbers from 0 to below 1. Few successes: by going through them; else by Hoermann's
// transformed rejection (1993).
template <class Unit>
double binomial(double n, double p, Unit&& unit) {
    if (!(n > 0) || !(p > 0)) return 0;
    if (p >= 1) return n;
    if (p > 0.5) return n - binomial(n, 1 - p, unit);
    if (n * p < 10) {
        const double odds = p / (1 - p), none = std::exp(n * std::log1p(-p));
        for (;;) {
            double u = unit(), mass = none;
            for (double k = 0; k <= n && k < 200; ++k) {
                if (u < mass) return k;
                u -= mass;
                mass *= odds * (n - k) / (k + 1);
            }
        }
    }
    const double spread = std::sqrt(n * p * (1 - p)), b = 1.15 + 2.53 * spread;
    const double a = -0.0873 + 0.0248 * b + 0.01 * p, c = n * p + 0.5, squeeze = 0.92 - 4.2 / b;
    const double alpha = (2.83 + 5.1 / b) * spread, odds = std::log(p / (1 - p));
    const double mode = std::floor((n + 1) * p), top = log_factorial(mode) + log_factorial(n - mode);
    for (;;) {
        const double u = unit() - 0.5, v = unit(), edge = 0.5 - std::abs(u);
        const double k = std::floor((2 * a / edge + b) * u + c);
        if (!(k >= 0 && k <= n)) continue;
        if (edge >= 0.07 && v <= squeeze) return k;
        if (std::log(v * alpha / (a / (edge * edge) + b)) <=
            top - log_factorial(k) - log_factorial(n - k) + (k - mode) * odds)
            return k;
    }
}

}  // namespace acumen
