// A whole tree from a table.
#pragma once

#include "kernels/common/parallel.hpp"
#include "kernels/trees/types.hpp"

namespace acumen::tree {

// Nodes level by level, siblings together. The same for any number of threads. False when `stop` ended it.
//
// Rows times classes, the latter rounded up to a power of two, must stay below 2^32.
bool grow(const Table& table, const Options& options, std::size_t threads, const Stop& stop, Nodes& tree);

// Every column's known values in ascending order, `rows` entries each: the rank and the row, with how many
// are known. False when `stop` ended it.
bool presorted(std::span<const Column> columns, std::size_t rows, std::size_t threads, const Stop& stop,
               Wide* entries, std::int32_t* known);

}  // namespace acumen::tree
