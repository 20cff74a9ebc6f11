// Class association rules: every set of conditions that is frequent with some class, with its count in each
// class (and in each fold of each class), and the lists that classifiers make of such rules.
//
// Rows lie by segment (fold and class), each segment's rows in words of their own, so that one intersection
// gives all counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/common/parallel.hpp"

namespace acumen::cars {

// A line of item numbers for each row, one for each attribute, -1 where a value is missing; items of an
// attribute come before those of the next.
struct Rows {
    const std::int32_t* items = nullptr;
    std::size_t n = 0, attributes = 0, n_items = 0;
    std::span<const std::int32_t> segment;    // fold * classes + class of each row
    std::span<const std::int64_t> weight;     // empty: every row weighs one
    std::span<const std::int32_t> attribute;  // of each item
    std::size_t classes = 0, folds = 0;       // no folds: all rows are learned from
};

struct Sets {
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> items;
    std::vector<std::int64_t> counts;  // a line of segments for each set
    bool stopped = false, overflow = false;

    void fit() {  // gives back what growing took too much
        starts.shrink_to_fit();
        items.shrink_to_fit();
        counts.shrink_to_fit();
    }
};

// `least` has a line of classes for each fold (one line where there are none): a set is kept while, without
// some fold, it has that count in some class. With `free`, most sets are left out that cover the same rows as
// one of their parts, and no others; what is below them is of that kind too.
Sets mine(const Rows& rows, std::span<const std::int64_t> least, std::size_t max_size, std::size_t limit,
          bool free, std::size_t threads, const Stop& stop);

// For each set (items ascending) the places of the sets with one item less, a line of `width` each: -1 beyond
// their number, -2 where a set is not there. The empty set is never asked for; there are fewer than 2^31
// sets.
std::vector<std::int32_t> shorter_sets(std::span<const std::int64_t> starts,
                                       std::span<const std::int32_t> items, std::size_t n_items,
                                       std::size_t width);

// Sets as they were mined, and what a rule made of one must have.
struct Bench {
    std::span<const std::int64_t> starts;
    std::span<const std::int32_t> items;
    std::span<const std::int32_t> attribute;  // of each item
    std::span<const std::int64_t> counts;     // folds by classes, for each set
    std::span<const std::int32_t> shorter;    // as shorter_sets has them; `width` for each set
    std::size_t width = 0, classes = 0, folds = 1;
    double confidence = 0, unit = 1, cf = 0.25;
    bool prune = false, free = false;
};

struct Judged {  // rules in canonical order
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> items;
    std::vector<std::int32_t> head;    // of each rule
    std::vector<std::int64_t> counts;  // a line of classes for each
};

// The counts of all folds together.
std::vector<std::int64_t> totals_of(const Bench& bench);

// The rules without each fold in turn, in canonical order: confidence, support, shorter ones, then attributes
// and then levels. With `prune`, those go whose upper limit of the error is higher than that of one for the
// same class with an item less; with `free`, those that cover the same rows as one. `least` has a line of
// classes for each fold; of one line all rows are learned from.
std::vector<Judged> judge_each(const Bench& bench, std::span<const std::int64_t> least, std::size_t threads);

// Rules in order: bodies as items, and classes.
struct Ordered {
    std::span<const std::int64_t> starts;
    std::span<const std::int32_t> items;
    std::span<const std::int32_t> head;
};

// Which rows each item is in, ordered by class, each class in words of its own; and how rules cover them.
class Cover {
  public:
    // `label` below 0: the row is no part of it.
    Cover(const std::int32_t* items, std::size_t n, std::size_t attributes, std::size_t n_items,
          std::span<const std::int32_t> label, std::span<const std::int64_t> weight, std::size_t classes);

    struct List {
        std::vector<std::int32_t> kept;     // numbers of rules, in order
        std::vector<std::int64_t> covered;  // a line of classes for each: the rows it is the first to cover
        std::vector<std::int64_t> left;     // the rows of each class that are left after it
    };

    // The rules that get at least one row right which no earlier one kept covers, in the order given. Rows
    // whose part is `without` are left aside.
    List m1(const Ordered& rules, std::span<const std::int32_t> parts, std::int32_t without) const;

    // The same by Liu's second way: first the rule that each row is got right by, then the list of these
    // alone.
    List m2(const Ordered& rules, std::span<const std::int32_t> parts, std::int32_t without) const;

    // One list for each part, without its rows; of no parts (`parts` is empty) one list of all rows.
    std::vector<List> lists(std::span<const Ordered> rules, std::span<const std::int32_t> parts, bool second,
                            std::size_t threads) const;

    std::size_t items() const { return n_items_; }
    std::size_t classes() const { return classes_; }
    std::size_t rows() const { return place_.size(); }

  private:
    std::vector<std::uint64_t> start_bits(std::span<const std::int32_t> parts, std::int32_t without) const;
    std::int64_t weight_of(std::uint64_t bits, std::size_t word) const;
    void take(std::span<const std::int32_t> body, std::vector<std::uint64_t>& left, std::int32_t rule,
              std::vector<std::int64_t>& rest, List& into) const;
    bool right(std::span<const std::int32_t> body, std::int32_t head,
               const std::vector<std::uint64_t>& left) const;
    std::vector<std::int64_t> totals(const std::vector<std::uint64_t>& left) const;

    std::size_t n_items_, words_ = 0, classes_;
    std::vector<std::size_t> class_words_;  // where the words of each class begin
    std::vector<std::int64_t> place_;       // of each row among the bits, -1 where it has none
    std::vector<std::int64_t> weights_;     // by place
    std::vector<std::uint64_t> bits_;       // a line for each item
    std::vector<std::uint64_t> all_;
};

}  // namespace acumen::cars
