// The inner loop of products of columns over a tile of rows, shared by gradients and matrices.
#pragma once

#include "kernels/common/lanes.hpp"

namespace acumen {

inline constexpr std::size_t STRIP = 4;  // rows or columns whose sums are in registers together

struct Steps {
    std::size_t row, line;  // from a factor to the next row's, and to the next line's
};

// sums += left' x for a strip of lines and WIDE registers of columns; x is rows x width.
template <std::size_t BYTES, std::size_t WIDE>
ACUMEN_INLINE void add_strip(const double* x, std::size_t width, std::size_t rows, const double* left,
                             const Steps& steps, double* sums) {
    Lanes<BYTES> sum[STRIP][WIDE] = {};
    for (std::size_t r = 0; r < rows; ++r) {
        Lanes<BYTES> v[WIDE];
        for (std::size_t t = 0; t < WIDE; ++t) fetch<BYTES>(x + r * width + t * LANES<BYTES>, v[t]);
        for (std::size_t s = 0; s < STRIP; ++s)
            for (std::size_t t = 0; t < WIDE; ++t) sum[s][t] += v[t] * left[r * steps.row + s * steps.line];
    }
    for (std::size_t s = 0; s < STRIP; ++s)
        for (std::size_t t = 0; t < WIDE; ++t) add_to<BYTES>(sum[s][t], sums + s * width + t * LANES<BYTES>);
}

// The same for the columns from `first` on.
template <std::size_t BYTES>
ACUMEN_INLINE void add_strips(const double* x, std::size_t width, std::size_t rows, const double* left,
                              const Steps& steps, std::size_t first, double* sums) {
    constexpr std::size_t TWO = 2 * LANES<BYTES>;
    std::size_t j = first;
    for (; j + TWO <= width; j += TWO) add_strip<BYTES, 2>(x + j, width, rows, left, steps, sums + j);
    for (; j < width; j += LANES<BYTES>) add_strip<BYTES, 1>(x + j, width, rows, left, steps, sums + j);
}

}  // namespace acumen
