#include "kernels/additive/additive.hpp"

#include "bind/borrow.hpp"

namespace {

namespace additive = acumen::additive;
using SlotsIn = nb::ndarray<const std::uint16_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using PlacesIn = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The rows of an additive model as Python has them (src/acumen/additive/slot_rows.py); indices are checked
// once, when it is made, so that no sum can leave its table.
class AdditiveRows {
  public:
    AdditiveRows(SlotsIn slots, PlacesIn offset, PlacesIn word_start, CodesIn word_row, PlacesIn row_start,
                 CodesIn row_word)
        : slots_(std::move(slots)),
          offset_(std::move(offset)),
          word_start_(std::move(word_start)),
          word_row_(std::move(word_row)),
          row_start_(std::move(row_start)),
          row_word_(std::move(row_word)) {
        const std::size_t columns = slots_.shape(0), n = slots_.shape(1);
        require(offset_.size() == columns + 1 && offset_.data()[0] == 1,
                "AdditiveRows: there must be an offset for each column, from 1, and the end");
        for (std::size_t j = 0; j < columns; ++j) {
            const std::int64_t size = offset_.data()[j + 1] - offset_.data()[j];
            require(size >= 1 && size <= 65536, "AdditiveRows: a column has no slots, or too many");
            const std::uint16_t* column = slots_.data() + j * n;
            std::uint16_t most = 0;
            for (std::size_t i = 0; i < n; ++i) most = std::max(most, column[i]);
            require(!n || most < size, "AdditiveRows: a row is in a slot that its column does not have");
        }
        ascend(word_start_, word_row_.size());
        ascend(row_start_, row_word_.size());
        const std::size_t words = word_start_.size() ? word_start_.size() - 1 : 0;
        require((word_start_.size() == 0) == (row_start_.size() == 0) &&
                    (!row_start_.size() || row_start_.size() == n + 1) &&
                    word_row_.size() == row_word_.size(),
                "AdditiveRows: words by rows and rows by words do not agree");
        for (const std::int32_t row : span_of(word_row_))
            require(row >= 0 && static_cast<std::size_t>(row) < n, "AdditiveRows: a word is in no row");
        for (const std::int32_t word : span_of(row_word_))
            require(word >= 0 && static_cast<std::size_t>(word) < words,
                    "AdditiveRows: a row has no such word");
    }

    additive::Rows rows() const {
        return {slots_.shape(1),      slots_.shape(0),    slots_.data(),       span_of(offset_),
                span_of(word_start_), span_of(word_row_), span_of(row_start_), span_of(row_word_)};
    }

  private:
    static void ascend(const PlacesIn& start, std::size_t total) {
        const auto at = span_of(start);
        bool fine = at.empty() ? total == 0 : at[0] == 0 && at.back() == static_cast<std::int64_t>(total);
        for (std::size_t i = 1; i < at.size(); ++i) fine = fine && at[i - 1] <= at[i];
        require(fine, "AdditiveRows: places do not ascend from 0 to the end");
    }

    SlotsIn slots_;
    PlacesIn offset_, word_start_;
    CodesIn word_row_;
    PlacesIn row_start_;
    CodesIn row_word_;
};

template <typename Work>
void run(const Work& work) {
    bool whole;
    {
        const nb::gil_scoped_release unlocked;
        whole = work();
    }
    if (!whole) throw nb::python_error();
}

void scores(const AdditiveRows& given, MatrixIn coefficient, MatrixOut out, std::size_t n_threads) {
    const additive::Rows rows = given.rows();
    require(coefficient.shape(0) == rows.width() && out.shape(0) == rows.rows &&
                out.shape(1) == coefficient.shape(1),
            "AdditiveRows.scores: coefficients or out have another shape");
    run([&] {
        return additive::scores(rows, coefficient.data(), out.shape(1), n_threads, ask_python(), out.data());
    });
}

void sums(const AdditiveRows& given, MatrixIn values, MatrixOut out, std::size_t n_threads) {
    const additive::Rows rows = given.rows();
    require(values.shape(0) == rows.rows && out.shape(0) == rows.width() && out.shape(1) == values.shape(1),
            "AdditiveRows.sums: values or out have another shape");
    run([&] {
        return additive::sums(rows, values.data(), out.shape(1), n_threads, ask_python(), out.data());
    });
}

void tables(const AdditiveRows& given, FloatsIn weight, MatrixOut out, std::size_t n_threads) {
    const additive::Rows rows = given.rows();
    require(weight.size() == rows.rows && out.shape(0) == rows.width() && out.shape(1) == rows.width(),
            "AdditiveRows.tables: weight or out have another shape");
    run([&] { return additive::tables(rows, weight.data(), n_threads, ask_python(), out.data()); });
}

void forms(const AdditiveRows& given, MatrixIn matrix, FloatsOut out, std::size_t n_threads) {
    const additive::Rows rows = given.rows();
    require(matrix.shape(0) == rows.width() && matrix.shape(1) == rows.width() && out.size() == rows.rows,
            "AdditiveRows.forms: matrix or out have another shape");
    run([&] { return additive::forms(rows, matrix.data(), n_threads, ask_python(), out.data()); });
}

}  // namespace

void bind_additive(nb::module_& m) {
    nb::class_<AdditiveRows>(m, "AdditiveRows",
                             "Rows by the slot that each column falls into, and the words they have.")
        .def(nb::init<SlotsIn, PlacesIn, PlacesIn, CodesIn, PlacesIn, CodesIn>(), "slots"_a.noconvert(),
             "offset"_a.noconvert(), "word_start"_a.noconvert(), "word_row"_a.noconvert(),
             "row_start"_a.noconvert(), "row_word"_a.noconvert())
        .def("scores", &scores, "coefficient"_a.noconvert(), "out"_a.noconvert(), "n_threads"_a = 1,
             "The sum of each row's coefficients, one column of `out` for each line of them.")
        .def("sums", &sums, "values"_a.noconvert(), "out"_a.noconvert(), "n_threads"_a = 1,
             "The sum of `values` over the rows of each slot and word.")
        .def("tables", &tables, "weight"_a.noconvert(), "out"_a.noconvert(), "n_threads"_a = 1,
             "The sum of a weight over the rows that are in both of two slots, for all two.")
        .def("forms", &forms, "matrix"_a.noconvert(), "out"_a.noconvert(), "n_threads"_a = 1,
             "The quadratic form of each row's zeros and ones.");
}
