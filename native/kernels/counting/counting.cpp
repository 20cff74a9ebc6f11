// What bounds it: adding into a slot that the row before has just written waits for that store (some five
// cycles). Without weights four tables of whole numbers are filled in turn, so that the wait is shared;
// then it runs at about one row a nanosecond, and the codes' memory is next.
#include "kernels/counting/counting.hpp"

namespace acumen {

namespace {

constexpr std::size_t COPIES = 4;
constexpr std::size_t SMALL = 4096;     // slots of which four copies still fit in the first cache
constexpr std::size_t ROWS = 1u << 30;  // rows counted before a 32-bit counter could overflow

std::size_t slot(std::int32_t code, std::size_t n) {
    const auto c = static_cast<std::uint32_t>(code);  // -1 becomes huge, hence "missing"
    return c < n ? c : n;
}

void count_small(CodeColumn codes, const Rows& rows, std::size_t levels, double* table) {
    const std::size_t across = levels + 1, slots = (rows.classes + 1) * across;
    std::vector<std::uint32_t> counts(COPIES * slots);
    for (std::size_t first = 0; first < rows.n; first += ROWS) {
        const std::size_t end = std::min(rows.n, first + ROWS);
        std::fill(counts.begin(), counts.end(), 0u);
        std::size_t i = first;
        const auto count = [&](std::size_t k) {
            ++counts[k * slots + rows.class_of(i + k) * across + slot(codes[i + k], levels)];
        };
        for (; i + COPIES <= end; i += COPIES) {
            count(0);
            count(1);
            count(2);
            count(3);
        }
        for (; i < end; ++i) count(0);
        for (std::size_t s = 0; s < slots; ++s) {
            const auto sum = static_cast<std::uint64_t>(counts[s]) + counts[slots + s] +
                             counts[2 * slots + s] + counts[3 * slots + s];
            table[s] += static_cast<double>(sum);
        }
    }
}

void count_soft(CodeColumn codes, const Rows& rows, std::size_t levels, double* table) {
    for (std::size_t i = 0; i < rows.n; ++i) {
        double* column = table + slot(codes[i], levels);
        const double* share = rows.soft + i * rows.classes;
        for (std::size_t c = 0; c < rows.classes; ++c) column[c * (levels + 1)] += share[c];
    }
}

}  // namespace

void count_levels(CodeColumn codes, const Rows& rows, std::size_t levels, double* table) {
    const std::size_t across = levels + 1, size = (rows.classes + 1) * across;
    if (rows.soft) return count_soft(codes, rows, levels, table);
    if (!rows.weight && !rows.part && size <= SMALL && rows.n >= size)
        return count_small(codes, rows, levels, table);
    for (std::size_t i = 0; i < rows.n; ++i) {
        const std::size_t part = rows.part_of(i);
        if (part == rows.parts) continue;
        table[part * size + rows.class_of(i) * across + slot(codes[i], levels)] += rows.weight_of(i);
    }
}

}  // namespace acumen
