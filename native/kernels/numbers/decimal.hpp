// The nearest double to a decimal number of any length, by whole numbers of any size. Slow and exact: for
// standard libraries whose std::from_chars reads no doubles (Apple's before macOS 26), and to check the fast
// ways.
#pragma once

namespace acumen {

enum class DecimalResult { kDone, kOutOfRange, kNoNumber };

// Reads [begin, end) as digits with an optional '.' and exponent, without a sign. `value` is set if the
// result is kDone: a number that rounds to 0 or to infinity is out of range, as std::from_chars has it.
DecimalResult parse_decimal(const char* begin, const char* end, double& value);

}  // namespace acumen
