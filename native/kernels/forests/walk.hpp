// Rows down packed trees. Codes lie row by row, two bytes each, so that a row's tests meet one line of cache.
#pragma once

#include "kernels/common/parallel.hpp"
#include "kernels/forests/types.hpp"

namespace acumen::forest {

// Trees end to end, as a model holds them; children and sets count from their own tree's beginning.
struct Trees {
    std::span<const Node> node;
    std::span<const double> value;
    std::span<const std::uint32_t> sets;
    std::span<const std::int64_t> start, set_start;  // trees + 1
    std::span<const std::uint8_t> nominal;           // of each column
    std::size_t outputs = 1;

    std::size_t size() const { return start.size() - 1; }
};

// Rows of codes; `width` of them a row, at least one.
struct CodeRows {
    const std::uint16_t* codes = nullptr;
    std::size_t rows = 0, width = 1;

    const std::uint16_t* row(std::size_t i) const { return codes + i * width; }
};

// The next node of a row that stands on one; a leaf is its own next.
inline std::uint32_t next_of(const Node* nodes, const std::uint32_t* sets, const std::uint8_t* nominal,
                             std::uint32_t at, const std::uint16_t* row) {
    const Node node = nodes[at];
    const std::uint32_t column = node.column();
    const std::uint32_t code = row[column];
    if (nominal && nominal[column] && !node.leaf()) {
        const std::uint32_t* set = sets + node.child;
        const std::uint32_t words = set[1], left = set[0] & ~LEAN;
        std::uint32_t side = set[0] >> 31;
        if (code != NO_VALUE && (code >> 5) < words) {
            const std::uint32_t bit = 1u << (code & 31);
            if (set[2 + (code >> 5)] & bit)
                side = 0;
            else if (set[2 + words + (code >> 5)] & bit)
                side = 1;
        }
        return left + side;
    }
    const std::uint32_t side = code == NO_VALUE ? node.child >> 31 : code > node.cut();
    return (node.child & ~LEAN) + side;
}

// The leaves of some rows in one tree, several rows at a time so that none waits for another's memory;
// `whole` says that no row lacks a value.
void leaves(const Tree& tree, const std::uint8_t* nominal, const CodeRows& rows, const std::uint32_t* which,
            std::size_t count, std::uint32_t* out, bool whole = false);

// Adds to out (rows x outputs) the values of the leaves of trees first to last - 1, in their order.
bool add_values(const Trees& trees, const CodeRows& rows, std::size_t threads, const Stop& stop, double* out);

// The same by trees as they lie, for rows of any kind.
bool add_slowly(const Trees& trees, const CodeRows& rows, std::size_t threads, const Stop& stop, double* out);

// The leaf of each row in each tree (rows x trees).
bool all_leaves(const Trees& trees, const CodeRows& rows, std::size_t threads, const Stop& stop,
                std::int32_t* out);

// What each column moved the outputs of one row by, from the root to the leaf, summed over the trees (columns
// x outputs), and the sum over trees of the roots' values.
void contributions(const Trees& trees, const std::uint16_t* row, std::size_t columns, double* moved,
                   double* start);

}  // namespace acumen::forest
