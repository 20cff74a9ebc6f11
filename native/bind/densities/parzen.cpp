#include "kernels/densities/parzen.hpp"

#include "bind/borrow.hpp"

using Matrix32In = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using WholeIn = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

static void parzen_logs(nb::handle columns, nb::handle code_columns, MatrixIn values, Matrix32In codes,
                        FloatsIn weight, WholeIn starts, bool box, MatrixIn width, MatrixIn centre,
                        MatrixIn spread, MatrixIn log_same, MatrixIn log_other,
                        const std::vector<MatrixIn>& log_level, WholeIn leave_out, MatrixOut total,
                        std::size_t n_threads) {
    const BorrowedColumns<double> numbers(columns, "add_parzen_logs");
    const BorrowedColumns<std::int32_t> levels(code_columns, "add_parzen_logs");
    const std::size_t rows = total.shape(0), k = total.shape(1), n = weight.size();
    const std::size_t d = values.shape(0), q = codes.shape(0);
    const auto table = [k](const MatrixIn& m, std::size_t attributes) {
        return m.shape(0) == k && m.shape(1) == attributes;
    };
    require(numbers.size() == d && levels.size() == q && numbers.has_rows(rows) && levels.has_rows(rows),
            "add_parzen_logs: rows and training rows differ in their attributes");
    require(values.shape(1) == n && codes.shape(1) == n && starts.size() == k + 1,
            "add_parzen_logs: the training rows' arrays do not go together");
    require(table(width, d) && table(centre, d) && table(spread, d) && table(log_same, q) &&
                table(log_other, q) && log_level.size() == q,
            "add_parzen_logs: the windows do not go with the attributes");
    require(!leave_out.size() || leave_out.size() == rows,
            "add_parzen_logs: one training row to leave out is needed for each row");
    std::vector<std::size_t> bounds, sizes;
    std::int64_t before = 0;
    for (const std::int64_t start : span_of(starts)) {
        require(start >= before && start <= static_cast<std::int64_t>(n),
                "add_parzen_logs: starts must ascend within the training rows");
        bounds.push_back(static_cast<std::size_t>(start));
        before = start;
    }
    std::vector<const double*> tables;
    for (const MatrixIn& m : log_level) {
        require(m.shape(0) == k, "add_parzen_logs: a table of levels needs a row a class");
        tables.push_back(m.data());
        sizes.push_back(m.shape(1));
    }
    const acumen::ParzenRows training{n, k, d, q, bounds.data(), values.data(), codes.data(), weight.data()};
    const acumen::ParzenWindows windows{
        box, width.data(), centre.data(), spread.data(), log_same.data(), log_other.data(), tables, sizes};
    bool whole;
    {
        const nb::gil_scoped_release unlocked;
        whole = acumen::add_parzen_logs(columns_of(numbers), levels.columns(), rows, training, windows,
                                        leave_out.size() ? leave_out.data() : nullptr, total.data(),
                                        n_threads, ask_python());
    }
    if (!whole) throw nb::python_error();
}

void bind_parzen(nb::module_& m) {
    m.def("add_parzen_logs", &parzen_logs, "columns"_a, "code_columns"_a, "values"_a.noconvert(),
          "codes"_a.noconvert(), "weight"_a.noconvert(), "starts"_a.noconvert(), "box"_a,
          "width"_a.noconvert(), "centre"_a.noconvert(), "spread"_a.noconvert(), "log_same"_a.noconvert(),
          "log_other"_a.noconvert(), "log_level"_a, "leave_out"_a.noconvert(), "total"_a.noconvert(),
          "n_threads"_a = 1,
          "Add log densities to `total` (rows x classes), in place: means of windows on the training rows, "
          "which lie by class, class c from starts[c].");
}
