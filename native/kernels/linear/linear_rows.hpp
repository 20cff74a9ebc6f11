// Rows that meet a vector of weights one at a time, dense or sparse, and numbers drawn at random.
#pragma once

#include <cstddef>
#include <cstdint>

namespace acumen {

// Rows as a dense matrix, or as CSR: row i has entries from starts[i] to starts[i + 1].
struct DenseRows {
    std::size_t n, width;
    const double* values;
};

struct SparseRows {
    std::size_t n, width;
    const std::int64_t* starts;
    const std::int32_t* columns;
    const double* values;
};

// Steele, Lea and Flood's splitmix64: a few operations a number, and any seed will do.
struct Random {
    std::uint64_t state;
    std::uint64_t next() {
        std::uint64_t z = (state += 0x9E3779B97F4A7C15ULL);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31);
    }
    std::size_t below(std::size_t n) { return static_cast<std::size_t>((next() >> 32) * n >> 32); }
};

// The inner product of two vectors, in a fixed order of additions; and w += t x.
double dense_product(const double* x, const double* w, std::size_t n);
void dense_add(const double* x, double t, double* w, std::size_t n);

// A row's product with w, w += t row, and a hint that a row comes next.
inline double product(const DenseRows& rows, std::size_t i, const double* w) {
    return dense_product(rows.values + i * rows.width, w, rows.width);
}

inline void add(const DenseRows& rows, std::size_t i, double t, double* w) {
    dense_add(rows.values + i * rows.width, t, w, rows.width);
}

inline void fetch(const DenseRows& rows, std::size_t i) {
    for (std::size_t k = 0; k < rows.width; k += 8) __builtin_prefetch(rows.values + i * rows.width + k);
}

// Four sums side by side, so that additions do not wait for each other.
inline double product(const SparseRows& rows, std::size_t i, const double* w) {
    double sum[4] = {};
    std::int64_t e = rows.starts[i];
    const std::int64_t end = rows.starts[i + 1];
    for (; e + 4 <= end; e += 4)
        for (std::int64_t l = 0; l < 4; ++l) sum[l] += rows.values[e + l] * w[rows.columns[e + l]];
    for (; e < end; ++e) sum[0] += rows.values[e] * w[rows.columns[e]];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

inline void add(const SparseRows& rows, std::size_t i, double t, double* w) {
    for (std::int64_t e = rows.starts[i]; e < rows.starts[i + 1]; ++e)
        w[rows.columns[e]] += t * rows.values[e];
}

inline void fetch(const SparseRows& rows, std::size_t i) {
    for (std::int64_t e = rows.starts[i]; e < rows.starts[i + 1]; e += 8) {
        __builtin_prefetch(rows.values + e);
        __builtin_prefetch(rows.columns + e);
    }
}

}  // namespace acumen
