#include "kernels/neighbours/relief.hpp"

#include "bind/borrow.hpp"

using TruthsIn = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using PlacesIn = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using CubeIn = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

void bind_relief(nb::module_& m) {
    m.def(
        "relief",
        [](MatrixIn values, TruthsIn level, PlacesIn start, CodesIn gap, CubeIn expected, CubeIn both,
           std::size_t k, FloatsOut made, std::size_t n_threads) {
            acumen::ReliefRows rows;
            rows.attributes = values.shape(0);
            rows.rows = values.shape(1);
            require(start.size() >= 2 && k > 0, "relief: there must be a class, and a neighbour");
            rows.classes = start.size() - 1;
            require(level.size() == rows.attributes && gap.size() == rows.attributes &&
                        made.size() == rows.attributes,
                    "relief: level, gap and made must have a value for each attribute");
            require(
                start.data()[0] == 0 && start.data()[rows.classes] == static_cast<std::int64_t>(rows.rows),
                "relief: the classes must be made of all rows");
            for (std::size_t c = 0; c < rows.classes; ++c)
                require(start.data()[c] <= start.data()[c + 1],
                        "relief: the classes must follow one another");
            const std::size_t gaps = expected.shape(0);
            for (std::size_t a = 0; a < rows.attributes; ++a)
                require(gap.data()[a] < static_cast<std::int64_t>(gaps), "relief: a gap has no expectations");
            require(both.shape(0) == gaps &&
                        (gaps == 0 || (expected.shape(1) == rows.classes && expected.shape(2) == rows.rows &&
                                       both.shape(1) == rows.classes && both.shape(2) == rows.classes)),
                    "relief: expectations are (gaps, classes, rows) and (gaps, classes, classes)");
            rows.values = values.data();
            rows.level = level.data();
            rows.start = span_of(start);
            rows.gap = span_of(gap);
            rows.expected = expected.data();
            rows.both = both.data();
            bool whole;
            {
                const nb::gil_scoped_release unlocked;
                whole = acumen::relief(rows, k, n_threads, ask_python(), made.data());
            }
            if (!whole) throw nb::python_error();
        },
        "values"_a.noconvert(), "level"_a.noconvert(), "start"_a.noconvert(), "gap"_a.noconvert(),
        "expected"_a.noconvert(), "both"_a.noconvert(), "k"_a, "made"_a.noconvert(), "n_threads"_a = 1,
        "Relief-F's sums of the attributes over all rows, sorted by class, into `made`.");
}
