// Scores of documents (rows of a sparse matrix) from a table of words by classes.
#pragma once

#include "kernels/common/parallel.hpp"
#include "kernels/counting/word_sums.hpp"

namespace acumen {

// Adds table[word][class] to total[row][class] for each word a row holds: times its count, or once if
// `presence`. Counts that are not above zero and finite, and words out of range, add nothing, so that
// a log probability of minus infinity meets only documents that hold its word.
// False when `stop` ended it early.
bool add_word_logs(const Sparse<std::int32_t, double>& matrix, std::size_t classes, const double* table,
                   bool presence, double* total, std::size_t threads, const Stop& stop);
bool add_word_logs(const Sparse<std::int64_t, double>& matrix, std::size_t classes, const double* table,
                   bool presence, double* total, std::size_t threads, const Stop& stop);

}  // namespace acumen
