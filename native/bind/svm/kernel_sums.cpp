#include "bind/svm/borrow.hpp"

// Where the lines at `places` of a matrix begin.
template <typename Cell>
static std::vector<Cell*> lines_of(const Square<Cell>& matrix, const Places& places) {
    std::vector<Cell*> lines;
    for (const std::int64_t place : span_of(places)) {
        if (place < 0 || place >= static_cast<std::int64_t>(matrix.shape(0)))
            throw nb::value_error("a place lies outside the matrix");
        lines.push_back(matrix.data() + static_cast<std::size_t>(place) * matrix.shape(1));
    }
    return lines;
}

template <typename T>
static void sums(const std::string& kernel, double gamma, double offset, unsigned degree,
                 Square<const T> rows, Line<T> squares, Square<const T> others, Line<T> other_squares,
                 MatrixIn coefficients, MatrixOut out, std::size_t threads) {
    const auto k = function_of(kernel, gamma, offset, degree);
    const auto x = rows_of<T>(rows, squares), y = rows_of<T>(others, other_squares);
    if (x.width != y.width || coefficients.shape(0) != y.n || out.shape(0) != x.n ||
        out.shape(1) != coefficients.shape(1))
        throw nb::value_error("add_kernel_sums: the arrays' shapes do not go together");
    bool whole;
    {
        const nb::gil_scoped_release unlocked;
        whole = acumen::add_kernel_sums<T>(k, x, y, coefficients.data(), out.shape(1), out.data(), threads,
                                           ask_python());
    }
    if (!whole) throw nb::python_error();
}

template <typename T>
static void lines(const std::string& kernel, double gamma, double offset, unsigned degree,
                  Square<const T> rows, Line<T> squares, Square<const T> others, Line<T> other_squares,
                  Square<T> out, Places places, std::size_t threads) {
    const auto k = function_of(kernel, gamma, offset, degree);
    const auto x = rows_of<T>(rows, squares), y = rows_of<T>(others, other_squares);
    if (x.width != y.width || places.size() != y.n || out.shape(1) < x.n)
        throw nb::value_error("kernel_lines: the arrays' shapes do not go together");
    const auto targets = lines_of(out, places);
    bool whole;
    {
        const nb::gil_scoped_release unlocked;
        whole = acumen::kernel_rows<T>(k, x, y, targets.data(), threads, ask_python());
    }
    if (!whole) throw nb::python_error();
}

template <typename T>
static void kept(Square<const T> lines, Places places, FloatsIn coefficients, FloatsOut out,
                 std::size_t threads) {
    if (places.size() != coefficients.size() || lines.shape(1) < out.size())
        throw nb::value_error("add_kept_lines: the arrays' shapes do not go together");
    const auto sources = lines_of(lines, places);
    bool whole;
    {
        const nb::gil_scoped_release unlocked;
        whole = acumen::add_kept_rows<T>(sources.data(), coefficients.data(), sources.size(), out.size(),
                                         out.data(), threads, ask_python());
    }
    if (!whole) throw nb::python_error();
}

template <typename T>
static void bind(nb::module_& m) {
    m.def(
        "add_kernel_sums", &sums<T>, "kernel"_a, "gamma"_a, "offset"_a, "degree"_a, "rows"_a.noconvert(),
        "squares"_a.noconvert(), "others"_a.noconvert(), "other_squares"_a.noconvert(),
        "coefficients"_a.noconvert(), "out"_a.noconvert(), "n_threads"_a = 1,
        "Add the sum over j of coefficients[j] k(rows i, others j) to out[i], in place; no kernel is kept.");
    m.def("kernel_lines", &lines<T>, "kernel"_a, "gamma"_a, "offset"_a, "degree"_a, "rows"_a.noconvert(),
          "squares"_a.noconvert(), "others"_a.noconvert(), "other_squares"_a.noconvert(), "out"_a.noconvert(),
          "places"_a.noconvert(), "n_threads"_a = 1, "Write k(others j, rows i) to out[places[j]][i].");
    m.def("add_kept_lines", &kept<T>, "lines"_a.noconvert(), "places"_a.noconvert(),
          "coefficients"_a.noconvert(), "out"_a.noconvert(), "n_threads"_a = 1,
          "Add the sum over j of coefficients[j] lines[places[j]][i] to out[i], in place.");
}

void bind_kernel_sums(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
}
