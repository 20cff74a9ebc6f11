// Extra trees of whole, unweighted rows of few narrow columns: the common case, without gathering.
//
// A row is a record of 32 bytes, its codes. Records are moved as nodes are parted, so that a node's rows lie
// together, those of one class after those of another (or the last class first); least and largest code of
// all columns, and the counts at or below a cut of each, are had by one instruction a row.
#pragma once

#include <array>
#include <vector>

#include "kernels/forests/types.hpp"

namespace acumen::forest {

struct Record {
    static constexpr std::size_t WIDTH = 32;
    std::uint8_t code[WIDTH];
};

// The slot of a number by where it lies between the least and the largest one: a look, and a step or two.
class SlotFinder {
  public:
    explicit SlotFinder(const Column& column);
    // As slot_below of forests/cut.hpp has it.
    std::uint32_t below(std::uint32_t low, std::uint32_t high, double number) const;

  private:
    static constexpr std::size_t CELLS = 1024;
    Column column_;
    double least_ = 0, rate_ = 0;
    std::array<std::uint8_t, CELLS + 1> at_{};
};

// The rows of a table as records, class by class.
struct ExtraRows {
    std::vector<Record> record;
    std::vector<std::size_t> of_class;  // how many there are of each
    std::vector<SlotFinder> slots;      // of each column

    explicit ExtraRows(const Table& table);
};

class ExtraGrower {
  public:
    // Whether such a table can be grown from: classes, no weights, no gaps, all columns ordered and of at
    // most 255 slots.
    static bool suits(const Table& table, const Options& options);

    ExtraGrower(const Table& table, const Options& options, const ExtraRows& whole);
    Tree grow(Draw& draw);

  private:
    struct Frame {
        std::uint32_t node, begin, end, width, depth;
        std::uint8_t home;                                // in which of the two places its rows lie
        bool turned;                                      // whether the last class comes first
        std::array<std::uint8_t, Record::WIDTH> columns;  // those not known to be constant here come first
    };
    struct Cut {
        std::uint32_t column = 0, cut = 0;
        bool lean_right = false;
        double gain = 0;
    };

    void draw_cuts(Frame& frame, const Record* rows, Draw& draw);
    void count(const Frame& frame, const Record* rows);
    Cut best_cut(const Frame& frame);
    void open_children(const Frame& frame, const Cut& chosen, std::size_t left);
    bool is_leaf(double weight, double most, std::size_t depth) const;

    const Table& table_;
    const Options& options_;
    const ExtraRows& whole_;
    std::array<std::vector<Record>, 2> rows_;  // a node's rows go from one to the other when they are parted
    Tree tree_;                                // grows where the last one did, and is then copied
    std::vector<std::size_t> totals_;          // rows of each class in a node
    std::vector<std::uint32_t> below_;  // classes x columns: rows of each class at or below the cut of each
    std::uint8_t cuts_[Record::WIDTH] = {};
    std::size_t asked_ = 0;  // so many of a frame's columns, the first, have a cut
    std::vector<Frame> open_;
};

}  // namespace acumen::forest
