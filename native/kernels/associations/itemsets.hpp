// Frequent itemsets, depth first: the rows of each first item are projected and packed into bits anew, so
// that what is intersected below it is as small as the item is rare.
//
// Items are given by their rank in the order of search; a set is found below the first of its items. An item
// that is in every row of a set (a perfect extension) is not searched with: the set's subsets follow without
// counting.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "kernels/common/parallel.hpp"

namespace acumen::itemsets {

enum class Kind { all, closed, maximal };

// Rows of item numbers, ascending within a row; `rank` of each item in the order of search, or -1 where it is
// left out.
struct Baskets {
    std::span<const std::int64_t> starts;
    std::span<const std::int32_t> items;
    std::span<const std::int32_t> rank;
};

struct Search {
    std::span<const std::int32_t> order;       // the item of each rank
    std::span<const std::int64_t> root_least;  // of each rank: the least count of sets whose first item it is
    std::span<const std::int64_t>
        size_least;                    // the least count worth going on from, by size; the last one repeats
    std::size_t roots = 0;             // sets begin with one of so many first ranks
    std::size_t max_size = 0;          // 0: no limit
    std::int64_t max_difference = -1;  // between the counts of a set's items; -1: any
    Kind kind = Kind::all;
    std::size_t limit = 0;  // leave off when more sets are found; 0: never
    bool count_only = false;
};

// One set: its parent with one item more.
struct Node {
    std::int32_t parent, item, count;
};

// Nodes one behind another. Grown by realloc, which moves pages and not bytes, and never filled before it is
// written: the sets are mostly written once and read by nobody here.
class Nodes {
  public:
    Nodes() = default;
    Nodes(const Nodes&) = delete;
    Nodes& operator=(const Nodes&) = delete;
    Nodes(Nodes&& other) noexcept { swap(other); }
    Nodes& operator=(Nodes&& other) noexcept {
        swap(other);
        return *this;
    }
    ~Nodes() { std::free(data_); }

    std::size_t size() const { return size_; }
    const Node* data() const { return data_; }
    // Room for so many more, which the caller writes.
    Node* more(std::size_t n) {
        if (size_ + n > room_) reserve(std::max(size_ + n, room_ + room_ / 2 + 1024));
        size_ += n;
        return data_ + size_ - n;
    }
    void reserve(std::size_t room) {
        void* moved = std::realloc(data_, room * sizeof(Node));
        if (!moved) throw std::bad_alloc();
        data_ = static_cast<Node*>(moved);
        room_ = room;
    }
    // Gives up the memory, which is the caller's to free.
    Node* release() {
        if (size_ < room_ && size_) reserve(size_);
        room_ = size_ = 0;
        return std::exchange(data_, nullptr);
    }

  private:
    void swap(Nodes& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(room_, other.room_);
    }
    Node* data_ = nullptr;
    std::size_t size_ = 0, room_ = 0;
};

// All sets are a forest: each is its parent with one item more, and stands behind it (-1: no parent). Closed
// and maximal sets are lists of items with their counts. In which order sets come depends on the threads;
// which there are does not.
struct Found {
    Nodes nodes;
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> items, counts;
    double sets = 0;        // how many, also where they were only counted
    bool stopped = false;   // by whoever asked for it
    bool overflow = false;  // by the limit
};

Found mine(const Baskets& baskets, const Search& search, std::size_t threads, const Stop& stop);

// About how many sets there are: each first item's tree is walked down at random a few times, and every walk
// weighs what it passes by the choices it had (Knuth 1975); right on average.
double estimate(const Baskets& baskets, const Search& search, std::size_t walks, std::uint64_t seed,
                const Stop& stop);

// The number of rows that hold all items of each set; sets as lists of item numbers.
std::vector<std::int64_t> count_sets(const Baskets& baskets, std::size_t n_items,
                                     std::span<const std::int64_t> set_starts,
                                     std::span<const std::int32_t> set_items, std::size_t threads,
                                     const Stop& stop);

}  // namespace acumen::itemsets
