// k-modes and k-prototypes over one block of rows: who is nearest, and what each prototype's rows add up to.
// Plain C++20.
//
// The distance of a row is the squared differences of its numbers plus gamma for each level that is not the
// mode, over what the row knows: NaN and -1 are missing, -2 is a level unlike all modes. Of equally near
// prototypes the first has the row.
#pragma once

#include <cstddef>
#include <cstdint>

namespace acumen {

struct PrototypeRows {
    const double* values = nullptr;       // n x p
    const std::int32_t* codes = nullptr;  // q x n: a line for each attribute
    const double* weight = nullptr;       // n
    std::size_t n = 0, p = 0, q = 0;
};

struct Prototypes {
    const double* at = nullptr;          // k x p
    const std::int32_t* mode = nullptr;  // k x q
    std::size_t k = 0;
    double gamma = 1;
};

struct PrototypeSums {
    const std::int64_t* start = nullptr;  // q + 1: where each attribute's levels begin
    double* sum = nullptr;                // k x p
    double* known = nullptr;              // k x p: the weight of rows that know the number
    double* counts = nullptr;             // k x levels
    double* whole = nullptr;              // k: the weight of all rows
};

// Fills labels (-1: nothing is known of the row) and distances, and adds to the sums, which the caller has
// cleared; how many labels changed.
std::size_t prototype_pass(const PrototypeRows& rows, const Prototypes& prototypes, std::int32_t* label,
                           double* away, const PrototypeSums& sums);

}  // namespace acumen
