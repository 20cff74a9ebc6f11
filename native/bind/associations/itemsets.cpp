#include "kernels/associations/itemsets.hpp"

#include <nanobind/stl/tuple.h>

#include "bind/borrow.hpp"

using LongsIn = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

using NodesOut = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<2>>;

// Rows must lie in order, and every item must have a rank that is a place in the order of search.
static acumen::itemsets::Baskets baskets_of(const LongsIn& starts, const CodesIn& items, const CodesIn& rank,
                                            std::size_t ranks, const char* who) {
    const auto fail = [&](const char* what) {
        throw nb::value_error((std::string(who) + ": " + what).c_str());
    };
    if (!starts.size() || starts.data()[0] != 0 ||
        starts.data()[starts.size() - 1] != static_cast<std::int64_t>(items.size()))
        fail("the starts of rows do not go with the items");
    for (std::size_t i = 1; i < starts.size(); ++i)
        if (starts.data()[i] < starts.data()[i - 1]) fail("the starts of rows must ascend");
    if (items.size() + starts.size() >= 0x7fffffff)
        fail("there are too many items in the rows; read them in parts");
    for (std::size_t i = 0; i < items.size(); ++i)
        if (items.data()[i] < 0 || static_cast<std::size_t>(items.data()[i]) >= rank.size())
            fail("an item is out of range");
    for (std::size_t i = 0; i < rank.size(); ++i)
        if (rank.data()[i] < -1 || rank.data()[i] >= static_cast<std::int64_t>(ranks))
            fail("a rank is out of range");
    return {span_of(starts), span_of(items), span_of(rank)};
}

static acumen::itemsets::Search search_of(const CodesIn& order, const LongsIn& root_least,
                                          const LongsIn& size_least, std::size_t roots, std::size_t max_size,
                                          std::int64_t max_difference, std::string_view kind,
                                          std::size_t limit, bool count_only) {
    using acumen::itemsets::Kind;
    if (root_least.size() != order.size() || !size_least.size())
        throw nb::value_error("mine_itemsets: each first item and each size needs a least count");
    acumen::itemsets::Search search;
    search.order = span_of(order);
    search.root_least = span_of(root_least);
    search.size_least = span_of(size_least);
    search.roots = roots;
    search.max_size = max_size;
    search.max_difference = max_difference;
    search.kind = kind == "closed" ? Kind::closed : kind == "maximal" ? Kind::maximal : Kind::all;
    search.limit = limit;
    search.count_only = count_only;
    return search;
}

void bind_itemsets(nb::module_& m) {
    m.def(
        "mine_itemsets",
        [](LongsIn starts, CodesIn items, CodesIn rank, CodesIn order, LongsIn root_least, LongsIn size_least,
           std::size_t roots, std::size_t max_size, std::int64_t max_difference, std::string_view kind,
           std::size_t limit, bool count_only, std::size_t n_threads) {
            const auto baskets = baskets_of(starts, items, rank, order.size(), "mine_itemsets");
            const auto search = search_of(order, root_least, size_least, roots, max_size, max_difference,
                                          kind, limit, count_only);
            acumen::itemsets::Found found;
            {
                const nb::gil_scoped_release unlocked;
                found = acumen::itemsets::mine(baskets, search, n_threads, ask_python());
            }
            if (found.stopped) PyErr_Clear();  // what was found is kept, and said to be a part
            const std::size_t sets = found.nodes.size();
            auto* nodes = reinterpret_cast<std::int32_t*>(found.nodes.release());
            const nb::capsule owner(nodes ? static_cast<void*>(nodes) : std::malloc(1),
                                    [](void* p) noexcept { std::free(p); });
            return std::make_tuple(NodesOut(nodes, {sets, 3}, owner), to_numpy(std::move(found.counts)),
                                   to_numpy(std::move(found.starts)), to_numpy(std::move(found.items)),
                                   found.sets, found.stopped, found.overflow);
        },
        "starts"_a.noconvert(), "items"_a.noconvert(), "rank"_a.noconvert(), "order"_a.noconvert(),
        "root_least"_a.noconvert(), "size_least"_a.noconvert(), "roots"_a, "max_size"_a, "max_difference"_a,
        "kind"_a, "limit"_a, "count_only"_a, "n_threads"_a = 1,
        "Frequent sets: a line of parent, item and count for each of all, or counts, starts and items of "
        "closed "
        "or maximal ones; then how many, and whether Ctrl-C or the limit cut the search short.");
    m.def(
        "estimate_itemsets",
        [](LongsIn starts, CodesIn items, CodesIn rank, CodesIn order, LongsIn root_least, LongsIn size_least,
           std::size_t roots, std::size_t max_size, std::int64_t max_difference, std::size_t walks,
           std::uint64_t seed) {
            const auto baskets = baskets_of(starts, items, rank, order.size(), "estimate_itemsets");
            const auto search =
                search_of(order, root_least, size_least, roots, max_size, max_difference, "all", 0, true);
            const nb::gil_scoped_release unlocked;
            return acumen::itemsets::estimate(baskets, search, walks, seed, ask_python());
        },
        "starts"_a.noconvert(), "items"_a.noconvert(), "rank"_a.noconvert(), "order"_a.noconvert(),
        "root_least"_a.noconvert(), "size_least"_a.noconvert(), "roots"_a, "max_size"_a, "max_difference"_a,
        "walks"_a, "seed"_a, "About how many frequent sets there are, from random walks.");
    m.def(
        "count_itemsets",
        [](LongsIn starts, CodesIn items, std::size_t n_items, LongsIn set_starts, CodesIn set_items,
           std::size_t n_threads) {
            if (!starts.size() || !set_starts.size())
                throw nb::value_error("count_itemsets: starts of rows and sets need an end");
            for (const auto& [from, list] :
                 {std::pair{&starts, &items}, std::pair{&set_starts, &set_items}}) {
                if (from->data()[0] != 0 ||
                    from->data()[from->size() - 1] != static_cast<std::int64_t>(list->size()))
                    throw nb::value_error("count_itemsets: starts do not go with the items");
                for (std::size_t i = 1; i < from->size(); ++i)
                    if (from->data()[i] < from->data()[i - 1])
                        throw nb::value_error("count_itemsets: starts must ascend");
                for (std::size_t i = 0; i < list->size(); ++i)
                    if (list->data()[i] < 0 || static_cast<std::size_t>(list->data()[i]) >= n_items)
                        throw nb::value_error("count_itemsets: an item is out of range");
            }
            const acumen::itemsets::Baskets baskets{span_of(starts), span_of(items), {}};
            std::vector<std::int64_t> made;
            {
                const nb::gil_scoped_release unlocked;
                made = acumen::itemsets::count_sets(baskets, n_items, span_of(set_starts), span_of(set_items),
                                                    n_threads, ask_python());
            }
            if (PyErr_Occurred()) throw nb::python_error();
            return to_numpy(std::move(made));
        },
        "starts"_a.noconvert(), "items"_a.noconvert(), "n_items"_a, "set_starts"_a.noconvert(),
        "set_items"_a.noconvert(), "n_threads"_a = 1, "How many rows hold all items of each set.");
}
