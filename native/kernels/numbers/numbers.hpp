// Numbers and dates as people write them in tables. Plain C++20: no Python, no exceptions but bad_alloc.
//
//   parse_number   exactly Python's float() for: optional sign, digits with an optional mark, exponent;
//                  inf, infinity and nan in any letter case. No hex, underscores, thousands or blanks.
//   parse_date     ISO 8601 calendar dates, with or without a time, as days since 1970-01-01.
#pragma once

#include <bit>
#include <cstddef>
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
    kWhole = 64,       // neither mark nor exponent
    kLong = 128,       // whole, of more than three digits: nobody groups thousands here
    kUngrouped = 256,  // a mark that cannot stand between thousands: 0.125, 1.25, 1234.567, 1.234e5
};

struct Number {
    double value;
    int flags;  // -1, which has every bit: the text is no number
};

namespace detail {

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

inline std::uint64_t load8(const char* p) {
    std::uint64_t word;
    std::memcpy(&word, p, 8);
    return word;
}

inline constexpr std::uint64_t kZeros = 0x3030303030303030;
inline constexpr double kTens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
inline constexpr std::uint64_t kWholeTens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

// Eight digits at once (Lemire and Mula's check and Lemire's sum of pairs); little-endian machines only.
inline bool eight_digits(std::uint64_t word) {
    return ((word & 0xF0F0F0F0F0F0F0F0) | (((word + 0x0606060606060606) & 0xF0F0F0F0F0F0F0F0) >> 4)) ==
           0x3333333333333333;
}

// Of eight bytes that hold 0 to 9 each, the first digit in the lowest.
inline std::uint64_t value_of_eight(std::uint64_t word) {
    word = word * 10 + (word >> 8);
    return (((word & 0x000000FF000000FF) * 0x000F424000000064) +
            (((word >> 16) & 0x000000FF000000FF) * 0x0000271000000001)) >>
           32;
}

inline const char* read_digits(const char* p, const char* end, std::uint64_t& mantissa) {
    while (end - p >= 8) {
        const std::uint64_t word = load8(p);
        if (!eight_digits(word)) break;
        mantissa = mantissa * 100000000 + value_of_eight(word ^ kZeros);
        p += 8;
    }
    while (p < end && is_digit(*p)) mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p++ - '0');
    return p;
}

// Without a branch: whether a number is negative is seldom foretold.
inline double with_sign(double value, bool negative) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ std::uint64_t{negative} << 63);
}

// kUngrouped unless one to three digits stand before a mark, the first of them not 0, and three behind it.
inline int ungrouped(char first, std::ptrdiff_t before, std::ptrdiff_t behind) {
    return (first == '0') | (before < 1) | (before > 3) | (behind != 3) ? kUngrouped : 0;
}

// mantissa * 10^exponent for exponents of -64 to 64; false if it cannot decide.
bool eisel_lemire(std::uint64_t mantissa, int exponent, double& value) noexcept;
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
            if (p - fraction > 1000000) return parse_long(begin, end, mark, flags | kPoint | kUngrouped);
            exponent = -static_cast<int>(p - fraction);
            digits += p - fraction;
            flags |= kPoint | ungrouped(*whole, whole_digits, p - fraction);
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
            flags |= kExponent | kUngrouped;
        }
        if (p != end) return {0, -1};
    } else if (digits == 0) {
        return {0, -1};
    }
    if (digits > 19) {  // leading zeros do not count; beyond 19 digits the mantissa has overflowed
        for (const char* q = whole; q < end && (*q == '0' || *q == mark); ++q) digits -= *q == '0';
        if (digits > 19) return parse_long(begin, end, mark, flags);
    }
    if (!(flags & (kPoint | kExponent)))
        flags |= kWhole | (mantissa > (1ULL << 53) ? kBigInteger : 0) | (mantissa > 999 ? kLong : 0);
    double value;
    if (!scale(mantissa, exponent, value)) return parse_long(begin, end, mark, flags);
    return {negative ? -value : value, flags};
}

// The same for text that is followed by eight readable bytes or more, as a scanner's is: the plain shape
// [-]digits[mark digits] without a loop over its digits, everything else by parse_number.
inline Number parse_padded_number(const char* begin, const char* end, char mark) {
    using namespace detail;
    constexpr std::uint64_t kTops = 0x8080808080808080, kNineUp = 0x7676767676767676;
    const bool negative = *begin == '-';
    const char* p = begin + negative;
    const std::uint64_t word =
        load8(p) ^ kZeros;  // digits become 0 to 9; the first other byte is found below
    const std::uint64_t others = ((word + kNineUp) | word) & kTops;
    const std::ptrdiff_t whole = others ? std::countr_zero(others) / 8 : 8;
    if (whole == 0 || whole == 8 || whole > end - p) return parse_number(begin, end, mark);
    std::uint64_t mantissa = value_of_eight(word << (64 - 8 * whole));
    const int flags = whole > 1 && *p == '0' ? kLeadingZero : 0;
    p += whole;
    if (p == end) {
        return {with_sign(static_cast<double>(mantissa), negative), flags | kWhole | (whole > 3 ? kLong : 0)};
    }
    const std::ptrdiff_t fraction = end - p - 1;
    if (*p != mark || fraction == 0 || whole + fraction > 19) return parse_number(begin, end, mark);
    ++p;
    // `n` digits, at most eight, with zeros before them; two shifts, since one by 64 means nothing.
    const auto part = [](const char* from, std::ptrdiff_t n) {
        const auto half = 4 * (8 - n);
        return ((load8(from) ^ kZeros) << half) << half;
    };
    std::uint64_t wrong;
    if (fraction <= 8) {
        const std::uint64_t only = part(p, fraction);
        wrong = (only + kNineUp) | only;
        mantissa = mantissa * kWholeTens[fraction] + value_of_eight(only);
    } else {
        // All three parts whatever their lengths: how many digits a double has is not foretold either.
        const std::ptrdiff_t first = fraction > 16 ? fraction - 16 : 0, second = fraction - 8 - first;
        const std::uint64_t a = part(p, first), b = part(p + first, second), c = load8(end - 8) ^ kZeros;
        wrong = (a + kNineUp) | a | (b + kNineUp) | b | (c + kNineUp) | c;
        mantissa = mantissa * kWholeTens[first] + value_of_eight(a);
        mantissa = mantissa * kWholeTens[second] + value_of_eight(b);
        mantissa = mantissa * 100000000 + value_of_eight(c);
    }
    if (wrong & kTops) return parse_number(begin, end, mark);
    double value;
    // By the number of digits, not by the mantissa: a column's numbers mostly go one way, and are foretold.
    if (whole + fraction <= 15)
        value = static_cast<double>(mantissa) / kTens[fraction];
    else if (!eisel_lemire(mantissa, -static_cast<int>(fraction), value))
        return parse_number(begin, end, mark);
    return {with_sign(value, negative), flags | kPoint | ungrouped(*(begin + negative), whole, fraction)};
}

// Days since 1970-01-01 for YYYY-MM-DD, alone or with T or a blank and HH:MM[:SS[.fff]] and then
// nothing, Z or an offset +HH:MM, which is taken off. False if [begin, end) is no such date.
// `what`, if given, tells of a time (kTimed) and of its zone (kZoned).
enum DateFlag : int { kTimed = 1, kZoned = 2 };
bool parse_date(const char* begin, const char* end, double& days, int* what = nullptr) noexcept;

}  // namespace acumen
