// Sums over rows whose every column falls into one slot: what additive models are fitted and read by.
//
// Coefficient 0 is the constant; those of column j begin at offset[j], one for each of its slots; then one
// for each word. A row has one slot of every column, and the words of its text. No matrix of rows by slots is
// made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/common/parallel.hpp"

namespace acumen::additive {

struct Rows {
    std::size_t rows = 0;
    std::size_t columns = 0;
    const std::uint16_t* slot = nullptr;       // columns x rows, below the column's number of slots
    std::span<const std::int64_t> offset;      // columns + 1
    std::span<const std::int64_t> word_start;  // of each word, in word_row; words + 1, or empty
    std::span<const std::int32_t> word_row;    // the rows that have it, ascending
    std::span<const std::int64_t> row_start;   // the same by rows; rows + 1, or empty
    std::span<const std::int32_t> row_word;

    std::size_t words() const { return word_start.empty() ? 0 : word_start.size() - 1; }
    std::size_t first_word() const { return static_cast<std::size_t>(offset.back()); }
    std::size_t width() const { return first_word() + words(); }
    std::size_t slots(std::size_t j) const { return static_cast<std::size_t>(offset[j + 1] - offset[j]); }
    const std::uint16_t* column(std::size_t j) const { return slot + j * rows; }
};

// out (rows x lines) = the sum of the coefficients (width x lines) of each row, columns in their order.
bool scores(const Rows& rows, const double* coefficient, std::size_t lines, std::size_t threads,
            const Stop& stop, double* out);

// out (width x lines) = the sum of values (rows x lines) over the rows of each slot, rows in their order.
bool sums(const Rows& rows, const double* values, std::size_t lines, std::size_t threads, const Stop& stop,
          double* out);

// out (width x width) = the sum of a weight over the rows that are in both slots: two-way tables of all
// columns. Each table is made by one thread, rows in their order, so the number of threads changes nothing.
bool tables(const Rows& rows, const double* weight, std::size_t threads, const Stop& stop, double* out);

// out (rows) = x' M x for each row, x its zeros and ones, M (width x width) symmetric.
bool forms(const Rows& rows, const double* matrix, std::size_t threads, const Stop& stop, double* out);

}  // namespace acumen::additive
