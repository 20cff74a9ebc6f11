// A forest from columns of codes: trees over threads, each from a seed of its own.
#pragma once

#include <functional>

#include "kernels/common/parallel.hpp"
#include "kernels/forests/out_of_bag.hpp"

namespace acumen::forest {

struct Forest {
    std::vector<Tree> trees;
    OutOfBag out_of_bag;
    bool stopped = false;  // by `stop`: the trees are those that were finished, without a gap
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

struct Kept {
    OutOfBag out_of_bag;
    bool enough =
        false;  // the error has not fallen for as long as `patience` says: further trees are not wanted
    bool stopped = false;  // by `stop`
};

// What trees grown elsewhere, from the same rows and these seeds, say of rows out of bag, after what others
// before them have said: the same bytes as if all had been grown together.
Kept kept(const Table& table, const Options& options, std::span<const double> prior,
          const std::vector<Tree>& trees, std::span<const std::uint64_t> seeds, OutOfBag&& before,
          const Stop& stop);

}  // namespace acumen::forest
