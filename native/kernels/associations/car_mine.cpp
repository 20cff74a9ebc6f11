#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>
#include <numeric>
#include <thread>

#include "kernels/associations/cars.hpp"
#include "kernels/common/bit_rows.hpp"

namespace acumen::cars {

namespace {

struct Candidate {
    std::int32_t item;
    std::uint64_t* bits;
    std::int64_t weight;  // of the rows of the set with this item
};

struct Depth {
    std::vector<Candidate> after;
    std::vector<std::uint64_t> memory;
    std::vector<std::int64_t> counts;  // a line of segments for each candidate

    void push(const Candidate& one, std::span<const std::int64_t> line) {
        counts.insert(counts.end(), line.begin(), line.end());
        after.push_back(one);
    }
    void clear() {
        after.clear();
        counts.clear();
    }
};

struct Common {
    std::atomic<bool> leave{false}, overflow{false};
    std::atomic<std::size_t> found{0};
    const std::thread::id asker = std::this_thread::get_id();
};

// One thread's search below one first condition after another.
class Walk {
  public:
    Walk(const Rows& rows, std::span<const std::uint32_t> order, std::span<const std::size_t> segment_starts,
         std::span<const std::int64_t> least, std::span<const std::int64_t> item_weight, std::size_t max_size,
         std::size_t limit, bool free, const Stop& stop, Common& common)
        : rows_(rows),
          order_(order),
          segment_starts_(segment_starts),
          least_(least),
          item_weight_(item_weight),
          max_size_(max_size),
          limit_(limit),
          free_(free),
          stop_(stop),
          common_(common),
          segments_(segment_starts.size() - 1),
          counts_(segments_),
          totals_(rows.classes),
          word_at_(segments_ + 1) {}

    void root(std::size_t item, std::span<const std::uint32_t> mine, Sets& into) {
        into_ = &into;
        if (leaves()) return;
        const std::size_t words = place(mine);
        Depth& here = depth(0);
        here.clear();
        std::fill(counts_.begin(), counts_.end(), 0);
        for (std::size_t s = 0; s < segments_; ++s)
            for (std::size_t p = row_at_[s]; p < row_at_[s + 1]; ++p) counts_[s] += weight(mine[p]);
        if (!frequent()) return;
        prefix_.assign(1, static_cast<std::int32_t>(item));
        if (!report() || max_size_ == 1) return;
        project(item, mine, words, here);
        grow(0);
    }

  private:
    std::int64_t weight(std::uint32_t ordered) const {
        return rows_.weight.empty() ? 1 : rows_.weight[order_[ordered]];
    }

    // Where the rows of a first condition go: each segment's into words of its own.
    std::size_t place(std::span<const std::uint32_t> mine) {
        row_at_.assign(segments_ + 1, 0);
        std::size_t p = 0;
        for (std::size_t s = 0; s < segments_; ++s) {
            row_at_[s] = p;
            while (p < mine.size() && mine[p] < segment_starts_[s + 1]) ++p;
            word_at_[s + 1] = word_at_[s] + words_of(p - row_at_[s]);
        }
        row_at_[segments_] = p;
        return word_at_[segments_];
    }

    void project(std::size_t item, std::span<const std::uint32_t> mine, std::size_t words, Depth& here) {
        const auto column = static_cast<std::size_t>(rows_.attribute[item]);
        std::size_t first = item + 1;
        while (first < rows_.n_items && rows_.attribute[first] == rows_.attribute[item]) ++first;
        const std::size_t n = rows_.n_items - first;
        if (!n) return;
        if (here.memory.size() < n * words) here.memory.resize(n * words);
        std::fill(here.memory.begin(), here.memory.begin() + static_cast<std::ptrdiff_t>(n * words), 0);
        if (!rows_.weight.empty()) placed_.assign(words * 64, 0);
        for (std::size_t s = 0; s < segments_; ++s)
            for (std::size_t p = row_at_[s]; p < row_at_[s + 1]; ++p) {
                const std::size_t at = word_at_[s] * 64 + (p - row_at_[s]);
                const std::uint64_t bit = std::uint64_t{1} << (at % 64);
                const std::int32_t* line = rows_.items + order_[mine[p]] * rows_.attributes;
                if (!rows_.weight.empty()) placed_[at] = weight(mine[p]);
                for (std::size_t a = column + 1; a < rows_.attributes; ++a)
                    if (line[a] >= 0)
                        here.memory[(static_cast<std::size_t>(line[a]) - first) * words + at / 64] |= bit;
            }
        for (std::size_t j = 0; j < n; ++j) {
            std::uint64_t* bits = here.memory.data() + j * words;
            count(bits, bits, bits);
            if (!frequent() || same(item_weight_[item], item_weight_[first + j])) continue;
            here.push({static_cast<std::int32_t>(first + j), bits, total()}, counts_);
        }
    }

    // The counts by segment of the rows of both; the rows themselves go to `into`.
    void count(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* into) {
        if (rows_.weight.empty())
            return intersect_runs(a, b, into, word_at_.data(), counts_.data(), segments_);
        for (std::size_t s = 0; s < segments_; ++s) {
            std::int64_t sum = 0;
            for (std::size_t w = word_at_[s]; w < word_at_[s + 1]; ++w) {
                const std::uint64_t both = a[w] & b[w];
                into[w] = both;
                for (std::uint64_t left = both; left; left &= left - 1)
                    sum += placed_[w * 64 + static_cast<std::size_t>(std::countr_zero(left))];
            }
            counts_[s] = sum;
        }
    }

    bool frequent() {
        const std::size_t k = rows_.classes;
        std::fill(totals_.begin(), totals_.end(), 0);
        for (std::size_t s = 0; s < segments_; s += k)
            for (std::size_t c = 0; c < k; ++c) totals_[c] += counts_[s + c];
        if (!rows_.folds) {
            for (std::size_t c = 0; c < k; ++c)
                if (totals_[c] >= least_[c]) return true;
            return false;
        }
        for (std::size_t f = 0; f < rows_.folds; ++f)
            for (std::size_t c = 0; c < k; ++c)
                if (totals_[c] - counts_[f * k + c] >= least_[f * k + c]) return true;
        return false;
    }

    std::int64_t total() const { return std::accumulate(totals_.begin(), totals_.end(), std::int64_t{0}); }

    // Whether the set just counted covers no fewer rows than one of two parts of it.
    bool same(std::int64_t one, std::int64_t other) const {
        return free_ && (total() == one || total() == other);
    }

    bool report() {
        into_->items.insert(into_->items.end(), prefix_.begin(), prefix_.end());
        into_->starts.push_back(static_cast<std::int64_t>(into_->items.size()));
        into_->counts.insert(into_->counts.end(), counts_.begin(), counts_.end());
        if (limit_ && common_.found.fetch_add(1) + 1 > limit_) {
            common_.overflow = true;
            common_.leave = true;
            return false;
        }
        return true;
    }

    void grow(std::size_t d) {
        const Depth& here = depth(d);
        const std::size_t words = word_at_[segments_];
        const bool last = max_size_ && prefix_.size() + 2 > max_size_;
        for (std::size_t i = 0; i < here.after.size(); ++i) {
            if (leaves()) return;
            const Candidate& mine = here.after[i];
            const auto line = here.counts.begin() + static_cast<std::ptrdiff_t>(i * segments_);
            std::copy(line, line + static_cast<std::ptrdiff_t>(segments_), counts_.begin());
            prefix_.push_back(mine.item);
            if (!report()) return;
            if (!last && i + 1 < here.after.size()) {
                Depth& below = depth(d + 1);
                below.clear();
                const std::size_t n = here.after.size() - i - 1;
                if (below.memory.size() < n * words) below.memory.resize(n * words);
                std::uint64_t* free = below.memory.data();
                for (std::size_t j = i + 1; j < here.after.size(); ++j) {
                    const Candidate& other = here.after[j];
                    if (rows_.attribute[static_cast<std::size_t>(other.item)] ==
                        rows_.attribute[static_cast<std::size_t>(mine.item)])
                        continue;
                    count(mine.bits, other.bits, free);
                    if (!frequent() || same(mine.weight, other.weight)) continue;
                    below.push({other.item, free, total()}, counts_);
                    free += words;
                }
                if (!below.after.empty()) grow(d + 1);
            }
            prefix_.pop_back();
        }
    }

    bool leaves() {
        if (++steps_ % 256 == 0 && std::this_thread::get_id() == common_.asker && stop_ && stop_())
            common_.leave = true;
        return common_.leave.load(std::memory_order_relaxed);
    }

    Depth& depth(std::size_t d) {
        while (depths_.size() <= d) depths_.push_back(std::make_unique<Depth>());
        return *depths_[d];
    }

    const Rows& rows_;
    std::span<const std::uint32_t> order_;
    std::span<const std::size_t> segment_starts_;
    std::span<const std::int64_t> least_, item_weight_;
    std::size_t max_size_, limit_;
    bool free_;
    const Stop& stop_;
    Common& common_;
    std::size_t segments_;
    std::vector<std::int64_t> counts_, totals_, placed_;
    std::vector<std::size_t> row_at_, word_at_;
    std::vector<std::int32_t> prefix_;
    std::vector<std::unique_ptr<Depth>> depths_;
    std::size_t steps_ = 0;
    Sets* into_ = nullptr;
};

}  // namespace

Sets mine(const Rows& rows, std::span<const std::int64_t> least, std::size_t max_size, std::size_t limit,
          bool free, std::size_t threads, const Stop& stop) {
    const std::size_t segments = rows.classes * std::max<std::size_t>(rows.folds, 1);
    // Rows by segment, and of each item the rows that have it, in that order.
    std::vector<std::size_t> segment_starts(segments + 1, 0);
    for (const std::int32_t s : rows.segment) ++segment_starts[static_cast<std::size_t>(s) + 1];
    for (std::size_t s = 0; s < segments; ++s) segment_starts[s + 1] += segment_starts[s];
    std::vector<std::uint32_t> order(rows.n);
    std::vector<std::size_t> next(segment_starts.begin(), segment_starts.end() - 1);
    for (std::size_t i = 0; i < rows.n; ++i)
        order[next[static_cast<std::size_t>(rows.segment[i])]++] = static_cast<std::uint32_t>(i);
    std::vector<std::size_t> at(rows.n_items + 1, 0);
    for (std::size_t i = 0; i < rows.n * rows.attributes; ++i)
        if (rows.items[i] >= 0) ++at[static_cast<std::size_t>(rows.items[i]) + 1];
    for (std::size_t i = 0; i < rows.n_items; ++i) at[i + 1] += at[i];
    std::vector<std::uint32_t> holders(at[rows.n_items]);
    std::vector<std::size_t> place(at.begin(), at.end() - 1);
    std::vector<std::int64_t> item_weight(rows.n_items, 0);
    for (std::size_t p = 0; p < rows.n; ++p)
        for (std::size_t a = 0; a < rows.attributes; ++a)
            if (const std::int32_t item = rows.items[order[p] * rows.attributes + a]; item >= 0) {
                holders[place[static_cast<std::size_t>(item)]++] = static_cast<std::uint32_t>(p);
                item_weight[static_cast<std::size_t>(item)] +=
                    rows.weight.empty() ? 1 : rows.weight[order[p]];
            }

    Common common;
    std::vector<Sets> each(rows.n_items);
    for_blocks(rows.n_items, threads, {}, [&] {
        auto walk = std::make_shared<Walk>(rows, order, segment_starts, least, item_weight, max_size, limit,
                                           free, stop, common);
        return [&, walk](std::size_t item) {
            walk->root(item, {holders.data() + at[item], at[item + 1] - at[item]}, each[item]);
            each[item].fit();
        };
    });
    holders = {};
    order = {};
    Sets all;
    std::size_t n_items = 0, n_sets = 0;
    for (const Sets& some : each) {
        n_items += some.items.size();
        n_sets += some.starts.size() - 1;
    }
    all.starts.reserve(n_sets + 1);
    all.items.reserve(n_items);
    all.counts.reserve(n_sets * segments);
    for (Sets& some : each) {
        const auto behind = static_cast<std::int64_t>(all.items.size());
        for (std::size_t i = 1; i < some.starts.size(); ++i) all.starts.push_back(some.starts[i] + behind);
        all.items.insert(all.items.end(), some.items.begin(), some.items.end());
        all.counts.insert(all.counts.end(), some.counts.begin(), some.counts.end());
        some = Sets{};
    }
    all.overflow = common.overflow;
    all.stopped = common.leave && !common.overflow;
    return all;
}

std::vector<std::int32_t> shorter_sets(std::span<const std::int64_t> starts,
                                       std::span<const std::int32_t> items, std::size_t n_items,
                                       std::size_t width) {
    const std::size_t sets = starts.size() - 1;
    // A set's key is a sum of one number for each item, so that the key without an item is one subtraction;
    // what is found is compared item by item.
    std::vector<std::uint64_t> number(n_items);
    std::uint64_t state = 0x9e3779b97f4a7c15ULL;
    for (std::uint64_t& one : number) {
        state += 0x9e3779b97f4a7c15ULL;
        std::uint64_t z = state;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        one = z ^ (z >> 31);
    }
    std::vector<std::uint64_t> key(sets, 0);
    const std::size_t room = std::bit_ceil(2 * sets + 1);
    std::vector<std::int32_t> slot(room, -1);
    for (std::size_t s = 0; s < sets; ++s) {
        for (auto p = starts[s]; p < starts[s + 1]; ++p)
            key[s] += number[static_cast<std::size_t>(items[static_cast<std::size_t>(p)])];
        std::size_t at = key[s] & (room - 1);
        while (slot[at] >= 0) at = (at + 1) & (room - 1);
        slot[at] = static_cast<std::int32_t>(s);
    }
    const auto same = [&](std::size_t s, std::size_t without, std::size_t other) {
        const auto first = static_cast<std::size_t>(starts[s]),
                   size = static_cast<std::size_t>(starts[s + 1]) - first;
        const auto begin = static_cast<std::size_t>(starts[other]);
        if (static_cast<std::size_t>(starts[other + 1]) - begin != size - 1) return false;
        for (std::size_t j = 0, k = begin; j < size; ++j)
            if (j != without && items[first + j] != items[k++]) return false;
        return true;
    };
    std::vector<std::int32_t> made(sets * width, -1);
    for (std::size_t s = 0; s < sets; ++s) {
        const auto first = static_cast<std::size_t>(starts[s]),
                   size = static_cast<std::size_t>(starts[s + 1]) - first;
        for (std::size_t j = 0; size > 1 && j < size; ++j) {
            const std::uint64_t wanted = key[s] - number[static_cast<std::size_t>(items[first + j])];
            std::int32_t found = -2;
            for (std::size_t at = wanted & (room - 1); slot[at] >= 0; at = (at + 1) & (room - 1))
                if (const auto other = static_cast<std::size_t>(slot[at]);
                    key[other] == wanted && same(s, j, other)) {
                    found = slot[at];
                    break;
                }
            made[s * width + j] = found;
        }
    }
    return made;
}

}  // namespace acumen::cars
