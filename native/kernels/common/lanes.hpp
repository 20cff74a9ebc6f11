// Registers as wide as the processor's, for loops that keep their sums in them.
//
// A vector wider than a register is kept in memory by the compiler, which makes a loop of multiplications ten
// times slower; so the width is a parameter of the loop:
//
//     template <std::size_t BYTES>
//     ACUMEN_INLINE void add_in(const double* x, double* sum, std::size_t n) { ... Lanes<BYTES> ... }
//     ACUMEN_WIDTHS(void, add, (const double* x, double* sum, std::size_t n), (x, sum, n))
//
// defines add(x, sum, n), which runs add_in with the widest registers there are. As with ACUMEN_CLONES only
// independent lanes differ between the versions and nothing is fused, so that all give the same bytes.
#pragma once

#include <cstddef>
#include <cstring>

#include "kernels/common/clones.hpp"

#if defined(__GNUC__)
#define ACUMEN_INLINE __attribute__((always_inline)) inline  // into every version of its caller
#else
#define ACUMEN_INLINE inline
#endif

namespace acumen {

template <std::size_t BYTES>
struct LanesOf {
#if !defined(__GNUC__)
    struct type {
        double lane[BYTES / sizeof(double)];
        friend type operator*(type a, const type& b) {
            for (std::size_t i = 0; i < BYTES / sizeof(double); ++i) a.lane[i] *= b.lane[i];
            return a;
        }
        friend type operator*(type a, double b) {
            for (double& x : a.lane) x *= b;
            return a;
        }
        type& operator-=(double b) {
            for (double& x : lane) x -= b;
            return *this;
        }
        type& operator+=(const type& b) {
            for (std::size_t i = 0; i < BYTES / sizeof(double); ++i) lane[i] += b.lane[i];
            return *this;
        }
    };
#endif
};

#if defined(__GNUC__)
template <>
struct LanesOf<16> {
    typedef double type __attribute__((vector_size(16)));
};
template <>
struct LanesOf<32> {
    typedef double type __attribute__((vector_size(32)));
};
template <>
struct LanesOf<64> {
    typedef double type __attribute__((vector_size(64)));
};
#endif

// BYTES / 8 doubles.
template <std::size_t BYTES>
using Lanes = typename LanesOf<BYTES>::type;

template <std::size_t BYTES>
inline constexpr std::size_t LANES = BYTES / sizeof(double);

// Doubles where they lie, whatever their alignment.
template <std::size_t BYTES>
ACUMEN_INLINE void fetch(const double* from, Lanes<BYTES>& into) {
    std::memcpy(&into, from, BYTES);
}

template <std::size_t BYTES>
ACUMEN_INLINE void put(const Lanes<BYTES>& lanes, double* to) {
    std::memcpy(to, &lanes, BYTES);
}

// to[0 ..] += lanes
template <std::size_t BYTES>
ACUMEN_INLINE void add_to(const Lanes<BYTES>& lanes, double* to) {
    Lanes<BYTES> sum;
    fetch<BYTES>(to, sum);
    sum += lanes;
    put<BYTES>(sum, to);
}

}  // namespace acumen

// ACUMEN_FUSED_WIDTHS(name, parameters, arguments) is the same of a function that returns nothing and may
// fuse (plain AVX2 has no fused operations), of files compiled so. The choice among versions is made for
// callers that see them all, and others get the narrowest; hence the function around them.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__GLIBC__) && \
    !defined(ACUMEN_SANITIZED)
#define ACUMEN_WIDTHS(result, name, parameters, arguments)                                        \
    __attribute__((target("default"))) result name parameters { return name##_in<16> arguments; } \
    __attribute__((target("avx2"))) result name parameters { return name##_in<32> arguments; }    \
    __attribute__((target("avx512f"))) result name parameters { return name##_in<64> arguments; }
#define ACUMEN_FUSED_WIDTHS(name, parameters, arguments)                                                 \
    namespace {                                                                                          \
    __attribute__((target("default"))) void name##_chosen parameters { name##_in<16> arguments; }        \
    __attribute__((target("arch=x86-64-v3"))) void name##_chosen parameters { name##_in<32> arguments; } \
    __attribute__((target("arch=x86-64-v4"))) void name##_chosen parameters { name##_in<64> arguments; } \
    }                                                                                                    \
    void name parameters { name##_chosen arguments; }
#else
#define ACUMEN_WIDTHS(result, name, parameters, arguments) \
    result name parameters { return name##_in<16> arguments; }
#define ACUMEN_FUSED_WIDTHS(name, parameters, arguments) \
    void name parameters { name##_in<16> arguments; }
#endif
