// What a tree is grown from and under which options, and the nodes that come of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/common/columns.hpp"
#include "kernels/trees/sort.hpp"

namespace acumen::tree {

enum class Measure { gain_ratio, gain, gini, cart, error, twoing };
enum class Missing { fractional, surrogate, branch, majority };

// What a measure's value is made of: sums that can be kept up while a row changes sides, or all counts anew.
enum class MadeOf { logs, squares, counts };

// A measure is declared here; `branch_value` has its formula and src/acumen/trees/measures.py its twin.
struct MeasureFacts {
    Measure measure;
    std::string_view name;
    MadeOf made_of;
};
inline constexpr std::array MEASURES{
    MeasureFacts{Measure::gain_ratio, "gain-ratio", MadeOf::logs},
    MeasureFacts{Measure::gain, "gain", MadeOf::logs},
    MeasureFacts{Measure::gini, "gini", MadeOf::squares},
    MeasureFacts{Measure::cart, "cart", MadeOf::counts},
    MeasureFacts{Measure::error, "error", MadeOf::counts},
    MeasureFacts{Measure::twoing, "twoing", MadeOf::counts},
};
constexpr MadeOf made_of(Measure measure) {
    for (const MeasureFacts& each : MEASURES)
        if (each.measure == measure) return each.made_of;
    return MadeOf::counts;
}

struct MissingFacts {
    Missing missing;
    std::string_view name;
};
inline constexpr std::array MISSINGS{
    MissingFacts{Missing::fractional, "fractional"},
    MissingFacts{Missing::surrogate, "surrogate"},
    MissingFacts{Missing::branch, "branch"},
    MissingFacts{Missing::majority, "majority"},
};

struct Options {
    Measure measure = Measure::gain_ratio;
    Missing missing = Missing::fractional;
    bool binary = false;   // nominal inputs: X in V; else a branch for each level
    bool penalty = true;   // gain ratio: C4.5's price of a threshold
    bool guard = true;     // gain ratio: only inputs of at least average gain
    double leaf_size = 1;  // a node of no more weight is a leaf
    double min_branch = 1;
    double purity = 1;
    double min_gain = 0;
    std::size_t max_depth = SIZE_MAX;
    std::size_t max_leaves = 0;  // 0: no limit
    std::size_t max_subset = SIZE_MAX;
    std::size_t intervals = 2;
    std::size_t max_attributes = 0;  // 0: all
    std::uint64_t seed = 0;
    std::size_t rows = 0;  // of the whole table where only a part of it is grown from; 0: all are there
    std::span<const double> factors;          // one a class, or none: how classes count in measures
    std::span<const double> attribute_costs;  // one an input, or none
};

// The inputs, in two kinds; `number_at` and `code_at` tell the place of each among all inputs.
struct Table {
    std::size_t rows = 0;
    std::size_t classes = 0;
    std::span<const Column> numbers;
    std::span<const CodeColumn> codes;
    std::span<const std::int32_t> number_at, code_at;
    std::span<const std::int32_t> levels;   // of each code column
    std::span<const std::uint8_t> ordered;  // of each code column
    const std::int32_t* label = nullptr;    // from 0 to classes - 1
    const double* weight = nullptr;         // null: every row weighs one
    // Where the rows are some of a larger table's whose numbers are sorted already (`presorted`): for each
    // number column `sorted_rows` entries, of which the first `sorted_known` count, and the place of each row
    // among them.
    const Wide* sorted = nullptr;
    std::size_t sorted_rows = 0;
    std::span<const std::int32_t> sorted_known, places;

    std::size_t inputs() const { return numbers.size() + codes.size(); }
};

// What all rows weigh where every weight is whole and the sum stays below 2^31; else 0.
double whole_weight(const Table& table);

// A node and its test. Cuts and branches lie in the buffer's common arrays.
struct Node {
    std::int32_t input = -1;
    std::int32_t first = -1;
    std::int32_t branches = 0;
    std::int32_t otherwise = -1;
    std::uint32_t cut_at = 0, cuts = 0;
    std::size_t branch_at = 0;
    std::uint32_t levels = 0;
    std::uint32_t surrogate_at = 0, surrogates = 0;
    std::int32_t task = -1;  // while growing: the subtree stands in another buffer
};

// A test that stands in for a node's own: X <= cut for branch 0 (turned: for branch 1), or a branch for each
// level.
struct Surrogate {
    std::int32_t input = -1;
    bool turned = false;
    double cut = 0;
    std::vector<std::int32_t> branch;  // empty for numbers
};

// Nodes with their class counts; children of a node lie together.
struct Nodes {
    std::size_t classes = 0;
    std::vector<Node> node;
    std::vector<double> counts;  // nodes x classes
    std::vector<double> cuts;
    std::vector<std::int32_t> branch;
    std::vector<Surrogate> surrogate;

    std::size_t add(const double* class_counts) {
        node.emplace_back();
        counts.insert(counts.end(), class_counts, class_counts + classes);
        return node.size() - 1;
    }
    const double* counts_of(std::size_t at) const { return counts.data() + at * classes; }
};

}  // namespace acumen::tree
