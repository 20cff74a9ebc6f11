// CSR arrays as the linear kernels see them, checked once.
#pragma once

#include "bind/borrow.hpp"
#include "kernels/linear_rows.hpp"

using Wholes = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline void require(bool condition, const char* sentence) {
    if (!condition) throw nb::value_error(sentence);
}

inline acumen::SparseRows sparse_rows(const Wholes& starts, const CodesIn& columns, const FloatsIn& values,
                                      std::size_t width) {
    require(starts.size() >= 1, "sparse rows: starts must hold one number more than there are rows");
    std::int64_t before = 0;
    for (const std::int64_t start : span_of(starts)) {
        require(start >= before && start <= static_cast<std::int64_t>(values.size()),
                "sparse rows: starts must ascend within the entries");
        before = start;
    }
    require(columns.size() == values.size(), "sparse rows: columns and values differ in length");
    for (const std::int32_t column : span_of(columns))
        require(column >= 0 && static_cast<std::size_t>(column) < width,
                "sparse rows: a column lies outside the matrix");
    return {starts.size() - 1, width, starts.data(), columns.data(), values.data()};
}
