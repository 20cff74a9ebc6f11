// Numbers into bins, and row weight per class and bin.
#pragma once

#include "kernels/columns.hpp"
#include "kernels/rows.hpp"

namespace acumen {

// The bin of each value: how many of `cuts` (sorted, the borders between bins) are at most the value.
// So bins are closed on the left, what lies outside all cuts is in the first or last bin, and NaN is -1.
void bin_codes(Column values, std::size_t rows, std::span<const double> cuts, std::int32_t* codes);

// Counts the bins of every column as levels: tables[j] is parts x (classes + 1) x (cuts[j] + 2), the last
// slots for missing.
void count_bins(const Columns& values, const Rows& rows, std::span<const std::span<const double>> cuts,
                std::span<double* const> tables);

}  // namespace acumen
