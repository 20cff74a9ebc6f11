#include "kernels/counting/joint.hpp"

#include <nanobind/stl/pair.h>

#include "bind/borrow.hpp"

using Keys = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using PlacesOut = nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Keys and weights as flat arrays; the caller knows their widths.
using Flat =
    std::pair<nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>, nb::ndarray<nb::numpy, double, nb::ndim<1>>>;

static Flat arrays_of(acumen::Joint&& joint) {
    return {to_numpy(std::move(joint.keys)), to_numpy(std::move(joint.weights))};
}

static Flat count(const BorrowedColumns<std::int32_t>& columns, const acumen::Rows& rows) {
    if (!columns.has_rows(rows.n)) throw nb::value_error("count_joint: codes and labels differ in length");
    acumen::Joint made;
    {
        const nb::gil_scoped_release unlocked;
        made = acumen::count_joint(columns.columns(), rows);
    }
    return arrays_of(std::move(made));
}

void bind_joint(nb::module_& m) {
    m.def(
        "count_joint",
        [](nb::handle columns, CodesIn labels, FloatsIn weights, CodesIn parts, std::size_t classes,
           std::size_t n_parts) {
            return count(BorrowedColumns<std::int32_t>(columns, "count_joint"),
                         hard_rows(labels, weights, parts, classes, n_parts, "count_joint"));
        },
        "columns"_a, "labels"_a.noconvert(), "weights"_a.noconvert(), "parts"_a.noconvert(), "classes"_a,
        "n_parts"_a,
        "Distinct combinations in order, and their weights by class, both flat; with parts the part leads.");
    m.def(
        "count_joint_soft",
        [](nb::handle columns, SoftIn shares) {
            return count(BorrowedColumns<std::int32_t>(columns, "count_joint"), soft_rows(shares));
        },
        "columns"_a, "shares"_a.noconvert(), "The same, each row shared out over the classes.");
    m.def(
        "merge_joint",
        [](Keys keys, MatrixIn weights, Keys other_keys, MatrixIn other_weights) {
            if (keys.shape(1) != other_keys.shape(1) || weights.shape(1) != other_weights.shape(1) ||
                keys.shape(0) != weights.shape(0) || other_keys.shape(0) != other_weights.shape(0))
                throw nb::value_error("merge_joint: the arrays' shapes do not go together");
            acumen::Joint made;
            {
                const nb::gil_scoped_release unlocked;
                made = acumen::merge_joint(span_of(keys), span_of(weights), span_of(other_keys),
                                           span_of(other_weights), keys.shape(1), weights.shape(1));
            }
            return arrays_of(std::move(made));
        },
        "keys"_a.noconvert(), "weights"_a.noconvert(), "other_keys"_a.noconvert(),
        "other_weights"_a.noconvert(), "The sum of two tables of sorted combinations, both arrays flat.");
    m.def(
        "find_joint",
        [](Keys keys, nb::handle columns, PlacesOut place) {
            const BorrowedColumns<std::int32_t> codes(columns, "find_joint");
            if (codes.size() != keys.shape(1) || !codes.has_rows(place.size()))
                throw nb::value_error("find_joint: the arrays' shapes do not go together");
            const nb::gil_scoped_release unlocked;
            acumen::find_joint(span_of(keys), keys.shape(1), codes.columns(), place.size(), place.data());
        },
        "keys"_a.noconvert(), "columns"_a, "place"_a.noconvert(),
        "Write each row's place among the combinations `keys`, or -1, to `place`.");
}
