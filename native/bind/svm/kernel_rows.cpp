#include "kernels/svm/kernel_rows.hpp"

#include "bind/borrow.hpp"

template <typename T>
using Square = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Line = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename Shape, typename Norms>
static void check(const Shape& products, const Norms& rows, const Norms& columns) {
    if (rows.size() != products.shape(0) || columns.size() != products.shape(1))
        throw nb::value_error("rbf_of_products: one norm is needed for each row and each column");
}

template <typename T>
static void in_place(Square<T> products, Line<T> rows, Line<T> columns, double gamma, std::size_t threads) {
    check(products, rows, columns);
    bool whole;
    {
        const nb::gil_scoped_release unlocked;
        whole = acumen::rbf_of_products(products.data(), products.shape(0), products.shape(1), rows.data(),
                                        columns.data(), static_cast<T>(gamma), threads, ask_python());
    }
    if (!whole) throw nb::python_error();
}

static void narrowed(MatrixIn products, FloatsIn rows, FloatsIn columns, double gamma, Square<float> out,
                     std::size_t threads) {
    check(products, rows, columns);
    if (out.shape(0) != products.shape(0) || out.shape(1) != products.shape(1))
        throw nb::value_error("rbf_of_products_to_single: `out` and `products` differ in shape");
    bool whole;
    {
        const nb::gil_scoped_release unlocked;
        whole = acumen::rbf_of_products(products.data(), out.data(), products.shape(0), products.shape(1),
                                        rows.data(), columns.data(), gamma, threads, ask_python());
    }
    if (!whole) throw nb::python_error();
}

void bind_kernel_rows(nb::module_& m) {
    const char* about =
        "Turn inner products into exp(-gamma |x - y|^2), in place, from the squares of the rows' norms.";
    m.def("rbf_of_products", &in_place<double>, "products"_a.noconvert(), "row_norms"_a.noconvert(),
          "column_norms"_a.noconvert(), "gamma"_a, "n_threads"_a = 1, about);
    m.def("rbf_of_products", &in_place<float>, "products"_a.noconvert(), "row_norms"_a.noconvert(),
          "column_norms"_a.noconvert(), "gamma"_a, "n_threads"_a = 1, about);
    m.def("rbf_of_products_to_single", &narrowed, "products"_a.noconvert(), "row_norms"_a.noconvert(),
          "column_norms"_a.noconvert(), "gamma"_a, "out"_a.noconvert(), "n_threads"_a = 1,
          "The same from products in double precision into `out`, in single precision.");
}
