#include "kernels/clusters/graph_cut.hpp"

#include <nanobind/stl/tuple.h>

#include "bind/borrow.hpp"

using LongsIn = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Every edge must lead to a vertex, and weights and sizes must be above 0.
static acumen::graphs::Graph graph_of(const LongsIn& starts, const CodesIn& ends, const FloatsIn& weights,
                                      const FloatsIn& sizes, const char* who) {
    const auto fail = [&](const char* what) {
        throw nb::value_error((std::string(who) + ": " + what).c_str());
    };
    if (starts.size() != sizes.size() + 1 || starts.data()[0] != 0 || ends.size() != weights.size() ||
        starts.data()[sizes.size()] != static_cast<std::int64_t>(ends.size()))
        fail("the starts of vertices do not go with the edges");
    for (std::size_t v = 0; v < sizes.size(); ++v) {
        if (starts.data()[v + 1] < starts.data()[v]) fail("the starts of vertices must ascend");
        if (!(sizes.data()[v] > 0)) fail("sizes must be above 0");
    }
    for (std::size_t e = 0; e < ends.size(); ++e) {
        if (ends.data()[e] < 0 || static_cast<std::size_t>(ends.data()[e]) >= sizes.size())
            fail("an edge leads to no vertex");
        if (!(weights.data()[e] > 0)) fail("weights must be above 0");
    }
    return {span_of(starts), span_of(ends), span_of(weights), span_of(sizes)};
}

void bind_graph_cut(nb::module_& m) {
    m.def(
        "cut_graph",
        [](LongsIn starts, CodesIn ends, FloatsIn weights, FloatsIn sizes, double least, std::uint64_t seed) {
            const auto graph = graph_of(starts, ends, weights, sizes, "cut_graph");
            acumen::graphs::Cut cut;
            {
                const nb::gil_scoped_release unlocked;
                cut = acumen::graphs::bisect(graph, least, seed);
            }
            return std::make_tuple(to_numpy(std::move(cut.side)), cut.weight, cut.edges);
        },
        "starts"_a.noconvert(), "ends"_a.noconvert(), "weights"_a.noconvert(), "sizes"_a.noconvert(),
        "least"_a, "seed"_a,
        "The side of each vertex of a light cut in two, the weight of the cut and the number of its edges.");
    m.def(
        "cut_inside",
        [](LongsIn starts, CodesIn ends, FloatsIn weights, FloatsIn sizes, CodesIn members, double least,
           std::uint64_t seed) {
            const auto graph = graph_of(starts, ends, weights, sizes, "cut_inside");
            for (std::size_t i = 0; i < members.size(); ++i)
                if (members.data()[i] < 0 || static_cast<std::size_t>(members.data()[i]) >= graph.size())
                    throw nb::value_error("cut_inside: a member is no vertex");
            acumen::graphs::Cut cut;
            {
                const nb::gil_scoped_release unlocked;
                std::vector<std::int32_t> place;
                const auto own = acumen::graphs::induced(graph, span_of(members), place);
                cut = acumen::graphs::bisect(own.graph(), least, seed);
            }
            return std::make_tuple(cut.weight, cut.edges);
        },
        "starts"_a.noconvert(), "ends"_a.noconvert(), "weights"_a.noconvert(), "sizes"_a.noconvert(),
        "members"_a.noconvert(), "least"_a, "seed"_a,
        "The weight of a light cut in two of some of the vertices, and the number of its edges.");
    m.def(
        "partition_graph",
        [](LongsIn starts, CodesIn ends, FloatsIn weights, FloatsIn sizes, std::size_t parts, double most,
           double least, std::uint64_t seed) {
            const auto graph = graph_of(starts, ends, weights, sizes, "partition_graph");
            std::vector<std::int32_t> made;
            {
                const nb::gil_scoped_release unlocked;
                const auto enough = [&](std::size_t have, double largest) {
                    return have >= parts && largest <= most;
                };
                made = acumen::graphs::partition(graph, least, seed, enough, ask_python());
            }
            if (PyErr_Occurred()) throw nb::python_error();
            return to_numpy(std::move(made));
        },
        "starts"_a.noconvert(), "ends"_a.noconvert(), "weights"_a.noconvert(), "sizes"_a.noconvert(),
        "parts"_a, "most"_a, "least"_a, "seed"_a,
        "The part of each vertex: the largest part is cut in two until there are `parts` and none is larger "
        "than `most`.");
}
