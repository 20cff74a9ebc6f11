// value = a / b for whole numbers a and b. Their quotient is taken to 64 bits or 65, one subtraction a bit,
// and rounded half to even with what is left over. 800 digits decide every rounding (768 suffice for
// doubles); a digit 1 stands for the rest.
#include "kernels/numbers/decimal.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace acumen {
namespace {

constexpr std::size_t kDigits = 800;
constexpr long kFarthest = 1200;  // with an exponent beyond it, 800 digits or fewer are out of range

// A whole number of any size, its lowest 32 bits first, without zeros at the top.
class Whole {
  public:
    explicit Whole(std::uint32_t value = 0) {
        if (value) limbs_.push_back(value);
    }

    void multiply_add(std::uint32_t factor, std::uint32_t addend) {
        std::uint64_t carry = addend;
        for (auto& limb : limbs_) {
            carry += std::uint64_t{limb} * factor;
            limb = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
        if (carry) limbs_.push_back(static_cast<std::uint32_t>(carry));
    }

    long bits() const {
        return limbs_.empty() ? 0 : 32 * static_cast<long>(limbs_.size()) - std::countl_zero(limbs_.back());
    }

    void shift_left(long count) {
        if (limbs_.empty() || count <= 0) return;
        limbs_.insert(limbs_.begin(), static_cast<std::size_t>(count / 32), 0);
        if (const int rest = static_cast<int>(count % 32)) multiply_add(std::uint32_t{1} << rest, 0);
    }

    void halve() {
        for (std::size_t i = 0; i < limbs_.size(); ++i) {
            const std::uint32_t above = i + 1 < limbs_.size() ? limbs_[i + 1] : 0;
            limbs_[i] = (limbs_[i] >> 1) | (above << 31);
        }
        trim();
    }

    // Subtracts `other` if it is not larger; whether it did.
    bool take(const Whole& other) {
        if (limbs_.size() != other.limbs_.size()) {
            if (limbs_.size() < other.limbs_.size()) return false;
        } else if (std::lexicographical_compare(limbs_.rbegin(), limbs_.rend(), other.limbs_.rbegin(),
                                                other.limbs_.rend())) {
            return false;
        }
        std::int64_t borrow = 0;
        for (std::size_t i = 0; i < limbs_.size(); ++i) {
            borrow += std::int64_t{limbs_[i]} - (i < other.limbs_.size() ? other.limbs_[i] : 0);
            limbs_[i] = static_cast<std::uint32_t>(borrow);
            borrow >>= 32;
        }
        trim();
        return true;
    }

    bool zero() const { return limbs_.empty(); }

  private:
    void trim() {
        while (!limbs_.empty() && !limbs_.back()) limbs_.pop_back();
    }

    std::vector<std::uint32_t> limbs_;
};

void times_power_of_ten(Whole& number, long exponent) {
    for (; exponent >= 9; exponent -= 9) number.multiply_add(1000000000, 0);
    for (; exponent > 0; --exponent) number.multiply_add(10, 0);
}

// The digits as a whole number, and the power of ten it is to be multiplied by.
struct Scanned {
    Whole digits;
    long exponent = 0;
    bool good = false;
};

Scanned scan(const char* p, const char* end) {
    Scanned number;
    std::size_t kept = 0;
    bool any = false, point = false, rest = false;
    for (; p < end; ++p) {
        if (*p == '.' && !point) {
            point = true;
            continue;
        }
        const auto digit = static_cast<unsigned char>(*p - '0');
        if (digit > 9) break;
        any = true;
        if (kept < kDigits) {
            if (kept || digit) {
                number.digits.multiply_add(10, digit);
                ++kept;
            }
            number.exponent -= point;
        } else {
            rest |= digit != 0;
            number.exponent += !point;
        }
    }
    if (rest) {
        number.digits.multiply_add(10, 1);
        --number.exponent;
    }
    if (!any) return number;
    if (p < end) {
        if ((*p | 32) != 'e') return number;
        const bool down = ++p < end && *p == '-';
        if (p < end && (*p == '-' || *p == '+')) ++p;
        if (p == end) return number;
        long exponent = 0;
        for (; p < end; ++p) {
            const auto digit = static_cast<unsigned char>(*p - '0');
            if (digit > 9) return number;
            exponent = std::min(exponent * 10 + digit, 1000000000L);
        }
        number.exponent += down ? -exponent : exponent;
    }
    number.good = true;
    return number;
}

}  // namespace

DecimalResult parse_decimal(const char* begin, const char* end, double& value) {
    Scanned number = scan(begin, end);
    if (!number.good) return DecimalResult::kNoNumber;
    if (number.digits.zero()) {
        value = 0;
        return DecimalResult::kDone;
    }
    if (std::abs(number.exponent) > kFarthest) return DecimalResult::kOutOfRange;
    Whole above = number.digits, below(1);
    times_power_of_ten(number.exponent > 0 ? above : below, std::abs(number.exponent));

    long shift = 64 - (above.bits() - below.bits());
    if (shift > 0) above.shift_left(shift);
    below.shift_left(64 + std::max(-shift, 0L));
    std::uint64_t quotient = 0;
    bool beyond = false;  // of 65 bits, the highest
    for (int i = 64; i >= 0; --i) {
        beyond = quotient >> 63;
        quotient = (quotient << 1) | static_cast<std::uint64_t>(above.take(below));
        if (i) below.halve();
    }
    bool sticky = !above.zero();
    if (beyond) {
        sticky |= quotient & 1;
        quotient = (quotient >> 1) | (std::uint64_t{1} << 63);
        --shift;
    }
    // The value is quotient x 2^-shift, and a little more if `sticky`; its highest bit is worth 2^top.
    const long top = 63 - shift;
    if (top > 1023) return DecimalResult::kOutOfRange;
    const long precision = top >= -1022 ? 53 : 53 - (-1022 - top);
    if (precision < 0) return DecimalResult::kOutOfRange;
    const int drop = static_cast<int>(64 - precision);
    const std::uint64_t half = std::uint64_t{1} << (drop - 1);
    std::uint64_t mantissa = drop == 64 ? 0 : quotient >> drop;
    const std::uint64_t dropped = drop == 64 ? quotient : quotient & ((half << 1) - 1);
    mantissa += dropped > half || (dropped == half && (sticky || (mantissa & 1)));
    const double rounded = std::ldexp(static_cast<double>(mantissa), static_cast<int>(drop - shift));
    if (rounded == 0 || std::isinf(rounded)) return DecimalResult::kOutOfRange;
    value = rounded;
    return DecimalResult::kDone;
}

}  // namespace acumen
