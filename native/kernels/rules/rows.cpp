#include "kernels/rules/rows.hpp"

namespace acumen::rules {

RowList passing(const Coded& rows, const Test& test, std::span<const std::int32_t> some) {
    const std::int32_t* codes = rows.columns[static_cast<std::size_t>(test.column)];
    const std::int32_t value = test.value;
    switch (test.op) {
        case Op::is:
            return filtered(some, [=](std::int32_t row) { return codes[row] == value; });
        case Op::below:
            return filtered(some,
                            [=](std::int32_t row) { return (codes[row] >= 0) & (codes[row] <= value); });
        case Op::above:
            return filtered(some, [=](std::int32_t row) { return codes[row] >= value; });
        default:
            return filtered(some, [&](std::int32_t row) { return test.passes(codes[row]); });
    }
}

RowList covered(const Coded& rows, const Rule& rule, std::span<const std::int32_t> some) {
    if (rule.empty()) return {some.begin(), some.end()};
    RowList made = passing(rows, rule.front(), some);
    for (std::size_t i = 1; i < rule.size(); ++i) made = passing(rows, rule[i], made);
    return made;
}

RowList without(std::span<const std::int32_t> some, std::span<const std::int32_t> out) {
    std::size_t at = 0;
    return filtered(some, [&](std::int32_t row) {
        const bool gone = at < out.size() && out[at] == row;
        at += gone;
        return !gone;
    });
}

}  // namespace acumen::rules
