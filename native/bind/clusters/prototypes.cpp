#include "kernels/clusters/prototypes.hpp"

#include "bind/arrays.hpp"

using CodesOut = nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using CodeMatrixIn = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using PlacesIn = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

static std::size_t prototype_pass(MatrixIn values, CodeMatrixIn codes, FloatsIn weights, MatrixIn centres,
                                  CodeMatrixIn modes, double gamma, PlacesIn starts, CodesOut labels,
                                  FloatsOut away, MatrixOut sum, MatrixOut known, MatrixOut counts,
                                  FloatsOut whole) {
    const std::size_t n = values.shape(0), p = values.shape(1), q = codes.shape(0), k = centres.shape(0);
    if (codes.shape(1) != n || weights.size() != n || labels.size() != n || away.size() != n)
        throw nb::value_error(
            "prototype_pass: codes, weights, labels and distances need a place for each row");
    if (!k || centres.shape(1) != p || modes.shape(0) != k || modes.shape(1) != q)
        throw nb::value_error("prototype_pass: prototypes need a line each, as wide as rows");
    if (starts.size() != q + 1 || starts.data()[0] != 0)
        throw nb::value_error("prototype_pass: levels need a start for each attribute");
    for (std::size_t j = 0; j < q; ++j) {
        const std::int64_t levels = starts.data()[j + 1] - starts.data()[j];
        if (levels < 0) throw nb::value_error("prototype_pass: levels need a start for each attribute");
        for (std::size_t i = 0; i < n; ++i)
            if (codes.data()[j * n + i] >= levels)
                throw nb::value_error("prototype_pass: a code is of no level");
    }
    if (sum.shape(0) != k || sum.shape(1) != p || known.shape(0) != k || known.shape(1) != p ||
        counts.shape(0) != k || static_cast<std::int64_t>(counts.shape(1)) != starts.data()[q] ||
        whole.size() != k)
        throw nb::value_error("prototype_pass: sums and counts need a line for each prototype");
    const nb::gil_scoped_release unlocked;
    return acumen::prototype_pass({values.data(), codes.data(), weights.data(), n, p, q},
                                  {centres.data(), modes.data(), k, gamma}, labels.data(), away.data(),
                                  {starts.data(), sum.data(), known.data(), counts.data(), whole.data()});
}

void bind_prototypes(nb::module_& m) {
    m.def(
        "prototype_pass", &prototype_pass, "values"_a.noconvert(), "codes"_a.noconvert(),
        "weights"_a.noconvert(), "centres"_a.noconvert(), "modes"_a.noconvert(), "gamma"_a,
        "starts"_a.noconvert(), "labels"_a.noconvert(), "away"_a.noconvert(), "sum"_a.noconvert(),
        "known"_a.noconvert(), "counts"_a.noconvert(), "whole"_a.noconvert(),
        "One pass of k-prototypes over a block: fill labels and distances, add to sums and counts; how many "
        "labels changed.");
}
