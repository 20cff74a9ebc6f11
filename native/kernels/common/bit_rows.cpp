#include "kernels/common/bit_rows.hpp"

#include <bit>

#include "kernels/common/clones.hpp"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(ACUMEN_SANITIZED)
#define ACUMEN_BY_HAND 1
#include <immintrin.h>
#endif

namespace acumen {
namespace {

using Word = std::uint64_t;

ACUMEN_CLONES std::size_t intersect_plain(const Word* a, const Word* b, Word* into, std::size_t words) {
    std::size_t n = 0;
    for (std::size_t w = 0; w < words; ++w) {
        const Word both = a[w] & b[w];
        into[w] = both;
        n += static_cast<std::size_t>(__builtin_popcountll(both));
    }
    return n;
}

ACUMEN_CLONES std::size_t shared_plain(const Word* a, const Word* b, std::size_t words) {
    std::size_t n = 0;
    for (std::size_t w = 0; w < words; ++w) n += static_cast<std::size_t>(__builtin_popcountll(a[w] & b[w]));
    return n;
}

ACUMEN_CLONES void runs_plain(const Word* a, const Word* b, Word* into, const std::size_t* at,
                              std::int64_t* counts, std::size_t runs) {
    for (std::size_t s = 0; s < runs; ++s) {
        std::int64_t n = 0;
        for (std::size_t w = at[s]; w < at[s + 1]; ++w) {
            const Word both = a[w] & b[w];
            into[w] = both;
            n += __builtin_popcountll(both);
        }
        counts[s] = n;
    }
}

std::size_t pack_plain(const Word* mask, const Word* from, Word* into, std::size_t words,
                       std::size_t into_words) {
    for (std::size_t w = 0; w < into_words; ++w) into[w] = 0;
    std::size_t at = 0, n = 0;
    for (std::size_t w = 0; w < words; ++w) {
        for (Word left = mask[w]; left; left &= left - 1, ++at) {
            const Word bit = from[w] >> std::countr_zero(left) & 1;
            into[at / 64] |= bit << (at % 64);
            n += bit;
        }
    }
    return n;
}

#ifdef ACUMEN_BY_HAND
// The eight sums together; gcc's own reduction does not compile without warnings.
__attribute__((target("avx512f"))) inline std::size_t added(__m512i sum) {
    alignas(64) std::uint64_t each[8];
    _mm512_store_si512(each, sum);
    return each[0] + each[1] + each[2] + each[3] + each[4] + each[5] + each[6] + each[7];
}

// Eight words at a step, counted in place (VPOPCNTDQ); target_clones does not know of it.
__attribute__((target("avx512f,avx512vpopcntdq"))) std::size_t intersect_wide(const Word* a, const Word* b,
                                                                              Word* into, std::size_t words) {
    __m512i sum = _mm512_setzero_si512();
    std::size_t w = 0;
    for (; w + 8 <= words; w += 8) {
        const __m512i both = _mm512_and_si512(_mm512_loadu_si512(a + w), _mm512_loadu_si512(b + w));
        _mm512_storeu_si512(into + w, both);
        sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(both));
    }
    if (w < words) {
        const __mmask8 rest = static_cast<__mmask8>((1u << (words - w)) - 1);
        const __m512i both =
            _mm512_and_si512(_mm512_maskz_loadu_epi64(rest, a + w), _mm512_maskz_loadu_epi64(rest, b + w));
        _mm512_mask_storeu_epi64(into + w, rest, both);
        sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(both));
    }
    return added(sum);
}

__attribute__((target("avx512f,avx512vpopcntdq"))) std::size_t shared_wide(const Word* a, const Word* b,
                                                                           std::size_t words) {
    __m512i sum = _mm512_setzero_si512();
    for (std::size_t w = 0; w < words; w += 8) {
        const __mmask8 some = static_cast<__mmask8>(words - w >= 8 ? 0xff : (1u << (words - w)) - 1);
        const __m512i both =
            _mm512_and_si512(_mm512_maskz_loadu_epi64(some, a + w), _mm512_maskz_loadu_epi64(some, b + w));
        sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(both));
    }
    return added(sum);
}

__attribute__((target("bmi2,popcnt"))) std::size_t pack_wide(const Word* mask, const Word* from, Word* into,
                                                             std::size_t words, std::size_t into_words) {
    Word open = 0;  // the word being filled, of which `filled` bits are there
    std::size_t filled = 0, at = 0, n = 0;
    for (std::size_t w = 0; w < words; ++w) {
        if (!mask[w]) continue;
        const Word some = _pext_u64(from[w], mask[w]);
        const std::size_t bits = static_cast<std::size_t>(__builtin_popcountll(mask[w]));
        n += static_cast<std::size_t>(__builtin_popcountll(some));
        open |= some << filled;
        if (filled + bits >= 64) {
            into[at++] = open;
            open = filled ? some >> (64 - filled) : 0;
            filled += bits - 64;
        } else {
            filled += bits;
        }
    }
    if (filled) into[at++] = open;
    for (; at < into_words; ++at) into[at] = 0;
    return n;
}
#endif

using Intersect = std::size_t (*)(const Word*, const Word*, Word*, std::size_t);
using Shared = std::size_t (*)(const Word*, const Word*, std::size_t);
using Pack = std::size_t (*)(const Word*, const Word*, Word*, std::size_t, std::size_t);

struct Chosen {
    Intersect intersect = intersect_plain;
    Shared shared = shared_plain;
    Pack pack = pack_plain;

    Chosen() {
#ifdef ACUMEN_BY_HAND
        __builtin_cpu_init();
        if (__builtin_cpu_supports("avx512vpopcntdq")) intersect = intersect_wide, shared = shared_wide;
        if (__builtin_cpu_supports("bmi2")) pack = pack_wide;
#endif
    }
};

const Chosen& chosen() {
    static const Chosen made;
    return made;
}

}  // namespace

std::size_t intersect(const Word* a, const Word* b, Word* into, std::size_t words) {
    return chosen().intersect(a, b, into, words);
}

std::size_t count_rows(const Word* a, std::size_t words) { return chosen().shared(a, a, words); }

std::size_t count_shared(const Word* a, const Word* b, std::size_t words) {
    return chosen().shared(a, b, words);
}

std::size_t pack_rows(const Word* mask, const Word* from, Word* into, std::size_t words,
                      std::size_t into_words) {
    return chosen().pack(mask, from, into, words, into_words);
}

void intersect_runs(const Word* a, const Word* b, Word* into, const std::size_t* at, std::int64_t* counts,
                    std::size_t runs) {
    constexpr std::size_t FEW = 12;  // words of a run for which a call is dearer than what it saves
    if (at[runs] - at[0] < FEW * runs) return runs_plain(a, b, into, at, counts, runs);
    for (std::size_t s = 0; s < runs; ++s)
        counts[s] =
            static_cast<std::int64_t>(intersect(a + at[s], b + at[s], into + at[s], at[s + 1] - at[s]));
}

}  // namespace acumen
