// How it sorts. A double's bits, read as an integer, keep its order within one sign, and without the sign
// bit they leave room for the label: score and label travel as one 64-bit key. The rows are first scattered
// to buckets by a linear map of the score (good for probabilities and log odds alike), which fit in cache;
// then each bucket is sorted by the leading bits in which its keys differ. Scattering and sorting are
// stable, so that weights are added in an order that no thread can change.
//
// What bounds it: the one scatter over all rows, which touches the only buffer of the rows' size.
#include "kernels/counting/ranking.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

namespace acumen {
namespace {

constexpr double INFINITE = std::numeric_limits<double>::infinity();
constexpr std::size_t CHUNK = 1u << 18;              // rows a thread scatters at a time
constexpr std::size_t MOST_CHUNKS = 64;              // each has a counter for every bucket
constexpr std::size_t IN_A_BUCKET = 2048;            // rows, when the scores are spread evenly
constexpr std::size_t MOST_BUCKETS = 4096;           // more would thrash the cache while scattering
constexpr std::size_t BUCKETS_AT_ONCE = 32;          // between two questions whether to stop
constexpr std::size_t INSERTED = 24;                 // so few items are sorted by insertion
constexpr unsigned FEWEST_BITS = 6, MOST_BITS = 11;  // of a key, looked at in one step

struct Bare {
    std::uint64_t key;
};
struct Weighed {
    std::uint64_t key;
    double weight;
};

// Where a score goes: negative scores to buckets 0 .. negative - 1, the others to those after; both halves
// always have a bucket, so that a bucket holds one sign only. The map never decreases.
struct Buckets {
    std::size_t count = 2, negative = 1;
    double top = 0, bottom = 0;  // the score nearest to zero in each half, or zero
    double scale = 0;            // buckets for a unit of score

    Buckets(double lowest, double highest, std::size_t rows) {
        count = std::clamp<std::size_t>(rows / IN_A_BUCKET, 2, MOST_BUCKETS);
        const double range = highest - lowest;
        if (!(range >= 0)) return;  // no finite score at all
        top = std::min(highest, 0.0);
        bottom = std::max(lowest, 0.0);
        if (!(range > 0) || range == INFINITE) return;
        const auto spare = static_cast<double>(count - 2);
        scale = spare / range;
        const double below = std::clamp((top - std::min(lowest, 0.0)) / range, 0.0, 1.0);
        negative = 1 + static_cast<std::size_t>(spare * below);
    }
    std::size_t of(double score) const {
        // A comparison with NaN (infinite times nothing) is false too, hence the last bucket.
        const auto place = [](double steps, std::size_t n) {
            return steps < static_cast<double>(n) ? static_cast<std::size_t>(steps) : n - 1;
        };
        if (score < 0) return negative - 1 - place((top - score) * scale, negative);
        return negative + place((score - bottom) * scale, count - negative);
    }
};

std::uint64_t key_of(double score, bool positive) {
    const auto bits = std::bit_cast<std::uint64_t>(score + 0.0);  // -0.0 becomes 0.0
    return (score < 0 ? ~bits : bits) << 1 | static_cast<std::uint64_t>(positive);
}

double score_of(std::uint64_t key, bool negative) {
    return std::bit_cast<double>(negative ? ~(key >> 1) : key >> 1);
}

template <typename Item>
void insert_all(Item* items, std::size_t n) {
    for (std::size_t i = 1; i < n; ++i) {
        const Item item = items[i];
        std::size_t j = i;
        for (; j && items[j - 1].key > item.key; --j) items[j] = items[j - 1];
        items[j] = item;
    }
}

// Stable; `scratch` has room for n items. Each step looks at the bits in which the keys still differ, so
// there are never more than 64 / FEWEST_BITS steps, however the scores lie.
template <typename Item>
void sort_items(Item* items, std::size_t n, Item* scratch) {
    if (n <= INSERTED) return insert_all(items, n);
    std::uint64_t lowest = items[0].key, highest = lowest;
    for (std::size_t i = 1; i < n; ++i) {
        lowest = std::min(lowest, items[i].key);
        highest = std::max(highest, items[i].key);
    }
    if (lowest == highest) return;
    const auto bits = std::clamp<unsigned>(std::bit_width(n) - 1, FEWEST_BITS, MOST_BITS);
    const auto differ = static_cast<unsigned>(std::bit_width(highest - lowest));
    const unsigned shift = differ > bits ? differ - bits : 0;
    const std::size_t slots = ((highest - lowest) >> shift) + 1;
    std::size_t ends[(1u << MOST_BITS) + 1];
    std::fill(ends, ends + slots, 0);
    for (std::size_t i = 0; i < n; ++i) ++ends[(items[i].key - lowest) >> shift];
    std::size_t begin = 0, largest = 0;
    for (std::size_t s = 0; s < slots; ++s) {
        largest = std::max(largest, ends[s]);
        begin += std::exchange(ends[s], begin);
    }
    for (std::size_t i = 0; i < n; ++i) scratch[ends[(items[i].key - lowest) >> shift]++] = items[i];
    std::copy(scratch, scratch + n, items);
    if (!shift) return;
    if (largest <= INSERTED) return insert_all(items, n);  // nothing is far from its place
    for (std::size_t s = 0, first = 0; s < slots; first = ends[s++])
        if (ends[s] - first > 1) sort_items(items + first, ends[s] - first, scratch);
}

template <typename Item>
class Ranking {
  public:
    Ranking(std::span<const double> scores, const bool* positive, std::span<const double> weights,
            std::size_t threads, const Stop& stop)
        : scores_(scores),
          positive_(positive),
          weights_(weights),
          threads_(threads),
          stop_(stop),
          chunk_(std::max(CHUNK, (scores.size() + MOST_CHUNKS - 1) / MOST_CHUNKS)),
          chunks_((scores.size() + chunk_ - 1) / chunk_) {}

    // Calls use(bucket, negative, items, n) once for each bucket, its items sorted, in any order and thread.
    template <typename Use>
    Ranked each_bucket(const Use& use) {
        const Buckets& buckets = *buckets_;
        const std::size_t blocks = (buckets.count + BUCKETS_AT_ONCE - 1) / BUCKETS_AT_ONCE;
        const bool done = for_blocks(blocks, threads_, stop_, [&] {
            return [&, scratch = std::vector<Item>()](std::size_t block) mutable {
                const std::size_t end = std::min(buckets.count, (block + 1) * BUCKETS_AT_ONCE);
                for (std::size_t b = block * BUCKETS_AT_ONCE; b < end; ++b) {
                    const std::size_t n = starts_[b + 1] - starts_[b];
                    if (scratch.size() < n) scratch.resize(n);
                    sort_items(items_.get() + starts_[b], n, scratch.data());
                    use(b, b < buckets.negative, items_.get() + starts_[b], n);
                }
            };
        });
        return done ? Ranked::done : Ranked::stopped;
    }

    std::size_t buckets() const { return buckets_->count; }

    // Every row to its bucket, in the order of the rows.
    Ranked scatter() {
        std::vector<double> lowest(chunks_, INFINITE), highest(chunks_, -INFINITE);
        std::vector<char> bad(chunks_, 0);
        const auto look = [&](std::size_t c) {
            double low = INFINITE, high = -INFINITE;
            bool nan = false;
            for (std::size_t i = first(c); i < last(c); ++i) {
                const double x = scores_[i];
                nan |= x != x;
                low = x < low && x > -INFINITE ? x : low;
                high = x > high && x < INFINITE ? x : high;
            }
            lowest[c] = low, highest[c] = high, bad[c] = nan;
        };
        if (!each_chunk(look)) return Ranked::stopped;
        if (std::find(bad.begin(), bad.end(), 1) != bad.end()) return Ranked::not_a_number;
        const double low = chunks_ ? *std::min_element(lowest.begin(), lowest.end()) : INFINITE;
        const double high = chunks_ ? *std::max_element(highest.begin(), highest.end()) : -INFINITE;
        buckets_ = std::make_unique<Buckets>(low, high, scores_.size());

        const Buckets buckets = *buckets_;
        std::vector<std::size_t> places(chunks_ * buckets.count, 0);
        const auto count = [&](std::size_t c) {
            std::size_t* mine = places.data() + c * buckets.count;
            for (std::size_t i = first(c); i < last(c); ++i) ++mine[buckets.of(scores_[i])];
        };
        if (!each_chunk(count)) return Ranked::stopped;
        starts_.resize(buckets.count + 1);
        std::size_t begin = 0;
        for (std::size_t b = 0; b < buckets.count; ++b) {
            starts_[b] = begin;
            for (std::size_t c = 0; c < chunks_; ++c)
                begin += std::exchange(places[c * buckets.count + b], begin);
        }
        starts_[buckets.count] = begin;

        items_ = std::make_unique_for_overwrite<Item[]>(scores_.size());
        const auto move = [&](std::size_t c) {
            std::size_t* mine = places.data() + c * buckets.count;
            for (std::size_t i = first(c); i < last(c); ++i) {
                Item& item = items_[mine[buckets.of(scores_[i])]++];
                item.key = key_of(scores_[i], positive_[i]);
                if constexpr (std::is_same_v<Item, Weighed>) item.weight = weights_[i];
            }
        };
        return each_chunk(move) ? Ranked::done : Ranked::stopped;
    }

  private:
    std::size_t first(std::size_t c) const { return c * chunk_; }
    std::size_t last(std::size_t c) const { return std::min(scores_.size(), (c + 1) * chunk_); }
    template <typename Work>
    bool each_chunk(const Work& work) {
        return for_blocks(chunks_, threads_, stop_, [&] { return work; });
    }

    std::span<const double> scores_;
    const bool* positive_;
    std::span<const double> weights_;
    std::size_t threads_;
    const Stop& stop_;
    std::size_t chunk_, chunks_;
    std::unique_ptr<Buckets> buckets_;
    std::vector<std::size_t> starts_;
    std::unique_ptr<Item[]> items_;
};

// Calls use(key, positive, negative) for each group of equal scores, from the lowest.
template <typename Item, typename Use>
void each_group(const Item* items, std::size_t n, const Use& use) {
    using Sum = std::conditional_t<std::is_same_v<Item, Bare>, std::uint64_t, double>;
    for (std::size_t i = 0; i < n;) {
        const std::uint64_t score = items[i].key >> 1;
        Sum sums[2] = {0, 0};
        do {
            if constexpr (std::is_same_v<Item, Bare>)
                ++sums[items[i].key & 1];
            else
                sums[items[i].key & 1] += items[i].weight;
        } while (++i < n && items[i].key >> 1 == score);
        use(items[i - 1].key, sums[1], sums[0]);
    }
}

// Whole numbers stay whole: twice the pairs, as a tie counts one half.
template <typename Item>
Ranked sum_pairs(Ranking<Item>& ranking, PairSums& sums) {
    using Sum = std::conditional_t<std::is_same_v<Item, Bare>, std::uint64_t, double>;
    struct Part {
        Sum positive = 0, negative = 0, twice = 0;
    };
    if (const Ranked fate = ranking.scatter(); fate != Ranked::done) return fate;
    std::vector<Part> parts(ranking.buckets());
    const auto use = [&](std::size_t bucket, bool, const Item* items, std::size_t n) {
        Part part;
        each_group(items, n, [&](std::uint64_t, Sum positive, Sum negative) {
            part.twice += positive * (2 * part.negative + negative);
            part.positive += positive;
            part.negative += negative;
        });
        parts[bucket] = part;
    };
    if (const Ranked fate = ranking.each_bucket(use); fate != Ranked::done) return fate;
    Part all;
    for (const Part& part : parts) {
        all.twice += part.twice + 2 * part.positive * all.negative;
        all.positive += part.positive;
        all.negative += part.negative;
    }
    sums = {static_cast<double>(all.positive), static_cast<double>(all.negative),
            static_cast<double>(all.twice) / 2};
    return Ranked::done;
}

template <typename Item>
Ranked group_ties(Ranking<Item>& ranking, TieGroups& groups) {
    if (const Ranked fate = ranking.scatter(); fate != Ranked::done) return fate;
    std::vector<TieGroups> parts(ranking.buckets());
    const auto use = [&](std::size_t bucket, bool negative, const Item* items, std::size_t n) {
        TieGroups& part = parts[bucket];
        each_group(items, n, [&](std::uint64_t key, auto up, auto down) {
            part.score.push_back(score_of(key, negative));
            part.positive.push_back(static_cast<double>(up));
            part.negative.push_back(static_cast<double>(down));
        });
    };
    if (const Ranked fate = ranking.each_bucket(use); fate != Ranked::done) return fate;
    std::size_t n = 0;
    for (const TieGroups& part : parts) n += part.score.size();
    const auto join = [&](std::vector<double> TieGroups::* column) {
        std::vector<double>& whole = groups.*column;
        whole.reserve(n);
        for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
            std::vector<double>& piece = (*part).*column;
            whole.insert(whole.end(), piece.rbegin(), piece.rend());
            piece = {};
        }
    };
    join(&TieGroups::score);
    join(&TieGroups::positive);
    join(&TieGroups::negative);
    return Ranked::done;
}

}  // namespace

Ranked pair_sums(std::span<const double> scores, const bool* positive, std::span<const double> weights,
                 std::size_t threads, const Stop& stop, PairSums& sums) {
    if (weights.empty()) {
        Ranking<Bare> ranking(scores, positive, weights, threads, stop);
        return sum_pairs(ranking, sums);
    }
    Ranking<Weighed> ranking(scores, positive, weights, threads, stop);
    return sum_pairs(ranking, sums);
}

Ranked tie_groups(std::span<const double> scores, const bool* positive, std::span<const double> weights,
                  std::size_t threads, const Stop& stop, TieGroups& groups) {
    if (weights.empty()) {
        Ranking<Bare> ranking(scores, positive, weights, threads, stop);
        return group_ties(ranking, groups);
    }
    Ranking<Weighed> ranking(scores, positive, weights, threads, stop);
    return group_ties(ranking, groups);
}

}  // namespace acumen
