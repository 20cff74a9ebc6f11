#include "kernels/linear/triangle.hpp"

#include "bind/borrow.hpp"

void bind_triangle(nb::module_& m) {
    m.def(
        "triangular",
        [](MatrixOut columns, MatrixOut factor) {
            const std::size_t p = columns.shape(0), rows = columns.shape(1);
            if (factor.shape(0) != p || factor.shape(1) != p)
                throw nb::value_error("triangular: the factor needs a row and a column for each column");
            const nb::gil_scoped_release unlocked;
            acumen::triangular(columns.data(), rows, p, factor.data());
        },
        "columns"_a.noconvert(), "factor"_a.noconvert(),
        "Fill `factor` with the upper triangular R for which R'R is the inner products of the columns, which "
        "are\n"
        "the rows of `columns`; these are used up.");
    m.def(
        "cholesky",
        [](MatrixIn gram, MatrixOut factor) {
            const std::size_t p = gram.shape(0);
            if (gram.shape(1) != p || factor.shape(0) != p || factor.shape(1) != p)
                throw nb::value_error("cholesky: both matrices must be square and of one size");
            const nb::gil_scoped_release unlocked;
            return acumen::cholesky(gram.data(), p, factor.data());
        },
        "gram"_a.noconvert(), "factor"_a.noconvert(),
        "Fill `factor` with the upper triangular R of R'R = gram; false where the matrix is not positive "
        "definite.");
    m.def(
        "multiply_triangles",
        [](MatrixIn a, MatrixIn b, MatrixOut product) {
            const std::size_t p = a.shape(0);
            if (a.shape(1) != p || b.shape(0) != p || b.shape(1) != p || product.shape(0) != p ||
                product.shape(1) != p)
                throw nb::value_error("multiply_triangles: all matrices must be square and of one size");
            const nb::gil_scoped_release unlocked;
            acumen::multiply_triangles(a.data(), b.data(), p, product.data());
        },
        "a"_a.noconvert(), "b"_a.noconvert(), "product"_a.noconvert(),
        "Fill `product` with a b, all upper triangular.");
    m.def(
        "divide_rows",
        [](MatrixOut rows, MatrixIn factor) {
            const std::size_t p = rows.shape(1);
            if (factor.shape(0) != p || factor.shape(1) != p)
                throw nb::value_error("divide_rows: the factor needs a row and a column for each column");
            const nb::gil_scoped_release unlocked;
            acumen::divide_rows(rows.data(), rows.shape(0), p, factor.data());
        },
        "rows"_a.noconvert(), "factor"_a.noconvert(),
        "Divide each row by an upper triangular factor, in place.");
}
