#include "kernels/associations/itemsets.hpp"

#include <algorithm>
#include <memory>
#include <mutex>

#include "kernels/associations/itemset_walk.hpp"

namespace acumen::itemsets {

namespace {

// Puts what one thread found behind the rest.
void append(Found& all, const Found& some) {
    const auto shift = static_cast<std::int32_t>(all.nodes.size());
    all.sets += some.sets;
    Node* into = all.nodes.more(some.nodes.size());
    for (std::size_t i = 0; i < some.nodes.size(); ++i) {
        into[i] = some.nodes.data()[i];
        if (into[i].parent >= 0) into[i].parent += shift;
    }
    all.counts.insert(all.counts.end(), some.counts.begin(), some.counts.end());
    const auto behind = static_cast<std::int64_t>(all.items.size());
    for (std::size_t i = 1; i < some.starts.size(); ++i) all.starts.push_back(some.starts[i] + behind);
    all.items.insert(all.items.end(), some.items.begin(), some.items.end());
}

}  // namespace

Found mine(const Baskets& baskets, const Search& search, std::size_t threads, const Stop& stop) {
    const Index index(baskets, search.order.size());
    Common common(stop);
    const std::size_t roots = std::min(search.roots, search.order.size());
    std::vector<std::unique_ptr<Found>> each;
    std::mutex guard;
    for_blocks(roots, threads, {}, [&] {
        auto walk = std::make_shared<Walk>(index, search, common);
        const std::lock_guard<std::mutex> lock(guard);
        each.push_back(std::make_unique<Found>());
        return [walk, into = each.back().get()](std::size_t rank) { walk->root(rank, *into); };
    });
    Found all;
    for (std::unique_ptr<Found>& some : each) {
        if (all.sets == 0 && all.nodes.size() == 0) {
            all = std::move(*some);
        } else {
            append(all, *some);
        }
        some.reset();
    }
    all.overflow = common.overflow;
    all.stopped = common.leave && !common.overflow;
    return all;
}

double estimate(const Baskets& baskets, const Search& search, std::size_t walks, std::uint64_t seed,
                const Stop& stop) {
    const Index index(baskets, search.order.size());
    Common common(stop);
    Walk walk(index, search, common);
    double sum = 0;
    std::uint64_t state = seed;
    for (std::size_t rank = 0; rank < std::min(search.roots, search.order.size()); ++rank)
        sum += walk.probe(rank, walks, state);
    return sum;
}

std::vector<std::int64_t> count_sets(const Baskets& baskets, std::size_t n_items,
                                     std::span<const std::int64_t> set_starts,
                                     std::span<const std::int32_t> set_items, std::size_t threads,
                                     const Stop& stop) {
    const std::size_t n = baskets.starts.size() - 1, sets = set_starts.size() - 1;
    const std::size_t words = words_of(n);
    // Bits of those items alone that some set has.
    std::vector<std::int32_t> line(n_items, -1);
    std::int32_t lines = 0;
    for (const std::int32_t item : set_items)
        if (line[static_cast<std::size_t>(item)] < 0) line[static_cast<std::size_t>(item)] = lines++;
    std::vector<std::uint64_t> bits(static_cast<std::size_t>(lines) * words, 0);
    for (std::size_t row = 0; row < n; ++row)
        for (auto p = baskets.starts[row]; p < baskets.starts[row + 1]; ++p)
            if (const std::int32_t at =
                    line[static_cast<std::size_t>(baskets.items[static_cast<std::size_t>(p)])];
                at >= 0)
                bits[static_cast<std::size_t>(at) * words + row / 64] |= std::uint64_t{1} << (row % 64);
    std::vector<std::int64_t> made(sets, 0);
    constexpr std::size_t BLOCK = 256;
    for_blocks((sets + BLOCK - 1) / BLOCK, threads, stop, [&] {
        // What neighbours begin with is intersected once: level k holds the rows of the first k + 1 items.
        auto levels = std::make_shared<std::vector<std::vector<std::uint64_t>>>();
        return [&, levels](std::size_t block) {
            std::vector<std::int32_t> held;
            std::vector<std::int64_t> sizes;
            for (std::size_t s = block * BLOCK; s < std::min(sets, (block + 1) * BLOCK); ++s) {
                const auto first = static_cast<std::size_t>(set_starts[s]);
                const auto size = static_cast<std::size_t>(set_starts[s + 1]) - first;
                std::size_t same = 0;
                while (same < std::min(size, held.size()) && held[same] == set_items[first + same]) ++same;
                held.resize(same);
                sizes.resize(same);
                for (std::size_t k = same; k < size; ++k) {
                    const std::int32_t item = set_items[first + k];
                    const std::uint64_t* mine =
                        bits.data() + static_cast<std::size_t>(line[static_cast<std::size_t>(item)]) * words;
                    if (levels->size() <= k) levels->emplace_back(words);
                    std::uint64_t* into = (*levels)[k].data();
                    sizes.push_back(static_cast<std::int64_t>(
                        intersect(k ? (*levels)[k - 1].data() : mine, mine, into, words)));
                    held.push_back(item);
                }
                made[s] = size ? sizes[size - 1] : static_cast<std::int64_t>(n);
            }
        };
    });
    return made;
}

}  // namespace acumen::itemsets
