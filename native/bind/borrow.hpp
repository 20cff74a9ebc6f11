// Python's arrays as the kernels see them: columns with strides, rows with labels, weights and parts.
// Each `Borrowed...` keeps its arrays alive; make and destroy it while holding the GIL.
#pragma once

#include <optional>
#include <string>

#include "bind/arrays.hpp"
#include "kernels/common/columns.hpp"
#include "kernels/common/parallel.hpp"
#include "kernels/common/rows.hpp"

using SoftIn = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// A matrix of any order, or a sequence of equally long one-dimensional arrays.
template <typename T>
class BorrowedColumns {
    using Line = nb::ndarray<const T, nb::ndim<1>, nb::device::cpu>;
    using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;

  public:
    BorrowedColumns(nb::handle values, const char* who) {
        if (Matrix matrix; nb::try_cast(values, matrix, false)) {
            rows_ = matrix.shape(0);
            for (std::size_t j = 0; j < matrix.shape(1); ++j)
                columns_.push_back(
                    {matrix.data() + static_cast<std::int64_t>(j) * matrix.stride(1), matrix.stride(0)});
            matrix_ = std::move(matrix);
            return;
        }
        if (!nb::isinstance<nb::sequence>(values) || nb::hasattr(values, "dtype"))
            throw nb::type_error((std::string(who) +
                                  ": columns must be a matrix or a sequence of arrays of " +
                                  (sizeof(T) == 8 ? "float64" : "int32"))
                                     .c_str());
        for (nb::handle value : nb::cast<nb::sequence>(values)) {
            auto line = nb::cast<Line>(value, false);
            if (!columns_.empty() && line.shape(0) != rows_)
                throw nb::value_error((std::string(who) + ": columns differ in length").c_str());
            rows_ = line.shape(0);
            columns_.push_back({line.data(), line.stride(0)});
            lines_.push_back(std::move(line));
        }
    }

    std::size_t rows() const { return rows_; }
    std::size_t size() const { return columns_.size(); }
    std::span<const acumen::Strided<T>> columns() const { return columns_; }
    // No columns come without a length; then any number of rows agrees.
    bool has_rows(std::size_t n) const { return rows_ == n || columns_.empty(); }

  private:
    std::size_t rows_ = 0;
    std::vector<acumen::Strided<T>> columns_;
    std::vector<Line> lines_;
    std::optional<Matrix> matrix_;
};

inline acumen::Columns columns_of(const BorrowedColumns<double>& borrowed) {
    return {borrowed.columns(), borrowed.rows()};
}

// Labels with weights (empty: ones) and parts (empty: one part), checked for length.
inline acumen::Rows hard_rows(const CodesIn& labels, const FloatsIn& weights, const CodesIn& parts,
                              std::size_t classes, std::size_t n_parts, const char* who) {
    const std::size_t n = labels.size();
    if ((weights.size() && weights.size() != n) || (parts.size() && parts.size() != n))
        throw nb::value_error((std::string(who) + ": labels, weights and parts differ in length").c_str());
    if (!parts.size() && n_parts != 1 && n)
        throw nb::value_error((std::string(who) + ": several parts need a part for each row").c_str());
    acumen::Rows rows;
    rows.n = n;
    rows.classes = classes;
    rows.parts = n_parts;
    rows.label = labels.data();
    rows.part = parts.size() ? parts.data() : nullptr;
    rows.weight = weights.size() ? weights.data() : nullptr;
    return rows;
}

inline acumen::Rows soft_rows(const SoftIn& shares) {
    acumen::Rows rows;
    rows.n = shares.shape(0);
    rows.classes = shares.shape(1);
    rows.soft = shares.data();
    return rows;
}

// Whether Ctrl-C was pressed; takes the GIL, so it is to be asked while it is released.
inline acumen::Stop ask_python() {
    return [] {
        const nb::gil_scoped_acquire locked;
        return PyErr_CheckSignals() != 0;
    };
}
