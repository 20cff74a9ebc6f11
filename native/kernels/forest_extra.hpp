// Extra trees of whole, unweighted rows of few narrow columns: the common case, without gathering.
//
// A row is a record of 32 bytes, its codes and its class. Records are moved as nodes are parted, so that a
// node's rows lie together; least and largest code of all columns, and the counts at or below a cut of each,
// are had by one instruction a row and half a record.
#pragma once

#include "kernels/forest_types.hpp"

namespace acumen::forest {

class ExtraGrower {
  public:
    static constexpr std::size_t WIDTH = 31;
    struct Record {
        std::uint8_t code[WIDTH];
        std::uint8_t label;
    };

    // Whether such a table can be grown from: classes, no weights, no gaps, all columns ordered and of at
    // most 255 slots.
    static bool suits(const Table& table, const Options& options);

    ExtraGrower(const Table& table, const Options& options);
    Tree grow(Draw& draw);

  private:
    struct Cut {
        std::uint32_t column, cut;
    };

    void count(const Record* rows, std::size_t n, const std::uint8_t* cuts);

    const Table& table_;
    const Options& options_;
    std::vector<Record> whole_, rows_, spare_;
    std::vector<double> totals_;
    std::vector<std::uint32_t> below_;  // classes x 32: rows of each class at or below the cut of each column
    std::vector<Cut> cuts_;
};

}  // namespace acumen::forest
