// The purest cut of a node's rows of two classes, from counts to the left of each place.
#pragma once

#include <cstdint>
#include <vector>

namespace acumen::forest {

// Counts to the left of each place between two neighbouring codes that were met.
struct Places {
    std::vector<std::uint32_t> code;         // the code right of it; before them all the first code
    std::vector<std::int32_t> weight, ones;  // of all rows to the left, and of those of the second class
    std::vector<double> purity;
    std::size_t size = 0;

    void clear() { size = 0; }
    // A code that was met, and what lies to its left.
    void push(std::uint32_t met, std::uint64_t left) {
        if (size + 16 > code.size()) grow();
        code[size] = met;
        weight[size] = static_cast<std::int32_t>(left & 0xffffffffu);
        ones[size] = static_cast<std::int32_t>(left >> 32);
        ++size;
    }

  private:
    void grow();
};

// The first place, from 1 on, whose purity (ones^2 / weight of either side) is the largest but for rounding.
std::size_t purest(Places& places, double weight, double ones, double slack);

}  // namespace acumen::forest
