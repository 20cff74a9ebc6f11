// Word counts of documents (rows of a sparse matrix) added up by class.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "kernels/common/rows.hpp"

namespace acumen {

// A sparse matrix by rows: row i holds indices[j], values[j] for starts[i] <= j < starts[i + 1].
template <typename Index, typename Value>
struct Sparse {
    std::span<const Index> starts, indices;
    std::span<const Value> values;
    std::size_t width;  // columns
};

// Adds weight * value to sums[group][word] and weight to presence[group][word] where the value is above
// zero; both are groups x width. Entries whose word is out of range, or that are not finite, are left out.
// The matrix must hold each word of a row once.
template <typename Index, typename Value>
void add_words(const Sparse<Index, Value>& matrix, const Rows& rows, double* sums, double* presence) {
    const std::size_t width = matrix.width, entries = matrix.indices.size();
    const auto add_row = [&](std::size_t i, std::size_t group, double weight) {
        double* sum = sums + group * width;
        double* there = presence + group * width;
        const auto end = std::min<std::size_t>(static_cast<std::size_t>(matrix.starts[i + 1]), entries);
        for (auto j = static_cast<std::size_t>(matrix.starts[i]); j < end; ++j) {
            const auto word = static_cast<std::size_t>(matrix.indices[j]);
            const auto value = static_cast<double>(matrix.values[j]);
            if (word >= width || !(std::fabs(value) <= std::numeric_limits<double>::max())) continue;
            sum[word] += weight * value;
            there[word] += value > 0 ? weight : 0.0;
        }
    };
    for (std::size_t i = 0; i < rows.n; ++i) {
        if (rows.soft) {
            for (std::size_t c = 0; c < rows.classes; ++c)
                if (const double share = rows.soft[i * rows.classes + c]; share > 0) add_row(i, c, share);
            continue;
        }
        const std::size_t part = rows.part_of(i), c = rows.class_of(i);
        const double weight = rows.weight_of(i);
        if (part < rows.parts && c < rows.classes && weight > 0) add_row(i, part * rows.classes + c, weight);
    }
}

}  // namespace acumen
