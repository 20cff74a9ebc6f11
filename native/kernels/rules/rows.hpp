// What learners of rules see of a table: every column as codes, a rule as tests of them, and sets of rows.
//
// A number is coded by its rank among the different values of its column, so that a threshold is a code and
// every cut between two values is tried. A missing value has a code below zero and passes no test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace acumen::rules {

enum class Op : std::int32_t { is = 0, below = 1, above = 2, among = 3 };  // =, <=, >= and in

struct Test {
    std::int32_t column = 0;
    Op op = Op::is;
    std::int32_t value = 0;
    std::vector<char> levels;  // of `among`: which codes are in the set

    bool passes(std::int32_t code) const {
        switch (op) {
            case Op::is:
                return code == value;
            case Op::below:
                return code >= 0 && code <= value;
            case Op::above:
                return code >= value;
            default:
                return code >= 0 && levels[static_cast<std::size_t>(code)];
        }
    }
};

using Rule = std::vector<Test>;
using RowList = std::vector<std::int32_t>;  // ascending

struct Coded {
    std::size_t n = 0, classes = 0;
    std::vector<const std::int32_t*> columns;
    std::span<const std::int32_t> sizes;       // of each column: how many codes there are
    std::span<const std::uint8_t> ordered;     // of each column: thresholds, or levels
    std::span<const std::int32_t> group;       // of each column: the attribute it is of
    std::span<const std::uint8_t> directions;  // by class and column: 1 for <=, 2 for >=, 3 for both
    const std::int32_t* label = nullptr;
    const double* weight = nullptr;  // none: every row weighs one

    double weight_of(std::int32_t row) const { return weight ? weight[row] : 1.0; }
    bool below_allowed(std::size_t c, std::size_t j) const { return directions[c * columns.size() + j] & 1; }
    bool above_allowed(std::size_t c, std::size_t j) const { return directions[c * columns.size() + j] & 2; }
};

// The weight of rows, and of those among them that are of a class.
struct Share {
    double right = 0, all = 0;
    double wrong() const { return all - right; }
};

inline Share share_of(const Coded& rows, std::span<const std::int32_t> some, std::int32_t label) {
    Share made;
    if (!rows.weight) {
        std::size_t right = 0;
        for (const std::int32_t row : some) right += rows.label[row] == label;
        return {static_cast<double>(right), static_cast<double>(some.size())};
    }
    for (const std::int32_t row : some) {
        made.all += rows.weight[row];
        if (rows.label[row] == label) made.right += rows.weight[row];
    }
    return made;
}

// Those rows that something holds for. Nothing branches on a row: which it will be cannot be foreseen.
template <typename Holds>
RowList filtered(std::span<const std::int32_t> some, const Holds& holds) {
    RowList made(some.size());
    std::size_t left = 0;
    for (const std::int32_t row : some) {
        made[left] = row;
        left += static_cast<std::size_t>(holds(row));
    }
    made.resize(left);
    return made;
}

RowList passing(const Coded& rows, const Test& test, std::span<const std::int32_t> some);
RowList covered(const Coded& rows, const Rule& rule, std::span<const std::int32_t> some);

// Both lists ascend; those of `some` that are not among `out`, all of which are in `some`.
RowList without(std::span<const std::int32_t> some, std::span<const std::int32_t> out);

}  // namespace acumen::rules
