// Rules of the sets that were mined, for one fold after another: heads, thresholds, pruning and order.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "kernels/associations/cars.hpp"
#include "kernels/trees/leaves.hpp"

namespace acumen::cars {

namespace {

// Of so many rows products of counts are exact.
constexpr std::int64_t FEW = std::int64_t{1} << 31;

struct Place {
    double confidence;
    std::int64_t right;
    std::uint32_t set, born;
    std::int32_t head;
};

// One thread's work, fold after fold; its memory is used again.
struct Judge {
    const Bench& bench;
    std::span<const std::int64_t> totals, least;
    std::vector<std::int64_t> own;         // the counts without the fold, where one is left out
    std::span<const std::int64_t> counts;  // these, or those of all rows
    std::vector<std::int64_t> covered;
    std::vector<double> limit;     // by set and class; NaN where nobody asked yet
    std::vector<double> spotless;  // extra errors of few rows, all of them right
    std::vector<Place> places;
    double deviate;

    Judge(const Bench& given, std::span<const std::int64_t> all)
        : bench(given), totals(all), deviate(deviate_squared(given.cf)) {}

    // All rows but those of a fold, or all where it is none.
    void leave_out(std::span<const std::int64_t> wanted, std::size_t without) {
        const std::size_t k = bench.classes;
        least = wanted;
        counts = totals;
        if (without < bench.folds) {
            own.resize(totals.size());
            const std::int64_t* mine = bench.counts.data() + without * k;
            for (std::size_t s = 0; s < totals.size(); s += k, mine += bench.folds * k)
                for (std::size_t c = 0; c < k; ++c) own[s + c] = totals[s + c] - mine[c];
            counts = own;
        }
        covered.assign(bench.starts.size() - 1, 0);
        for (std::size_t s = 0; s < covered.size(); ++s)
            for (std::size_t c = 0; c < k; ++c) covered[s] += counts[s * k + c];
        if (!bench.prune) return;
        limit.assign(counts.size(), std::numeric_limits<double>::quiet_NaN());
        if (spotless.empty()) spotless.assign(1024, std::numeric_limits<double>::quiet_NaN());
    }

    // The most frequent class that a set is frequent enough with, of equal ones the first; -1 where there is
    // none.
    std::int32_t head(std::size_t s) const {
        std::int32_t best = -1;
        std::int64_t most = -1;
        for (std::size_t c = 0; c < bench.classes; ++c)
            if (const std::int64_t here = counts[s * bench.classes + c]; here >= least[c] && here > most) {
                best = static_cast<std::int32_t>(c);
                most = here;
            }
        return best;
    }

    double upper(std::size_t s, std::size_t c) {
        double& made = limit[s * bench.classes + c];
        if (std::isnan(made)) {
            const double n = static_cast<double>(covered[s]) / bench.unit,
                         e = static_cast<double>(covered[s] - counts[s * bench.classes + c]) / bench.unit;
            made = n > 0 ? (e + extra(n, e, covered[s])) / n : 1.0;
        }
        return made;
    }

    // Without an error it needs a logarithm, and depends on the number of rows alone.
    double extra(double n, double e, std::int64_t rows) {
        if (e != 0 || rows >= static_cast<std::int64_t>(spotless.size()))
            return extra_errors(n, e, bench.cf, deviate);
        double& made = spotless[static_cast<std::size_t>(rows)];
        if (std::isnan(made)) made = extra_errors(n, e, bench.cf, deviate);
        return made;
    }

    // Wrong more often, and of fewer rows: the limit is then higher, and needs not be worked out.
    bool plainly_worse(std::size_t s, std::size_t part, std::size_t c) const {
        const std::int64_t n = covered[s], m = covered[part];
        if (n >= m || m > FEW || bench.unit != 1) return false;
        return (n - counts[s * bench.classes + c]) * m > (m - counts[part * bench.classes + c]) * n;
    }

    bool kept(std::size_t s, std::size_t c) {
        const auto parts = bench.shorter.subspan(s * bench.width, bench.width);
        if (bench.free)
            for (const std::int32_t part : parts)
                if (part != -1 && (part < 0 || covered[s] >= covered[static_cast<std::size_t>(part)]))
                    return false;
        if (bench.prune)
            for (const std::int32_t part : parts)
                if (part >= 0 && plainly_worse(s, static_cast<std::size_t>(part), c)) return false;
        if (bench.prune)
            for (const std::int32_t part : parts)
                if (part >= 0 && upper(s, c) > upper(static_cast<std::size_t>(part), c)) return false;
        return true;
    }
};

}  // namespace

std::vector<std::int64_t> totals_of(const Bench& bench) {
    const std::size_t sets = bench.starts.size() - 1, k = bench.classes;
    std::vector<std::int64_t> made(sets * k, 0);
    for (std::size_t s = 0; s < sets; ++s)
        for (std::size_t f = 0; f < bench.folds; ++f)
            for (std::size_t c = 0; c < k; ++c)
                made[s * k + c] += bench.counts[(s * bench.folds + f) * k + c];
    return made;
}

namespace {

// Whether one set is generated before another.
bool earlier(const Bench& bench, std::uint32_t one, std::uint32_t other) {
    const auto size = [&](std::uint32_t s) { return bench.starts[s + 1] - bench.starts[s]; };
    const auto item = [&](std::uint32_t s, std::int64_t j) {
        return static_cast<std::size_t>(bench.items[static_cast<std::size_t>(bench.starts[s] + j)]);
    };
    const std::int64_t n = size(one);
    if (n != size(other)) return n < size(other);
    for (std::int64_t j = 0; j < n; ++j)
        if (const auto a = bench.attribute[item(one, j)], b = bench.attribute[item(other, j)]; a != b)
            return a < b;
    for (std::int64_t j = 0; j < n; ++j)  // items of one attribute are in the order of its levels
        if (const auto a = item(one, j), b = item(other, j); a != b) return a < b;
    return false;
}

// Whether each set stands before the next as lists of items do, a part before what goes on from it.
bool listed(const Bench& bench) {
    for (std::size_t s = 1; s + 1 < bench.starts.size(); ++s) {
        const auto a = bench.items.subspan(static_cast<std::size_t>(bench.starts[s - 1]),
                                           static_cast<std::size_t>(bench.starts[s] - bench.starts[s - 1]));
        const auto b = bench.items.subspan(static_cast<std::size_t>(bench.starts[s]),
                                           static_cast<std::size_t>(bench.starts[s + 1] - bench.starts[s]));
        if (!std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end())) return false;
    }
    return true;
}

// The place of each set in the order of generation. A search leaves sets listed, and then size and
// attributes, in one word, are all that is left to sort by.
std::vector<std::uint32_t> generation(const Bench& bench) {
    const std::size_t sets = bench.starts.size() - 1;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> order(sets);
    bool short_ones = bench.attribute.empty() || bench.attribute.back() < 256;
    for (std::size_t s = 0; s < sets; ++s) {
        const auto first = static_cast<std::size_t>(bench.starts[s]);
        const auto size = static_cast<std::size_t>(bench.starts[s + 1]) - first;
        short_ones &= size < 8;
        std::uint64_t key = size;
        for (std::size_t j = 0; j < 7; ++j)
            key =
                key << 8 | (j < size ? static_cast<std::uint8_t>(
                                           bench.attribute[static_cast<std::size_t>(bench.items[first + j])])
                                     : 0);
        order[s] = {key, static_cast<std::uint32_t>(s)};
    }
    if (short_ones && listed(bench))
        std::sort(order.begin(), order.end());
    else
        std::sort(order.begin(), order.end(), [&](const auto& one, const auto& other) {
            return earlier(bench, one.second, other.second);
        });
    std::vector<std::uint32_t> born(sets);
    for (std::size_t i = 0; i < sets; ++i) born[order[i].second] = static_cast<std::uint32_t>(i);
    return born;
}

// `born` has the place of each set in the order of generation, or is empty.
Judged judge(Judge& all, std::span<const std::uint32_t> born) {
    const Bench& bench = all.bench;
    std::vector<Place>& places = all.places;
    places.clear();
    for (std::size_t s = 0; s < all.covered.size(); ++s) {
        const std::int32_t head = all.head(s);
        if (head < 0 || all.covered[s] <= 0) continue;
        const std::int64_t right = all.counts[s * bench.classes + static_cast<std::size_t>(head)];
        // Quotients of whole numbers below 2^26 are different doubles where they are different.
        const double confidence = static_cast<double>(right) / static_cast<double>(all.covered[s]);
        if (confidence >= bench.confidence && all.kept(s, static_cast<std::size_t>(head)))
            places.push_back(
                {confidence, right, static_cast<std::uint32_t>(s), born.empty() ? 0 : born[s], head});
    }
    std::sort(places.begin(), places.end(), [&](const Place& one, const Place& other) {
        if (one.confidence != other.confidence) return one.confidence > other.confidence;
        if (one.right != other.right) return one.right > other.right;
        return born.empty() ? earlier(bench, one.set, other.set) : one.born < other.born;
    });
    Judged made;
    made.starts.assign(places.size() + 1, 0);
    made.head.resize(places.size());
    made.counts.resize(places.size() * bench.classes);
    std::size_t n = 0;
    for (const Place& place : places)
        n += static_cast<std::size_t>(bench.starts[place.set + 1] - bench.starts[place.set]);
    made.items.resize(n);
    std::int32_t* item = made.items.data();
    std::int64_t* count = made.counts.data();
    for (std::size_t i = 0; i < places.size(); ++i) {
        const Place& place = places[i];
        for (auto p = bench.starts[place.set]; p < bench.starts[place.set + 1]; ++p)
            *item++ = bench.items[static_cast<std::size_t>(p)];
        made.starts[i + 1] = item - made.items.data();
        made.head[i] = place.head;
        for (std::size_t c = 0; c < bench.classes; ++c) *count++ = all.counts[place.set * bench.classes + c];
    }
    return made;
}

}  // namespace

std::vector<Judged> judge_each(const Bench& bench, std::span<const std::int64_t> least, std::size_t threads) {
    const std::size_t lines = least.size() / bench.classes;
    const std::vector<std::int64_t> added = bench.folds > 1 ? totals_of(bench) : std::vector<std::int64_t>{};
    const std::span<const std::int64_t> totals =
        bench.folds > 1 ? std::span<const std::int64_t>(added) : bench.counts;
    // Ties are many among few rows; to put all sets in order pays where there are several folds.
    const std::vector<std::uint32_t> born = lines > 1 ? generation(bench) : std::vector<std::uint32_t>{};
    std::vector<Judged> made(lines);
    for_blocks(lines, threads, {}, [&] {
        auto mine = std::make_shared<Judge>(bench, totals);
        return [&, mine](std::size_t fold) {
            mine->leave_out(least.subspan(fold * bench.classes, bench.classes),
                            lines > 1 ? fold : bench.folds);
            made[fold] = judge(*mine, born);
        };
    });
    return made;
}

}  // namespace acumen::cars
