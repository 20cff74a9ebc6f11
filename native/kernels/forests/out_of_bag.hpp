// What trees say of rows that they were not grown from.
#pragma once

#include "kernels/forests/walk.hpp"

namespace acumen::forest {

// Sums are taken in the order of the trees.
struct OutOfBag {
    std::vector<double> sum;          // rows x outputs: leaf values of the trees that did not have the row
    std::vector<std::int32_t> votes;  // how many these are
    // After each tree: weight of wrong rows (squares of numbers), of voted rows, and of rows without a vote
    // that are not of class 0.
    std::vector<double> error, voted, unvoted_wrong;
};

// All columns as codes of two bytes, row by row, and what a walk wants to know of them.
struct Asked {
    std::vector<std::uint16_t> codes;
    std::vector<std::uint8_t> nominal;  // of each column
    std::size_t rows = 0, width = 1;
    bool whole = false;  // no row lacks a value

    explicit Asked(const Table& table);
    CodeRows all() const { return {codes.data(), rows, width}; }
};

// Rows out of one tree's bag, and the leaf of each.
struct Answers {
    std::vector<std::uint32_t> rows, leaves;
};

void told_of(const Tree& tree, const std::vector<double>& weight, const Asked& asked, Answers& told);

// What each column's splits are worth on rows out of bag: the change of the node's values times what these
// rows have, so that a split by chance is worth nothing on average (Li et al. 2019).
std::vector<double> gains(const Table& table, const Tree& tree, const Answers& told);

// Keeps the sums of rows out of bag, tree by tree in order.
class Keeper {
  public:
    // `prior` is added to what rows are told, one a class.
    Keeper(const Table& table, const Options& options, std::span<const double> prior);

    // Goes on from what trees before have said: the same as if it had met them itself.
    Keeper(const Table& table, const Options& options, std::span<const double> prior, OutOfBag&& before);

    // Whether the error has not fallen for so long that no further tree is wanted.
    bool enter(const Tree& tree, const Answers& told);

    OutOfBag made;

  private:
    // Whether the last tree was one too many.
    bool judge(std::size_t trees);
    double weight(std::size_t row) const { return table_.weight ? table_.weight[row] : 1.0; }
    double wrong(std::size_t row) const;

    const Table& table_;
    const Options& options_;
    std::span<const double> prior_;
    std::size_t k_, at_best_ = 0;
    double error_ = 0, voted_ = 0, unvoted_wrong_ = 0, best_;
};

}  // namespace acumen::forest
