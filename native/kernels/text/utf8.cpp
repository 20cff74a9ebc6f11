// UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing beyond U+10FFFF; and no NUL.
#include <cstring>

#include "kernels/text/reader.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace acumen {
namespace {

// Bytes from `at` on that are ASCII and not NUL, in whole steps of 16.
std::size_t plain_run(const char* text, std::size_t at, std::size_t size) {
    const std::size_t from = at;
#if defined(__SSE2__)
    const __m128i zero = _mm_setzero_si128();
    for (; at + 16 <= size; at += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + at));
        // Signed: NUL and everything beyond ASCII are the bytes that are not above zero.
        if (_mm_movemask_epi8(_mm_cmpgt_epi8(bytes, zero)) != 0xFFFF) break;
    }
#else
    for (; at + 8 <= size; at += 8) {
        std::uint64_t word;
        std::memcpy(&word, text + at, 8);
        if ((word & 0x8080808080808080) || ((word - 0x0101010101010101) & ~word & 0x8080808080808080)) break;
    }
#endif
    return at - from;
}

}  // namespace

std::size_t Utf8Check::check(const char* text, std::size_t size, TextFault& what) {
    what = TextFault::kNone;
    for (std::size_t i = 0; i < size;) {
        if (!pending_) {
            i += plain_run(text, i, size);
            if (i >= size) break;
        }
        const auto byte = static_cast<unsigned char>(text[i]);
        if (pending_) {
            if (byte < low_ || byte > high_) {
                what = TextFault::kEncoding;
                return i;
            }
            --pending_;
            low_ = 0x80;
            high_ = 0xBF;
        } else if (byte == 0) {
            what = TextFault::kNul;
            return i;
        } else if (byte >= 0x80) {
            if (byte < 0xC2 || byte > 0xF4) {
                what = TextFault::kEncoding;
                return i;
            }
            pending_ = byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3;
            if (byte == 0xE0) low_ = 0xA0;
            if (byte == 0xED) high_ = 0x9F;
            if (byte == 0xF0) low_ = 0x90;
            if (byte == 0xF4) high_ = 0x8F;
        }
        ++i;
    }
    return size;
}

}  // namespace acumen
