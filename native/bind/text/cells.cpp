// Python's own values, as databases and JSON deliver them, into arrays: one walk over the objects of a
// column. There is no kernel below: what is walked over are Python's objects, so the GIL stays held.
// Only what the stable ABI has is asked of them, so that one wheel serves every Python.
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "bind/arrays.hpp"
#include "kernels/numbers/numbers.hpp"
#include "kernels/text/sparse_text.hpp"

namespace {

// What kinds of value a column was found to hold; a NaN is missing, and of no kind.
enum Family : int {
    kWhole = 1,
    kReal = 2,
    kText = 4,
    kBytes = 8,
    kTruth = 16,
    kBig = 32,      // with kWhole: some integer is beyond 2^53
    kOther = 64,    // any other object, to be read as its str()
    kNested = 128,  // a list, tuple, dict or set: no value at all
};

constexpr long long kLastExact = 1LL << 53;

struct Column {
    int families = 0;
    std::int64_t nested = -1;  // the first row that holds a nested value
    std::vector<double> values;
    std::vector<std::uint8_t> whole;  // which numbers are integers
    std::vector<std::int32_t> codes;
    acumen::Codebook book;
};

std::int32_t code_of_text(Column& column, PyObject* text) {
    Py_ssize_t size = 0;
    if (const char* data = PyUnicode_AsUTF8AndSize(text, &size))
        return column.book.code({data, static_cast<std::size_t>(size)});
    PyErr_Clear();  // a lone surrogate, which JSON can spell and UTF-8 cannot
    nb::object bytes = nb::steal(PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace"));
    if (!bytes.is_valid()) nb::raise_python_error();
    return column.book.code(
        {PyBytes_AsString(bytes.ptr()), static_cast<std::size_t>(PyBytes_Size(bytes.ptr()))});
}

std::int32_t code_of_any(Column& column, PyObject* cell) {
    if (PyUnicode_Check(cell)) return code_of_text(column, cell);
    nb::object text =
        nb::steal(PyBytes_Check(cell)
                      ? PyUnicode_DecodeUTF8(PyBytes_AsString(cell), PyBytes_Size(cell), "backslashreplace")
                      : PyObject_Str(cell));
    if (!text.is_valid()) nb::raise_python_error();
    return code_of_text(column, text.ptr());
}

bool is_missing(PyObject* cell) {
    return cell == Py_None || (PyFloat_Check(cell) && std::isnan(PyFloat_AsDouble(cell)));
}

// `cell(i)` is the i-th of `n` objects, borrowed.
template <typename Cells>
void read(Column& column, std::size_t n, Cells&& cell) {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    column.values.resize(n);
    std::size_t i = 0;
    bool strings = false;
    for (; i < n && !strings; ++i) {
        PyObject* const it = cell(i);
        double value = kNaN;
        if (PyFloat_CheckExact(it)) {
            value = PyFloat_AsDouble(it);
            if (!std::isnan(value)) column.families |= kReal;
        } else if (PyLong_CheckExact(it)) {
            int beyond = 0;
            const long long whole = PyLong_AsLongLongAndOverflow(it, &beyond);
            column.families |= kWhole;
            if (beyond || whole > kLastExact || whole < -kLastExact) column.families |= kBig;
            value = static_cast<double>(whole);
            if (beyond) {
                value = PyLong_AsDouble(it);
                if (PyErr_Occurred()) {  // beyond every double
                    PyErr_Clear();
                    value = beyond * std::numeric_limits<double>::infinity();
                }
            }
            if (column.whole.empty()) column.whole.resize(n);
            column.whole[i] = 1;
        } else if (it == Py_True || it == Py_False) {
            column.families |= kTruth;
            value = it == Py_True;
        } else if (it != Py_None) {
            strings = true;
        }
        column.values[i] = value;
    }
    if (!strings && !(column.families & kBig) &&
        !((column.families & kTruth) && (column.families & (kWhole | kReal))))
        return;
    // Anything but plain numbers: every cell as a string. What came before is looked at again, as text.
    column.codes.resize(n);
    for (i = 0; i < n; ++i) {
        PyObject* const it = cell(i);
        if (is_missing(it)) {
            column.codes[i] = -1;
            continue;
        }
        if (PyUnicode_Check(it))
            column.families |= kText;
        else if (PyBytes_Check(it))
            column.families |= kBytes;
        else if (PyBool_Check(it))
            column.families |= kTruth;
        else if (PyLong_Check(it))
            column.families |= kWhole;
        else if (PyFloat_Check(it))
            column.families |= kReal;
        else if (PyDict_Check(it) || PyList_Check(it) || PyTuple_Check(it) || PyAnySet_Check(it)) {
            column.families |= kNested;
            if (column.nested < 0) column.nested = static_cast<std::int64_t>(i);
        } else {
            column.families |= kOther;
        }
        column.codes[i] = code_of_any(column, it);
    }
}

// Families, first nested row, numbers, which of them are whole, codes, texts.
using Made = nb::typed<nb::tuple, int, int, nb::any, nb::any, nb::any, nb::typed<nb::list, nb::str>>;

Made handed(Column&& column) {
    const bool coded = !column.codes.empty();
    const bool numbers = !(column.families & ~(kWhole | kReal | kBig)) || column.families == kTruth;
    nb::list levels;
    for (const std::string& text : column.book.strings()) levels.append(nb::str(text.data(), text.size()));
    return nb::make_tuple(column.families, column.nested,
                          numbers ? nb::cast(to_numpy(std::move(column.values))) : nb::none(),
                          (column.families & kWhole) && (column.families & kReal) && numbers
                              ? nb::cast(to_numpy(std::move(column.whole)))
                              : nb::none(),
                          coded ? nb::cast(to_numpy(std::move(column.codes))) : nb::none(), levels);
}

Made read_cells(nb::typed<nb::list, nb::any> cells) {
    Column column;
    const std::size_t n = cells.size();
    read(column, n, [&](std::size_t i) { return NB_LIST_GET_ITEM(cells.ptr(), static_cast<Py_ssize_t>(i)); });
    return handed(std::move(column));
}

nb::typed<nb::list, Made> read_rows(nb::typed<nb::list, nb::typed<nb::tuple, nb::any, nb::ellipsis>> rows,
                                    std::size_t width) {
    const std::size_t n = rows.size();
    for (std::size_t i = 0; i < n; ++i) {
        PyObject* const row = NB_LIST_GET_ITEM(rows.ptr(), static_cast<Py_ssize_t>(i));
        if (!PyTuple_Check(row) || static_cast<std::size_t>(NB_TUPLE_GET_SIZE(row)) != width)
            throw nb::value_error(
                "read_rows: every row must be a tuple of as many cells as there are columns");
    }
    nb::typed<nb::list, Made> made;
    for (std::size_t j = 0; j < width; ++j) {
        Column column;
        read(column, n, [&](std::size_t i) {
            return NB_TUPLE_GET_ITEM(NB_LIST_GET_ITEM(rows.ptr(), static_cast<Py_ssize_t>(i)),
                                     static_cast<Py_ssize_t>(j));
        });
        made.append(handed(std::move(column)));
    }
    return made;
}

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Offsets = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The numbers spelled between neighbouring offsets; NaN where the text is none, and where `known` is 0.
nb::ndarray<nb::numpy, double, nb::ndim<1>> parse_offsets(Offsets offsets, Bytes data, Bytes known) {
    if (!offsets.size()) throw nb::value_error("parse_offsets: offsets need a last one");
    const std::size_t rows = offsets.size() - 1;
    if (known.size() && known.size() != rows)
        throw nb::value_error("parse_offsets: the mask needs one value for each string, or none at all");
    std::vector<double> made(rows, std::numeric_limits<double>::quiet_NaN());
    const auto* text = reinterpret_cast<const char*>(data.data());
    const std::int64_t* at = offsets.data();
    for (std::size_t i = 0; i < rows; ++i) {
        if (at[i] < 0 || at[i + 1] < at[i] || static_cast<std::size_t>(at[i + 1]) > data.size())
            throw nb::value_error("parse_offsets: a string lies outside its buffer");
        if (known.size() && !known.data()[i]) continue;
        const acumen::Number number = acumen::parse_number(text + at[i], text + at[i + 1], '.');
        if (number.flags != -1) made[i] = number.value;
    }
    return to_numpy(std::move(made));
}

}  // namespace

void bind_cells(nb::module_& m) {
    m.attr("CELL_WHOLE") = static_cast<int>(kWhole);
    m.attr("CELL_REAL") = static_cast<int>(kReal);
    m.attr("CELL_TEXT") = static_cast<int>(kText);
    m.attr("CELL_BYTES") = static_cast<int>(kBytes);
    m.attr("CELL_TRUTH") = static_cast<int>(kTruth);
    m.attr("CELL_BIG") = static_cast<int>(kBig);
    m.attr("CELL_OTHER") = static_cast<int>(kOther);
    m.attr("CELL_NESTED") = static_cast<int>(kNested);
    m.def("read_cells", &read_cells, "cells"_a,
          "One column of Python values: families found, first nested row, numbers, which are whole, codes, "
          "texts.");
    m.def("read_rows", &read_rows, "rows"_a, "width"_a, "The same for every column of a list of tuples.");
    m.def("parse_offsets", &parse_offsets, "offsets"_a.noconvert(), "data"_a.noconvert(),
          "known"_a.noconvert(), "The numbers that strings between offsets spell; NaN where there is none.");
}
