// Numbers and levels as the codes that forests work on.
#pragma once

#include <span>

#include "kernels/common/columns.hpp"
#include "kernels/common/parallel.hpp"
#include "kernels/forests/types.hpp"

namespace acumen::forest {

// A column to be coded: numbers by cuts (the code of x is how many cuts lie below it), or levels as they are.
struct Raw {
    acumen::Column numbers;
    CodeColumn codes;
    bool numeric = false;
    std::span<const double> cuts;  // ascending
    std::uint32_t slots = 0;       // levels of these and above have no value
};

// Where the codes of a column go: bytes (255: no value) or pairs of bytes (65535), any distance apart.
struct Coded {
    std::uint8_t* narrow = nullptr;
    std::uint16_t* wide = nullptr;
    std::ptrdiff_t stride = 1;
};

bool code(std::span<const Raw> columns, std::span<const Coded> out, std::size_t rows, std::size_t threads,
          const Stop& stop);

}  // namespace acumen::forest
