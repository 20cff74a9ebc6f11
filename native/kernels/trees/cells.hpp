// Growing level by level: class weights of every open node, input and code, and the tests found from them.
//
//     count_cells   rows of some nodes -> their cells, added in place
//     split_cells   cells of some nodes -> the test of each, and the class weights of its children
//
// A numeric input's codes are its bins. Cells of different rows add, so that rows may come in any parts; the
// callers see to it that the sums are exact (weights on a common grid), hence the same for every cut.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/common/parallel.hpp"
#include "kernels/trees/types.hpp"

namespace acumen::tree {

// A node's cells: for each input one for each of its codes and a last one for missing values, each with one
// number a class.
struct CellLayout {
    std::size_t classes = 0;
    std::span<const std::int32_t> at;  // where each input's cells begin; one more: how many there are in all

    std::size_t inputs() const { return at.size() - 1; }
    std::size_t width() const { return static_cast<std::size_t>(at.back()); }
    std::size_t begin(std::size_t input) const { return static_cast<std::size_t>(at[input]); }
    std::size_t codes(std::size_t input) const {  // without the missing one
        return static_cast<std::size_t>(at[input + 1] - at[input]) - 1;
    }
};

// Instances: a row at a node, with the weight it has there.
struct Fallen {
    std::span<const std::uint32_t> row;
    std::span<const std::int32_t> slot;  // the node's place among `slots`
    std::span<const double> weight;
};

// Adds each instance's weight to its cells. codes[input] has a code for every row.
bool count_cells(const CellLayout& layout, std::span<const std::uint16_t* const> codes,
                 const std::int32_t* label, const Fallen& fallen, std::size_t slots, std::size_t threads,
                 const Stop& stop, double* cells);

// What becomes of the nodes: arrays by node, and by child in the order of nodes and branches.
struct CellSplits {
    std::vector<std::int32_t> input, branches, otherwise;  // -1, 0, -1 for a leaf
    std::vector<double> worth;                             // weight times gain
    std::vector<std::int32_t> cut_at, below, above;        // cuts: the bins next to them that have rows
    std::vector<std::int32_t> branch_at, branch;           // of each code of the input tested; -1: none
    std::vector<double> child_counts;                      // children x classes
    std::vector<double> child_share;                       // of the rows that no branch fits
    std::vector<std::uint8_t> child_open;                  // whether it may be split further
};

// `table` tells classes, kinds and levels of the inputs and how many rows there are; its columns are not
// read.
bool split_cells(const Table& table, const Options& options, const CellLayout& layout, const double* cells,
                 std::size_t slots, std::size_t depth, std::span<const std::uint64_t> paths,
                 std::size_t threads, const Stop& stop, CellSplits& made);

}  // namespace acumen::tree
