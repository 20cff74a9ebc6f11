// ACUMEN_CLONES before a function has it compiled for several instruction sets, the best one being chosen
// when the library is loaded. Only loops whose lanes are independent carry it, and nothing is ever fused
// (-ffp-contract=off), so every clone gives the same bytes. Sanitizers cannot run before relocation is
// done, which is when the choice is made: there, and where ifuncs do not exist, the macro is empty.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__GLIBC__) && \
    !defined(ACUMEN_SANITIZED)
#define ACUMEN_CLONES __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define ACUMEN_CLONES
#endif

#if defined(__GNUC__)
#define ACUMEN_RESTRICT __restrict__
#else
#define ACUMEN_RESTRICT
#endif

namespace acumen {

inline constexpr std::size_t PACK = 8;

// Eight doubles that the compiler keeps in registers, whatever their width.
#if defined(__GNUC__)
typedef double Pack __attribute__((vector_size(64)));
#else
struct Pack {
    double lane[PACK];
    friend Pack operator*(const Pack& a, double b) {
        Pack c;
        for (std::size_t i = 0; i < PACK; ++i) c.lane[i] = a.lane[i] * b;
        return c;
    }
    friend Pack operator*(const Pack& a, const Pack& b) {
        Pack c;
        for (std::size_t i = 0; i < PACK; ++i) c.lane[i] = a.lane[i] * b.lane[i];
        return c;
    }
    Pack& operator-=(double b) {
        for (double& x : lane) x -= b;
        return *this;
    }
    Pack& operator+=(const Pack& b) {
        for (std::size_t i = 0; i < PACK; ++i) lane[i] += b.lane[i];
        return *this;
    }
};
#endif

}  // namespace acumen
