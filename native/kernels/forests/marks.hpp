// Which codes of a byte were met: a byte each, so that a mark is one store that waits for nothing.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace acumen::forest {

class Marks {
  public:
    void set(std::uint32_t code) { met_[code] = 1; }

    // Calls take(code) for each that was met, ascending, and forgets them all.
    template <class Take>
    void visit(const Take& take) {
        for (std::uint32_t first = 0; first < 256; first += 64) {
            std::uint64_t bits = bits_from(first);
            for (; bits; bits &= bits - 1) take(first + static_cast<std::uint32_t>(std::countr_zero(bits)));
        }
        met_.fill(0);
    }

  private:
    std::uint64_t bits_from(std::uint32_t first) const {
        std::uint64_t bits = 0;
#if defined(__SSE2__)
        const __m128i none = _mm_setzero_si128();
        for (unsigned at = 0; at < 64; at += 16) {
            __m128i some;
            std::memcpy(&some, met_.data() + first + at, sizeof some);
            const auto met = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpgt_epi8(some, none)));
            bits |= std::uint64_t{met} << at;
        }
#else
        for (unsigned at = 0; at < 64; ++at) bits |= std::uint64_t{met_[first + at]} << at;
#endif
        return bits;
    }

    std::array<std::uint8_t, 256> met_{};
};

}  // namespace acumen::forest
