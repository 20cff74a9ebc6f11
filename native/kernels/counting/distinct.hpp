// The distinct values of each column, as long as they are few.
#pragma once

#include "kernels/common/columns.hpp"
#include "kernels/common/rows.hpp"

namespace acumen {

// For each part and column up to `limit` values, ascending, and how many there are; `limit` + 1 stands for
// more, and the values are then zero, so that one set of rows has one form however it was cut. What is not
// finite is missing, and so are rows without a label, without a part or of weight zero.
struct Distinct {
    double* values;       // (parts x columns) x limit, zero behind the last
    std::int32_t* count;  // parts x columns
    std::size_t limit;
};

void add_distinct(const Columns& columns, const Rows& rows, const Distinct& into);

// Adds other sets of `n` cells to these.
void merge_distinct(const Distinct& into, const double* values, const std::int32_t* count, std::size_t n);

}  // namespace acumen
