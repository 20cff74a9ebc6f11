// What a forest is grown from, under which options, and the packed trees that come of it.
//
// Columns are codes: numbers by the cuts of their column (shared by all trees), levels by their own code. A
// node is eight bytes:
//
//     test    column | cut << 16        go left where code <= cut; a leaf has cut NO_CUT
//     child   left child | lean << 31   the right child follows the left one; a leaf points at itself
//
// `lean` is the branch of rows without a value, or with a level that no training row of the node had. A node
// that tests a nominal column has cut 0 and as child the place of its set: lean and left child as above, the
// number of words, and a bit for each level that goes left, then a bit for each that goes right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace acumen::forest {

inline constexpr std::uint32_t NO_CUT = 0xffff;
inline constexpr std::uint16_t NO_VALUE = 0xffff;
inline constexpr std::uint32_t LEAN = 0x80000000u;

struct Node {
    std::uint32_t test = NO_CUT << 16;
    std::uint32_t child = 0;

    std::uint32_t column() const { return test & 0xffff; }
    std::uint32_t cut() const { return test >> 16; }
    bool leaf() const { return cut() == NO_CUT; }
};

// One input as codes; the code above all slots (255 of bytes, 65535 of pairs of bytes) has no value.
struct Column {
    const std::uint8_t* narrow = nullptr;
    const std::uint16_t* wide = nullptr;
    std::uint32_t slots = 0;
    bool nominal = false;               // levels without an order, more than two
    std::span<const double> low, high;  // the values in each slot of numbers; empty: the code itself

    double least(std::size_t slot) const { return low.empty() ? static_cast<double>(slot) : low[slot]; }
    double most(std::size_t slot) const { return high.empty() ? static_cast<double>(slot) : high[slot]; }
};

struct Table {
    std::size_t rows = 0;
    std::size_t classes = 0;  // 0: numbers are learned
    std::span<const Column> columns;
    const std::int32_t* label = nullptr;
    const double* response = nullptr;
    const double* weight = nullptr;      // null: every row weighs one
    const std::int32_t* unit = nullptr;  // what is drawn as a whole; null: rows
    std::size_t units = 0;

    std::size_t outputs() const { return classes ? classes : 1; }
};

struct Options {
    std::size_t max_attributes = 1;
    bool extra = false;     // a cut drawn at random for each column
    bool bootstrap = true;  // rows drawn with replacement; else all of them
    double sample = 1;      // share of the weight (of the units) that is drawn
    double leaf_size = 1;   // a node of no more weight is a leaf
    double purity = 1;      // as is one of which so large a share is of one class
    std::size_t max_depth = SIZE_MAX;
    bool out_of_bag = true;
    std::size_t patience = 0;  // stop when so many trees have not lowered the out-of-bag error; 0: never
    std::size_t most_words =
        SIZE_MAX;  // of the sets of levels of one tree: more is more than memory may take
};

struct Tree {
    std::vector<Node> node;
    std::vector<double> value;  // nodes x outputs: class shares, or the mean
    std::vector<std::uint32_t> sets;
    std::vector<double>
        gain;  // per column: by its splits, of rows out of bag if these are asked for, else in it
};

// Random numbers of one tree: splitmix64, which any seed starts well.
class Draw {
  public:
    explicit Draw(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(((next() >> 32) * n) >> 32); }
    double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  private:
    std::uint64_t state_;
};

}  // namespace acumen::forest
