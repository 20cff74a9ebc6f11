// k medoids: the rows to which the sum of all rows' distances is least, by swaps of one medoid for one row.
//
//     start_medoids    k rows spread out: each drawn with a chance by its distance to those before
//     search_medoids   FasterPAM (Schubert and Rousseeuw 2021): the first swap that is an improvement is made
//     at
//                      once, and all k swaps with one row are judged in one pass over the rows; candidates in
//                      turn (PAM), or drawn at random together with the medoid to give up (CLARANS, Ng and
//                      Han 2002)
//
// Candidates are judged many at a time, in single precision where that is enough to see that they are none;
// what is swapped follows from double precision alone, in the order of candidates, whatever the number of
// threads.
#pragma once

#include "kernels/clusters/row_distances.hpp"

namespace acumen {

struct MedoidSearch {
    std::vector<std::uint32_t> medoids;  // k different rows
    bool drawn = false;                  // candidates drawn with `seed`, else all in turn
    std::uint64_t seed = 0;
    std::size_t patience = 0;  // so many candidates in vain end it; 0: as many as there are rows
    std::size_t most = 0;      // candidates at most; 0: no end
    std::size_t threads = 1;
};

struct MedoidsFound {
    std::vector<std::uint32_t> medoids;
    std::vector<std::int32_t> nearest;  // of each row: the place of its medoid in `medoids`
    double loss = 0;                    // the weighted sum of distances
    std::vector<double> losses;         // that before, and after each swap
    std::size_t tried = 0;              // candidates
    bool settled = true;                // false: `most` ended it
    bool whole = true;                  // false: `stop` ended it
};

// `drawn`: k numbers from 0 to below 1. Fewer than k rows where fewer than k differ.
std::vector<std::uint32_t> start_medoids(const RowDistances& rows, const std::vector<double>& weight,
                                         const std::vector<double>& drawn);

// Rows of no weight are no candidates. `weight` has a number of at least 0 for each row.
MedoidsFound search_medoids(const RowDistances& rows, const std::vector<double>& weight,
                            const MedoidSearch& how, const Stop& stop);

// -- judging in single precision, in clusters/medoid_screen.cpp ---

// Rows of one medoid after the other, each medoid's in tiles of WIDE, of which the last may have empty
// places.
struct MedoidScreen {
    static constexpr std::size_t WIDE = 16, TALL = 4;
    std::size_t d = 0;
    double scale = 1;            // a power of two by which all is multiplied
    std::vector<double> centre;  // taken off first
    std::vector<float> tiles;    // tile x d x WIDE
    std::vector<float> near,
        second;                 // tile x WIDE: distances to the nearest medoid and to the next; 0 if empty
    std::vector<float> weight;  // tile x WIDE, or none: ones
    std::vector<double> reach;  // of each tile: no row this far from the medoid can gain by its neighbour
    std::vector<std::size_t> first;  // of each medoid: its first tile; one more at the end
};

// For TALL candidates (turned: d x TALL) and the tiles of one medoid up to the first whose reach is too
// short: gain[t] += what rows gain by coming nearer, rest[t] += what of it changes if that medoid is given up
// as well.
void screen_medoid(const MedoidScreen& screen, std::size_t medoid, const float* turned, const double* away,
                   double* gain, double* rest);

}  // namespace acumen
