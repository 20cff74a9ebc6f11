// The tokenizer for Python: checks arguments, releases the GIL, hands columns over without copying them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include "bind/arrays.hpp"
#include "kernels/text/reader.hpp"

namespace {

using namespace acumen;

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

const char* chars(const Bytes& bytes) { return reinterpret_cast<const char*>(bytes.data()); }

char one_char(const std::string& text, const char* what) {
    if (text.size() > 1) throw nb::value_error((std::string(what) + " must be one ASCII character").c_str());
    return text.empty() ? '\0' : text[0];
}

nb::str to_str(std::string_view text) { return nb::str(text.data(), text.size()); }

// Hands a buffer's memory to numpy, its first `skip` values left out.
template <typename T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> hand_over(Buffer<T>& buffer, std::size_t skip, std::size_t size) {
    if (buffer.size() < skip + size) throw nb::value_error("this column holds nothing to take");
    T* data = buffer.release();
    nb::capsule owner(data, [](void* p) noexcept { std::free(p); });
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(data + skip, {size}, owner);
}

template <typename T>
constexpr int number(T value) {
    return static_cast<int>(value);
}

// Line and value, or None.
std::optional<std::pair<std::uint64_t, std::string>> sighting(const Sighting& seen) {
    if (!seen.line) return std::nullopt;
    return std::make_pair(seen.line, seen.value);
}

void bind_dialect(nb::module_& m) {
    nb::class_<TextDialect>(m, "TextDialect", "How text is written down, in the tokenizer's terms.")
        .def(
            "__init__",
            [](TextDialect* self, const std::string& delimiter, bool blanks, const std::string& quotes,
               bool doubled, bool escapes, bool arff, const std::string& comment, bool loose_comment,
               const std::string& decimal, std::vector<std::string> missing,
               std::vector<std::string> missing_always, std::vector<std::string> missing_perhaps,
               bool verbatim) {
                TextDialect made;
                made.delimiter = one_char(delimiter, "delimiter");
                made.blanks = blanks || arff;
                made.quotes = quotes;
                made.doubled = doubled;
                made.escapes = escapes;
                made.arff = arff;
                made.comment = one_char(comment, "comment");
                made.loose_comment = loose_comment;
                made.decimal = one_char(decimal, "decimal");
                made.missing = std::move(missing);
                made.missing_always = std::move(missing_always);
                made.missing_perhaps = std::move(missing_perhaps);
                made.verbatim = verbatim;
                new (self) TextDialect(std::move(made));
            },
            nb::kw_only(), "delimiter"_a = ",", "blanks"_a = false, "quotes"_a = "\"", "doubled"_a = true,
            "escapes"_a = false, "arff"_a = false, "comment"_a = "", "loose_comment"_a = false,
            "decimal"_a = "", "missing"_a = std::vector<std::string>{},
            "missing_always"_a = std::vector<std::string>{}, "missing_perhaps"_a = std::vector<std::string>{},
            "verbatim"_a = false,
            "Empty strings mean none; an empty `decimal` means either mark, found out column by column.");
}

void bind_stats(nb::module_& m) {
    nb::class_<ColumnStats>(m, "ColumnStats", "What was seen in one column.")
        .def_ro("missing", &ColumnStats::missing)
        .def_ro("empty", &ColumnStats::empty)
        .def_ro("quoted_missing", &ColumnStats::quoted_missing)
        .def_ro("infinite", &ColumnStats::infinite)
        .def_ro("not_a_number", &ColumnStats::not_a_number)
        .def_ro("unknown", &ColumnStats::unknown)
        .def_ro("with_blank", &ColumnStats::with_blank)
        .def_ro("distinct_numbers", &ColumnStats::distinct_numbers)
        .def_ro("distinct_dates", &ColumnStats::distinct_dates)
        .def_ro("comma", &ColumnStats::comma)
        .def_prop_ro("thousands", &ColumnStats::thousands,
                     "Whether every decimal mark, if there is one, could stand between thousands.")
        .def_prop_ro("whole", [](const ColumnStats& s) { return (s.flags & kWhole) != 0; })
        .def_prop_ro("long_whole", [](const ColumnStats& s) { return (s.flags & kLong) != 0; })
        .def_ro("capped", &ColumnStats::capped)
        .def_prop_ro("point", [](const ColumnStats& s) { return (s.flags & kPoint) != 0; })
        .def_prop_ro("exponent", [](const ColumnStats& s) { return (s.flags & kExponent) != 0; })
        .def_prop_ro("leading_zero", [](const ColumnStats& s) { return (s.flags & kLeadingZero) != 0; })
        .def_prop_ro("big_integer", [](const ColumnStats& s) { return (s.flags & kBigInteger) != 0; })
        .def_prop_ro("why", [](const ColumnStats& s) { return number(s.why); })
        .def_prop_ro(
            "turn", [](const ColumnStats& s) { return sighting(s.turn); },
            "Line and value that a column of numbers, or of fixed levels, could not take; or None.")
        .def_prop_ro("first_infinite", [](const ColumnStats& s) { return sighting(s.first_infinite); })
        .def_prop_ro("first_quoted_missing",
                     [](const ColumnStats& s) { return sighting(s.first_quoted_missing); })
        .def_prop_ro("first_big", [](const ColumnStats& s) { return sighting(s.first_big); })
        .def_prop_ro("first_zero", [](const ColumnStats& s) { return sighting(s.first_zero); })
        .def_prop_ro("first_other", [](const ColumnStats& s) { return sighting(s.first_other); })
        .def_ro("maybe_missing", &ColumnStats::maybe_missing)
        .def_prop_ro("first_maybe", [](const ColumnStats& s) { return sighting(s.first_maybe); })
        .def_ro("timed", &ColumnStats::timed)
        .def_prop_ro("first_zoned", [](const ColumnStats& s) { return sighting(s.first_zoned); })
        .def_prop_ro("first_unzoned", [](const ColumnStats& s) { return sighting(s.first_unzoned); });
}

void bind_table(nb::module_& m) {
    nb::class_<TextTable>(m, "TextTable", "Columns out of text that is fed in pieces of any size.")
        .def(
            "__init__",
            [](TextTable* self, const TextDialect& dialect, const std::vector<int>& modes,
               const std::string& ragged, const std::string& first, bool store, std::uint64_t line,
               int threads) {
                std::vector<Mode> made;
                made.reserve(modes.size());
                for (const int mode : modes) {
                    if (mode < 0 || mode > number(Mode::kFixed))
                        throw nb::value_error("TextTable: no such mode");
                    made.push_back(static_cast<Mode>(mode));
                }
                if (ragged != "drop" && ragged != "fill")
                    throw nb::value_error("TextTable: ragged is 'drop' or 'fill'");
                if (first != "data" && first != "skip" && first != "hold")
                    throw nb::value_error("TextTable: first is 'data', 'skip' or 'hold'");
                new (self) TextTable(dialect, made, ragged == "fill" ? RaggedRows::kFill : RaggedRows::kDrop,
                                     first == "data"   ? FirstRecord::kData
                                     : first == "skip" ? FirstRecord::kSkip
                                                       : FirstRecord::kHold,
                                     store, line, threads);
            },
            "dialect"_a, "modes"_a, nb::kw_only(), "ragged"_a = "drop", "first"_a = "data", "store"_a = true,
            "line"_a = 1, "threads"_a = 1,
            "`modes` has a MODE_ for each column; `line` is the number of the first line to be fed.")
        .def(
            "feed",
            [](TextTable& self, const Bytes& data, bool last, std::int64_t limit) {
                if (data.size() > (std::size_t{1} << 30))
                    throw nb::value_error("feed: at most 1 GB at a time");
                nb::gil_scoped_release unlocked;
                self.feed(chars(data), data.size(), last,
                          limit < 0 ? static_cast<std::size_t>(-1) / 2 : static_cast<std::size_t>(limit));
            },
            "data"_a, "last"_a = false, "limit"_a = -1,
            nb::sig(
                "def feed(self, data: bytes | bytearray | memoryview, last: bool = False, limit: int = -1) "
                "-> None"),
            "Take more UTF-8 text; stop at `limit` stored rows (then take them, `clear`, and feed nothing to "
            "go on).")
        .def("expect", &TextTable::expect, "bytes"_a, "Say beforehand how much text there will be in all.")
        .def("settle", &TextTable::settle, "first_is_data"_a,
             "Say whether the first record, held apart, is data.")
        .def("clear", &TextTable::clear, "Forget the stored rows, whose columns have been taken.")
        .def(
            "set_levels",
            [](TextTable& self, std::size_t column, const std::vector<std::string>& levels,
               bool absent_is_first) { self.column(column).set_levels(levels, absent_is_first); },
            "column"_a, "levels"_a, "absent_is_first"_a = true,
            "The levels of a MODE_FIXED column, in code order; what a sparse row does not name is the first "
            "of "
            "them, or missing.")
        .def(
            "keep_all", [](TextTable& self, std::size_t column) { self.column(column).keep_all(); },
            "column"_a, "Tell this column's distinct strings apart however many there are.")
        .def(
            "values",
            [](TextTable& self, std::size_t column) {
                return hand_over(self.column(column).values(), self.slot(), self.rows());
            },
            "column"_a, "The numbers of a column; they can be taken once.")
        .def(
            "recode",
            [](TextTable& self, std::size_t column, const CodesIn& mapping) {
                const std::span<const std::int32_t> to = span_of(mapping);
                if (to.size() != self.column(column).levels().size())
                    throw nb::value_error("recode: a code is needed for each level");
                nb::gil_scoped_release unlocked;
                Buffer<std::int32_t>& codes = self.column(column).codes();
                for (std::size_t i = self.slot(); i < codes.size(); ++i)
                    if (codes[i] >= 0) codes[i] = to[static_cast<std::size_t>(codes[i])];
            },
            "column"_a, "mapping"_a.noconvert(), "Change the codes of a column of strings, in place.")
        .def(
            "codes",
            [](TextTable& self, std::size_t column) {
                return hand_over(self.column(column).codes(), self.slot(), self.rows());
            },
            "column"_a, "The codes of a column of strings; they can be taken once.")
        .def(
            "texts",
            [](TextTable& self, std::size_t column) {
                Column& strings = self.column(column);
                Buffer<std::int32_t> codes = std::move(strings.codes());
                if (codes.size() < self.slot() + self.rows())
                    throw nb::value_error("this column holds nothing to take");
                std::vector<nb::object> made(
                    strings.levels().size());  // rows that say the same share one str
                nb::list texts;
                for (std::size_t i = 0; i < self.rows(); ++i) {
                    const std::int32_t code = codes[self.slot() + i];
                    if (code < 0) {
                        texts.append(nb::none());
                        continue;
                    }
                    nb::object& text = made[static_cast<std::size_t>(code)];
                    if (!text.is_valid()) text = to_str(strings.levels()[static_cast<std::size_t>(code)]);
                    texts.append(text);
                }
                return texts;
            },
            "column"_a, nb::sig("def texts(self, column: int) -> list[str | None]"),
            "The strings of a column, row by row, None where missing; they can be taken once.")
        .def(
            "levels",
            [](const TextTable& self, std::size_t column, std::int64_t most) {
                const Interner& levels = self.column(column).levels();
                std::size_t size = levels.size();
                if (most >= 0) size = std::min(size, static_cast<std::size_t>(most));
                nb::list made;
                for (std::size_t i = 0; i < size; ++i) made.append(to_str(levels[i]));
                return made;
            },
            "column"_a, "most"_a = -1, nb::sig("def levels(self, column: int, most: int = -1) -> list[str]"),
            "The distinct strings of a column in code order; `most` of them, if it is not negative.")
        .def(
            "count_levels",
            [](const TextTable& self, std::size_t c) { return self.column(c).levels().size(); }, "column"_a)
        .def(
            "has_level",
            [](const TextTable& self, std::size_t column, std::string_view text) {
                return self.column(column).levels().find(text) >= 0;
            },
            "column"_a, "text"_a)
        .def(
            "form", [](const TextTable& self, std::size_t c) { return number(self.column(c).form()); },
            "column"_a, "One of the FORM_ numbers.")
        .def(
            "mark",
            [](const TextTable& self, std::size_t c) { return std::string(1, self.column(c).mark()); },
            "column"_a, "The decimal mark a column's numbers were read with.")
        .def(
            "stats",
            [](const TextTable& self, std::size_t c) -> const ColumnStats& { return self.column(c).stats(); },
            "column"_a, nb::rv_policy::reference_internal)
        .def(
            "weights", [](TextTable& self) { return hand_over(self.weights(), 0, self.rows()); },
            "ARFF: the weight of each row; they can be taken once.")
        .def("mark_every", &TextTable::mark_every, "rows"_a,
             "Keep where every so many rows begin, the first excepted.")
        .def_prop_ro("marks", &TextTable::marks, "Bytes of the text fed before each of these rows.")
        .def_prop_ro("mark_lines", &TextTable::mark_lines, "The lines they begin in.")
        .def_prop_ro("last_line", &TextTable::last_line, "The line of the last row; 0 if there is none.")
        .def_prop_ro("last_cells", &TextTable::last_cells, "The texts of the last row, at most 64 of them.")
        .def_prop_ro("weighted", &TextTable::weighted, "ARFF: whether some weight is not one.")
        .def_prop_ro("rows", &TextTable::rows)
        .def_prop_ro("columns", &TextTable::columns)
        .def_prop_ro("full", &TextTable::full, "Whether the last feed stopped at its limit.")
        .def_prop_ro("line", &TextTable::line, "The physical line of the next record.")
        .def_prop_ro(
            "fault", [](const TextTable& self) { return number(self.fault().what); },
            "One of the FAULT_ numbers; 0 if there is none.")
        .def_prop_ro("fault_line", [](const TextTable& self) { return self.fault().line; })
        .def_prop_ro("short_rows", [](const TextTable& self) { return self.ragged().shorter; })
        .def_prop_ro("long_rows", [](const TextTable& self) { return self.ragged().longer; })
        .def_prop_ro(
            "ragged",
            [](const TextTable& self) {
                nb::list made;
                for (std::size_t i = 0; i < self.ragged().lines.size(); ++i)
                    made.append(nb::make_tuple(self.ragged().lines[i], self.ragged().counts[i]));
                return made;
            },
            nb::sig("def ragged(self) -> list[tuple[int, int]]"),
            "Lines and field counts of the first ragged rows.")
        .def_prop_ro("blank_lines", &TextTable::blank_lines)
        .def_prop_ro("comment_lines", &TextTable::comment_lines)
        .def_prop_ro("first_comment", &TextTable::first_comment)
        .def_prop_ro("first_line", &TextTable::first_line,
                     "Where the first record, held or skipped, stands; or 0.")
        .def_prop_ro("first_count", &TextTable::first_count, "How many fields the first record had.")
        .def_prop_ro("first_cells", &TextTable::first_cells,
                     "The first record: text and whether it was quoted.");
}

}  // namespace

void bind_text(nb::module_& m) {
    bind_dialect(m);
    bind_stats(m);
    bind_table(m);
    nb::class_<SampleRecord>(m, "SampleRecord", "One of a file's first records.")
        .def_ro("line", &SampleRecord::line)
        .def_ro("count", &SampleRecord::count, "How many fields it has.")
        .def_ro("hash", &SampleRecord::hash, "Whether it begins with #.")
        .def_prop_ro(
            "cells",
            [](const SampleRecord& record) {
                nb::list cells;  // a sample is taken before the encoding is known for sure
                for (const auto& [text, quoted] : record.cells)
                    cells.append(
                        nb::make_tuple(nb::steal<nb::object>(PyUnicode_DecodeUTF8(
                                           text.data(), static_cast<Py_ssize_t>(text.size()), "replace")),
                                       quoted));
                return cells;
            },
            nb::sig("def cells(self) -> list[tuple[str, bool]]"), "Text and whether it was quoted.");
    m.def(
        "sample_records",
        [](const Bytes& data, const TextDialect& dialect, bool last, std::size_t limit, bool cells) {
            Fault fault;
            auto records = sample_records(chars(data), data.size(), dialect, last, limit, cells, fault);
            return std::make_pair(std::move(records), number(fault.what));
        },
        "data"_a, "dialect"_a, nb::kw_only(), "last"_a, "limit"_a, "cells"_a,
        nb::sig(
            "def sample_records(data: bytes | bytearray | memoryview, dialect: TextDialect, *, last: bool, "
            "limit: int, cells: bool) -> tuple[list[SampleRecord], int]"),
        "The first records, and the fault that ended them (0: none).");
    m.def(
        "parse_number",
        [](std::string_view text, const std::string& decimal) -> nb::object {
            const Number made =
                acumen::parse_number(text.data(), text.data() + text.size(), one_char(decimal, "decimal"));
            return made.flags < 0 ? nb::none() : nb::object(nb::float_(made.value));
        },
        "text"_a, "decimal"_a = ".",
        nb::sig("def parse_number(text: str, decimal: str = '.') -> float | None"),
        "The number a text spells as a table's cell, or None.");
    m.def(
        "parse_date",
        [](std::string_view text) -> nb::object {
            double days;
            return acumen::parse_date(text.data(), text.data() + text.size(), days)
                       ? nb::object(nb::float_(days))
                       : nb::none();
        },
        "text"_a, nb::sig("def parse_date(text: str) -> float | None"),
        "Days since 1970-01-01 of an ISO date, or None.");

    m.attr("MODE_SKIP") = number(Mode::kSkip);
    m.attr("MODE_AUTO") = number(Mode::kAuto);
    m.attr("MODE_NUMERIC") = number(Mode::kNumeric);
    m.attr("MODE_DOT") = number(Mode::kDot);
    m.attr("MODE_COMMA") = number(Mode::kComma);
    m.attr("MODE_DATE") = number(Mode::kDate);
    m.attr("MODE_STRING") = number(Mode::kString);
    m.attr("MODE_FIXED") = number(Mode::kFixed);
    m.attr("FORM_EMPTY") = number(Form::kEmpty);
    m.attr("FORM_NUMBER") = number(Form::kNumber);
    m.attr("FORM_DATE") = number(Form::kDate);
    m.attr("FORM_STRING") = number(Form::kString);
    m.attr("FORM_MIXED") = number(Form::kMixed);
    m.attr("WHY_TEXT") = number(Why::kText);
    m.attr("WHY_LEADING_ZERO") = number(Why::kLeadingZero);
    m.attr("WHY_BIG_INTEGER") = number(Why::kBigInteger);
    m.attr("WHY_BOTH_MARKS") = number(Why::kBothMarks);
    m.attr("FAULT_UNCLOSED_QUOTE") = number(TextFault::kUnclosedQuote);
    m.attr("FAULT_AFTER_QUOTE") = number(TextFault::kAfterQuote);
    m.attr("FAULT_NUL") = number(TextFault::kNul);
    m.attr("FAULT_ENCODING") = number(TextFault::kEncoding);
    m.attr("FAULT_TOO_LONG") = number(TextFault::kTooLong);
    m.attr("FAULT_WEIGHT") = number(TextFault::kWeight);
    m.attr("FAULT_SPARSE") = number(TextFault::kSparse);
}
