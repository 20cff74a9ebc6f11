// Histograms of cells over all columns: one pass over the rows of a node.
#pragma once

#include "kernels/boosting/crew.hpp"
#include "kernels/boosting/types.hpp"

namespace acumen::boosting {

// Columns of one byte lie four to a word, so that one access has the codes of four columns and their four
// histograms stay in the fastest cache; wider ones lie by themselves.
class Codes {
  public:
    explicit Codes(const forest::Table& table);

    std::size_t cells() const { return cells_; }
    std::size_t columns() const { return start_.size(); }
    // The cells of a column: its slots, and one for rows without a value.
    std::size_t start(std::size_t column) const { return start_[column]; }
    std::size_t none(std::size_t column) const { return none_[column]; }
    // The code of a row; none(column) where it has no value.
    std::uint32_t code(std::size_t column, std::size_t row) const {
        const std::size_t at = place_[column];
        if (at & WIDE) {
            const std::uint16_t found = wide_[at & ~WIDE][row];
            return found == forest::NO_VALUE ? static_cast<std::uint32_t>(none_[column]) : found;
        }
        return (quads_[at >> 2][row] >> (8 * (at & 3))) & 255;
    }

    // Adds the cells of some rows (all from `first` on where `rows` is null) to a histogram; `wanted` has a
    // flag for each column.
    void add(const Cell* cells, const std::uint32_t* rows, std::size_t first, std::size_t count,
             const std::uint8_t* wanted, Cell* histogram) const;

  private:
    static constexpr std::size_t WIDE = std::size_t{1} << 40;

    std::vector<std::vector<std::uint32_t>> quads_;
    std::vector<std::vector<std::size_t>> quad_columns_;
    std::vector<const std::uint16_t*> wide_;
    std::vector<std::size_t> wide_columns_, place_, start_, none_;
    std::size_t cells_ = 0;
};

// A histogram of all rows of a node, threads taking equal shares of them.
class Counter {
  public:
    Counter(const Codes& codes, Crew& crew) : codes_(codes), crew_(crew), own_(crew.size()) {
        for (std::size_t t = 1; t < own_.size(); ++t) own_[t].resize(codes.cells());
    }
    void count(const Cell* cells, const std::uint32_t* rows, std::size_t count, const std::uint8_t* wanted,
               Cell* out);

  private:
    const Codes& codes_;
    Crew& crew_;
    std::vector<std::vector<Cell>> own_;
};

}  // namespace acumen::boosting
