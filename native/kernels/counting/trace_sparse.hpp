// What is remembered of sparse rows: their hashes, and the range of each column, in one pass over the
// entries.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "kernels/counting/traces.hpp"
#include "kernels/counting/word_sums.hpp"

namespace acumen {

// An entry's share of its row's hash: entries are added, so what is not written down, or is a written zero,
// has none.
inline std::uint64_t entry_hash(double value, std::uint64_t column) {
    constexpr std::uint64_t GOLDEN = 0x9E3779B97F4A7C15u;
    const double plain = value != value ? std::numeric_limits<double>::quiet_NaN() : value;
    return scrambled(std::bit_cast<std::uint64_t>(plain) + column * GOLDEN);
}

// Of one column: the range of the finite entries, how many entries are infinite, and how many there are.
struct SparseRange {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    std::int64_t infinite = 0, filled = 0;
};

// Adds to the hash of each row those of its entries, and widens the ranges; a column with gaps holds zero.
// The matrix must hold each column of a row once; entries of columns outside `width` are left out.
template <typename Index>
void trace_sparse(const Sparse<Index, double>& matrix, std::size_t rows, double* low, double* high,
                  std::int64_t* infinite, std::uint64_t* hashes, std::size_t threads) {
    const std::size_t width = matrix.width, entries = matrix.indices.size();
    const auto work = [&](std::vector<SparseRange>& own, std::size_t start, std::size_t n) {
        for (std::size_t i = start; i < start + n; ++i) {
            std::uint64_t hash = 0;
            const auto end = std::min<std::size_t>(static_cast<std::size_t>(matrix.starts[i + 1]), entries);
            for (auto j = static_cast<std::size_t>(matrix.starts[i]); j < end; ++j) {
                const auto column = static_cast<std::size_t>(matrix.indices[j]);
                const double value = matrix.values[j];
                if (column >= width || value == 0) continue;
                hash += entry_hash(value, column);
                SparseRange& range = own[column];
                ++range.filled;
                if (std::isinf(value)) {
                    ++range.infinite;
                } else {
                    range.low = value < range.low ? value : range.low;
                    range.high = value > range.high ? value : range.high;
                }
            }
            hashes[i] += hash;
        }
    };
    const auto owned = by_blocks(rows, threads, std::vector<SparseRange>(width), work);
    for (std::size_t column = 0; column < width; ++column) {
        SparseRange all;
        for (const auto& own : owned) {
            all.low = std::min(all.low, own[column].low);
            all.high = std::max(all.high, own[column].high);
            all.infinite += own[column].infinite;
            all.filled += own[column].filled;
        }
        if (static_cast<std::size_t>(all.filled) < rows) {
            all.low = std::min(all.low, 0.0);
            all.high = std::max(all.high, 0.0);
        }
        low[column] = std::min(low[column], all.low);
        high[column] = std::max(high[column], all.high);
        infinite[column] += all.infinite;
    }
}

}  // namespace acumen
