// Scores of documents (rows of a sparse matrix) from a table of words by classes.
#pragma once

#include "kernels/parallel.hpp"
#include "kernels/word_sums.hpp"

namespace acumen {

// Adds table[word][class] to total[row][class] for each word a row holds: times its count, or once if
// `presence`. Counts that are not above zero and finite, and words out of range, add nothing, so that
// a log probability of minus infinity meets only documents that hold its word.
// False when `stop` ended it early.
template <typename Index, typename Value>
bool add_word_logs(const Sparse<Index, Value>& matrix, std::size_t classes, const double* table,
                   bool presence, double* total, std::size_t threads, const Stop& stop) {
    constexpr std::size_t block_rows = 1024;
    const std::size_t rows = matrix.starts.size() - 1, entries = matrix.indices.size();
    const auto add_row = [&](std::size_t i) {
        double* sum = total + i * classes;
        const auto end = std::min<std::size_t>(static_cast<std::size_t>(matrix.starts[i + 1]), entries);
        for (auto j = static_cast<std::size_t>(matrix.starts[i]); j < end; ++j) {
            const auto word = static_cast<std::size_t>(matrix.indices[j]);
            const auto value = static_cast<double>(matrix.values[j]);
            if (word >= matrix.width || !(value > 0 && value <= std::numeric_limits<double>::max())) continue;
            const double times = presence ? 1.0 : value;
            const double* add = table + word * classes;
            for (std::size_t c = 0; c < classes; ++c) sum[c] += times * add[c];
        }
    };
    return for_blocks((rows + block_rows - 1) / block_rows, threads, stop, [&] {
        return [&](std::size_t block) {
            const std::size_t end = std::min(rows, (block + 1) * block_rows);
            for (std::size_t i = block * block_rows; i < end; ++i) add_row(i);
        };
    });
}

}  // namespace acumen
