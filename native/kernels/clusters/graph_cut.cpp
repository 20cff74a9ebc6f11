#include "kernels/clusters/graph_cut.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <queue>

namespace acumen::graphs {

namespace {

// Vertices below which a graph is cut as it is, and how often that is tried from other beginnings.
constexpr std::size_t SMALL = 120, TRIES = 10;
constexpr std::size_t FEW = 12;  // so many vertices have few enough cuts to try them all
// Passes of refinement at most, and moves in a row that may be in vain before a pass is given up.
constexpr int PASSES = 12;
constexpr std::size_t VAIN = 60;

// splitmix64 (Steele, Lea and Flood 2014).
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }

  private:
    std::uint64_t state_;
};

double total_of(std::span<const double> sizes) { return std::accumulate(sizes.begin(), sizes.end(), 0.0); }

template <typename Do>
void edges_of(const Graph& graph, std::size_t v, const Do& with) {
    for (auto e = static_cast<std::size_t>(graph.starts[v]);
         e < static_cast<std::size_t>(graph.starts[v + 1]); ++e)
        with(static_cast<std::size_t>(graph.ends[e]), graph.weights[e]);
}

// -- coarser graphs -----------------------------------------------------------------------------------------

// Which coarse vertex each vertex becomes a part of: a vertex goes together with the free neighbour it is
// tied to most, if the two are not too large to be balanced afterwards.
std::vector<std::int32_t> match(const Graph& graph, double largest, Random& random, std::size_t& coarse) {
    const std::size_t n = graph.size();
    std::vector<std::int32_t> order(n), into(n, -1);
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    coarse = 0;
    for (const std::int32_t at : order) {
        const auto v = static_cast<std::size_t>(at);
        if (into[v] >= 0) continue;
        std::size_t best = n;
        double heaviest = 0;
        edges_of(graph, v, [&](std::size_t u, double w) {
            if (into[u] >= 0 || u == v || graph.sizes[u] + graph.sizes[v] > largest) return;
            if (w > heaviest || (w == heaviest && u < best)) heaviest = w, best = u;
        });
        into[v] = static_cast<std::int32_t>(coarse);
        if (best < n) into[best] = static_cast<std::int32_t>(coarse);
        ++coarse;
    }
    return into;
}

Owned contract(const Graph& graph, std::span<const std::int32_t> into, std::size_t coarse) {
    Owned made;
    made.sizes.assign(coarse, 0.0);
    std::vector<std::int32_t> first(coarse, -1), second(coarse, -1);
    for (std::size_t v = 0; v < graph.size(); ++v) {
        const auto c = static_cast<std::size_t>(into[v]);
        made.sizes[c] += graph.sizes[v];
        (first[c] < 0 ? first[c] : second[c]) = static_cast<std::int32_t>(v);
    }
    made.starts.reserve(coarse + 1);
    made.starts.push_back(0);
    made.ends.reserve(graph.ends.size());
    made.weights.reserve(graph.ends.size());
    std::vector<std::int64_t> seen(coarse, -1);  // where the edge to a coarse vertex stands
    for (std::size_t c = 0; c < coarse; ++c) {
        const auto begin = static_cast<std::int64_t>(made.ends.size());
        for (const std::int32_t v : {first[c], second[c]}) {
            if (v < 0) continue;
            edges_of(graph, static_cast<std::size_t>(v), [&](std::size_t u, double w) {
                const auto d = static_cast<std::size_t>(into[u]);
                if (d == c) return;
                if (seen[d] >= begin) {
                    made.weights[static_cast<std::size_t>(seen[d])] += w;
                } else {
                    seen[d] = static_cast<std::int64_t>(made.ends.size());
                    made.ends.push_back(static_cast<std::int32_t>(d));
                    made.weights.push_back(w);
                }
            });
        }
        made.starts.push_back(static_cast<std::int64_t>(made.ends.size()));
    }
    return made;
}

// -- a cut, and what a move does to it
// ------------------------------------------------------------------------

struct State {
    std::vector<std::uint8_t> side;
    double weight = 0;        // of the cut
    double size[2] = {0, 0};  // of the sides
};

void measure(const Graph& graph, State& state) {
    state.weight = 0;
    state.size[0] = state.size[1] = 0;
    for (std::size_t v = 0; v < graph.size(); ++v) {
        state.size[state.side[v]] += graph.sizes[v];
        edges_of(graph, v, [&](std::size_t u, double w) {
            if (u > v && state.side[u] != state.side[v]) state.weight += w;
        });
    }
}

// How far the lighter side lies below what it should have.
double want(const State& state, double least) {
    return std::max(0.0, least - std::min(state.size[0], state.size[1]));
}

struct Move {
    double gain;
    std::int32_t vertex;
    std::uint32_t version;  // of the vertex' gain; older ones are passed over
    bool operator<(const Move& other) const {
        return gain != other.gain ? gain < other.gain : vertex > other.vertex;
    }
};

// Fiduccia and Mattheyses (1982): vertices cross over one after another, each once, the one that helps most
// first; what was best on the way is kept. Balance comes before weight.
bool refine_once(const Graph& graph, double least, State& state) {
    const std::size_t n = graph.size();
    std::vector<double> gain(n, 0.0);
    std::vector<std::uint32_t> version(n, 0);
    std::vector<std::uint8_t> moved(n, 0);
    std::priority_queue<Move> queue[2];
    for (std::size_t v = 0; v < n; ++v) {
        bool border = false;
        edges_of(graph, v, [&](std::size_t u, double w) {
            const bool other = state.side[u] != state.side[v];
            gain[v] += other ? w : -w;
            border |= other;
        });
        if (border || want(state, least) > 0)
            queue[state.side[v]].push({gain[v], static_cast<std::int32_t>(v), 0});
    }
    std::vector<std::int32_t> path;
    double best_weight = state.weight, best_want = want(state, least), weight = state.weight;
    std::size_t best = 0;
    const auto next = [&](int from) -> const Move* {
        while (!queue[from].empty()) {
            const Move& top = queue[from].top();
            const auto v = static_cast<std::size_t>(top.vertex);
            if (!moved[v] && top.version == version[v]) return &queue[from].top();
            queue[from].pop();
        }
        return nullptr;
    };
    while (path.size() < best + std::max(VAIN, n / 20)) {
        const Move* candidates[2] = {next(0), next(1)};
        int from = -1;
        for (int s : {0, 1}) {
            if (!candidates[s]) continue;
            const double size = graph.sizes[static_cast<std::size_t>(candidates[s]->vertex)];
            const double left = state.size[s] - size, other = state.size[1 - s] + size;
            const double lacks = std::max(0.0, least - std::min(left, other));
            if (lacks > want(state, least)) continue;  // makes a bad balance worse
            if (from < 0 || candidates[s]->gain > candidates[from]->gain ||
                (candidates[s]->gain == candidates[from]->gain && state.size[s] > state.size[from]))
                from = s;
        }
        if (from < 0) break;
        const auto v = static_cast<std::size_t>(candidates[from]->vertex);
        queue[from].pop();
        moved[v] = 1;
        weight -= gain[v];
        state.side[v] = static_cast<std::uint8_t>(1 - from);
        state.size[from] -= graph.sizes[v];
        state.size[1 - from] += graph.sizes[v];
        path.push_back(static_cast<std::int32_t>(v));
        edges_of(graph, v, [&](std::size_t u, double w) {
            if (moved[u]) return;
            gain[u] += state.side[u] == state.side[v] ? -2 * w : 2 * w;
            queue[state.side[u]].push({gain[u], static_cast<std::int32_t>(u), ++version[u]});
        });
        const double lacks = want(state, least);
        if (lacks < best_want || (lacks == best_want && weight < best_weight * (1 - 1e-12))) {
            best_want = lacks;
            best_weight = weight;
            best = path.size();
        }
    }
    for (std::size_t i = path.size(); i > best; --i) {
        const auto v = static_cast<std::size_t>(path[i - 1]);
        state.size[state.side[v]] -= graph.sizes[v];
        state.side[v] = static_cast<std::uint8_t>(1 - state.side[v]);
        state.size[state.side[v]] += graph.sizes[v];
    }
    measure(graph, state);  // sums of differences would drift
    return best > 0;
}

void refine(const Graph& graph, double least, State& state) {
    for (int pass = 0; pass < PASSES && refine_once(graph, least, state); ++pass) {
    }
}

// A side grown from one vertex: the vertex joins next that costs the cut least, until the side has half of
// all.
State grown(const Graph& graph, double total, Random& random) {
    const std::size_t n = graph.size();
    State state{std::vector<std::uint8_t>(n, 0)};
    std::vector<double> gain(n, 0.0);
    std::vector<std::uint32_t> version(n, 0);
    for (std::size_t v = 0; v < n; ++v) edges_of(graph, v, [&](std::size_t, double w) { gain[v] -= w; });
    std::priority_queue<Move> queue;
    double size = 0;
    while (size < total / 2) {
        std::size_t v = n;
        while (!queue.empty() && v == n) {
            const Move top = queue.top();
            queue.pop();
            const auto at = static_cast<std::size_t>(top.vertex);
            if (!state.side[at] && top.version == version[at]) v = at;
        }
        if (v == n) {  // the first one, or all that hangs together is in
            v = random.below(n);
            while (state.side[v]) v = v + 1 < n ? v + 1 : 0;
        }
        if (size > 0 && size + graph.sizes[v] - total / 2 > total / 2 - size) break;
        state.side[v] = 1;
        size += graph.sizes[v];
        edges_of(graph, v, [&](std::size_t u, double w) {
            if (state.side[u]) return;
            gain[u] += 2 * w;
            queue.push({gain[u], static_cast<std::int32_t>(u), ++version[u]});
        });
    }
    measure(graph, state);
    return state;
}

bool better(const State& one, const State& other, double least) {
    const double mine = want(one, least), theirs = want(other, least);
    return mine != theirs ? mine < theirs : one.weight < other.weight;
}

// The lightest cut of a few vertices: all of them are tried, each with one vertex on another side than the
// last.
State lightest(const Graph& graph, double least) {
    const std::size_t n = graph.size();
    State state{std::vector<std::uint8_t>(n)};
    measure(graph, state);
    State best = state;
    bool any = false;
    for (std::size_t i = 1; i < (std::size_t{1} << (n - 1)); ++i) {
        const auto v = static_cast<std::size_t>(std::countr_zero(i));  // the last vertex stays where it is
        edges_of(graph, v, [&](std::size_t u, double w) {
            if (u != v) state.weight += state.side[u] == state.side[v] ? w : -w;
        });
        state.size[state.side[v]] -= graph.sizes[v];
        state.side[v] ^= 1;
        state.size[state.side[v]] += graph.sizes[v];
        if (!any || better(state, best, least)) best = state;
        any = true;
    }
    return best;
}

}  // namespace

Cut bisect(const Graph& graph, double least, std::uint64_t seed) {
    const std::size_t n = graph.size();
    Cut made;
    made.side.assign(n, 0);
    if (n < 2) return made;
    Random random(seed);
    const double total = total_of(graph.sizes), enough = least * total;
    std::vector<Owned> levels;
    std::vector<std::vector<std::int32_t>> maps;
    const auto at = [&](std::size_t level) { return level ? levels[level - 1].graph() : graph; };
    while (at(levels.size()).size() > SMALL) {
        const Graph here = at(levels.size());
        std::size_t coarse = 0;
        auto into = match(here, 1.5 * total / static_cast<double>(SMALL), random, coarse);
        if (coarse * 20 > here.size() * 19) break;  // hardly anything goes together
        Owned next = contract(here, into, coarse);
        levels.push_back(std::move(next));
        maps.push_back(std::move(into));
    }
    const Graph coarsest = at(levels.size());
    State best;
    if (n <= FEW) best = lightest(coarsest, enough);
    for (std::size_t attempt = 0; attempt < TRIES && n > FEW; ++attempt) {
        State state = grown(coarsest, total, random);
        refine(coarsest, enough, state);
        if (!attempt || better(state, best, enough)) best = std::move(state);
    }
    for (std::size_t level = levels.size(); level > 0; --level) {
        const Graph finer = at(level - 1);
        State state{std::vector<std::uint8_t>(finer.size())};
        for (std::size_t v = 0; v < finer.size(); ++v)
            state.side[v] = best.side[static_cast<std::size_t>(maps[level - 1][v])];
        measure(finer, state);
        refine(finer, enough, state);
        best = std::move(state);
    }
    made.side = std::move(best.side);
    for (std::size_t v = 0; v < n; ++v)
        edges_of(graph, v, [&](std::size_t u, double w) {
            if (u <= v || made.side[u] == made.side[v]) return;
            made.weight += w;
            ++made.edges;
        });
    return made;
}

Owned induced(const Graph& graph, std::span<const std::int32_t> members, std::vector<std::int32_t>& place) {
    place.resize(graph.size(), -1);
    for (std::size_t i = 0; i < members.size(); ++i)
        place[static_cast<std::size_t>(members[i])] = static_cast<std::int32_t>(i);
    Owned made;
    made.starts.reserve(members.size() + 1);
    made.starts.push_back(0);
    for (const std::int32_t v : members) {
        made.sizes.push_back(graph.sizes[static_cast<std::size_t>(v)]);
        edges_of(graph, static_cast<std::size_t>(v), [&](std::size_t u, double w) {
            if (place[u] < 0) return;
            made.ends.push_back(place[u]);
            made.weights.push_back(w);
        });
        made.starts.push_back(static_cast<std::int64_t>(made.ends.size()));
    }
    for (const std::int32_t v : members) place[static_cast<std::size_t>(v)] = -1;
    return made;
}

std::vector<std::int32_t> partition(const Graph& graph, double least, std::uint64_t seed,
                                    const std::function<bool(std::size_t, double)>& enough,
                                    const Stop& stop) {
    struct Part {
        double size;
        std::vector<std::int32_t> members;
    };
    std::vector<std::int32_t> made(graph.size(), 0), place;
    if (!graph.size()) return made;
    std::vector<Part> parts(1);
    parts[0].size = total_of(graph.sizes);
    parts[0].members.resize(graph.size());
    std::iota(parts[0].members.begin(), parts[0].members.end(), 0);
    Random seeds(seed);
    while (true) {
        const auto largest = std::max_element(parts.begin(), parts.end(),
                                              [](const Part& a, const Part& b) { return a.size < b.size; });
        if (enough(parts.size(), largest->size) || largest->members.size() < 2 || (stop && stop())) break;
        const Owned own = induced(graph, largest->members, place);
        const Cut cut = bisect(own.graph(), least, seeds.next());
        Part halves[2] = {{0, {}}, {0, {}}};
        for (std::size_t i = 0; i < cut.side.size(); ++i) {
            halves[cut.side[i]].size += own.sizes[i];
            halves[cut.side[i]].members.push_back(largest->members[i]);
        }
        if (halves[0].members.empty() || halves[1].members.empty()) break;
        *largest = std::move(halves[0]);
        parts.push_back(std::move(halves[1]));
    }
    for (std::size_t p = 0; p < parts.size(); ++p)
        for (const std::int32_t v : parts[p].members)
            made[static_cast<std::size_t>(v)] = static_cast<std::int32_t>(p);
    return made;
}

}  // namespace acumen::graphs
