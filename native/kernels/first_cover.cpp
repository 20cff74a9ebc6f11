#include "kernels/first_cover.hpp"

#include <bit>

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

}  // namespace acumen
