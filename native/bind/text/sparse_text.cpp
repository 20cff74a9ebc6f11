// svmlight and basket text: pieces in, arrays out. The arrays of a block can be taken once.
#include "kernels/text/sparse_text.hpp"

#include "bind/arrays.hpp"

namespace {

using acumen::BasketReader;
using acumen::BasketShape;
using acumen::SparseFault;
using acumen::SvmReader;

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::string_view view_of(const Bytes& piece) {
    return {reinterpret_cast<const char*>(piece.data()), piece.size()};
}

template <typename Reader>
void feed(Reader& reader, Bytes piece, bool last) {
    nb::gil_scoped_release unlocked;
    reader.feed(view_of(piece), last);
}

char one_char(std::string_view text) {
    if (text.size() > 1) throw nb::value_error("a delimiter, quote or comment is one character or none");
    return text.empty() ? '\0' : text[0];
}

nb::typed<nb::list, nb::bytes> texts(const std::deque<std::string>& strings) {
    nb::typed<nb::list, nb::bytes> made;
    for (const std::string& string : strings) made.append(nb::bytes(string.data(), string.size()));
    return made;
}

template <typename Reader>
nb::class_<Reader> bind_common(nb::class_<Reader> made) {
    return made
        .def("feed", &feed<Reader>, "piece"_a.noconvert(), "last"_a = false,
             "Take more text; only whole lines are read until the last piece.")
        .def("clear", &Reader::clear, "Forget the rows, whose arrays have been taken.")
        .def(
            "starts", [](Reader& r) { return to_numpy(std::move(r.rows.starts)); },
            "Where each row begins among the positions, and where the last ends.")
        .def("positions", [](Reader& r) { return to_numpy(std::move(r.rows.positions)); })
        .def(
            "lines", [](Reader& r) { return to_numpy(std::move(r.rows.lines)); },
            "The physical line of each row.")
        .def_prop_ro("n_rows", [](const Reader& r) { return r.rows.lines.size(); })
        .def_ro("blank_lines", &Reader::blank_lines)
        .def_ro("comments", &Reader::comments)
        .def_prop_ro("fault", [](const Reader& r) { return static_cast<int>(r.fault); })
        .def_ro("fault_line", &Reader::fault_line);
}

}  // namespace

void bind_sparse_text(nb::module_& m) {
    m.attr("SPARSE_NUL") = static_cast<int>(SparseFault::kNul);
    m.attr("SPARSE_TOO_LONG") = static_cast<int>(SparseFault::kTooLong);
    m.attr("SPARSE_LABEL") = static_cast<int>(SparseFault::kLabel);
    m.attr("SPARSE_PAIR") = static_cast<int>(SparseFault::kPair);
    m.attr("SPARSE_ORDER") = static_cast<int>(SparseFault::kOrder);
    m.attr("SPARSE_POSITION") = static_cast<int>(SparseFault::kPosition);
    m.attr("SPARSE_QUERY") = static_cast<int>(SparseFault::kQuery);
    m.attr("SPARSE_QUOTE") = static_cast<int>(SparseFault::kQuote);
    m.attr("SPARSE_LABELS") = static_cast<int>(SparseFault::kLabels);

    bind_common(nb::class_<SvmReader>(m, "SvmReader", "Rows out of svmlight text that is fed in pieces."))
        .def(nb::init<std::size_t, std::int32_t>(), "longest"_a, "largest"_a,
             "`longest` is the most bytes a line may have, `largest` the greatest position.")
        .def("values", [](SvmReader& r) { return to_numpy(std::move(r.values)); })
        .def("labels", [](SvmReader& r) { return to_numpy(std::move(r.labels)); })
        .def("queries", [](SvmReader& r) { return to_numpy(std::move(r.queries)); })
        .def_ro("smallest", &SvmReader::smallest)
        .def_ro("greatest", &SvmReader::greatest)
        .def_ro("any_query", &SvmReader::any_query)
        .def_ro("infinite", &SvmReader::infinite)
        .def_ro("first_infinite", &SvmReader::first_infinite)
        .def_prop_ro(
            "infinite_text",
            [](const SvmReader& r) { return nb::bytes(r.infinite_text.data(), r.infinite_text.size()); })
        .def_prop_ro("fault_text",
                     [](const SvmReader& r) { return nb::bytes(r.fault_text.data(), r.fault_text.size()); });

    bind_common(nb::class_<BasketReader>(m, "BasketReader", "Baskets of items out of text, one a line."))
        .def(
            "__init__",
            [](BasketReader* self, std::string_view delimiter, std::string_view quote,
               std::string_view comment, int label, std::size_t longest) {
                if (label < 0 || label > 2) throw nb::value_error("BasketReader: label must be 0, 1 or 2");
                new (self) BasketReader(BasketShape{one_char(delimiter), one_char(quote), one_char(comment),
                                                    static_cast<acumen::LabelPlace>(label)},
                                        longest);
            },
            nb::kw_only(), "delimiter"_a, "quote"_a, "comment"_a, "label"_a, "longest"_a,
            "An empty delimiter means runs of blanks; `label` is 0 for none, 1 if it stands first, 2 if "
            "last.")
        .def(
            "know", [](BasketReader& r, std::string_view item) { r.items.code(item); }, "item"_a,
            "Give an item the next code.")
        .def(
            "items", [](const BasketReader& r) { return texts(r.items.strings()); },
            "The items in code order, as bytes.")
        .def("label_names", [](const BasketReader& r) { return texts(r.label_names.strings()); })
        .def("labels", [](BasketReader& r) { return to_numpy(std::move(r.labels)); })
        .def_prop_ro("n_items", [](const BasketReader& r) { return r.items.strings().size(); })
        .def_ro("empty", &BasketReader::empty)
        .def_ro("repeated", &BasketReader::repeated);
}
