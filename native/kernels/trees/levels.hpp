// Tests of nominal and ordinal inputs: levels counted at a node, and how they are shared out over branches.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/trees/measures.hpp"

namespace acumen::tree {

// The levels met at a node, ascending, with their class counts.
struct LevelCounts {
    std::size_t classes = 0;
    std::vector<std::int32_t> level;
    std::vector<double> counts;  // levels met x classes
    std::vector<double> weight;  // of each level met

    std::size_t size() const { return level.size(); }
    const double* of(std::size_t t) const { return counts.data() + t * classes; }
};

struct LevelsAsked {
    Measure measure;
    const double* shares;   // class shares of the node
    const double* factors;  // one a class, or null
    double least;
    std::size_t max_subset;
};

struct LevelScratch {
    std::vector<double> counts, total, side, other, share, built;
    std::vector<std::size_t> order;
};

// The branch of each level met, 0 or 1: the best `X in V` found. Empty where there is none.
//
// Two classes: levels in the order of their share of one class, and the best place to part them, which is the
// best subset of all (Breiman et al. 1984). More classes, or where `least` or `max_subset` may bind: every
// subset while these are few; else levels in the order of the first principal component of their class shares
// (Coppersmith, Hong and Hosking 1999), parted at the best place, and then single levels moved to the other
// side while that is better. V is the side of fewer levels, of two equal ones that of the first level; of
// equally good subsets the smaller, then the one that comes first in the order of levels, is taken where
// every subset is tried.
void best_subset(const LevelCounts& levels, const LevelsAsked& asked, LevelScratch& scratch,
                 std::vector<std::int32_t>& branch);

// The same for ordered levels: X <= level.
void best_threshold(const LevelCounts& levels, const LevelsAsked& asked, LevelScratch& scratch,
                    std::vector<std::int32_t>& branch);

}  // namespace acumen::tree
