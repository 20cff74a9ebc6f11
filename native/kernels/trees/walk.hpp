// A grown tree as its arrays lie in Python, and the way of one row through it: src/acumen/trees/tree.py says
// what the arrays mean. Nothing is checked here: whoever binds it has.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/common/columns.hpp"

namespace acumen {

// One test for each place, or none.
struct TestArrays {
    const std::int32_t* input = nullptr;
    const std::int32_t* cut_at = nullptr;
    const double* cuts = nullptr;
    const std::int32_t* branch_at = nullptr;
    const std::int32_t* branch = nullptr;
};

// One input: numbers, or codes.
struct InputColumn {
    Column numbers;
    CodeColumn codes;
    bool numeric = true;
};

struct TreeArrays {
    std::size_t nodes = 0;
    TestArrays tests;
    const std::int32_t* first = nullptr;
    const std::int32_t* branches = nullptr;
    const std::int32_t* otherwise = nullptr;
    const std::int32_t* surrogate_at = nullptr;
    TestArrays surrogates;
};

// The branch a row takes by the test at `place`; -1: none fits.
inline std::int32_t branch_by(const TestArrays& tests, std::size_t place,
                              std::span<const InputColumn> columns, std::size_t row) {
    const InputColumn& column = columns[static_cast<std::size_t>(tests.input[place])];
    const std::int32_t* map = tests.branch + tests.branch_at[place];
    const auto width = static_cast<std::size_t>(tests.branch_at[place + 1] - tests.branch_at[place]);
    if (column.numeric) {
        const double value = column.numbers[row];
        if (std::isnan(value)) return -1;
        const double* cut = tests.cuts + tests.cut_at[place];
        const std::int32_t n = tests.cut_at[place + 1] - tests.cut_at[place];
        std::int32_t below = 0;
        while (below < n && value > cut[below]) ++below;
        return width ? map[below] : below;
    }
    const std::int32_t code = column.codes[row];
    return code < 0 || static_cast<std::size_t>(code) >= width ? -1 : map[code];
}

// The branch a row takes at the node whose test is at `place`: by its test, by a surrogate, or by the branch
// for rows that none fits; -1: all branches, in shares of their weight.
inline std::int32_t branch_at(const TreeArrays& tree, std::size_t place, std::span<const InputColumn> columns,
                              std::size_t row) {
    std::int32_t branch = branch_by(tree.tests, place, columns, row);
    for (std::int32_t s = tree.surrogate_at[place]; branch < 0 && s < tree.surrogate_at[place + 1]; ++s)
        branch = branch_by(tree.surrogates, static_cast<std::size_t>(s), columns, row);
    return branch < 0 ? tree.otherwise[place] : branch;
}

}  // namespace acumen
