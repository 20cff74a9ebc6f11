// Lanes run over the rows of a block; the others pass by, four at a time, and the inner products of a tile
// stay in registers until all attributes are through. This file alone is compiled with multiplications fused
// into additions, as BLAS does for the same products: values agree between instruction sets to rounding, not
// to the byte. They do not depend on threads, nor on which rows are asked for together.
//
// What bounds it: a fused operation for each pair and attribute, some twenty for each exponential.
#include "kernels/svm/kernel_tile.hpp"

#include "kernels/common/clones.hpp"
#include "kernels/common/exp.hpp"

// As ACUMEN_CLONES, but plain AVX2 has no fused operations.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__GLIBC__) && \
    !defined(ACUMEN_SANITIZED)
#define ACUMEN_FUSED_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define ACUMEN_FUSED_CLONES
#endif

namespace acumen {

namespace {

template <typename T>
[[gnu::always_inline]] inline T tanh_of(T x) {
    const T e = exp_below_zero(x < T(0) ? x + x : -(x + x));
    const T size = (T(1) - e) / (T(1) + e);
    return x < T(0) ? -size : size;
}

// tile[j][i] = inner product of other j and row i of the block, `turned` being width x TILE_ROWS.
template <typename T, std::size_t LANES, std::size_t AT_ONCE>
[[gnu::always_inline]] inline void products(const T* ACUMEN_RESTRICT turned, std::size_t width,
                                            const T* ACUMEN_RESTRICT others, T* ACUMEN_RESTRICT tile) {
    typedef T Lanes __attribute__((vector_size(64)));
    constexpr std::size_t PER = 64 / sizeof(T), REGISTERS = LANES / PER;
    for (std::size_t first = 0; first < TILE_ROWS; first += LANES) {
        Lanes sum[AT_ONCE][REGISTERS] = {};
        const T* column = turned + first;
        for (std::size_t k = 0; k < width; ++k, column += TILE_ROWS) {
            Lanes x[REGISTERS];
            for (std::size_t r = 0; r < REGISTERS; ++r)
                x[r] = *reinterpret_cast<const Lanes*>(column + r * PER);
            for (std::size_t a = 0; a < AT_ONCE; ++a) {
                const T y = others[a * width + k];
                for (std::size_t r = 0; r < REGISTERS; ++r) sum[a][r] += x[r] * y;
            }
        }
        for (std::size_t a = 0; a < AT_ONCE; ++a)
            for (std::size_t r = 0; r < REGISTERS; ++r)
                *reinterpret_cast<Lanes*>(tile + a * TILE_ROWS + first + r * PER) = sum[a][r];
    }
}

template <typename T>
[[gnu::always_inline]] inline void apply(const KernelFunction& k, const T* ACUMEN_RESTRICT squares, T other,
                                         T* ACUMEN_RESTRICT tile) {
    const T gamma = static_cast<T>(k.gamma), offset = static_cast<T>(k.offset);
    switch (k.kind) {
        case KernelKind::linear:
            break;
        case KernelKind::rbf:
            for (std::size_t i = 0; i < TILE_ROWS; ++i) {
                const T square = (squares[i] + other) - (tile[i] + tile[i]);
                tile[i] = exp_below_zero(-gamma * (square < T(0) ? T(0) : square));
            }
            break;
        case KernelKind::sigmoid:
            for (std::size_t i = 0; i < TILE_ROWS; ++i) tile[i] = tanh_of(gamma * tile[i] + offset);
            break;
        case KernelKind::polynomial:
            for (std::size_t i = 0; i < TILE_ROWS; ++i) {
                const T base = gamma * tile[i] + offset;
                T power = T(1);
                for (unsigned p = 0; p < k.degree; ++p) power *= base;
                tile[i] = power;
            }
            break;
    }
}

template <typename T>
[[gnu::always_inline]] inline void fill(const KernelFunction& k, const T* turned, const T* squares,
                                        std::size_t width, const T* others, const T* other_squares,
                                        std::size_t count, T* tile) {
    // Four registers of 64 bytes for each other, or two for doubles: sixteen in all.
    constexpr std::size_t LANES = TILE_ROWS;
    for (std::size_t j = 0; j < count; j += TILE_STEP) {
        if (j + 1 == count)  // one by itself, as those that make a line at a time have
            products<T, LANES, 1>(turned, width, others + j * width, tile + j * TILE_ROWS);
        else
            products<T, LANES / (sizeof(T) / 4), TILE_STEP>(turned, width, others + j * width,
                                                            tile + j * TILE_ROWS);
        for (std::size_t a = 0; a < TILE_STEP && j + a < count; ++a)
            apply(k, squares, other_squares[j + a], tile + (j + a) * TILE_ROWS);
    }
}

ACUMEN_FUSED_CLONES void fill_double(const KernelFunction& k, const double* turned, const double* squares,
                                     std::size_t width, const double* others, const double* other_squares,
                                     std::size_t count, double* tile) {
    fill(k, turned, squares, width, others, other_squares, count, tile);
}

ACUMEN_FUSED_CLONES void fill_single(const KernelFunction& k, const float* turned, const float* squares,
                                     std::size_t width, const float* others, const float* other_squares,
                                     std::size_t count, float* tile) {
    fill(k, turned, squares, width, others, other_squares, count, tile);
}

}  // namespace

void fill_tile(const KernelFunction& k, const double* turned, const double* squares, std::size_t width,
               const double* others, const double* other_squares, std::size_t count, double* tile) {
    fill_double(k, turned, squares, width, others, other_squares, count, tile);
}

void fill_tile(const KernelFunction& k, const float* turned, const float* squares, std::size_t width,
               const float* others, const float* other_squares, std::size_t count, float* tile) {
    fill_single(k, turned, squares, width, others, other_squares, count, tile);
}

}  // namespace acumen
