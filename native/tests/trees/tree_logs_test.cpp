// x log2 x of packs, and sorted keys of no rows: what is below zero, and what is not there, is no reason to
// overflow or to copy from nowhere.
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/trees/logs.hpp"
#include "kernels/trees/sort.hpp"
#include "tests/claims.hpp"

static void logs() {
    const double tiny = std::numeric_limits<double>::denorm_min();
    const double values[] = {0.0,  -0.0, -1e-17, -1.0,  -tiny, -1e300, 1.0,   2.0,
                             0.25, 3.0,  1e-300, 1e300, 7.5,   1e-9,   123.0, std::sqrt(0.5)};
    for (std::size_t start = 0; start < 16; start += 8) {
        acumen::Pack x{}, total{};
        for (std::size_t i = 0; i < 8; ++i) x[i] = values[start + i];
        acumen::tree::add_xlogx(x, 1.0, total);
        for (std::size_t i = 0; i < 8; ++i) {
            const double expected = x[i] > 0.0 ? x[i] * std::log2(x[i]) : 0.0;
            const double away = std::abs(total[i] - expected);
            expect(away <= 1e-14 * (1.0 + std::abs(expected)),
                   "x log2 x, and zero of what is not above zero");
        }
    }
}

static void sorting() {
    acumen::tree::SortScratch scratch;
    const std::vector<std::uint32_t> words{5, 6, 7};
    for (const std::size_t rows : {std::size_t{0}, std::size_t{3}}) {
        std::vector<acumen::tree::Wide> list(rows);
        for (std::size_t i = 0; i < rows; ++i) {
            const std::uint64_t key = acumen::tree::NO_KEY;  // of a missing value
            list[i] = {static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key)};
        }
        expect(acumen::tree::sort_keys(list.data(), rows, words.data(), scratch) == 0,
               "of no known value none is sorted");
    }
}

int main() {
    logs();
    sorting();
    return claims::finish();
}
