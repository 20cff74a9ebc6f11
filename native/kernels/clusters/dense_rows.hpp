// DBSCAN (Ester and others 1996) without lists of neighbours: rows with enough others near by are cores,
// cores within reach of each other belong together, and every other row within reach of a core goes to the
// nearest one.
//
// Neighbours are counted until there are enough, and looked at no more where all of a box belong together
// already; so neither memory nor, mostly, time grows with the reach.
#pragma once

#include "kernels/neighbours/index.hpp"

namespace acumen {

struct DenseGroups {
    std::vector<std::uint8_t> core;
    std::vector<std::int32_t> group;  // numbered by their first row; -1: none
    std::size_t groups = 0;
    bool whole = true;  // false: `stop` ended it
};

// `index`: NearWay::kd or brute; `extra`: as of RowDistances; `enough`: the weight of the rows within `eps`,
// the row itself among them, that makes a core. Of cores at one distance the one is nearest whose values come
// first.
DenseGroups dense_rows(const NearIndex& index, const double* extra, double eps, double enough,
                       std::size_t threads, const Stop& stop);

}  // namespace acumen
