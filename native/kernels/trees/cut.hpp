// The best cut of a stretch of entries that ascend by value.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/trees/measures.hpp"
#include "kernels/trees/sort.hpp"

namespace acumen::tree {

// x log2 x of the whole numbers below `size`.
struct LogTable {
    std::vector<double> value;
    void fill(std::size_t size);
};

struct CutAsked {
    Measure measure;
    std::size_t classes;
    unsigned bits;
    const double* total;         // class counts of the stretch
    const double* shares;        // class shares of the node, for measures that look at them
    const double* factors;       // one a class, or null
    const double* weight;        // of each instance, or null: all ones
    const std::uint64_t* tally;  // of two classes: whole weights as Space has them, or null
    double least;                // weight that must be on either side
    const LogTable* logs;
};

struct Cut {
    std::uint32_t at = 0;     // how many entries are on the left; 0: there is no cut
    std::uint32_t tries = 0;  // how many cuts there were
    double rise = 0;          // of the sum of branch values: weight times gain
};

struct CutScratch {
    std::vector<double> left, right, best;  // class counts; `best` are those left of the cut found
    std::vector<double> weight, ones, score;
    std::vector<std::int32_t> at, whole_left, whole_ones;
    std::vector<std::uint64_t> differs, second, may_be;  // a bit an entry
};

template <class Entry>
Cut best_cut(const Entry* list, std::uint32_t n, const CutAsked& asked, CutScratch& scratch);

// The same whatever the measure and the number of classes; slower.
template <class Entry>
Cut best_cut_of_many(const Entry* list, std::uint32_t n, const CutAsked& asked, CutScratch& scratch);

}  // namespace acumen::tree
