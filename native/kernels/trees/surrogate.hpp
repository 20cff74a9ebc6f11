// Tests that stand in for a node's own where its value is missing (Breiman et al. 1984, 5.3).
//
// Of each other input the test that agrees most with the node's, over the rows where both values are known.
// Of a number it is a cut, with either side for either branch; of codes every level goes where most of its
// rows go. It is worth what it agrees more than sending all those rows to their larger branch would; tests
// worth nothing are left out, and the best MOST_SURROGATES are kept, best first, of equals the earlier input.
#pragma once

#include <vector>

#include "kernels/common/parallel.hpp"
#include "kernels/trees/choose.hpp"

namespace acumen::tree {

inline constexpr std::size_t MOST_SURROGATES = 5;

struct StandIn {
    std::size_t input = 0;
    double worth = 0;  // weight that agrees, less that of the larger branch
    bool turned = false;
    double cut = 0;
    std::vector<std::int32_t> branch;  // of each level; empty for numbers
};

// side[instance] is 0 or 1, or 2 where the node's own value is missing. False when stopped.
template <class Entry, class Side>
bool find_surrogates(const Rules& rules, const Space<Entry>& space, const Place& place, std::size_t input,
                     const Side* side, std::size_t threads, const Stop& stop, std::vector<StandIn>& found);

// The branch an instance takes by a stand-in; 2: none.
template <class Entry>
std::size_t side_by(const StandIn& test, const Rules& rules, const Space<Entry>& space, std::size_t instance);

}  // namespace acumen::tree
