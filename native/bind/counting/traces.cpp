#include "kernels/counting/traces.hpp"

#include "bind/borrow.hpp"
#include "kernels/counting/trace_sparse.hpp"

using HashesOut = nb::ndarray<std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using KeysIn = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using CountsOut = nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using LineOfCodes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::device::cpu>;

// So many rows refute nearly every column; what they leave open more rows decide.
static constexpr std::size_t FEW = 48, MORE = 1024;

template <typename T>
using Line = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename Index>
static void bind_trace_sparse(nb::module_& m) {
    m.def(
        "trace_sparse",
        [](Line<Index> starts, Line<Index> indices, Line<double> values, FloatsOut low, FloatsOut high,
           CountsOut infinite, HashesOut hashes, std::size_t threads) {
            const std::size_t n = hashes.size(), width = low.size();
            if (starts.size() != n + 1 || indices.size() != values.size())
                throw nb::value_error("trace_sparse: a hash for each row, and a value for each entry");
            if (high.size() != width || infinite.size() != width)
                throw nb::value_error("trace_sparse: a range for each column");
            const acumen::Sparse<Index, double> matrix{span_of(starts), span_of(indices), span_of(values),
                                                       width};
            const nb::gil_scoped_release unlocked;
            acumen::trace_sparse(matrix, n, low.data(), high.data(), infinite.data(), hashes.data(), threads);
        },
        "starts"_a.noconvert(), "indices"_a.noconvert(), "values"_a.noconvert(), "low"_a.noconvert(),
        "high"_a.noconvert(), "infinite"_a.noconvert(), "hashes"_a.noconvert(), "threads"_a = 1,
        "Add the entries of a sparse matrix to the hashes of their rows, and widen the columns' finite "
        "ranges.");
}

void bind_traces(nb::module_& m) {
    bind_trace_sparse<std::int32_t>(m);
    bind_trace_sparse<std::int64_t>(m);
    m.def(
        "trace_rows",
        [](nb::handle values, nb::handle codes, std::vector<KeysIn> keys, std::uint64_t place, FloatsOut low,
           FloatsOut high, CountsOut infinite, HashesOut hashes, std::size_t threads) {
            const BorrowedColumns<double> numbers(values, "trace_rows");
            const BorrowedColumns<std::int32_t> coded(codes, "trace_rows");
            const std::size_t n = hashes.size(), width = numbers.size();
            if (!numbers.has_rows(n) || !coded.has_rows(n) || keys.size() != coded.size())
                throw nb::value_error("trace_rows: a hash for each row, and keys for each column of codes");
            if (low.size() != width || high.size() != width || infinite.size() != width)
                throw nb::value_error("trace_rows: a range for each column of numbers");
            std::vector<std::span<const std::uint64_t>> spans;
            for (const auto& each : keys) {
                if (each.size() < 2) throw nb::value_error("trace_rows: keys of unknown and missing");
                spans.push_back(span_of(each));
            }
            const acumen::Columns all{numbers.columns(), n};
            const nb::gil_scoped_release unlocked;
            acumen::trace(
                {all, coded.columns(), spans, n, low.data(), high.data(), infinite.data(), hashes.data()},
                place, threads);
        },
        "values"_a, "codes"_a, "keys"_a, "place"_a, "low"_a.noconvert(), "high"_a.noconvert(),
        "infinite"_a.noconvert(), "hashes"_a.noconvert(), "threads"_a = 1,
        "Add columns of numbers and of codes to the hashes of their rows, and widen the finite ranges of the "
        "numbers.\n"
        "Keys are, for each column of codes, those of unknown, of missing and of each level.");
    m.def(
        "scramble",
        [](HashesOut hashes) {
            for (std::uint64_t& hash : span_of(hashes)) hash = acumen::scrambled(hash);
        },
        "hashes"_a.noconvert(), "Let every bit of each word move every bit of it, in place.");
    m.def(
        "sample_hashes",
        [](KeysIn hashes, unsigned level, std::size_t most) {
            if (level > 60) throw nb::value_error("sample_hashes: at most 60 leading zeros");
            auto [zeros, kept] = acumen::sample_hashes(span_of(hashes), level, most);
            return nb::make_tuple(zeros, to_numpy(std::move(kept)));
        },
        "hashes"_a.noconvert(), "level"_a, "most"_a,
        "How many leading zero bits leave at most so many different hashes, at least `level`; and these.");
    m.def(
        "suspect_numbers",
        [](nb::handle values, CodesIn labels, std::size_t rows, std::size_t classes) {
            const BorrowedColumns<double> columns(values, "suspect_numbers");
            if (!columns.has_rows(rows) || (labels.size() && labels.size() != rows))
                throw nb::value_error("suspect_numbers: columns and labels differ in length");
            std::vector<std::uint8_t> made;
            for (const auto& column : columns.columns()) {
                auto left = static_cast<std::uint8_t>(acumen::SAME | acumen::IDENTIFIER |
                                                      (labels.size() ? acumen::LEAK : 0));
                for (const std::size_t most : {FEW, MORE})
                    if (left)
                        left = acumen::suspect_numbers(column, rows, span_of(labels), classes, most, left);
                made.push_back(left);
            }
            return to_numpy(std::move(made));
        },
        "values"_a, "labels"_a.noconvert(), "rows"_a, "classes"_a,
        "For each column what a sample leaves possible: 1 constant, 2 an identifier, 4 a leak.");
    m.def(
        "suspect_codes",
        [](nb::handle codes, CodesIn labels, CodesIn levels, bool lonely) {
            const BorrowedColumns<std::int32_t> columns(codes, "suspect_codes");
            if ((labels.size() && !columns.has_rows(labels.size())) || levels.size() != columns.size())
                throw nb::value_error("suspect_codes: a label for each row, and levels for each column");
            std::vector<std::uint8_t> made;
            for (std::size_t j = 0; j < columns.size(); ++j) {
                const auto& column = columns.columns()[j];
                const auto n = static_cast<std::size_t>(std::max(0, levels.data()[j]));
                auto left = acumen::suspect_codes(column, columns.rows(), span_of(labels), n);
                if (!labels.size()) left &= static_cast<std::uint8_t>(~acumen::LEAK);
                if (lonely && acumen::has_lonely(column, columns.rows(), n)) left |= acumen::LONELY;
                made.push_back(left);
            }
            return to_numpy(std::move(made));
        },
        "codes"_a, "labels"_a.noconvert(), "levels"_a.noconvert(), "lonely"_a,
        "What each column of codes may be: 1 constant, 4 a leak (rows are gone through until neither is "
        "possible);\n"
        "8 if a level occurs in one row only, where `lonely` asks for it.");
    m.def(
        "count_strange",
        [](nb::handle values, FloatsIn low, FloatsIn high, nb::handle codes, CountsOut outside,
           CountsOut unknown, std::size_t threads) {
            const BorrowedColumns<double> numbers(values, "count_strange");
            const BorrowedColumns<std::int32_t> coded(codes, "count_strange");
            const std::size_t width = numbers.size();
            if (low.size() != width || high.size() != width || outside.size() != width ||
                unknown.size() != coded.size())
                throw nb::value_error("count_strange: a range and a count for each column");
            const std::size_t n = width ? numbers.rows() : coded.rows();
            if (!numbers.has_rows(n) || !coded.has_rows(n))
                throw nb::value_error("count_strange: columns differ in length");
            const nb::gil_scoped_release unlocked;
            acumen::count_strange({numbers.columns(), n}, low.data(), high.data(), coded.columns(), n,
                                  outside.data(), unknown.data(), threads);
        },
        "values"_a, "low"_a.noconvert(), "high"_a.noconvert(), "codes"_a, "outside"_a.noconvert(),
        "unknown"_a.noconvert(), "threads"_a = 1,
        "How many values of each column lie outside its range, and how many codes of each are unknown.");
    m.def(
        "count_codes",
        [](LineOfCodes codes, CountsOut counts) {
            if (counts.size() < 2) throw nb::value_error("count_codes: counts of unknown and missing");
            const nb::gil_scoped_release unlocked;
            acumen::count_codes({codes.data(), codes.stride(0)}, codes.size(), span_of(counts));
        },
        "codes"_a.noconvert(), "counts"_a.noconvert(),
        "Add to the counts of unknown, missing and each level how often they occur.");
}
