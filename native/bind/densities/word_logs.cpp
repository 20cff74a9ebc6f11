#include "kernels/densities/word_logs.hpp"

#include "bind/borrow.hpp"

template <typename T>
using Line = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename Index>
static void bind_one(nb::module_& m) {
    m.def(
        "add_word_logs",
        [](Line<Index> starts, Line<Index> indices, Line<double> values, MatrixIn table, bool presence,
           MatrixOut total, std::size_t n_threads) {
            if (starts.size() != total.shape(0) + 1 || indices.size() != values.size() ||
                table.shape(1) != total.shape(1))
                throw nb::value_error("add_word_logs: the arrays' shapes do not go together");
            const acumen::Sparse<Index, double> matrix{span_of(starts), span_of(indices), span_of(values),
                                                       table.shape(0)};
            bool whole;
            {
                const nb::gil_scoped_release unlocked;
                whole = acumen::add_word_logs(matrix, table.shape(1), table.data(), presence, total.data(),
                                              n_threads, ask_python());
            }
            if (!whole) throw nb::python_error();
        },
        "starts"_a.noconvert(), "indices"_a.noconvert(), "values"_a.noconvert(), "table"_a.noconvert(),
        "presence"_a, "total"_a.noconvert(), "n_threads"_a = 1,
        "Add table[word] (words x classes) to `total` (rows x classes) for each word of a sparse row, in "
        "place: times its count, or once if `presence`.");
}

void bind_word_logs(nb::module_& m) {
    bind_one<std::int32_t>(m);
    bind_one<std::int64_t>(m);
}
