// Which rows a tree is grown from.
#pragma once

#include <vector>

#include "kernels/forests/types.hpp"

namespace acumen::forest {

// How often each row is in the bag of the tree with this seed: as a weight, 0 where it is not.
class Bag {
  public:
    Bag(const Table& table, const Options& options);
    void draw(Draw& numbers, std::vector<double>& weight);

    // Whether weights in a bag are whole numbers of a sum below 2^32.
    static bool counts(const Table& table, const Options& options);

  private:
    const Table& table_;
    const Options& options_;
    std::vector<double> cumulated_;  // of rows of unequal weight
    std::vector<double> times_;
};

}  // namespace acumen::forest
