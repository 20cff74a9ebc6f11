#include "kernels/densities/gaussian.hpp"

#include "bind/borrow.hpp"

static void level_logs(const BorrowedColumns<std::int32_t>& codes, const std::vector<MatrixIn>& tables,
                       const MatrixOut& total, std::size_t threads) {
    if (codes.size() != tables.size() || !codes.has_rows(total.shape(0)))
        throw nb::value_error("add_level_logs: columns, tables and total do not go together");
    std::vector<const double*> starts;
    std::vector<std::size_t> levels;
    for (const MatrixIn& table : tables) {
        if (table.shape(0) != total.shape(1))
            throw nb::value_error("add_level_logs: a table needs a row a class");
        starts.push_back(table.data());
        levels.push_back(table.shape(1));
    }
    bool whole;
    {
        const nb::gil_scoped_release unlocked;
        whole = acumen::add_level_logs(codes.columns(), total.shape(0), total.shape(1), starts, levels,
                                       total.data(), threads, ask_python());
    }
    if (!whole) throw nb::python_error();
}

void bind_gaussian(nb::module_& m) {
    m.def(
        "add_gaussian_logs",
        [](nb::handle columns, MatrixIn mean, MatrixIn variance, MatrixOut total, std::size_t n_threads) {
            const BorrowedColumns<double> values(columns, "add_gaussian_logs");
            const std::size_t k = total.shape(1), d = values.size();
            if (!values.has_rows(total.shape(0)) || mean.shape(0) != k || mean.shape(1) != d ||
                variance.shape(0) != k || variance.shape(1) != d)
                throw nb::value_error("add_gaussian_logs: the arrays' shapes do not go together");
            const auto borrowed = columns_of(values);
            bool whole;
            {
                const nb::gil_scoped_release unlocked;
                whole = acumen::add_gaussian_logs(borrowed, k, mean.data(), variance.data(), total.data(),
                                                  n_threads, ask_python());
            }
            if (!whole) throw nb::python_error();
        },
        "columns"_a, "mean"_a.noconvert(), "variance"_a.noconvert(), "total"_a.noconvert(), "n_threads"_a = 1,
        "Add sums of log N(x; mean, variance) to `total` (rows x classes), in place; missing values add "
        "nothing.");
    m.def(
        "add_level_logs",
        [](nb::handle columns, std::vector<MatrixIn> tables, MatrixOut total, std::size_t n_threads) {
            level_logs(BorrowedColumns<std::int32_t>(columns, "add_level_logs"), tables, total, n_threads);
        },
        "columns"_a, "tables"_a, "total"_a.noconvert(), "n_threads"_a = 1,
        "Add table[:, code] of every column to `total` (rows x classes), in place; codes outside add "
        "nothing.");
}
