// One tree of gradient boosting: the leaf whose split gains most is split next.
#pragma once

#include "kernels/boosting/histogram.hpp"
#include "kernels/boosting/split.hpp"

namespace acumen::boosting {

class Grower {
  public:
    Grower(const forest::Table& table, const Options& options, Crew& crew);

    // A tree from the cells of all rows; afterwards rows_of(leaf) tells who is where. `wanted` has a flag for
    // each column; gains are added up in `gain`. A node's value is what its rows are told, times the rate,
    // for `line`.
    forest::Tree grow(const std::vector<Cell>& cells, const Units& units, const std::uint8_t* wanted,
                      std::size_t line, std::size_t lines, std::vector<double>& gain);

    // Adds the values of the leaves to the scores (rows x lines) of one line.
    void settle(std::size_t line, std::size_t lines, double* scores);

  private:
    struct Leaf {
        std::uint32_t node = 0;
        std::size_t begin = 0, end = 0;
        Cell sum;
        double value = 0;
        Bounds bounds;
        std::size_t histogram = SIZE_MAX;
        Split split;
    };

    std::size_t take_histogram();
    // The best split of a leaf; `splits` are those of all columns, to be chosen from.
    void find(Leaf& leaf, const Finder& finder, const std::uint8_t* wanted, std::vector<Split>& splits);
    void find_both(Leaf& one, Leaf& other, const Finder& finder, const std::uint8_t* wanted);
    std::size_t part(const Leaf& leaf, const Split& split);

    const forest::Table& table_;
    const Options& options_;
    Crew& crew_;
    Codes codes_;
    Counter counter_;
    std::vector<std::uint32_t> rows_, spare_;
    std::vector<std::vector<Cell>> histograms_;
    std::vector<std::size_t> unused_;
    std::vector<Split> splits_, others_;
    std::vector<Leaf> leaves_;
};

}  // namespace acumen::boosting
