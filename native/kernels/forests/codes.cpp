#include "kernels/forests/codes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace acumen::forest {

namespace {

// Of a block so many rows at a time, so that rows that lie whole in memory are read once for all columns.
constexpr std::size_t BLOCK = 4096, TILE = 256;
constexpr std::size_t FEW = 255;

// Up to 255 cuts, filled up with infinity, so that eight halvings without a branch find any of 256 places.
struct FewCuts {
    std::array<double, 256> cut;

    explicit FewCuts(std::span<const double> cuts) {
        cut.fill(std::numeric_limits<double>::infinity());
        std::copy(cuts.begin(), cuts.end(), cut.begin());
    }
    // The places of several numbers, side by side, so that none waits for another's comparison.
    static constexpr std::size_t LANES = 8;
    void place(const std::array<double, LANES>& x, std::array<std::uint32_t, LANES>& at) const {
        at.fill(0);
        for (std::uint32_t step = 128; step; step >>= 1)
            for (std::size_t l = 0; l < LANES; ++l) at[l] += cut[at[l] + step - 1] < x[l] ? step : 0;
    }
};

template <class Out>
void levels(const Raw& raw, std::size_t first, std::size_t end, Out* out, std::ptrdiff_t stride) {
    constexpr Out none = static_cast<Out>(~Out{0});
    for (std::size_t i = first; i < end; ++i) {
        const std::int32_t code = raw.codes[i];
        const bool known = code >= 0 && static_cast<std::uint32_t>(code) < raw.slots;
        out[static_cast<std::ptrdiff_t>(i) * stride] = known ? static_cast<Out>(code) : none;
    }
}

template <class Out>
void few_numbers(const Raw& raw, const FewCuts& few, std::size_t first, std::size_t end, Out* out,
                 std::ptrdiff_t stride) {
    constexpr Out none = static_cast<Out>(~Out{0});
    constexpr std::size_t LANES = FewCuts::LANES;
    std::array<double, LANES> x;
    std::array<std::uint32_t, LANES> at;
    for (; first < end; first += LANES) {
        const std::size_t n = std::min(LANES, end - first);
        x.fill(0);
        for (std::size_t l = 0; l < n; ++l) x[l] = raw.numbers[first + l];
        few.place(x, at);
        for (std::size_t l = 0; l < n; ++l)
            out[static_cast<std::ptrdiff_t>(first + l) * stride] =
                std::isnan(x[l]) ? none : static_cast<Out>(at[l]);
    }
}

template <class Out>
void numbers(const Raw& raw, const FewCuts* few, std::size_t first, std::size_t end, Out* out,
             std::ptrdiff_t stride) {
    if (few) return few_numbers(raw, *few, first, end, out, stride);
    constexpr Out none = static_cast<Out>(~Out{0});
    for (std::size_t i = first; i < end; ++i) {
        const double x = raw.numbers[i];
        const auto at = std::lower_bound(raw.cuts.begin(), raw.cuts.end(), x) - raw.cuts.begin();
        out[static_cast<std::ptrdiff_t>(i) * stride] = std::isnan(x) ? none : static_cast<Out>(at);
    }
}

}  // namespace

bool code(std::span<const Raw> columns, std::span<const Coded> out, std::size_t rows, std::size_t threads,
          const Stop& stop) {
    std::vector<FewCuts> few;
    std::vector<std::size_t> of(columns.size(), SIZE_MAX);
    few.reserve(columns.size());
    for (std::size_t j = 0; j < columns.size(); ++j) {
        if (!columns[j].numeric || columns[j].cuts.size() > FEW) continue;
        of[j] = few.size();
        few.emplace_back(columns[j].cuts);
    }
    return for_blocks((rows + BLOCK - 1) / BLOCK, threads, stop, [&] {
        return [&](std::size_t block) {
            const std::size_t last = std::min(rows, (block + 1) * BLOCK);
            for (std::size_t first = block * BLOCK; first < last; first += TILE) {
                const std::size_t end = std::min(last, first + TILE);
                for (std::size_t j = 0; j < columns.size(); ++j) {
                    const Raw& raw = columns[j];
                    const Coded& to = out[j];
                    const FewCuts* cuts = of[j] == SIZE_MAX ? nullptr : &few[of[j]];
                    if (raw.numeric && to.narrow)
                        numbers(raw, cuts, first, end, to.narrow, to.stride);
                    else if (raw.numeric)
                        numbers(raw, cuts, first, end, to.wide, to.stride);
                    else if (to.narrow)
                        levels(raw, first, end, to.narrow, to.stride);
                    else
                        levels(raw, first, end, to.wide, to.stride);
                }
            }
        };
    });
}

}  // namespace acumen::forest
