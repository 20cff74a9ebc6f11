// Fisher's exact test, one-sided, of many tables of two by two at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace acumen {

// made[i]: the chance that at least right[i] of covered[i] rows have the head, head[i] of whole[i] rows
// having it, all equally likely. The counts of each table must go together: right is at most covered and
// head, both at most whole, and right at least covered + head - whole.
void fisher_tails(std::span<const std::int64_t> right, std::span<const std::int64_t> covered,
                  std::span<const std::int64_t> head, std::span<const std::int64_t> whole, double* made);

}  // namespace acumen
