// Rows of Python's, a dense matrix or CSR arrays, as the linear kernels see them: checked once, kept alive.
#pragma once

#include <algorithm>
#include <variant>

#include "bind/borrow.hpp"
#include "kernels/linear/linear_rows.hpp"

using Wholes = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

class LinearRows {
  public:
    explicit LinearRows(MatrixIn x)
        : rows(acumen::DenseRows{x.shape(0), x.shape(1), x.data()}), matrix_(std::move(x)) {}

    LinearRows(Wholes starts, CodesIn columns, FloatsIn values, std::size_t width)
        : starts_(std::move(starts)), columns_(std::move(columns)), values_(std::move(values)) {
        require(starts_.size() >= 1, "LinearRows: starts must hold one number more than there are rows");
        std::int64_t before = 0;
        for (const std::int64_t start : span_of(starts_)) {
            require(start >= before && start <= static_cast<std::int64_t>(values_.size()),
                    "LinearRows: starts must ascend within the entries");
            before = start;
        }
        require(columns_.size() == values_.size(), "LinearRows: columns and values differ in length");
        std::uint32_t last = 0;  // a negative column is a very large one
        for (const std::int32_t column : span_of(columns_))
            last = std::max(last, static_cast<std::uint32_t>(column));
        require(columns_.size() == 0 || last < width, "LinearRows: a column lies outside the matrix");
        rows = acumen::SparseRows{starts_.size() - 1, width, starts_.data(), columns_.data(), values_.data()};
    }

    std::variant<acumen::DenseRows, acumen::SparseRows> rows;

    std::size_t n() const {
        return std::visit([](const auto& some) { return some.n; }, rows);
    }
    std::size_t width() const {
        return std::visit([](const auto& some) { return some.width; }, rows);
    }

  private:
    MatrixIn matrix_;
    Wholes starts_;
    CodesIn columns_;
    FloatsIn values_;
};
