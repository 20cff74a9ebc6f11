// Itemsets and class rules of random rows against counting every subset: without Python, for the sanitizers.
#include "kernels/associations/itemsets.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "kernels/associations/cars.hpp"
#include "kernels/common/bit_rows.hpp"
#include "kernels/rules/first_cover.hpp"
#include "tests/claims.hpp"

namespace {

using acumen::itemsets::Kind;

constexpr std::size_t ITEMS = 7;

// Rows as masks of items.
std::vector<unsigned> random_rows(std::size_t n, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<unsigned> rows(n);
    for (unsigned& row : rows) row = (random() | random()) & random() & ((1u << ITEMS) - 1);
    return rows;
}

struct Csr {
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> items;

    explicit Csr(const std::vector<unsigned>& rows) {
        for (const unsigned row : rows) {
            for (std::size_t i = 0; i < ITEMS; ++i)
                if (row >> i & 1) items.push_back(static_cast<std::int32_t>(i));
            starts.push_back(static_cast<std::int64_t>(items.size()));
        }
    }
};

std::map<unsigned, std::int64_t> frequent(const std::vector<unsigned>& rows, std::int64_t least) {
    std::map<unsigned, std::int64_t> found;
    for (unsigned set = 1; set < 1u << ITEMS; ++set) {
        std::int64_t count = 0;
        for (const unsigned row : rows) count += (row & set) == set;
        if (count >= least) found[set] = count;
    }
    return found;
}

std::map<unsigned, std::int64_t> sets_of(const acumen::itemsets::Found& found, Kind kind) {
    std::map<unsigned, std::int64_t> made;
    std::size_t n = 0;
    if (kind == Kind::all) {
        std::vector<unsigned> masks(found.nodes.size());
        for (std::size_t i = 0; i < found.nodes.size(); ++i) {
            const acumen::itemsets::Node& node = found.nodes.data()[i];
            masks[i] =
                1u << node.item | (node.parent < 0 ? 0u : masks[static_cast<std::size_t>(node.parent)]);
            made[masks[i]] = node.count;
        }
        n = masks.size();
    } else {
        n = found.starts.size() - 1;
        for (std::size_t i = 0; i < n; ++i) {
            unsigned mask = 0;
            for (auto p = found.starts[i]; p < found.starts[i + 1]; ++p)
                mask |= 1u << found.items[static_cast<std::size_t>(p)];
            made[mask] = found.counts[i];
        }
    }
    expect(made.size() == n, "no set is found twice");
    return made;
}

void search(std::size_t n, unsigned seed, std::int64_t least, std::size_t threads) {
    const auto rows = random_rows(n, seed);
    const Csr csr(rows);
    const auto expected = frequent(rows, least);
    std::vector<std::int32_t> rank(ITEMS), order(ITEMS);
    std::iota(order.begin(), order.end(), 0);
    std::mt19937 random(seed);
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t i = 0; i < ITEMS; ++i)
        rank[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
    const std::vector<std::int64_t> roots(ITEMS, least), sizes{least};
    const acumen::itemsets::Baskets baskets{csr.starts, csr.items, rank};
    for (const Kind kind : {Kind::all, Kind::closed, Kind::maximal}) {
        acumen::itemsets::Search wish;
        wish.order = order;
        wish.root_least = roots;
        wish.size_least = sizes;
        wish.roots = ITEMS;
        wish.kind = kind;
        std::map<unsigned, std::int64_t> wanted;
        for (const auto& [set, count] : expected) {
            bool kept = true;
            for (const auto& [other, times] : expected)
                if (other != set && (other & set) == set)
                    kept &= kind == Kind::all || (kind == Kind::closed && times != count);
            if (kept) wanted[set] = count;
        }
        const auto found = acumen::itemsets::mine(baskets, wish, threads, {});
        expect(sets_of(found, kind) == wanted, "the sets are those of counting every subset");
        expect(found.sets == static_cast<double>(wanted.size()), "as many are told as there are");
        wish.count_only = true;
        expect(acumen::itemsets::mine(baskets, wish, threads, {}).sets == found.sets,
               "counting finds as many");
        if (wanted.size() > 2) {
            wish.count_only = false;
            wish.limit = 1;
            expect(acumen::itemsets::mine(baskets, wish, threads, {}).overflow, "the limit is told");
        }
    }
}

void classes(std::size_t n, unsigned seed, bool weighted, std::size_t folds) {
    constexpr std::size_t ATTRIBUTES = 3, LEVELS = 3, CLASSES = 2;
    std::mt19937 random(seed);
    std::vector<std::int32_t> items(n * ATTRIBUTES), segment(n), labels(n), attribute;
    std::vector<std::int64_t> weight;
    for (std::size_t a = 0; a < ATTRIBUTES; ++a)
        for (std::size_t l = 0; l < LEVELS; ++l) attribute.push_back(static_cast<std::int32_t>(a));
    const std::size_t segments = CLASSES * std::max<std::size_t>(folds, 1);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t a = 0; a < ATTRIBUTES; ++a)
            items[i * ATTRIBUTES + a] =
                random() % 8 ? static_cast<std::int32_t>(a * LEVELS + random() % LEVELS) : -1;
        segment[i] = static_cast<std::int32_t>(random() % segments);
        labels[i] = segment[i] % static_cast<std::int32_t>(CLASSES);
        if (weighted) weight.push_back(1 + static_cast<std::int64_t>(random() % 4));
    }
    acumen::cars::Rows rows;
    rows.items = items.data();
    rows.n = n;
    rows.attributes = ATTRIBUTES;
    rows.n_items = attribute.size();
    rows.segment = segment;
    rows.weight = weight;
    rows.attribute = attribute;
    rows.classes = CLASSES;
    rows.folds = folds;
    const std::vector<std::int64_t> least(segments, 2);
    const auto found = acumen::cars::mine(rows, least, 0, 0, false, 2, {});
    bool right = true;
    for (std::size_t s = 0; s + 1 < found.starts.size(); ++s) {
        std::vector<std::int64_t> counts(segments, 0);
        for (std::size_t i = 0; i < n; ++i) {
            bool held = true;
            for (auto p = found.starts[s]; p < found.starts[s + 1]; ++p) {
                const std::int32_t item = found.items[static_cast<std::size_t>(p)];
                held &= items[i * ATTRIBUTES +
                              static_cast<std::size_t>(attribute[static_cast<std::size_t>(item)])] == item;
            }
            if (held) counts[static_cast<std::size_t>(segment[i])] += weighted ? weight[i] : 1;
        }
        for (std::size_t c = 0; c < segments; ++c) right &= counts[c] == found.counts[s * segments + c];
    }
    expect(right, "every set of conditions has the counts of its rows");

    constexpr std::size_t WIDTH = ATTRIBUTES;
    const auto shorter = acumen::cars::shorter_sets(found.starts, found.items, attribute.size(), WIDTH);
    acumen::cars::Bench bench;
    bench.starts = found.starts;
    bench.items = found.items;
    bench.attribute = attribute;
    bench.counts = found.counts;
    bench.shorter = shorter;
    bench.width = WIDTH;
    bench.classes = CLASSES;
    bench.folds = std::max<std::size_t>(folds, 1);
    bench.confidence = 0.4;
    bench.prune = bench.free = true;
    const auto judged = acumen::cars::judge_each(bench, least, 2);
    expect(judged.size() == bench.folds, "every fold has rules of its own");
    for (const auto& rules : judged) {
        bool ordered = true;
        double before = 2;
        for (std::size_t r = 0; r < rules.head.size(); ++r) {
            const auto line = rules.counts.begin() + static_cast<std::ptrdiff_t>(r * CLASSES);
            const double sure =
                static_cast<double>(line[rules.head[r]]) / static_cast<double>(line[0] + line[1]);
            ordered &= sure <= before && sure >= bench.confidence && line[rules.head[r]] >= 2;
            before = sure;
        }
        expect(ordered && rules.starts.size() == rules.head.size() + 1,
               "rules are sure enough, and the surest first");
    }

    std::vector<std::int32_t> head;
    for (std::size_t s = 0; s + 1 < found.starts.size(); ++s)
        head.push_back(static_cast<std::int32_t>(random() % CLASSES));
    const acumen::cars::Cover cover(items.data(), n, ATTRIBUTES, attribute.size(), labels, weight, CLASSES);
    std::vector<std::int32_t> parts(n, 1);
    parts[0] = 0;
    const acumen::cars::Ordered rules{found.starts, found.items, head};
    const auto one = cover.m1(rules, parts, 0);
    const auto two = cover.m2(rules, parts, 0);
    expect(one.kept == two.kept && one.covered == two.covered && one.left == two.left,
           "both ways give one list");
}

void bits() {
    std::mt19937_64 random(3);
    for (const std::size_t words : {1, 2, 7, 8, 9, 17}) {
        std::vector<std::uint64_t> a(words), b(words), both(words);
        for (std::size_t w = 0; w < words; ++w) a[w] = random() & random(), b[w] = random();
        std::size_t n = 0, in_a = 0;
        for (std::size_t w = 0; w < words; ++w) {
            n += static_cast<std::size_t>(std::popcount(a[w] & b[w]));
            in_a += static_cast<std::size_t>(std::popcount(a[w]));
        }
        expect(acumen::intersect(a.data(), b.data(), both.data(), words) == n,
               "an intersection knows its size");
        const std::vector<std::size_t> ends{0, words / 2, words};
        std::vector<std::int64_t> runs(2);
        std::vector<std::uint64_t> again(words);
        acumen::intersect_runs(a.data(), b.data(), again.data(), ends.data(), runs.data(), 2);
        expect(again == both && runs[0] + runs[1] == static_cast<std::int64_t>(n), "so do runs of words");
        const std::size_t rows = words * 64 - 3;
        std::vector<std::int32_t> first(rows);
        std::vector<acumen::Probe> probes(2);
        probes[0].bits = a.data();
        probes[1].bits = b.data();
        const std::vector<std::int64_t> bodies{0, 2, 3};
        const std::vector<std::int32_t> conditions{0, 1, 1};
        acumen::cover_first({}, {}, probes, {bodies, conditions}, first, 2, acumen::Stop());
        bool covered = true;
        for (std::size_t i = 0; i < rows; ++i) {
            const bool in_b = b[i / 64] >> (i % 64) & 1, in_both = both[i / 64] >> (i % 64) & 1;
            covered &= first[i] == (in_both ? 0 : in_b ? 1 : -1);
        }
        expect(covered, "a row belongs to the first body that holds");
        expect(acumen::count_shared(a.data(), b.data(), words) == n, "so does one that is not kept");
        expect(acumen::count_rows(a.data(), words) == in_a, "and a set");
        std::vector<std::uint64_t> packed(acumen::words_of(in_a));
        expect(acumen::pack_rows(a.data(), b.data(), packed.data(), words, packed.size()) == n,
               "packing loses no row");
        expect(acumen::count_rows(packed.data(), packed.size()) == n, "what is packed has as many rows");
        std::size_t at = 0;
        bool same = true;
        for (std::size_t i = 0; i < words * 64; ++i)
            if (a[i / 64] >> (i % 64) & 1) {
                same &= (packed[at / 64] >> (at % 64) & 1) == (b[i / 64] >> (i % 64) & 1);
                ++at;
            }
        expect(same, "rows are packed in order");
    }
}

}  // namespace

int main() {
    bits();
    for (unsigned seed = 0; seed < 12; ++seed)
        for (const std::size_t threads : {1, 2}) {
            search(5 + 13 * seed, seed, 1 + seed % 4, threads);
            search(300, seed, 20, threads);
        }
    for (unsigned seed = 0; seed < 8; ++seed)
        for (const bool weighted : {false, true})
            for (const std::size_t folds : {0, 3}) classes(20 + 40 * seed, seed, weighted, folds);
    return claims::finish();
}
