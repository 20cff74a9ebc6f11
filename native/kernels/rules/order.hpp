// Columns of thresholds as their rows in the order of codes, and sets of rows as bits.
//
// The first row of each code carries a mark, so that thresholds are told apart without the codes themselves.
// What is left of a column when rows go is packed without a branch, and cut into runs of whole codes: a bound
// tells of most runs that none of their thresholds is worth looking at.
#pragma once

#include <algorithm>

#include "kernels/rules/rows.hpp"

namespace acumen::rules {

inline constexpr std::uint32_t FIRST = std::uint32_t{1} << 31;  // the mark
using Order = std::vector<std::uint32_t>;                       // rows, some of them marked

inline std::int32_t row_of(std::uint32_t marked) { return static_cast<std::int32_t>(marked & ~FIRST); }

// Of each column of thresholds its rows that have a code; nothing of other columns, and of those with few
// codes, where counting by code is as quick.
inline constexpr std::int32_t FEW_CODES = 64;
std::vector<Order> orders_of(const Coded& coded);

class RowBits {
  public:
    explicit RowBits(std::size_t rows) : words_((rows + 63) / 64, 0) {}

    // These rows, which ascend, and no others.
    void hold(std::span<const std::int32_t> rows);
    // Those of one set that are in another.
    void hold_both(const RowBits& one, const RowBits& other);

    const std::uint64_t* words() const { return words_.data(); }
    std::size_t size() const { return words_.size(); }

  private:
    std::vector<std::uint64_t> words_;
};

inline std::uint64_t has_row(const std::uint64_t* words, std::uint32_t row) {
    return words[row >> 6] >> (row & 63) & 1;
}

// into = those of `from` that are in the set, in order; the mark of a code goes to the first row that is left
// of it. `note(at, row)` is told of each place, before it is known whether the row stays there. `into` has
// room for all, and may be `from`. Gives how many there are.
template <typename Note>
std::size_t pack_order(std::span<const std::uint32_t> from, const std::uint64_t* set, std::uint32_t* into,
                       const Note& note) {
    std::size_t left = 0;
    std::uint32_t mark = 0;
    for (const std::uint32_t one : from) {
        const std::uint32_t row = one & ~FIRST;
        mark |= one & FIRST;
        const auto stays = static_cast<std::uint32_t>(has_row(set, row));
        into[left] = row | mark;
        note(left, row);
        left += stays;
        mark &= stays - 1;
    }
    return left;
}

// How many codes there are, and where a run of at least so many rows ends: before the first row of a code.
std::size_t codes_in(std::span<const std::uint32_t> order);

inline std::size_t run_end(std::span<const std::uint32_t> order, std::size_t begin, std::size_t least) {
    std::size_t end = std::min(begin + least, order.size());
    while (end < order.size() && !(order[end] & FIRST)) ++end;
    return end;
}

// How many of some bytes are `wanted`.
inline std::uint64_t count_bytes(const std::uint8_t* bytes, std::size_t n, std::uint8_t wanted) {
    std::uint64_t found = 0;
    while (n) {  // a byte holds 255 of them
        const std::size_t some = std::min<std::size_t>(n, 128);
        std::uint8_t here = 0;
        for (std::size_t i = 0; i < some; ++i) here = static_cast<std::uint8_t>(here + (bytes[i] == wanted));
        found += here;
        bytes += some;
        n -= some;
    }
    return found;
}

}  // namespace acumen::rules
