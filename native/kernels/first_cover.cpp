#include "kernels/first_cover.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

namespace acumen {

bool cover_first(std::span<const std::uint64_t> bits, std::span<const std::int64_t> starts,
                 std::span<const std::int32_t> places, std::int32_t first, std::span<std::uint64_t> still,
                 std::span<std::int32_t> made) {
    const std::size_t words = still.size();
    bool left = false;
    // Word by word: the conditions' words of 64 rows stay near while all bodies are asked for them.
    for (std::size_t w = 0; w < words; ++w) {
        std::uint64_t open = still[w];
        for (std::size_t b = 0; open && b + 1 < starts.size(); ++b) {
            std::uint64_t here = open;
            for (auto p = starts[b]; here && p < starts[b + 1]; ++p)
                here &= bits[static_cast<std::size_t>(places[static_cast<std::size_t>(p)]) * words + w];
            open &= ~here;
            for (; here; here &= here - 1)
                made[w * 64 + static_cast<std::size_t>(std::countr_zero(here))] =
                    first + static_cast<std::int32_t>(b);
        }
        still[w] = open;
        left |= open != 0;
    }
    return left;
}

void pack_levels(const std::int32_t* codes, std::ptrdiff_t stride, std::size_t rows,
                 std::span<const std::int32_t> wanted, std::size_t words, std::uint64_t* bits) {
    std::int32_t most = -1;
    for (const std::int32_t level : wanted) most = std::max(most, level);
    std::vector<std::int32_t> line(static_cast<std::size_t>(most + 1), -1), next(wanted.size(), -1);
    for (std::size_t i = 0; i < wanted.size(); ++i)
        if (wanted[i] >= 0)
            next[i] = std::exchange(line[static_cast<std::size_t>(wanted[i])], static_cast<std::int32_t>(i));
    for (std::size_t r = 0; r < rows; ++r) {
        const std::int32_t code = codes[static_cast<std::ptrdiff_t>(r) * stride];
        if (code < 0 || code > most) continue;
        for (std::int32_t at = line[static_cast<std::size_t>(code)]; at >= 0;
             at = next[static_cast<std::size_t>(at)])
            bits[static_cast<std::size_t>(at) * words + r / 64] |= std::uint64_t{1} << (r % 64);
    }
}

}  // namespace acumen
