#include "kernels/linear/row_sums.hpp"

#include "bind/linear/linear_rows.hpp"

static std::span<const std::int64_t> chosen(const LinearRows& rows, const Wholes& which) {
    const auto n = static_cast<std::int64_t>(rows.n());
    for (const std::int64_t i : span_of(which)) require(i >= 0 && i < n, "LinearRows: there is no such row");
    return span_of(which);
}

template <typename Kernel>
static void run(const LinearRows& rows, const Kernel& kernel) {
    bool whole;
    {
        const nb::gil_scoped_release unlocked;
        whole = std::visit(kernel, rows.rows);
    }
    if (!whole) throw nb::python_error();
}

static void products(const LinearRows& held, Wholes which, double bias, FloatsIn v, FloatsOut out,
                     std::size_t threads) {
    require(v.size() == held.width() + 1 && out.size() == which.size(),
            "LinearRows.products: v needs a number for each column and the bias, out one for each row");
    const auto some = chosen(held, which);
    run(held, [&](const auto& rows) {
        return acumen::row_products(rows, some, bias, v.data(), out.data(), threads, ask_python());
    });
}

static void sum(const LinearRows& held, Wholes which, double bias, FloatsIn u, FloatsOut out,
                std::size_t threads) {
    require(u.size() == which.size() && out.size() == held.width() + 1,
            "LinearRows.sum: u needs a number for each row, out one for each column and the bias");
    const auto some = chosen(held, which);
    run(held, [&](const auto& rows) {
        return acumen::row_sum(rows, some, bias, u.data(), out.data(), threads, ask_python());
    });
}

static void squares(const LinearRows& held, Wholes which, double bias, FloatsIn u, FloatsOut out,
                    std::size_t threads) {
    require(u.size() == which.size() && out.size() == held.width() + 1,
            "LinearRows.squares: u needs a number for each row, out one for each column and the bias");
    const auto some = chosen(held, which);
    run(held, [&](const auto& rows) {
        return acumen::row_squares(rows, some, bias, u.data(), out.data(), threads, ask_python());
    });
}

static void curvature(const LinearRows& held, Wholes which, double bias, FloatsIn scale, FloatsIn v,
                      FloatsOut out, std::size_t threads) {
    require(scale.size() == which.size() && v.size() == held.width() + 1 && out.size() == v.size(),
            "LinearRows.curvature: scale needs a number for each row, v and out one for each column and the "
            "bias");
    const auto some = chosen(held, which);
    run(held, [&](const auto& rows) {
        return acumen::row_curvature(rows, some, bias, scale.data(), v.data(), out.data(), threads,
                                     ask_python());
    });
}

void bind_row_sums(nb::module_& m) {
    nb::class_<LinearRows>(m, "LinearRows", "Rows that meet weights, dense or CSR, checked once.")
        .def(nb::init<MatrixIn>(), "x"_a.noconvert())
        .def(nb::init<Wholes, CodesIn, FloatsIn, std::size_t>(), "starts"_a.noconvert(),
             "columns"_a.noconvert(), "values"_a.noconvert(), "width"_a)
        .def_prop_ro("width", &LinearRows::width)
        .def("products", &products, "which"_a.noconvert(), "bias"_a, "v"_a.noconvert(), "out"_a.noconvert(),
             "n_threads"_a = 1,
             "Fill `out` with the products of some rows and v, whose last number is the bias attribute's.")
        .def("sum", &sum, "which"_a.noconvert(), "bias"_a, "u"_a.noconvert(), "out"_a.noconvert(),
             "n_threads"_a = 1, "Fill `out` with the sum of some rows, each times its number in u.")
        .def("squares", &squares, "which"_a.noconvert(), "bias"_a, "u"_a.noconvert(), "out"_a.noconvert(),
             "n_threads"_a = 1,
             "Fill `out` with the sum of some rows' squares, each row's times its number in u.")
        .def("curvature", &curvature, "which"_a.noconvert(), "bias"_a, "scale"_a.noconvert(),
             "v"_a.noconvert(), "out"_a.noconvert(), "n_threads"_a = 1,
             "Fill `out` with the sum of scale x (row times v) x row over some rows.");
}
