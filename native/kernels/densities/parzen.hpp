// Log densities of rows as sums of windows on training rows, class by class.
#pragma once

#include "kernels/common/columns.hpp"
#include "kernels/common/parallel.hpp"

namespace acumen {

// Training rows in the order of their classes: class c has those from starts[c] to starts[c + 1].
struct ParzenRows {
    std::size_t n = 0, classes = 0, numeric = 0, nominal = 0;
    const std::size_t* starts = nullptr;  // classes + 1, ascending, within n
    const double* values = nullptr;       // numeric x n; NaN where missing
    const std::int32_t* codes = nullptr;  // nominal x n; below zero where missing
    const double* weight = nullptr;       // n
};

// The windows; tables are classes x attributes unless said otherwise.
struct ParzenWindows {
    bool box = false;               // a box of side `width` instead of a Gaussian of deviation `width`
    const double* width = nullptr;  // above zero
    // What stands in for a missing training number: one window for the whole class.
    const double* centre = nullptr;
    const double* spread = nullptr;
    // A nominal value adds log_same where the training row has the same level, log_other where another.
    const double* log_same = nullptr;
    const double* log_other = nullptr;
    // For each nominal attribute classes x levels: what stands in for a missing training value.
    std::span<const double* const> log_level;
    std::span<const std::size_t> levels;
};

// Adds log of (sum over the class's rows of weight * window) / (sum of weights) to total[row][class], the
// window being the product over the attributes the row knows: values that are not finite and codes outside
// the levels are left out. Minus infinity where nothing is in reach, and for a class without rows. With
// `leave_out` (one training row for each row, or -1) a weight of one, or all there is, is taken from that
// training row in the first sum: from as many rows as the weight says, one is left out.
//
// Gaussian windows give a finite result for every row: where squares overflow the nearest training row
// counts alone, by a stand-in for the square that still grows with the distance.
// False when `stop` ended it early.
bool add_parzen_logs(const Columns& values, std::span<const CodeColumn> codes, std::size_t rows,
                     const ParzenRows& training, const ParzenWindows& windows, const std::int64_t* leave_out,
                     double* total, std::size_t threads, const Stop& stop);

}  // namespace acumen
