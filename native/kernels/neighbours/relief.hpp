// Relief-F over all rows (Kononenko 1994): for every row the k nearest of each class, and how much each
// attribute differs between them. Distances are sums of differences, numbers by their range, codes 0 or 1.
//
// Rows stand sorted by class. An attribute is a column of doubles scaled to a range of one (`level` false),
// or of codes (`level` true); NaN is missing. What is missing differs from a known value by its expectation
// over the values of the class it is of, which the caller has worked out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/common/parallel.hpp"

namespace acumen {

struct ReliefRows {
    std::size_t rows = 0, attributes = 0, classes = 0;
    const double* values = nullptr;       // (attributes, rows)
    const bool* level = nullptr;          // (attributes,)
    std::span<const std::int64_t> start;  // (classes + 1,): where each class begins
    std::span<const std::int32_t> gap;    // (attributes,): its place in `expected`, -1 where none is missing
    const double* expected = nullptr;     // (gaps, classes, rows): from a known value to a missing one
    const double* both = nullptr;         // (gaps, classes, classes): between two missing ones
};

// Adds up the weights of the attributes in `made` (attributes,), not yet divided by the number of rows; false
// if stopped. Sums are made by blocks of rows and added in their order, so threads change nothing.
bool relief(const ReliefRows& rows, std::size_t k, std::size_t threads, const Stop& stop, double* made);

}  // namespace acumen
