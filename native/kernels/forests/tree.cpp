#include "kernels/forests/tree.hpp"

namespace acumen::forest {

std::uint32_t middle_of(const Column& column, std::uint32_t below, std::uint32_t above) {
    if (above == below + 1) return below;
    const auto value = [&](std::uint32_t at) { return column.most(at) / 2 + column.least(at + 1) / 2; };
    const double middle = column.most(below) / 2 + column.least(above) / 2;
    std::uint32_t low = below, high = above - 1;  // the answer is among low .. high
    while (low < high) {
        const std::uint32_t at = (low + high) / 2;
        if (value(at) < middle)
            low = at + 1;
        else
            high = at;
    }
    if (low > below && middle - value(low - 1) <= value(low) - middle) --low;
    return low;
}

void append_set(std::vector<std::uint32_t>& sets, std::uint32_t child, std::uint32_t slots,
                const Split& split) {
    const std::uint32_t words = (slots + 31) / 32;
    const std::size_t at = sets.size();
    sets.resize(at + 2 + 2 * words, 0);
    sets[at] = child;
    sets[at + 1] = words;
    std::uint32_t* left = sets.data() + at + 2;
    for (const std::uint32_t level : split.left) left[level >> 5] |= 1u << (level & 31);
    for (const std::uint32_t level : split.right) left[words + (level >> 5)] |= 1u << (level & 31);
}

}  // namespace acumen::forest
