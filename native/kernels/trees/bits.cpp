#include "kernels/trees/bits.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/common/clones.hpp"

namespace acumen::tree {

namespace {

// The lowest bit of each of 64 bytes, in order.
inline __attribute__((always_inline)) std::uint64_t packed(const std::uint8_t* bytes) {
    std::uint64_t made = 0;
    for (unsigned i = 0; i < 8; ++i) {
        std::uint64_t eight;
        std::memcpy(&eight, bytes + 8 * i, sizeof eight);
        made |= (eight * 0x0102040810204080u >> 56) << (8 * i);
    }
    return made;
}

// Entry as one whole number: the rank in its lower half, the word in its upper.
template <class Entry, class Both>
inline __attribute__((always_inline)) void bits_of(const Entry* list, std::uint32_t n, std::uint64_t* differs,
                                                   std::uint64_t* second) {
    constexpr unsigned half = sizeof(Both) * 4;
    static_assert(sizeof(Both) == sizeof(Entry) && std::endian::native == std::endian::little);
    std::uint8_t differ[64], one[64];
    std::uint32_t i = 0;
    std::size_t word = 0;
    for (; i + 64 < n; i += 64, ++word) {
        for (std::uint32_t j = 0; j < 64; ++j) {
            Both here, next;
            std::memcpy(&here, list + i + j, sizeof here);
            std::memcpy(&next, list + i + j + 1, sizeof next);
            differ[j] = static_cast<Both>((here ^ next) << half) != 0;
            one[j] = here >> half & 1;
        }
        differs[word] = packed(differ);
        second[word] = packed(one);
    }
    std::uint64_t d = 0, s = 0;
    for (std::uint32_t j = 0; i + j < n; ++j) {
        const bool last = i + j + 1 == n;
        d |= std::uint64_t{last || list[i + j].rank != list[i + j + 1].rank} << j;
        s |= std::uint64_t{list[i + j].word & 1u} << j;
    }
    differs[word] = d;
    second[word++] = s;
    differs[word] = second[word] = 0;
}

}  // namespace

ACUMEN_CLONES void entry_bits(const Wide* list, std::uint32_t n, std::uint64_t* differs,
                              std::uint64_t* second) {
    bits_of<Wide, std::uint64_t>(list, n, differs, second);
}

ACUMEN_CLONES void entry_bits(const Narrow* list, std::uint32_t n, std::uint64_t* differs,
                              std::uint64_t* second) {
    bits_of<Narrow, std::uint32_t>(list, n, differs, second);
}

ACUMEN_CLONES std::uint32_t cuts_to_score(const std::uint64_t* differs, const std::uint64_t* second,
                                          std::uint32_t n, std::uint32_t first, std::uint32_t last,
                                          std::uint64_t* marked) {
    const std::size_t words = (n + 63) / 64;
    std::uint32_t tries = 0;
    std::uint64_t carried = 1;  // before the first entry there is none of the same value
    for (std::size_t w = 0; w < words; ++w) {
        const std::uint64_t d = differs[w], s = second[w];
        const std::uint64_t before = d << 1 | carried, next = d >> 1 | differs[w + 1] << 63;
        const std::uint64_t other = s ^ (s >> 1 | second[w + 1] << 63);
        carried = d >> 63;
        std::uint64_t allowed = d, ends = 0;
        if (w <= first / 64) {
            if (w < first / 64)
                allowed = 0;
            else {
                allowed &= ~std::uint64_t{0} << (first % 64);
                ends |= std::uint64_t{1} << (first % 64);
            }
        }
        if (w >= last / 64) {
            if (w > last / 64)
                allowed = 0;
            else {
                allowed &= ~std::uint64_t{0} >> (63 - last % 64);
                ends |= std::uint64_t{1} << (last % 64);
            }
        }
        marked[w] = allowed & (other | ~(before & next) | ends);
        tries += static_cast<std::uint32_t>(__builtin_popcountll(allowed));
    }
    return tries;
}

ACUMEN_CLONES std::size_t gather(const std::uint64_t* marked, const std::uint64_t* second, std::size_t begin,
                                 std::size_t end, std::int32_t& before, std::int32_t* at,
                                 std::int32_t* ones) {
    std::size_t k = 0;
    std::int32_t count = before;
    for (std::size_t w = begin; w < end; ++w) {
        const std::uint64_t s = second[w];
        const auto start = static_cast<std::int32_t>(w * 64 + 1);
        for (std::uint64_t left = marked[w]; left; left &= left - 1) {
            const int bit = __builtin_ctzll(left);
            at[k] = start + bit;
            ones[k++] = count + __builtin_popcountll(s & ((std::uint64_t{2} << bit) - 1));
        }
        count += __builtin_popcountll(s);
    }
    before = count;
    return k;
}

}  // namespace acumen::tree
