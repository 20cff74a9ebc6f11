// Families of a Bayesian network: a child and its parents, counted and scored.
//
// Codes lie column by column in 16 bits; a missing value has the code of its column's number of levels, a
// slot of its own where the column has any. A row counts for a family in which it knows every value. Where
// some rows do not, all counts are raised to the weight of all rows (the likelihood of a row that is known,
// as if all were), so that families that few rows know are not preferred for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/common/parallel.hpp"

namespace acumen {

struct CodedRows {
    const std::uint16_t* codes;  // columns x rows
    std::size_t n = 0, columns = 0;
    const std::int32_t* levels;  // of each column
    const std::uint8_t* gaps;    // whether a column has missing values
    const double* weights;       // one for each row; null where every row counts once
    double total = 0;            // the weight of all rows

    const std::uint16_t* column(std::size_t j) const { return codes + j * n; }
    std::size_t slots(std::size_t j) const { return static_cast<std::size_t>(levels[j]) + gaps[j]; }
};

// How families are judged. Either log-likelihood less `per_parameter` for each free parameter and
// `per_parent` for each parent; or, where `prior` is above 0, the marginal likelihood under a Dirichlet
// prior: of `prior` in each cell, or (`spread`) of `prior` in the whole table.
struct FamilyScore {
    double per_parameter = 0, per_parent = 0, prior = 0;
    bool spread = false;
};

// Cells of the largest table that is counted.
inline constexpr std::size_t most_cells = std::size_t{1} << 22;

// Adds the weights of one family to `table`: the first of `columns` varies slowest, each over its levels
// (rows with a missing value among them are left out). The caller's table has the product of the levels.
void count_family(const CodedRows& rows, std::span<const std::int32_t> columns, std::span<double> table);

// The score of `child` under `parents` (at its own place in `out`), and under `parents` with each allowed
// column added or, where it is among them, left out. Minus infinity: not allowed, never known together, or
// too large a table.
bool score_family(const CodedRows& rows, std::int32_t child, std::span<const std::int32_t> parents,
                  std::span<const std::uint8_t> allowed, const FamilyScore& score, std::size_t threads,
                  const Stop& stop, std::span<double> out);

// The mutual information of every two columns in nats, given column `given` (-1: given nothing), each from
// the rows that know all of them; `out` is columns x columns. -1 where a table would be too large.
bool pair_information(const CodedRows& rows, std::int32_t given, std::size_t threads, const Stop& stop,
                      std::span<double> out);

}  // namespace acumen
