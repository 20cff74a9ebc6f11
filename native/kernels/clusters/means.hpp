// k-means over one block of rows: who is nearest, and the sums of each centre's rows. Plain C++20.
//
// Rows are row-major and centred; NaN is missing and left out of a distance, which is then over what is
// known. The nearest centre is the least of the computed sums of squared differences, of equal ones the
// first: products propose, and where two of them are within rounding differences decide, so neither bounds
// nor instruction sets change an answer. What a pass skips because of bounds it would have answered alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace acumen {

struct MeansRows {
    const double* values = nullptr;  // n x d
    std::size_t n = 0, d = 0;
    const double* weight = nullptr;  // none: ones
};

// The centres of a pass, and what follows from them.
struct Centres {
    Centres(const double* at, std::size_t k, std::size_t d, const double* moved);

    const double* at;  // k x d
    std::size_t k, d;
    std::vector<double> squares;  // of each one's length
    std::vector<double> half;     // of the distance to the nearest other one
    std::vector<double> moved;    // since the pass before; empty where there was none
    double largest = 0, farthest = 0, farthest_but_one = 0;  // of the squares; of the moves
    std::size_t farthest_at = 0;
};

// What is remembered of rows from pass to pass; bounds may be null, and every row is then asked.
struct Remembered {
    std::int32_t* label = nullptr;  // -1: nothing is known of the row, or it was never asked
    double* upper = nullptr;        // of the distance to its own centre; infinite: unknown
    double* lower = nullptr;        // of the distance to any other one
};

struct MeansSums {
    double* sum = nullptr;    // k x d
    double* whole = nullptr;  // k: the weight of rows in which nothing is missing
    double* known = nullptr;  // k x d: of the others, the weight of those that know the attribute
    std::size_t changed = 0;  // rows with another centre than before
};

// One pass of Lloyd's. Adds to the sums, which the caller has cleared.
void means_pass(const MeansRows& rows, const Centres& centres, const Remembered& kept, MeansSums& sums);

// out[i][c] = the squared distance of row i to centre c over what the row knows, by differences.
void squared_distances(const MeansRows& rows, const double* centres, std::size_t k, double* out);

// out[i] = the squared distance of row i to the centre of its label; 0 where it has none.
void own_squares(const MeansRows& rows, const double* centres, const std::int32_t* label, double* out);

// Of eight rows, turned to d x 8, and k centres: the least score |c|^2 - 2 x c of each row, the second least
// and whose the least is, of equal ones the first. Fused, so only near to what differences say.
void means_nearest(const double* turned, std::size_t d, const double* centres, const double* squares,
                   std::size_t k, double* best, double* second, double* label);

}  // namespace acumen
