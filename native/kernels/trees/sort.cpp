#include "kernels/trees/sort.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace acumen::tree {

namespace {

constexpr unsigned DIGIT = 11, PASSES = 3;  // 33 bits hold the 32 that are sorted by
constexpr std::size_t BINS = std::size_t{1} << DIGIT;
constexpr std::size_t TILE = 256;  // rows whose columns are read together

// Stable, by `rank`; the result lies in `list`.
void radix_sort(Wide* list, Wide* scratch, std::size_t n) {
    if (!n) return;  // where there is nothing to sort there may be no scratch either
    std::array<std::array<std::uint32_t, BINS>, PASSES> places{};
    for (std::size_t i = 0; i < n; ++i)
        for (unsigned p = 0; p < PASSES; ++p) ++places[p][(list[i].rank >> (p * DIGIT)) & (BINS - 1)];
    Wide *from = list, *to = scratch;
    for (unsigned p = 0; p < PASSES; ++p) {
        auto& place = places[p];
        if (place[(from[0].rank >> (p * DIGIT)) & (BINS - 1)] == n) continue;
        std::uint32_t sum = 0;
        for (std::uint32_t& x : place) sum += std::exchange(x, sum);
        for (std::size_t i = 0; i < n; ++i) to[place[(from[i].rank >> (p * DIGIT)) & (BINS - 1)]++] = from[i];
        std::swap(from, to);
    }
    if (from != list) std::memcpy(list, from, n * sizeof(Wide));
}

}  // namespace

void keys_of_rows(std::span<const Column> columns, std::size_t first, std::size_t last, Wide* const* lists) {
    for (std::size_t start = first; start < last; start += TILE) {
        const std::size_t end = std::min(start + TILE, last);
        for (std::size_t j = 0; j < columns.size(); ++j)
            for (std::size_t i = start; i < end; ++i) {
                const double x = columns[j][i];
                const std::uint64_t key = std::isnan(x) ? NO_KEY : ordered_key(x);
                lists[j][i] = {static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key)};
            }
    }
}

std::size_t sort_keys(Wide* list, std::size_t rows, const std::uint32_t* words, SortScratch& scratch) {
    std::vector<std::uint64_t>& keys = scratch.keys;
    keys.resize(rows);
    std::uint64_t low = NO_KEY, high = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        const std::uint64_t key = std::uint64_t{list[i].rank} << 32 | list[i].word;
        keys[i] = key;
        low = std::min(low, key);
        high = std::max(high, key == NO_KEY ? 0 : key);
    }
    // Keys are spread over all 64 bits and sorted by the upper half; where the lower half is not empty, runs
    // of equal upper halves are put in order afterwards.
    const int shift = high > low ? std::countl_zero(high - low) : 0;
    std::size_t known = 0;
    std::uint64_t lower = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        if (keys[i] == NO_KEY) continue;
        keys[i] = (keys[i] - low) << shift;
        lower |= keys[i] & UINT32_MAX;
        // the row; sorting done, the row gives way to its word
        list[known++] = {static_cast<std::uint32_t>(keys[i] >> 32), static_cast<std::uint32_t>(i)};
    }
    scratch.list.resize(known);
    radix_sort(list, scratch.list.data(), known);
    std::uint32_t rank = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> run;  // lower half, row
    for (std::size_t i = 0, end; i < known; i = end, ++rank) {
        end = i + 1;
        while (end < known && list[end].rank == list[i].rank) ++end;
        if (!lower || end - i == 1) {
            for (std::size_t k = i; k < end; ++k) list[k] = {rank, words[list[k].word]};
            continue;
        }
        run.clear();
        for (std::size_t k = i; k < end; ++k)
            run.emplace_back(static_cast<std::uint32_t>(keys[list[k].word]), list[k].word);
        std::sort(run.begin(), run.end());
        for (std::size_t k = i; k < end; ++k) {
            if (k > i && run[k - i].first != run[k - i - 1].first) ++rank;
            list[k] = {rank, words[run[k - i].second]};
        }
    }
    return known;
}

}  // namespace acumen::tree
