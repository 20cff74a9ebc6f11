// What bounds it: the latency of the search's loads; sixteen values are searched side by side, each step of
// all of them before the next step, so that the loads overlap.
#include "kernels/counting/histogram.hpp"

#include <algorithm>

#include "kernels/common/clones.hpp"

namespace acumen {

namespace {

constexpr std::size_t LANES = 16;

ACUMEN_CLONES void search(const double* value, const double* cuts, std::size_t n, std::int32_t* code) {
    std::int32_t at[LANES] = {};
    std::int32_t left = static_cast<std::int32_t>(n);
    while (left > 0) {  // the answer lies within at .. at + left
        const std::int32_t half = (left + 1) / 2;
        for (std::size_t k = 0; k < LANES; ++k) at[k] += value[k] >= cuts[at[k] + half - 1] ? half : 0;
        left -= half;
    }
    for (std::size_t k = 0; k < LANES; ++k) code[k] = value[k] == value[k] ? at[k] : -1;
}

}  // namespace

void bin_codes(Column values, std::size_t rows, std::span<const double> cuts, std::int32_t* codes) {
    double value[LANES];
    std::int32_t code[LANES];
    for (std::size_t first = 0; first < rows; first += LANES) {
        const std::size_t count = std::min(LANES, rows - first);
        for (std::size_t k = 0; k < LANES; ++k) value[k] = k < count ? values[first + k] : 0.0;
        search(value, cuts.data(), cuts.size(), code);
        std::copy_n(code, count, codes + first);
    }
}

}  // namespace acumen
