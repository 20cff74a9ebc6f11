// Sets of rows as bits, sixty-four to a word: intersections with their sizes, and packing the rows of one set
// out of another. The best instructions of the processor are chosen once, when the library is loaded; all
// give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace acumen {

inline constexpr std::size_t words_of(std::size_t rows) { return (rows + 63) / 64; }

// into = a AND b; gives how many rows that has. `into` may be `a` or `b`.
std::size_t intersect(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* into, std::size_t words);

// How many rows a set has, and how many two sets share.
std::size_t count_rows(const std::uint64_t* a, std::size_t words);
std::size_t count_shared(const std::uint64_t* a, const std::uint64_t* b, std::size_t words);

// The same of many short runs of words at once: run s is of the words at[s] to at[s + 1], and counts[s] is
// how many rows both have there.
void intersect_runs(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* into,
                    const std::size_t* at, std::int64_t* counts, std::size_t runs);

// into = those bits of `from` that stand where `mask` has a bit, one after another; `into` has room for as
// many words as the bits of `mask` need, and all of them are written. Gives how many bits of `from` were
// taken.
std::size_t pack_rows(const std::uint64_t* mask, const std::uint64_t* from, std::uint64_t* into,
                      std::size_t words, std::size_t into_words);

}  // namespace acumen
