// Each numeric input in the order of its values, once: entries of a dense rank and a row.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "kernels/common/columns.hpp"

namespace acumen::tree {

// A value's rank among the distinct values of its input, and the row it stands in: row << bits | label.
struct Wide {
    using Word = std::uint32_t;
    std::uint32_t rank, word;
};
// The same of a subtree's own rows, numbered anew: half the memory, so that more fits in cache.
struct Narrow {
    using Word = std::uint16_t;
    std::uint16_t rank, word;
};

// Infinities count as the largest finite numbers, so that a cut between two values is always finite.
inline double finite(double x) {
    constexpr double most = std::numeric_limits<double>::max();
    return x > most ? most : x < -most ? -most : x;
}

// Whole numbers in the order of the doubles; -0.0 and 0.0 are one.
inline std::uint64_t ordered_key(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(finite(x) + 0.0);
    return bits >> 63 ? ~bits : bits | (std::uint64_t{1} << 63);
}

// The midpoint of two values a < b, as scikit-learn computes it; a where rounding would give b.
inline double midpoint(double a, double b) {
    a = finite(a);
    b = finite(b);
    const double m = a / 2 + b / 2;
    return m >= a && m < b ? m : a;
}

// Sorting is done where the lists lie. First each column's keys are written there by row, halves in rank and
// word
// (`keys_of_rows`, any rows at a time: tables of rows side by side are then read once); NaN has NO_KEY.
inline constexpr std::uint64_t NO_KEY = UINT64_MAX;

void keys_of_rows(std::span<const Column> columns, std::size_t first, std::size_t last, Wide* const* lists);

struct SortScratch {
    std::vector<std::uint64_t> keys;
    std::vector<Wide> list;
};

// Then the known values in ascending order, equal ones by row; words[row] is the word of a row. Gives how
// many.
std::size_t sort_keys(Wide* list, std::size_t rows, const std::uint32_t* words, SortScratch& scratch);

}  // namespace acumen::tree
