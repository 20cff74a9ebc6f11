#include "kernels/associations/itemset_walk.hpp"

#include <algorithm>
#include <cmath>

namespace acumen::itemsets {

namespace {

constexpr std::size_t ASK = 1024;  // steps between two questions whether to leave off

// A set's rows are packed anew where they take at most this share of the words they lie in.
constexpr std::size_t SPARSE = 3;

}  // namespace

Index::Index(const Baskets& baskets, std::size_t ranks) : at_starts(ranks + 1, 0), count(ranks, 0) {
    const std::size_t n = baskets.starts.size() - 1;
    for (const std::int32_t item : baskets.items)
        if (const std::int32_t r = baskets.rank[static_cast<std::size_t>(item)]; r >= 0)
            ++count[static_cast<std::size_t>(r)];
    for (std::size_t r = 0; r < ranks; ++r)
        at_starts[r + 1] = at_starts[r] + static_cast<std::uint32_t>(count[r]);
    at.resize(at_starts[ranks]);
    rows.reserve(at.size() + n + 1);
    rows.push_back(-1);
    std::vector<std::uint32_t> next(at_starts.begin(), at_starts.end() - 1);
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t begin = rows.size();
        for (auto p = baskets.starts[i]; p < baskets.starts[i + 1]; ++p)
            if (const std::int32_t r =
                    baskets.rank[static_cast<std::size_t>(baskets.items[static_cast<std::size_t>(p)])];
                r >= 0)
                rows.push_back(r);
        if (rows.size() == begin) continue;  // nothing that is searched for
        std::sort(rows.begin() + static_cast<std::ptrdiff_t>(begin), rows.end());
        for (std::size_t q = begin; q < rows.size(); ++q)
            at[next[static_cast<std::size_t>(rows[q])]++] = static_cast<std::uint32_t>(q);
        rows.push_back(-1);
    }
}

Depth& Walk::depth(std::size_t d) {
    while (depths_.size() <= d) depths_.push_back(std::make_unique<Depth>());
    return *depths_[d];
}

std::int64_t Walk::least(std::size_t size) const {
    const auto& by_size = search_.size_least;
    return std::max(root_least_, by_size[std::min(size, by_size.size()) - 1]);
}

// Whether an item may join the set: its count lies near enough to all the others'.
bool Walk::near(std::int32_t rank) const {
    if (search_.max_difference < 0) return true;
    const std::int64_t mine = index_.count[static_cast<std::size_t>(rank)];
    return std::all_of(prefix_.begin(), prefix_.end(), [&](std::int32_t other) {
        return std::abs(mine - index_.count[static_cast<std::size_t>(other)]) <= search_.max_difference;
    });
}

bool Walk::leaves() {
    if (++steps_ % ASK == 0 && std::this_thread::get_id() == common_.asker && common_.stop && common_.stop())
        common_.leave = true;
    return common_.leave.load(std::memory_order_relaxed);
}

// The rows of one item, and in them as bits all items that may come with it. False where a closed set of them
// has an earlier item, so that it is found there.
bool Walk::project(std::size_t rank) {
    const auto places = index_.places(rank);
    const bool closing = search_.kind != Kind::all;
    root_least_ = search_.root_least[rank];
    prefix_.assign(1, static_cast<std::int32_t>(rank));
    perfect_.clear();
    touched_.clear();
    const auto see = [&](std::int32_t r) {
        if (seen_[static_cast<std::size_t>(r)]++ == 0) touched_.push_back(r);
    };
    for (const std::uint32_t p : places) {
        for (std::size_t q = p + 1; index_.rows[q] >= 0; ++q) see(index_.rows[q]);
        if (closing)
            for (std::size_t q = p - 1; index_.rows[q] >= 0; --q) see(index_.rows[q]);
    }
    Depth& here = depth(0);
    here.after.clear();
    here.before.clear();
    here.words = words_of(places.size());
    const std::int64_t all = static_cast<std::int64_t>(places.size()), enough = least(2);
    bool first = true;
    for (const std::int32_t r : touched_) {
        const std::int64_t mine = seen_[static_cast<std::size_t>(r)];
        seen_[static_cast<std::size_t>(r)] = 0;
        const bool earlier = static_cast<std::size_t>(r) < rank;
        if (earlier && mine == all) first = false;
        if (mine < enough || !near(r)) continue;
        if (!earlier && mine == all && search_.max_difference < 0) {
            perfect_.push_back(r);
        } else {
            (earlier ? here.before : here.after).push_back({r, mine, nullptr});
        }
    }
    if (!first) return false;
    const auto rarer = [](const Entry& a, const Entry& b) {
        return a.count != b.count ? a.count < b.count : a.rank < b.rank;
    };
    std::sort(perfect_.begin(), perfect_.end());
    std::sort(here.after.begin(), here.after.end(), rarer);
    std::sort(here.before.begin(), here.before.end(), rarer);
    const std::size_t n = here.after.size() + here.before.size();
    if (!n || (search_.max_size == 1 && !closing))
        return true;  // closed sets are told apart by the rows alone
    if (here.memory.size() < n * here.words) here.memory.resize(n * here.words);
    std::fill(here.memory.begin(), here.memory.begin() + static_cast<std::ptrdiff_t>(n * here.words), 0);
    std::int32_t next = 0;
    for (auto* list : {&here.after, &here.before})
        for (Entry& entry : *list) {
            entry.bits = here.memory.data() + static_cast<std::size_t>(next) * here.words;
            slot_[static_cast<std::size_t>(entry.rank)] = next++;
        }
    const auto mark = [&](std::int32_t r, std::size_t row) {
        if (const std::int32_t slot = slot_[static_cast<std::size_t>(r)]; slot >= 0)
            here.memory[static_cast<std::size_t>(slot) * here.words + row / 64] |= std::uint64_t{1}
                                                                                   << (row % 64);
    };
    for (std::size_t row = 0; row < places.size(); ++row) {
        for (std::size_t q = places[row] + 1; index_.rows[q] >= 0; ++q) mark(index_.rows[q], row);
        if (!here.before.empty())
            for (std::size_t q = places[row] - 1; index_.rows[q] >= 0; --q) mark(index_.rows[q], row);
    }
    for (auto* list : {&here.after, &here.before})
        for (const Entry& entry : *list) slot_[static_cast<std::size_t>(entry.rank)] = -1;
    return true;
}

// What may extend the set with one more of its candidates; items in all its rows go to `perfect_`. False
// where an earlier item is in all of them.
bool Walk::narrow(const Depth& from, std::size_t chosen, Depth& to) {
    const Entry& mine = from.after[chosen];
    const std::int64_t enough = least(prefix_.size() + 1);
    const std::size_t packed = words_of(static_cast<std::size_t>(mine.count));
    const std::size_t after = from.after.size() - chosen - 1;
    const std::size_t before = search_.kind == Kind::all ? 0 : from.before.size() + chosen;
    const bool pack = packed * SPARSE <= from.words && after > 1;
    to.words = pack ? packed : from.words;
    to.after.clear();
    to.before.clear();
    if (to.memory.size() < (after + before) * to.words) to.memory.resize((after + before) * to.words);
    std::uint64_t* free = to.memory.data();
    const auto shared = [&](const Entry& other) {
        return static_cast<std::int64_t>(pack ? pack_rows(mine.bits, other.bits, free, from.words, packed)
                                              : intersect(mine.bits, other.bits, free, from.words));
    };
    if (before) {
        const auto earlier = [&](const Entry& other) {
            const std::int64_t both = shared(other);
            if (both == mine.count) return false;
            if (both >= enough) {
                to.before.push_back({other.rank, both, free});
                free += to.words;
            }
            return true;
        };
        for (const Entry& other : from.before)
            if (!earlier(other)) return false;
        for (std::size_t j = 0; j < chosen; ++j)
            if (!earlier(from.after[j])) return false;
    }
    for (std::size_t j = chosen + 1; j < from.after.size(); ++j) {
        const Entry& other = from.after[j];
        if (!near(other.rank)) continue;
        const std::int64_t both = shared(other);
        if (both < enough) continue;
        if (both == mine.count && search_.max_difference < 0) {
            perfect_.push_back(other.rank);
        } else {
            to.after.push_back({other.rank, both, free});
            free += to.words;
        }
    }
    return true;
}

double Walk::subsets(std::size_t size) const {
    const std::size_t n = perfect_.size();
    const std::size_t room = search_.max_size ? search_.max_size - size : n;
    if (room >= n) return std::ldexp(1.0, static_cast<int>(n));
    double sum = 0, ways = 1;
    for (std::size_t k = 0; k <= room; ++k) {
        sum += ways;
        ways = ways * static_cast<double>(n - k) / static_cast<double>(k + 1);
    }
    return sum;
}

// The set, and it with every choice of the items that are in all its rows.
void Walk::report(std::int32_t parent, std::int32_t rank, std::int64_t count) {
    const double more = subsets(prefix_.size());
    into_->sets += more;
    if (search_.limit) {
        if (more > static_cast<double>(search_.limit) ||
            common_.found.fetch_add(static_cast<std::size_t>(more)) + static_cast<std::size_t>(more) >
                search_.limit) {
            common_.overflow = true;
            common_.leave = true;
            return;
        }
    }
    if (search_.count_only) return;
    Nodes& nodes = into_->nodes;
    const auto first = static_cast<std::int32_t>(nodes.size());
    const auto times = static_cast<std::int32_t>(count);
    const auto named = [&](std::int32_t r) { return search_.order[static_cast<std::size_t>(r)]; };
    if (!search_.max_size || prefix_.size() + perfect_.size() <= search_.max_size) {
        Node* into = nodes.more(std::size_t{1} << perfect_.size());
        *into++ = {parent, named(rank), times};
        std::int32_t made = 1;
        for (const std::int32_t r : perfect_) {
            const std::int32_t item = named(r);
            for (std::int32_t i = 0; i < made; ++i) *into++ = {first + i, item, times};
            made *= 2;
        }
        return;
    }
    *nodes.more(1) = {parent, named(rank), times};
    sizes_.assign(1, static_cast<std::uint32_t>(prefix_.size()));
    for (const std::int32_t r : perfect_) {
        const std::size_t made = sizes_.size();
        for (std::size_t i = 0; i < made; ++i)
            if (sizes_[i] < search_.max_size) {
                *nodes.more(1) = {first + static_cast<std::int32_t>(i), named(r), times};
                sizes_.push_back(sizes_[i] + 1);
            }
    }
}

void Walk::grow(std::size_t d, std::int32_t parent) {
    const Depth& here = depth(d);
    for (std::size_t i = 0; i < here.after.size(); ++i) {
        if (leaves()) return;
        const Entry& mine = here.after[i];
        prefix_.push_back(mine.rank);
        const std::size_t before = perfect_.size();
        const bool deeper =
            (!search_.max_size || prefix_.size() < search_.max_size) && i + 1 < here.after.size();
        Depth& below = depth(d + 1);
        if (deeper) narrow(here, i, below);
        const auto at = static_cast<std::int32_t>(into_->nodes.size());
        report(parent, mine.rank, mine.count);
        if (deeper && !below.after.empty()) grow(d + 1, at);
        perfect_.resize(before);
        prefix_.pop_back();
    }
}

void Walk::report_closed(const Depth& here, std::int64_t count) {
    if (search_.kind == Kind::maximal && !(here.after.empty() && here.before.empty())) return;
    const std::size_t size = prefix_.size() + perfect_.size();
    if (search_.max_size && size > search_.max_size) return;
    into_->sets += 1;
    if (search_.limit && common_.found.fetch_add(1) + 1 > search_.limit) {
        common_.overflow = true;
        common_.leave = true;
        return;
    }
    if (search_.count_only) return;
    for (const auto* list : {&prefix_, &perfect_})
        for (const std::int32_t r : *list) into_->items.push_back(search_.order[static_cast<std::size_t>(r)]);
    into_->starts.push_back(static_cast<std::int64_t>(into_->items.size()));
    into_->counts.push_back(static_cast<std::int32_t>(count));
}

void Walk::grow_closed(std::size_t d, std::int64_t count) {
    report_closed(depth(d), count);
    const Depth& here = depth(d);
    for (std::size_t i = 0; i < here.after.size(); ++i) {
        if (leaves()) return;
        const Entry& mine = here.after[i];
        prefix_.push_back(mine.rank);
        const std::size_t before = perfect_.size();
        if (narrow(here, i, depth(d + 1))) grow_closed(d + 1, mine.count);
        perfect_.resize(before);
        prefix_.pop_back();
    }
}

void Walk::root(std::size_t rank, Found& into) {
    into_ = &into;
    if (leaves()) return;
    const bool first = project(rank);
    const std::int64_t count = index_.count[rank];
    if (count < least(1)) return;
    if (search_.kind != Kind::all) {
        if (first) grow_closed(0, count);
        return;
    }
    const auto at = static_cast<std::int32_t>(into.nodes.size());
    report(-1, static_cast<std::int32_t>(rank), count);
    if (search_.max_size != 1) grow(0, at);
}

double Walk::probe(std::size_t rank, std::size_t walks, std::uint64_t& state) {
    if (leaves()) return 0;
    project(rank);
    if (index_.count[rank] < least(1)) return 0;
    const double start = subsets(1);
    if (depth(0).after.empty()) return start;
    const std::size_t always = perfect_.size();
    double sum = 0;
    for (std::size_t walk = 0; walk < walks && !leaves(); ++walk) {
        double weight = 1;
        for (std::size_t d = 0;; ++d) {
            const Depth& here = depth(d);
            if (here.after.empty() || (search_.max_size && prefix_.size() >= search_.max_size)) break;
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            const std::size_t chosen = static_cast<std::size_t>((state >> 33) % here.after.size());
            weight *= static_cast<double>(here.after.size());
            prefix_.push_back(here.after[chosen].rank);
            narrow(here, chosen, depth(d + 1));
            sum += weight * subsets(prefix_.size());
        }
        perfect_.resize(always);
        prefix_.resize(1);
    }
    return start + sum / static_cast<double>(walks);
}

}  // namespace acumen::itemsets
