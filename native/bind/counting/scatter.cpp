#include "kernels/counting/scatter.hpp"

#include "bind/borrow.hpp"

using Squares = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

static void check(const char* who, const BorrowedColumns<double>& values, const acumen::Rows& rows,
                  const MatrixIn& centre, std::initializer_list<const Squares*> squares, std::size_t slots) {
    const std::size_t d = values.size();
    bool right = values.has_rows(rows.n) && centre.shape(0) == rows.groups() && centre.shape(1) == d;
    for (const Squares* square : squares)
        right = right && square->shape(0) == slots && square->shape(1) == d && square->shape(2) == d;
    if (!right) throw nb::value_error((std::string(who) + ": the arrays' shapes do not go together").c_str());
}

static void scatter(const BorrowedColumns<double>& values, const acumen::Rows& rows, bool shared,
                    const MatrixIn& centre, const Squares& into) {
    check("add_scatter", values, rows, centre, {&into}, shared ? rows.parts : rows.groups());
    const auto columns = columns_of(values);
    const nb::gil_scoped_release unlocked;
    acumen::add_scatter(columns, rows, shared, centre.data(), into.data());
}

static void pairs(const BorrowedColumns<double>& values, const acumen::Rows& rows, const MatrixIn& centre,
                  const Squares& weight, const Squares& sum, const Squares& product) {
    check("add_pairs", values, rows, centre, {&weight, &sum, &product}, rows.groups());
    const auto columns = columns_of(values);
    const nb::gil_scoped_release unlocked;
    acumen::add_pairs(columns, rows, centre.data(), weight.data(), sum.data(), product.data());
}

void bind_scatter(nb::module_& m) {
    m.def(
        "add_scatter",
        [](nb::handle values, CodesIn labels, FloatsIn weights, CodesIn parts, std::size_t classes,
           std::size_t n_parts, bool shared, MatrixIn centre, Squares into) {
            const auto rows = hard_rows(labels, weights, parts, classes, n_parts, "add_scatter");
            scatter(BorrowedColumns<double>(values, "add_scatter"), rows, shared, centre, into);
        },
        "values"_a, "labels"_a.noconvert(), "weights"_a.noconvert(), "parts"_a.noconvert(), "classes"_a,
        "n_parts"_a, "shared"_a, "centre"_a.noconvert(), "into"_a.noconvert(),
        "Add products of deviations from `centre` to each group's (with `shared` each part's) matrix.");
    m.def(
        "add_scatter_soft",
        [](nb::handle values, SoftIn shares, bool shared, MatrixIn centre, Squares into) {
            scatter(BorrowedColumns<double>(values, "add_scatter"), soft_rows(shares), shared, centre, into);
        },
        "values"_a, "shares"_a.noconvert(), "shared"_a, "centre"_a.noconvert(), "into"_a.noconvert(),
        "Add products of deviations, each row shared out over the classes.");
    m.def(
        "add_pairs",
        [](nb::handle values, CodesIn labels, FloatsIn weights, CodesIn parts, std::size_t classes,
           std::size_t n_parts, MatrixIn centre, Squares weight, Squares sum, Squares product) {
            const auto rows = hard_rows(labels, weights, parts, classes, n_parts, "add_pairs");
            pairs(BorrowedColumns<double>(values, "add_pairs"), rows, centre, weight, sum, product);
        },
        "values"_a, "labels"_a.noconvert(), "weights"_a.noconvert(), "parts"_a.noconvert(), "classes"_a,
        "n_parts"_a, "centre"_a.noconvert(), "weight"_a.noconvert(), "sum"_a.noconvert(),
        "product"_a.noconvert(),
        "Add weights, sums and products over the rows in which both columns of a pair are known.");
    m.def(
        "add_pairs_soft",
        [](nb::handle values, SoftIn shares, MatrixIn centre, Squares weight, Squares sum, Squares product) {
            pairs(BorrowedColumns<double>(values, "add_pairs"), soft_rows(shares), centre, weight, sum,
                  product);
        },
        "values"_a, "shares"_a.noconvert(), "centre"_a.noconvert(), "weight"_a.noconvert(),
        "sum"_a.noconvert(), "product"_a.noconvert(), "The same, each row shared out over the classes.");
}
