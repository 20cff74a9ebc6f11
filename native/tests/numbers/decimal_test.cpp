// The exact way from digits to a double agrees with the standard library's, digit by digit.
#include "kernels/numbers/decimal.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <system_error>

#include "tests/claims.hpp"

namespace {

using acumen::DecimalResult;

double standard(const std::string& text) {
#if defined(__cpp_lib_to_chars)
    double value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} ? value : std::strtod(text.c_str(), nullptr);  // 0 or infinity
#else
    return std::strtod(text.c_str(), nullptr);
#endif
}

void compare(const std::string& text) {
    double ours = -1;
    const auto result = acumen::parse_decimal(text.data(), text.data() + text.size(), ours);
    const double theirs = standard(text);
    const bool zero = text.find_first_of("123456789") >= std::min(text.find_first_of("eE"), text.size());
    if (std::isinf(theirs) || (theirs == 0 && !zero)) {
        expect(result == DecimalResult::kOutOfRange, text.c_str());
    } else {
        expect(result == DecimalResult::kDone && std::memcmp(&ours, &theirs, sizeof ours) == 0, text.c_str());
    }
}

void refuse(const std::string& text) {
    double value = 0;
    expect(acumen::parse_decimal(text.data(), text.data() + text.size(), value) == DecimalResult::kNoNumber,
           text.c_str());
}

}  // namespace

int main() {
    for (const char* text : {"0",
                             "0.0",
                             "00000",
                             "1",
                             "1.",
                             ".5",
                             "0.1",
                             "123456789012345678901234567890",
                             "9007199254740993",
                             "1e23",
                             "8.5e22",
                             "5e-324",
                             "2.4703282292062327e-324",
                             "2.4703282292062328e-324",
                             "2.2250738585072011e-308",
                             "2.2250738585072014e-308",
                             "1.7976931348623157e308",
                             "1.7976931348623158e308",
                             "1.7976931348623159e308",
                             "1e309",
                             "1e-400",
                             "0e999999999999",
                             "1e99999999999",
                             "1e-99999999999",
                             "1E+5",
                             "1e+0",
                             "1.0000000000000002",
                             "1.00000000000000011102230246251565404236316680908203125",
                             "1.00000000000000011102230246251565404236316680908203124",
                             "1.00000000000000011102230246251565404236316680908203126"})
        compare(text);
    // Halfway between two doubles, and a digit beyond the 800th that decides.
    std::string half = "1.00000000000000011102230246251565404236316680908203125" + std::string(900, '0');
    compare(half);
    compare(half + "1");
    compare(std::string(1000, '9'));
    compare("0." + std::string(400, '0') + std::string(1000, '7') + "e300");
    for (const char* text : {"", ".", "e5", "1e", "1e+", "1x", "1e5x", "1..2", "1.2.3"}) refuse(text);

    std::mt19937_64 random(5);
    for (int i = 0; i < 20000; ++i) {
        std::string text;
        const int digits = 1 + static_cast<int>(random() % 40);
        const int point = static_cast<int>(random() % (digits + 1));
        for (int j = 0; j < digits; ++j) {
            if (j == point) text += '.';
            text += static_cast<char>('0' + random() % 10);
        }
        if (random() % 2) text += "e" + std::to_string(static_cast<int>(random() % 700) - 350);
        compare(text);
    }
    // Every double is read back from its 17 digits, subnormal ones too.
    for (int i = 0; i < 20000; ++i) {
        std::uint64_t bits = random() & 0x7FFFFFFFFFFFFFFF;
        if (i % 4 == 0) bits &= 0x000FFFFFFFFFFFFF;
        double value;
        std::memcpy(&value, &bits, sizeof value);
        if (!std::isfinite(value)) continue;
        char text[64];
        std::snprintf(text, sizeof text, "%.16e", value);
        compare(text);
    }
    return claims::finish();
}
