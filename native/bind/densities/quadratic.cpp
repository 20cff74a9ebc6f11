#include "kernels/densities/quadratic.hpp"

#include "bind/borrow.hpp"

using Factors = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

void bind_quadratic(nb::module_& m) {
    m.def(
        "add_quadratic_logs",
        [](nb::handle columns, MatrixIn mean, Factors factor, MatrixOut total, std::size_t n_threads) {
            const BorrowedColumns<double> values(columns, "add_quadratic_logs");
            const std::size_t k = total.shape(1), d = values.size();
            if (!values.has_rows(total.shape(0)) || mean.shape(0) != k || mean.shape(1) != d ||
                factor.shape(0) != k || factor.shape(1) != d || factor.shape(2) != d)
                throw nb::value_error("add_quadratic_logs: the arrays' shapes do not go together");
            const auto borrowed = columns_of(values);
            std::size_t skipped = 0;
            bool whole;
            {
                const nb::gil_scoped_release unlocked;
                whole = acumen::add_quadratic_logs(borrowed, k, mean.data(), factor.data(), total.data(),
                                                   n_threads, ask_python(), skipped);
            }
            if (!whole) throw nb::python_error();
            return skipped;
        },
        "columns"_a, "mean"_a.noconvert(), "factor"_a.noconvert(), "total"_a.noconvert(), "n_threads"_a = 1,
        "Add log N(x; mean, covariance) to `total` (rows x classes), in place; `factor` holds the inverse "
        "lower\n"
        "Cholesky factors. Rows with a missing value stay as they were; how many there were is returned.");
}
