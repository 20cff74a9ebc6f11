// Distinct combinations of codes, with weight per class: a joint table of which only what occurs is kept.
#pragma once

#include "kernels/common/columns.hpp"
#include "kernels/common/rows.hpp"

namespace acumen {

// Combinations in lexicographic order: keys is n x width, weights n x classes, row-major.
struct Joint {
    std::size_t width = 0, classes = 0, n = 0;
    std::vector<std::int32_t> keys;
    std::vector<double> weights;
};

// The combinations of the rows that count (labelled, of positive weight). A negative code is missing and
// stands in the key as -1. With parts, the part is the key's first code.
Joint count_joint(std::span<const CodeColumn> columns, const Rows& rows);

// The sum of two tables of one width and number of classes.
Joint merge_joint(std::span<const std::int32_t> keys_a, std::span<const double> weights_a,
                  std::span<const std::int32_t> keys_b, std::span<const double> weights_b, std::size_t width,
                  std::size_t classes);

// For each row the place of its combination among `keys` (distinct), or -1.
void find_joint(std::span<const std::int32_t> keys, std::size_t width, std::span<const CodeColumn> columns,
                std::size_t rows, std::int64_t* place);

}  // namespace acumen
