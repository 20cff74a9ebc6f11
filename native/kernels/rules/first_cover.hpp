// For each row the first of many bodies that holds for it. Conditions that several bodies share are judged
// once, a block of rows at a time and only while some row of the block is still without an answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/common/columns.hpp"
#include "kernels/common/parallel.hpp"

namespace acumen {

// One condition. A number is compared (a missing one is NaN and fulfils nothing), a code is looked up in
// `allowed`, whose first two entries are for -2 and -1, and of any other condition the answers are given as
// bits.
struct Probe {
    enum class Kind : std::int32_t { below = 0, above = 1, between = 2, codes = 3, given = 4 };
    Kind kind = Kind::given;
    std::size_t column = 0;
    double low = 0, high = 0;
    std::span<const std::uint8_t> allowed;
    const std::uint64_t* bits = nullptr;
};

struct Bodies {
    std::span<const std::int64_t>
        starts;  // body b has the probes places[starts[b]] on to before starts[b + 1]
    std::span<const std::int32_t> places;
};

// Writes to `made` for each row the number of its first body, -1 where none holds. A code must be at least
// -2 and have an entry in the `allowed` of its probes. False if stopped.
bool cover_first(const Columns& numbers, std::span<const CodeColumn> codes, std::span<const Probe> probes,
                 const Bodies& bodies, std::span<std::int32_t> made, std::size_t threads, const Stop& stop);

}  // namespace acumen
