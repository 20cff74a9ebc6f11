// The index of rows as Python holds it, for every binding that asks about distances between them.
#pragma once

#include "bind/borrow.hpp"
#include "kernels/neighbours/index.hpp"

using Codes2In = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The index with all that was handed in checked; queries are checked against it.
struct HeldRows {
    std::unique_ptr<acumen::NearIndex> index;
    std::vector<std::size_t> lines;  // of each attribute's table; 0: none
    MatrixIn values;                 // borrowed by the index
    Codes2In codes;
};

// What is added from outside must be there for every pair of rows, or for none where the distance has no such
// part.
inline void check_all_pairs(const HeldRows& held, const MatrixIn& extra, const char* who) {
    const std::size_t n = held.index->rows().n;
    const bool needed = held.index->form().extra_count > 0;
    if (needed ? extra.shape(0) != n || extra.shape(1) != n : extra.size() != 0)
        throw nb::value_error(
            (std::string(who) + ": extra needs a number for each pair of rows, or none").c_str());
    for (std::size_t row = 0; row < n; ++row)
        if (!(held.index->weight(row) >= 0))
            throw nb::value_error((std::string(who) + ": a weight is below 0").c_str());
}
