// Extra trees of whole, unweighted rows of few narrow columns: the common case, without gathering.
//
// A row is a record of 32 bytes, its codes. Records are moved as nodes are parted, so that a node's rows lie
// together, those of one class after those of another; least and largest code of all columns, and the counts
// at or below a cut of each, are had by one instruction a row.
#pragma once

#include <array>
#include <vector>

#include "kernels/forest_types.hpp"

namespace acumen::forest {

struct Record {
    static constexpr std::size_t WIDTH = 32;
    std::uint8_t code[WIDTH];
};

// The rows of a table as records, class by class.
struct ExtraRows {
    std::vector<Record> record;
    std::vector<std::size_t> of_class;  // how many there are of each

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
        std::uint32_t node, begin, end, width;
        std::size_t depth;
        std::array<std::uint8_t, Record::WIDTH> columns;  // those not known to be constant here come first
    };
    struct Cut {
        std::uint32_t column = 0, cut = 0;
        bool lean_right = false;
    };

    void draw_cuts(Frame& frame, Draw& draw);
    Cut best_cut(const Frame& frame);
    void open_children(const Frame& frame, const Cut& chosen, std::size_t left, Tree& tree);
    bool is_leaf(double weight, double most, std::size_t depth) const;

    const Table& table_;
    const Options& options_;
    const ExtraRows& whole_;
    std::vector<Record> rows_, spare_;
    std::vector<std::size_t> totals_;   // rows of each class in a node
    std::vector<std::uint32_t> below_;  // classes x columns: rows of each class at or below the cut of each
    std::uint8_t cuts_[Record::WIDTH] = {};
    std::size_t asked_ = 0;  // so many of a frame's columns, the first, have a cut
    std::vector<Frame> open_;
};

}  // namespace acumen::forest
