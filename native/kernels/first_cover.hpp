// For each row the first of many bodies that holds for it, conditions being sets of rows as bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace acumen {

// `bits` has a line of words for each condition; body b is of the conditions places[starts[b]] on to
// places[starts[b + 1]]. Rows in `still` that a body covers leave it, and have `first` plus its number
// written to `made`. Gives whether some rows are still left.
bool cover_first(std::span<const std::uint64_t> bits, std::span<const std::int64_t> starts,
                 std::span<const std::int32_t> places, std::int32_t first, std::span<std::uint64_t> still,
                 std::span<std::int32_t> made);

// Sets the bit of each row in the line of its level: line i of `bits`, of so many words, is of wanted[i]. A
// level below 0 is nobody's; one wanted twice has both lines. Row r's code is codes[r * stride].
void pack_levels(const std::int32_t* codes, std::ptrdiff_t stride, std::size_t rows,
                 std::span<const std::int32_t> wanted, std::size_t words, std::uint64_t* bits);

}  // namespace acumen
