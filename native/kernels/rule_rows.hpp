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
    for (const std::int32_t row : some) {
        const double w = rows.weight_of(row);
        made.all += w;
        if (rows.label[row] == label) made.right += w;
    }
    return made;
}

inline RowList passing(const Coded& rows, const Test& test, std::span<const std::int32_t> some) {
    const std::int32_t* codes = rows.columns[static_cast<std::size_t>(test.column)];
    RowList made;
    made.reserve(some.size());
    for (const std::int32_t row : some)
        if (test.passes(codes[row])) made.push_back(row);
    return made;
}

inline RowList covered(const Coded& rows, const Rule& rule, std::span<const std::int32_t> some) {
    RowList made(some.begin(), some.end());
    for (const Test& test : rule) made = passing(rows, test, made);
    return made;
}

// Both lists ascend; those of `some` that are not among `out`.
inline RowList without(std::span<const std::int32_t> some, std::span<const std::int32_t> out) {
    RowList made;
    made.reserve(some.size() - out.size());
    std::size_t at = 0;
    for (const std::int32_t row : some) {
        if (at < out.size() && out[at] == row)
            ++at;
        else
            made.push_back(row);
    }
    return made;
}

// The rows of a column of thresholds that have a code, in the order of their codes; nothing of other columns,
// and of those with few codes, where counting by code is as quick.
struct Sorted {
    RowList rows;
    std::vector<std::int32_t> codes;
};

inline constexpr std::int32_t FEW_CODES = 64;

inline std::vector<Sorted> sorted_columns(const Coded& coded) {
    std::vector<Sorted> made(coded.columns.size());
    for (std::size_t j = 0; j < made.size(); ++j) {
        if (!coded.ordered[j] || coded.sizes[j] <= FEW_CODES) continue;
        std::vector<std::size_t> at(static_cast<std::size_t>(coded.sizes[j]) + 1, 0);
        const std::int32_t* column = coded.columns[j];
        for (std::size_t i = 0; i < coded.n; ++i)
            if (column[i] >= 0) ++at[static_cast<std::size_t>(column[i]) + 1];
        for (std::size_t c = 1; c < at.size(); ++c) at[c] += at[c - 1];
        made[j].rows.resize(at.back());
        made[j].codes.resize(at.back());
        for (std::size_t i = 0; i < coded.n; ++i)
            if (column[i] >= 0) {
                const std::size_t place = at[static_cast<std::size_t>(column[i])]++;
                made[j].rows[place] = static_cast<std::int32_t>(i);
                made[j].codes[place] = column[i];
            }
    }
    return made;
}

}  // namespace acumen::rules
