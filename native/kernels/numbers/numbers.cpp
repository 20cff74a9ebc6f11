// Three ways from digits to the nearest double, each exact where it is used:
//   Clinger       mantissa and power of ten are both doubles: one multiplication or division rounds once
//   Eisel-Lemire  a 128-bit product with a truncated power of five (Lemire, Number Parsing at a Gigabyte
//                 per Second, 2021); it knows when it cannot decide
//   from_chars    everything else: more than 19 digits, far exponents, subnormal numbers
#include "kernels/numbers/numbers.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <system_error>

#include "kernels/numbers/decimal.hpp"

static_assert(std::endian::native == std::endian::little, "numbers.hpp reads eight digits as one word");

namespace acumen {
namespace {

constexpr int kReach = 64;  // the table holds 5^-64 .. 5^64; other exponents are rare in tables

struct Wide {
    std::uint64_t high, low;
};

// A whole number of 512 bits, only as able as the table below needs.
struct Big {
    std::array<std::uint32_t, 16> limb{};

    constexpr void times_five() {
        std::uint64_t carry = 0;
        for (auto& l : limb) {
            carry += std::uint64_t{l} * 5;
            l = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
    }
    constexpr void over_five() {
        std::uint64_t rest = 0;
        for (int i = 15; i >= 0; --i) {
            rest = rest << 32 | limb[i];
            limb[i] = static_cast<std::uint32_t>(rest / 5);
            rest %= 5;
        }
    }
    constexpr int bits() const {
        for (int i = 15; i >= 0; --i)
            if (limb[i]) return 32 * i + static_cast<int>(std::bit_width(limb[i]));
        return 0;
    }
    constexpr bool bit(int i) const { return i >= 0 && (limb[i / 32] >> (i % 32) & 1); }
    // The 128 bits from the highest set one down.
    constexpr Wide top() const {
        Wide made{0, 0};
        const int from = bits() - 1;
        for (int i = 0; i < 64; ++i) {
            made.high = made.high << 1 | static_cast<std::uint64_t>(bit(from - i));
            made.low = made.low << 1 | static_cast<std::uint64_t>(bit(from - 64 - i));
        }
        return made;
    }
};

// 5^q to 128 bits: truncated for q >= 0, the reciprocal rounded up for q < 0, as the algorithm wants.
constexpr Wide power_of_five(int q) {
    Big five;
    five.limb[0] = 1;
    for (int i = 0; i < (q < 0 ? -q : q); ++i) five.times_five();
    if (q >= 0) return five.top();
    const int size = five.bits();
    const int b = q >= -27 ? size + 127 : 2 * size + 128;
    Big quotient;
    quotient.limb[b / 32] = 1U << (b % 32);
    for (int i = 0; i < -q; ++i) quotient.over_five();
    for (auto& l : quotient.limb)
        if (++l) break;
    return quotient.top();
}

constexpr auto kFives = [] {
    std::array<Wide, 2 * kReach + 1> table{};
    for (int q = -kReach; q <= kReach; ++q) table[static_cast<std::size_t>(q + kReach)] = power_of_five(q);
    return table;
}();

Wide product(std::uint64_t a, std::uint64_t b) {
    const unsigned __int128 wide = static_cast<unsigned __int128>(a) * b;
    return {static_cast<std::uint64_t>(wide >> 64), static_cast<std::uint64_t>(wide)};
}

bool same_word(const char* p, const char* end, const char* word) {
    for (; p < end && *word; ++p, ++word)
        if ((*p | 32) != *word) return false;
    return p == end && !*word;
}

}  // namespace

bool detail::eisel_lemire(std::uint64_t w, int q, double& value) noexcept {
    if (w == 0 || q < -kReach || q > kReach) return false;
    const int zeros = std::countl_zero(w);
    w <<= zeros;
    const Wide five = kFives[static_cast<std::size_t>(q + kReach)];
    Wide p = product(w, five.high);
    constexpr std::uint64_t kPrecision = ~std::uint64_t{0} >> 55;
    if ((p.high & kPrecision) == kPrecision) {  // the low half of the power may still carry
        const Wide second = product(w, five.low);
        p.low += second.high;
        if (second.high > p.low) ++p.high;
        if (p.low == ~std::uint64_t{0}) return false;
    }
    const int upper = static_cast<int>(p.high >> 63);
    std::uint64_t mantissa = p.high >> (upper + 9);
    const int power = ((217706 * q) >> 16) + 63 + upper - zeros + 1023;
    if (power <= 0 || power >= 0x7FE) return false;
    // Exactly half way between two doubles: to even.
    if (p.low <= 1 && q >= -4 && q <= 23 && (mantissa & 3) == 1 && mantissa << (upper + 9) == p.high)
        mantissa &= ~std::uint64_t{1};
    mantissa += mantissa & 1;
    mantissa >>= 1;
    const std::uint64_t carried = mantissa >> 53;  // rounding up may have reached the next power of two
    mantissa = carried ? 0 : mantissa & ~(std::uint64_t{1} << 52);
    value = std::bit_cast<double>(mantissa | (static_cast<std::uint64_t>(power) + carried) << 52);
    return true;
}

bool detail::scale(std::uint64_t mantissa, int exponent, double& value) noexcept {
    if (exponent == 0) {
        value = static_cast<double>(mantissa);
        return true;
    }
    if (mantissa <= (std::uint64_t{1} << 53) && exponent >= -22 && exponent <= 22) {
        const double whole = static_cast<double>(mantissa);
        value = exponent < 0 ? whole / kTens[-exponent] : whole * kTens[exponent];
        return true;
    }
    if (mantissa == 0) {
        value = 0;
        return true;
    }
    return eisel_lemire(mantissa, exponent, value);
}

namespace {

// std::from_chars where the library has it for doubles: Apple's has it from macOS 26 on.
DecimalResult read_decimal(const char* begin, const char* end, double& value) {
#if defined(__cpp_lib_to_chars)
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (stop != end || error == std::errc::invalid_argument) return DecimalResult::kNoNumber;
    return error == std::errc::result_out_of_range ? DecimalResult::kOutOfRange : DecimalResult::kDone;
#else
    return parse_decimal(begin, end, value);
#endif
}

}  // namespace

Number detail::parse_long(const char* begin, const char* end, char mark, int flags) {
    const bool negative = *begin == '-';
    if (*begin == '-' || *begin == '+') ++begin;
    std::string copy;
    if (mark != '.' && (flags & kPoint)) {
        copy.assign(begin, end);
        copy[copy.find(mark)] = '.';
        begin = copy.data();
        end = begin + copy.size();
    }
    if (!(flags & (kPoint | kExponent))) flags |= kWhole | kLong | (*begin != '0' ? kBigInteger : 0);
    double value = 0;
    const DecimalResult result = read_decimal(begin, end, value);
    if (result == DecimalResult::kNoNumber) return {0, -1};
    if (result == DecimalResult::kOutOfRange) {
        // Too large or too small: what the first digit that counts is worth tells which.
        long long weight = 0, exponent = 0;
        const char* p = begin;
        const char* const stop_digits = [&] {
            const char* q = begin;
            while (q < end && (*q | 32) != 'e') ++q;
            return q;
        }();
        const char* point = begin;
        while (point < stop_digits && *point != '.') ++point;
        while (p < stop_digits && (*p == '0' || *p == '.')) ++p;
        weight = p < point ? point - p : point - p + 1;
        if (stop_digits < end) {
            const char* q = stop_digits + 1;
            const bool down = *q == '-';
            for (q += *q == '-' || *q == '+'; q < end; ++q)
                if (exponent < 1000000000) exponent = exponent * 10 + (*q - '0');
            if (down) exponent = -exponent;
        }
        value = weight + exponent > 0 ? std::numeric_limits<double>::infinity() : 0.0;
    }
    if (std::isinf(value)) flags |= kInfinite;
    return {negative ? -value : value, flags};
}

Number detail::parse_word(const char* begin, const char* end) noexcept {
    const bool negative = begin < end && *begin == '-';
    if (begin < end && (*begin == '-' || *begin == '+')) ++begin;
    if (same_word(begin, end, "inf") || same_word(begin, end, "infinity")) {
        const double infinite = std::numeric_limits<double>::infinity();
        return {negative ? -infinite : infinite, kInfinite};
    }
    if (same_word(begin, end, "nan")) return {std::numeric_limits<double>::quiet_NaN(), kNotANumber};
    return {0, -1};
}

namespace {

// `count` digits as a number, or -1.
int fixed_digits(const char*& p, const char* end, int count) {
    if (end - p < count) return -1;
    int value = 0;
    for (int i = 0; i < count; ++i, ++p) {
        if (!detail::is_digit(*p)) return -1;
        value = value * 10 + (*p - '0');
    }
    return value;
}

// Howard Hinnant's days_from_civil: the Gregorian calendar, 1970-01-01 is day 0.
long days_from_civil(int y, int m, int d) {
    y -= m <= 2;
    const int era = y / 400, of_era = y - era * 400;
    const int of_year = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    return era * 146097L + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

}  // namespace

bool parse_date(const char* begin, const char* end, double& days, int* what) noexcept {
    const char* p = begin;
    if (what) *what = 0;
    const auto take = [&](char c) { return p < end && *p == c ? (++p, true) : false; };
    const int year = fixed_digits(p, end, 4);
    if (year < 1 || !take('-')) return false;
    const int month = fixed_digits(p, end, 2);
    if (month < 1 || month > 12 || !take('-')) return false;
    const int day = fixed_digits(p, end, 2);
    constexpr int kLengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if (day < 1 || day > kLengths[month - 1] + (month == 2 && leap)) return false;
    days = static_cast<double>(days_from_civil(year, month, day));
    if (p == end) return true;
    if (!take('T') && !take(' ')) return false;
    const int hour = fixed_digits(p, end, 2);
    if (hour < 0 || hour > 23 || !take(':')) return false;
    const int minute = fixed_digits(p, end, 2);
    if (minute < 0 || minute > 59) return false;
    double seconds = 0;
    if (take(':')) {
        const int whole = fixed_digits(p, end, 2);
        if (whole < 0 || whole > 60) return false;  // 60: a leap second
        seconds = whole;
        if (take('.')) {
            const char* const fraction = p - 1;
            while (p < end && detail::is_digit(*p)) ++p;
            if (p - fraction < 2 || p - fraction > 18) return false;
            seconds += parse_number(fraction, p, '.').value;
        }
    }
    int offset = 0;
    if (what) *what = p < end ? kTimed | kZoned : kTimed;
    if (p < end && (*p == '+' || *p == '-')) {
        const int sign = *p++ == '-' ? -1 : 1;
        const int hours = fixed_digits(p, end, 2);
        take(':');
        const int minutes = p < end ? fixed_digits(p, end, 2) : 0;
        if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return false;
        offset = sign * (60 * hours + minutes);
    } else {
        take('Z');
    }
    if (p != end) return false;
    days += ((hour * 60 + minute - offset) * 60 + seconds) / 86400;
    return true;
}

}  // namespace acumen
