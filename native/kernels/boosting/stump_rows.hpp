// The rows that stumps are boosted on: class by class, so that a sum for each class is a plain sum.
#pragma once

#include <vector>

#include "kernels/forests/types.hpp"

namespace acumen::forest {

// Weights sum to 1 and are kept on a grid of 2^-44, so that sums of them are exact in any order.
double on_grid(double weight);

class BoostRows {
  public:
    explicit BoostRows(const Table& table);

    std::size_t size() const { return weight.size(); }
    std::size_t classes() const { return first_.size() - 1; }
    std::size_t begin(std::size_t c) const { return first_[c]; }
    std::size_t end(std::size_t c) const { return first_[c + 1]; }
    // Where the row of the table at this place lies here.
    std::size_t place(std::size_t row) const { return place_[row]; }

    // Sums of `what` over the codes of a column, for each class, `stride` apart.
    void sums_by_code(std::size_t j, const std::vector<double>& what, std::size_t stride,
                      std::vector<double>& sums) const;
    // The side of each row by that of its code in a column.
    void part(std::size_t j, const std::vector<std::uint8_t>& goes_right);
    // Of each class the sum of `what` over rows on either side: classes x 2.
    void sums_by_side(const std::vector<double>& what, std::vector<double>& sums) const;
    // Multiplies the weights of a class by one factor on either side.
    void reweigh(std::size_t c, double left, double right);

    std::vector<double> weight, start;  // as it is now, and as it was
    std::vector<std::uint8_t> side;

  private:
    std::span<const Column> columns_;
    std::vector<std::size_t> first_;  // where each class begins
    std::vector<std::uint32_t> place_;
    std::vector<std::vector<std::uint8_t>> narrow_;
    std::vector<std::vector<std::uint16_t>> wide_;
};

}  // namespace acumen::forest
