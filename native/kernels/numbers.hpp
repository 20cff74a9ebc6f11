// Numbers and dates as people write them in tables. Plain C++20: no Python, no exceptions but bad_alloc.
//
//   parse_number   exactly Python's float() for: optional sign, digits with an optional mark, exponent;
//                  inf, infinity and nan in any letter case. No hex, underscores, thousands or blanks.
//   parse_date     ISO 8601 calendar dates, with or without a time, as days since 1970-01-01.
#pragma once

#include <cstdint>
#include <cstring>

namespace acumen {

// What a spelling showed besides its value.
enum NumberFlag : int {
    kPoint = 1,        // a decimal mark
    kExponent = 2,     // an exponent
    kLeadingZero = 4,  // 007: a code rather than a quantity
    kBigInteger = 8,   // whole, and beyond 2^53: a double may not hold it
    kInfinite = 16,    // spelled inf, or too large for a double
    kNotANumber = 32,  // spelled nan
};

struct Number {
    double value;
    int flags;  // below zero: the text is no number
};

namespace detail {

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

inline std::uint64_t load8(const char* p) {
    std::uint64_t word;
    std::memcpy(&word, p, 8);
    return word;
}

// Eight digits at once (Lemire and Mula's check and Lemire's sum of pairs); little-endian machines only.
inline bool eight_digits(std::uint64_t word) {
    return ((word & 0xF0F0F0F0F0F0F0F0) | (((word + 0x0606060606060606) & 0xF0F0F0F0F0F0F0F0) >> 4)) ==
           0x3333333333333333;
}

inline std::uint64_t value_of_eight(std::uint64_t word) {
    word -= 0x3030303030303030;
    word = word * 10 + (word >> 8);
    return (((word & 0x000000FF000000FF) * 0x000F424000000064) +
            (((word >> 16) & 0x000000FF000000FF) * 0x0000271000000001)) >>
           32;
}

inline const char* read_digits(const char* p, const char* end, std::uint64_t& mantissa) {
    while (end - p >= 8) {
        const std::uint64_t word = load8(p);
        if (!eight_digits(word)) break;
        mantissa = mantissa * 100000000 + value_of_eight(word);
        p += 8;
    }
    while (p < end && is_digit(*p)) mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p++ - '0');
    return p;
}

// mantissa * 10^exponent where every digit is in `mantissa`; false when the short ways cannot decide.
bool scale(std::uint64_t mantissa, int exponent, double& value) noexcept;
// The long way: any number of digits, any exponent.
Number parse_long(const char* begin, const char* end, char mark, int flags);
// inf, infinity and nan.
Number parse_word(const char* begin, const char* end) noexcept;

}  // namespace detail

// The number written in [begin, end) with `mark` as its decimal mark.
inline Number parse_number(const char* begin, const char* end, char mark) {
    using namespace detail;
    const char* p = begin;
    const bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) ++p;
    std::uint64_t mantissa = 0;
    const char* const whole = p;
    p = read_digits(p, end, mantissa);
    const std::ptrdiff_t whole_digits = p - whole;
    int flags = whole_digits > 1 && *whole == '0' ? kLeadingZero : 0;
    std::ptrdiff_t digits = whole_digits;
    int exponent = 0;
    if (p < end) {
        if (*p == mark) {
            const char* const fraction = ++p;
            p = read_digits(p, end, mantissa);
            if (p - fraction > 1000000) return parse_long(begin, end, mark, flags | kPoint);
            exponent = -static_cast<int>(p - fraction);
            digits += p - fraction;
            flags |= kPoint;
        }
        if (digits == 0) return parse_word(begin, end);
        if (p < end && (*p | 32) == 'e') {
            ++p;
            const bool down = p < end && *p == '-';
            if (p < end && (*p == '-' || *p == '+')) ++p;
            if (p == end) return {0, -1};
            int stated = 0;
            for (; p < end && is_digit(*p); ++p)
                if (stated < 100000) stated = stated * 10 + (*p - '0');
            exponent += down ? -stated : stated;
            flags |= kExponent;
        }
        if (p != end) return {0, -1};
    } else if (digits == 0) {
        return {0, -1};
    }
    if (digits > 19) {  // leading zeros do not count; beyond 19 digits the mantissa has overflowed
        for (const char* q = whole; q < end && (*q == '0' || *q == mark); ++q) digits -= *q == '0';
        if (digits > 19) return parse_long(begin, end, mark, flags);
    }
    if (!(flags & (kPoint | kExponent)) && mantissa > (1ULL << 53)) flags |= kBigInteger;
    double value;
    if (!scale(mantissa, exponent, value)) return parse_long(begin, end, mark, flags);
    return {negative ? -value : value, flags};
}

// Days since 1970-01-01 for YYYY-MM-DD, alone or with T or a blank and HH:MM[:SS[.fff]] and then
// nothing, Z or an offset +HH:MM, which is taken off. False if [begin, end) is no such date.
bool parse_date(const char* begin, const char* end, double& days) noexcept;

}  // namespace acumen
