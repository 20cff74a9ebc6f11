// Graphs cut in two, and in two again: multilevel bisection after Karypis and Kumar (1998).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernels/common/parallel.hpp"

namespace acumen::graphs {

// An undirected graph: vertex v has the edges starts[v] to starts[v + 1], each edge stands at both of its
// ends.
struct Graph {
    std::span<const std::int64_t> starts;
    std::span<const std::int32_t> ends;
    std::span<const double> weights;  // of edges, above 0
    std::span<const double> sizes;    // of vertices, above 0

    std::size_t size() const { return sizes.size(); }
};

// A cut in two. A part of one vertex cannot be cut: its cut is empty.
struct Cut {
    std::vector<std::uint8_t> side;
    double weight = 0;       // of all edges between the sides
    std::int64_t edges = 0;  // how many they are
};

// The lightest cut that was found whose lighter side has at least `least` of the size (as near to it as
// vertices allow); the same for the same seed.
Cut bisect(const Graph& graph, double least, std::uint64_t seed);

// The graph of some of the vertices, and the edges among them.
struct Owned {
    std::vector<std::int64_t> starts;
    std::vector<std::int32_t> ends;
    std::vector<double> weights, sizes;

    Graph graph() const { return {starts, ends, weights, sizes}; }
};
Owned induced(const Graph& graph, std::span<const std::int32_t> members, std::vector<std::int32_t>& place);

// Cut in two until `enough(parts, largest size)`: always the largest part, until it cannot be cut. Gives the
// part of each vertex.
std::vector<std::int32_t> partition(const Graph& graph, double least, std::uint64_t seed,
                                    const std::function<bool(std::size_t, double)>& enough, const Stop& stop);

}  // namespace acumen::graphs
