// Entries of two classes as bits, sixty-four to a word.
#pragma once

#include <cstdint>

#include "kernels/trees/sort.hpp"

namespace acumen::tree {

// Whether each entry's value differs from that of the next (the last one's does), and whether it is of
// class 1. There is room for a word more than n / 64, which is set to zero.
void entry_bits(const Wide* list, std::uint32_t n, std::uint64_t* differs, std::uint64_t* second);
void entry_bits(const Narrow* list, std::uint32_t n, std::uint64_t* differs, std::uint64_t* second);

// Marks the entries after which a cut can be best, of those from `first` to `last`, which are always marked
// where there is a cut; gives how many cuts there are in all.
std::uint32_t cuts_to_score(const std::uint64_t* differs, const std::uint64_t* second, std::uint32_t n,
                            std::uint32_t first, std::uint32_t last, std::uint64_t* marked);

// For each marked entry of the words from `begin` to `end`: how many entries there are up to it, and how many
// of them are of class 1; `before` those before the words, and is brought up to date. Gives how many were
// marked.
std::size_t gather(const std::uint64_t* marked, const std::uint64_t* second, std::size_t begin,
                   std::size_t end, std::int32_t& before, std::int32_t* at, std::int32_t* ones);

}  // namespace acumen::tree
