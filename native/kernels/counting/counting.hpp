// Row weight per class and level.
#pragma once

#include "kernels/common/columns.hpp"
#include "kernels/common/rows.hpp"

namespace acumen {

// Adds each row's weight to table[part][label][code]; table is parts x (classes + 1) x (levels + 1),
// row-major. A code outside 0..levels-1, or a label outside 0..classes-1, falls in the last slot, so no
// input can write outside the table. Soft labels add their share to every class.
void count_levels(CodeColumn codes, const Rows& rows, std::size_t levels, double* table);

}  // namespace acumen
