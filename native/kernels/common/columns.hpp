// Borrowed columns: a pointer and a stride each, so that row-major matrices, column-major matrices and
// columns that came separately are all read where they lie. Kernels walk them in tiles that fit in cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace acumen {

template <typename T>
struct Strided {
    const T* data = nullptr;
    std::ptrdiff_t stride = 1;  // in elements

    const T& operator[](std::size_t i) const { return data[static_cast<std::ptrdiff_t>(i) * stride]; }
};

using Column = Strided<double>;
using CodeColumn = Strided<std::int32_t>;

// Equally long columns of numbers.
struct Columns {
    std::span<const Column> columns;
    std::size_t rows = 0;

    std::size_t size() const { return columns.size(); }

    // Whether some columns lie side by side in each row, so that a row can be read as it is.
    bool side_by_side(std::size_t first, std::size_t count) const {
        for (std::size_t j = 1; j < count; ++j)
            if (columns[first + j].data != columns[first].data + j ||
                columns[first + j].stride != columns[first].stride)
                return false;
        return true;
    }
};

// Some rows of some columns with the columns side by side: borrowed if they lie so, else copied to scratch.
class RowTile {
  public:
    RowTile(const Columns& source, std::size_t first_column, std::size_t width, std::size_t max_rows)
        : source_(source), first_column_(first_column), width_(width) {
        borrowed_ = source.side_by_side(first_column, width);
        if (!borrowed_) scratch_.resize(max_rows * width);
    }

    void load(std::size_t first_row, std::size_t rows) {
        if (borrowed_) {
            const Column& column = source_.columns[first_column_];
            stride_ = column.stride;
            data_ = column.data + static_cast<std::ptrdiff_t>(first_row) * stride_;
            return;
        }
        stride_ = static_cast<std::ptrdiff_t>(width_);
        data_ = scratch_.data();
        // Eight columns at a time: the writes then fill whole cache lines.
        for (std::size_t j = 0; j < width_; j += 8) {
            const std::size_t end = std::min(j + 8, width_);
            for (std::size_t i = 0; i < rows; ++i)
                for (std::size_t k = j; k < end; ++k)
                    scratch_[i * width_ + k] = source_.columns[first_column_ + k][first_row + i];
        }
    }

    const double* row(std::size_t i) const { return data_ + static_cast<std::ptrdiff_t>(i) * stride_; }
    std::ptrdiff_t stride() const { return stride_; }

  private:
    const Columns& source_;
    std::size_t first_column_, width_;
    bool borrowed_;
    std::vector<double> scratch_;
    const double* data_ = nullptr;
    std::ptrdiff_t stride_ = 0;
};

}  // namespace acumen
