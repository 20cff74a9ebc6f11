#include "kernels/networks/families.hpp"

#include "bind/borrow.hpp"

using CodeMatrix = nb::ndarray<const std::uint16_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using MarksIn = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Every code is looked at, because tables are written by them.
static acumen::CodedRows coded(const CodeMatrix& codes, const CodesIn& levels, const MarksIn& gaps,
                               const FloatsIn& weights, double total, const char* who) {
    const std::size_t d = codes.shape(0), n = codes.shape(1);
    if (levels.size() != d || gaps.size() != d)
        throw nb::value_error((std::string(who) + ": levels and gaps need one entry a column").c_str());
    if (weights.size() && weights.size() != n)
        throw nb::value_error((std::string(who) + ": there is not one weight for each row").c_str());
    for (std::size_t j = 0; j < d; ++j)
        if (levels.data()[j] < 1 || levels.data()[j] > 65534 || gaps.data()[j] > 1)
            throw nb::value_error((std::string(who) + ": a column has from 1 to 65,534 levels").c_str());
    return {codes.data(), n, d, levels.data(), gaps.data(), weights.size() ? weights.data() : nullptr, total};
}

static void require_codes(const acumen::CodedRows& rows, std::size_t j, const char* who) {
    const std::uint16_t* codes = rows.column(j);
    const std::size_t slots = rows.slots(j);
    std::uint16_t most = 0;
    for (std::size_t i = 0; i < rows.n; ++i) most = std::max(most, codes[i]);
    if (rows.n && most >= slots)
        throw nb::value_error((std::string(who) + ": a code is of no level").c_str());
}

static void require_columns(const acumen::CodedRows& rows, const CodesIn& columns, const char* who) {
    for (const std::int32_t j : span_of(columns))
        if (j < 0 || static_cast<std::size_t>(j) >= rows.columns)
            throw nb::value_error((std::string(who) + ": there is no such column").c_str());
}

static void count_family(CodeMatrix codes, CodesIn levels, MarksIn gaps, FloatsIn weights, CodesIn columns,
                         FloatsOut table) {
    const auto rows = coded(codes, levels, gaps, weights, 0.0, "count_family");
    require_columns(rows, columns, "count_family");
    std::size_t size = 1;
    for (const std::int32_t j : span_of(columns)) {
        size *= static_cast<std::size_t>(rows.levels[j]);
        if (size > (std::size_t{1} << 40)) break;
    }
    if (table.size() != size) throw nb::value_error("count_family: the table is not of the levels' size");
    const nb::gil_scoped_release unlocked;
    acumen::count_family(rows, span_of(columns), span_of(table));
}

static void score_family(CodeMatrix codes, CodesIn levels, MarksIn gaps, FloatsIn weights, double total,
                         std::int32_t child, CodesIn parents, MarksIn allowed, double per_parameter,
                         double per_parent, double prior, bool spread, std::size_t threads, FloatsOut out) {
    const auto rows = coded(codes, levels, gaps, weights, total, "score_family");
    require_columns(rows, parents, "score_family");
    if (child < 0 || static_cast<std::size_t>(child) >= rows.columns || out.size() != rows.columns ||
        allowed.size() != rows.columns)
        throw nb::value_error("score_family: child, allowed and out are of the columns");
    const acumen::FamilyScore score{per_parameter, per_parent, prior, spread};
    bool done = false;
    {
        const nb::gil_scoped_release unlocked;
        done = acumen::score_family(rows, child, span_of(parents), span_of(allowed), score, threads,
                                    ask_python(), span_of(out));
    }
    if (!done) throw nb::python_error();
}

static void pair_information(CodeMatrix codes, CodesIn levels, MarksIn gaps, FloatsIn weights,
                             std::int32_t given, std::size_t threads, MatrixOut out) {
    const auto rows = coded(codes, levels, gaps, weights, 0.0, "pair_information");
    if (given >= static_cast<std::int32_t>(rows.columns))
        throw nb::value_error("pair_information: there is no such column");
    if (out.shape(0) != rows.columns || out.shape(1) != rows.columns)
        throw nb::value_error("pair_information: out needs a line and a column for each column");
    bool done = false;
    {
        const nb::gil_scoped_release unlocked;
        done = acumen::pair_information(rows, given, threads, ask_python(), span_of(out));
    }
    if (!done) throw nb::python_error();
}

void bind_families(nb::module_& m) {
    m.def(
        "require_codes",
        [](CodeMatrix codes, CodesIn levels, MarksIn gaps) {
            const auto rows = coded(codes, levels, gaps, FloatsIn(), 0.0, "require_codes");
            for (std::size_t j = 0; j < rows.columns; ++j) require_codes(rows, j, "require_codes");
        },
        "codes"_a.noconvert(), "levels"_a.noconvert(), "gaps"_a.noconvert(),
        "Refuse codes that are of no level; the other kernels of families trust them.");
    m.def("count_family", &count_family, "codes"_a.noconvert(), "levels"_a.noconvert(), "gaps"_a.noconvert(),
          "weights"_a.noconvert(), "columns"_a.noconvert(), "table"_a.noconvert(),
          "Add the weight of each cell of a family to `table`, the first column varying slowest.");
    m.def("score_family", &score_family, "codes"_a.noconvert(), "levels"_a.noconvert(), "gaps"_a.noconvert(),
          "weights"_a.noconvert(), "total"_a, "child"_a, "parents"_a.noconvert(), "allowed"_a.noconvert(),
          "per_parameter"_a, "per_parent"_a, "prior"_a, "spread"_a, "threads"_a, "out"_a.noconvert(),
          "Score a child under its parents, and with each allowed column added to them or left out.");
    m.def("pair_information", &pair_information, "codes"_a.noconvert(), "levels"_a.noconvert(),
          "gaps"_a.noconvert(), "weights"_a.noconvert(), "given"_a, "threads"_a, "out"_a.noconvert(),
          "The mutual information of every two columns, given another column or nothing, in nats.");
}
