// Scatter matrices: sums of products of deviations, for each class or pooled within the classes.
#pragma once

#include "kernels/common/columns.hpp"
#include "kernels/common/rows.hpp"

namespace acumen {

// Adds (x - centre)(x - centre)' of every row to the matrix of its slot: its group, or with `shared` its
// part. `centre` is groups x columns, `scatter` slots x columns x columns; both triangles are filled and
// equal to the byte. Every value of a row that counts must be finite.
void add_scatter(const Columns& values, const Rows& rows, bool shared, const double* centre, double* scatter);

// The same when values are missing (NaN or infinite): for each group and pair of columns (i, j), over the
// rows in which both are known, the weight, the sum of x_i - centre_i, and the sum of products. Each array
// is groups x columns x columns.
void add_pairs(const Columns& values, const Rows& rows, const double* centre, double* weight, double* sum,
               double* product);

}  // namespace acumen
