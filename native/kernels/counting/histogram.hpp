// Numbers into bins.
#pragma once

#include "kernels/common/columns.hpp"

namespace acumen {

// The bin of each value: how many of `cuts` (sorted, the borders between bins) are at most the value.
// So bins are closed on the left, what lies outside all cuts is in the first or last bin, and NaN is -1.
void bin_codes(Column values, std::size_t rows, std::span<const double> cuts, std::int32_t* codes);

}  // namespace acumen
