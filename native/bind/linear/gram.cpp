#include "kernels/linear/gram.hpp"

#include "bind/borrow.hpp"

static void gram(nb::handle columns, const FloatsIn& weights, const MatrixOut& out, std::size_t n_threads) {
    const BorrowedColumns<double> values(columns, "weighted_gram");
    const std::size_t side = values.size() + 1;
    if (!values.has_rows(weights.size()) || out.shape(0) != side || out.shape(1) != side)
        throw nb::value_error("weighted_gram: the arrays' shapes do not go together");
    const auto borrowed = columns_of(values);
    bool whole;
    {
        const nb::gil_scoped_release unlocked;
        whole = acumen::weighted_gram(borrowed, weights.data(), out.data(), n_threads, ask_python());
    }
    if (!whole) throw nb::python_error();
}

void bind_gram(nb::module_& m) {
    m.def("weighted_gram", &gram, "columns"_a, "weights"_a.noconvert(), "out"_a.noconvert(),
          "n_threads"_a = 1,
          "X' diag(weights) X with a column of ones behind the others; rows of weight zero are passed over.");
}
