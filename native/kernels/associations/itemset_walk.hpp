// One thread's search: the projection of a first item, and the tree below it.
#pragma once

#include <atomic>
#include <memory>
#include <thread>

#include "kernels/associations/itemsets.hpp"
#include "kernels/common/bit_rows.hpp"

namespace acumen::itemsets {

// Both indices of the baskets, items by rank: rows lie one behind another, -1 before and after each; `at` are
// the places of each item in them.
struct Index {
    std::vector<std::int32_t> rows;
    std::vector<std::uint32_t> at, at_starts;
    std::vector<std::int64_t> count;

    Index(const Baskets& baskets, std::size_t ranks);
    std::span<const std::uint32_t> places(std::size_t rank) const {
        return {at.data() + at_starts[rank], at_starts[rank + 1] - at_starts[rank]};
    }
};

// What the threads tell each other.
struct Common {
    std::atomic<bool> leave{false}, overflow{false};
    std::atomic<std::size_t> found{0};
    const std::thread::id asker = std::this_thread::get_id();
    const Stop& stop;
    explicit Common(const Stop& who) : stop(who) {}
};

struct Entry {
    std::int32_t rank;
    std::int64_t count;
    std::uint64_t* bits;
};

// The candidates below a set, and the memory of their bits; one for each depth, used again.
struct Depth {
    std::vector<Entry> after,
        before;  // that extend the set; that came earlier (closed and maximal sets alone)
    std::vector<std::uint64_t> memory;
    std::size_t words = 0;
};

class Walk {
  public:
    Walk(const Index& index, const Search& search, Common& common)
        : index_(index),
          search_(search),
          common_(common),
          seen_(search.order.size(), 0),
          slot_(search.order.size(), -1) {}

    void root(std::size_t rank, Found& into);
    double probe(std::size_t rank, std::size_t walks, std::uint64_t& state);

  private:
    bool project(std::size_t rank);
    bool narrow(const Depth& from, std::size_t chosen, Depth& to);
    void grow(std::size_t depth, std::int32_t parent);
    void grow_closed(std::size_t depth, std::int64_t count);
    void report(std::int32_t parent, std::int32_t rank, std::int64_t count);
    void report_closed(const Depth& here, std::int64_t count);
    std::int64_t least(std::size_t size) const;
    bool near(std::int32_t rank) const;
    bool leaves();
    Depth& depth(std::size_t d);
    double subsets(std::size_t size) const;

    const Index& index_;
    const Search& search_;
    Common& common_;
    std::vector<std::int64_t> seen_;
    std::vector<std::int32_t> slot_, touched_;
    std::vector<std::unique_ptr<Depth>> depths_;
    std::vector<std::int32_t> prefix_, perfect_;
    std::vector<std::uint32_t> sizes_;
    std::int64_t root_least_ = 0;
    std::size_t steps_ = 0, told_ = 0;
    Found* into_ = nullptr;
};

}  // namespace acumen::itemsets
