#include "kernels/counting/word_sums.hpp"

#include "bind/borrow.hpp"

template <typename T>
using Line = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename Index, typename Value>
static void add(const Line<Index>& starts, const Line<Index>& indices, const Line<Value>& values,
                const acumen::Rows& rows, const MatrixOut& sums, const MatrixOut& presence) {
    const std::size_t width = sums.shape(1);
    if (starts.size() != rows.n + 1 || indices.size() != values.size() || sums.shape(0) != rows.groups() ||
        presence.shape(0) != rows.groups() || presence.shape(1) != width)
        throw nb::value_error("add_words: the arrays' shapes do not go together");
    const acumen::Sparse<Index, Value> matrix{span_of(starts), span_of(indices), span_of(values), width};
    const nb::gil_scoped_release unlocked;
    acumen::add_words(matrix, rows, sums.data(), presence.data());
}

template <typename Index, typename Value>
static void bind_one(nb::module_& m) {
    m.def(
        "add_words",
        [](Line<Index> starts, Line<Index> indices, Line<Value> values, CodesIn labels, FloatsIn weights,
           CodesIn parts, std::size_t classes, std::size_t n_parts, MatrixOut sums, MatrixOut presence) {
            const auto rows = hard_rows(labels, weights, parts, classes, n_parts, "add_words");
            add<Index, Value>(starts, indices, values, rows, sums, presence);
        },
        "starts"_a.noconvert(), "indices"_a.noconvert(), "values"_a.noconvert(), "labels"_a.noconvert(),
        "weights"_a.noconvert(), "parts"_a.noconvert(), "classes"_a, "n_parts"_a, "sums"_a.noconvert(),
        "presence"_a.noconvert(), "Add a sparse matrix's rows to sums and presence, both groups x words.");
    m.def(
        "add_words_soft",
        [](Line<Index> starts, Line<Index> indices, Line<Value> values, SoftIn shares, MatrixOut sums,
           MatrixOut presence) {
            add<Index, Value>(starts, indices, values, soft_rows(shares), sums, presence);
        },
        "starts"_a.noconvert(), "indices"_a.noconvert(), "values"_a.noconvert(), "shares"_a.noconvert(),
        "sums"_a.noconvert(), "presence"_a.noconvert(), "The same, each row shared out over the classes.");
}

void bind_word_sums(nb::module_& m) {
    bind_one<std::int32_t, double>(m);
    bind_one<std::int32_t, float>(m);
    bind_one<std::int32_t, std::int64_t>(m);
    bind_one<std::int64_t, double>(m);
    bind_one<std::int64_t, float>(m);
    bind_one<std::int64_t, std::int64_t>(m);
}
