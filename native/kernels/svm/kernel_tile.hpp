// A tile of kernel values: 64 rows by a few others.
#pragma once

#include <cstddef>

#include "kernels/svm/kernel_sums.hpp"

namespace acumen {

inline constexpr std::size_t TILE_ROWS = 64;  // lanes
inline constexpr std::size_t TILE_STEP = 4;   // others whose products are in registers together

// tile[j][i] = k(other j, row i), j below `count`. `turned` is width x TILE_ROWS, 64 bytes aligned as `tile`
// is; `others` and `tile` have room for `count` filled up to a multiple of TILE_STEP.
void fill_tile(const KernelFunction& k, const double* turned, const double* squares, std::size_t width,
               const double* others, const double* other_squares, std::size_t count, double* tile);
void fill_tile(const KernelFunction& k, const float* turned, const float* squares, std::size_t width,
               const float* others, const float* other_squares, std::size_t count, float* tile);

}  // namespace acumen
