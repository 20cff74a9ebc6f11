// A forest from columns of codes: trees over threads, each from a seed of its own.
#pragma once

#include <functional>

#include "kernels/forest_types.hpp"
#include "kernels/parallel.hpp"

namespace acumen::forest {

// What the trees say of rows that they were not grown from. Sums are taken in the order of the trees.
struct OutOfBag {
    std::vector<double> sum;          // rows x outputs: leaf values of the trees that did not have the row
    std::vector<std::int32_t> votes;  // how many these are
    std::vector<double> error,
        voted;  // after each tree: weight of wrong rows (squares of numbers), of voted rows
    std::vector<double>
        unvoted_wrong;  // after each tree: weight of rows without a vote that are not of class 0
};

struct Forest {
    std::vector<Tree> trees;
    OutOfBag out_of_bag;
    bool stopped = false;  // by `stop`: the trees are those that were finished, without a gap
};

// How often each row is in the bag of the tree with this seed: as a weight, 0 where it is not.
class Bag {
  public:
    Bag(const Table& table, const Options& options);
    void draw(Draw& numbers, std::vector<double>& weight);

  private:
    const Table& table_;
    const Options& options_;
    std::vector<double> cumulated_;  // of rows of unequal weight
    std::vector<std::uint32_t> times_;
};

// Asked now and then with the number of trees that are there; true means: leave off.
using Told = std::function<bool(std::size_t)>;

// The same bytes for any number of threads. `prior` is added to what rows out of bag are told (one a class).
Forest grow(const Table& table, const Options& options, std::span<const std::uint64_t> seeds,
            std::span<const double> prior, std::size_t threads, const Told& told);

// For each tree (trees x groups): how much the error of its rows out of bag rises when the columns of a group
// are permuted among them, together.
bool permuted(const Table& table, const Options& options, const std::vector<Tree>& trees,
              std::span<const std::uint64_t> seeds, const std::vector<std::vector<std::uint32_t>>& groups,
              std::size_t threads, const Stop& stop, double* out);

// All columns as codes of two bytes, row by row.
std::vector<std::uint16_t> row_codes(const Table& table);

}  // namespace acumen::forest
