#include "bind/trees/borrow.hpp"
#include "kernels/trees/grow.hpp"
#include "kernels/trees/scores.hpp"

namespace {

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename T>
std::span<const T> checked_span(const nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>& array,
                                std::size_t size, const char* sentence) {
    require(array.size() == size, sentence);
    return {array.data(), array.size()};
}

using Named = nb::typed<nb::dict, nb::str, nb::any>;

Named arrays_of(acumen::tree::Nodes&& tree) {
    const std::size_t n = tree.node.size();
    std::vector<std::int32_t> input(n), first(n), branches(n), otherwise(n), cut_at(n + 1), branch_at(n + 1);
    for (std::size_t i = 0; i < n; ++i) {
        const acumen::tree::Node& node = tree.node[i];
        input[i] = node.input;
        first[i] = node.first;
        branches[i] = node.branches;
        otherwise[i] = node.otherwise;
        cut_at[i + 1] = static_cast<std::int32_t>(node.cut_at + node.cuts);
        branch_at[i + 1] = static_cast<std::int32_t>(node.branch_at + node.levels);
    }
    const std::size_t s = tree.surrogate.size();
    std::vector<std::int32_t> surrogate_at(n + 1), other(s), other_cut_at(s + 1), other_branch_at(s + 1);
    std::vector<double> other_cuts;
    std::vector<std::int32_t> other_branch;
    for (std::size_t i = 0; i < n; ++i)
        surrogate_at[i + 1] = static_cast<std::int32_t>(tree.node[i].surrogate_at + tree.node[i].surrogates);
    for (std::size_t i = 0; i < s; ++i) {
        const acumen::tree::Surrogate& test = tree.surrogate[i];
        other[i] = test.input;
        if (test.branch.empty()) other_cuts.push_back(test.cut);
        if (test.branch.empty() && test.turned) other_branch.insert(other_branch.end(), {1, 0});
        other_branch.insert(other_branch.end(), test.branch.begin(), test.branch.end());
        other_cut_at[i + 1] = static_cast<std::int32_t>(other_cuts.size());
        other_branch_at[i + 1] = static_cast<std::int32_t>(other_branch.size());
    }
    Named made;
    made["surrogate_at"] = to_numpy(std::move(surrogate_at));
    made["surrogate_input"] = to_numpy(std::move(other));
    made["surrogate_cut_at"] = to_numpy(std::move(other_cut_at));
    made["surrogate_cuts"] = to_numpy(std::move(other_cuts));
    made["surrogate_branch_at"] = to_numpy(std::move(other_branch_at));
    made["surrogate_branch"] = to_numpy(std::move(other_branch));
    made["input"] = to_numpy(std::move(input));
    made["first"] = to_numpy(std::move(first));
    made["branches"] = to_numpy(std::move(branches));
    made["otherwise"] = to_numpy(std::move(otherwise));
    made["cut_at"] = to_numpy(std::move(cut_at));
    made["cuts"] = to_numpy(std::move(tree.cuts));
    made["branch_at"] = to_numpy(std::move(branch_at));
    made["branch"] = to_numpy(std::move(tree.branch));
    made["counts"] = to_numpy(std::move(tree.counts));
    return made;
}

using EntriesIn = nb::ndarray<const std::uint32_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

nb::typed<nb::tuple, nb::any, nb::any> presort(nb::handle numbers, std::size_t n_threads) {
    const BorrowedColumns<double> columns(numbers, "presort");
    const std::size_t n = columns.rows();
    require(n < INT32_MAX, "presort: there are too many rows");
    std::vector<std::uint32_t> entries(columns.size() * n * 2);
    std::vector<std::int32_t> known(columns.size());
    static_assert(sizeof(acumen::tree::Wide) == 8 && alignof(acumen::tree::Wide) == 4);
    bool whole;
    {
        const nb::gil_scoped_release unlocked;
        whole = acumen::tree::presorted(columns.columns(), n, n_threads, ask_python(),
                                        reinterpret_cast<acumen::tree::Wide*>(entries.data()), known.data());
    }
    if (!whole) throw nb::python_error();
    return nb::make_tuple(to_numpy(std::move(entries)), to_numpy(std::move(known)));
}

// The order of a larger table's numbers, whose rows at `places` are those of the table.
void take_order(acumen::tree::Table& table, const EntriesIn& sorted, const CodesIn& known,
                const CodesIn& places) {
    const std::size_t all = sorted.shape(1);
    require(sorted.shape(0) == table.numbers.size() && sorted.shape(2) == 2 &&
                known.size() == sorted.shape(0) && places.size() == table.rows && all < INT32_MAX,
            "grow_tree: the order does not fit the columns and rows");
    std::int32_t before = -1;
    for (const std::int32_t place : span_of(places)) {
        require(place > before && static_cast<std::size_t>(place) < all,
                "grow_tree: places must ascend within the rows of the order");
        before = place;
    }
    table.sorted = reinterpret_cast<const acumen::tree::Wide*>(sorted.data());
    table.sorted_rows = all;
    table.sorted_known = span_of(known);
    table.places = span_of(places);
    for (std::size_t j = 0; j < known.size(); ++j) {
        const auto count = static_cast<std::size_t>(table.sorted_known[j]);
        require(table.sorted_known[j] >= 0 && count <= all, "grow_tree: the order has too many entries");
        for (std::size_t i = 0; i < count; ++i)
            require(table.sorted[j * all + i].word < all,
                    "grow_tree: the order names a row that is not there");
    }
}

Named grow_tree(nb::handle numbers, CodesIn number_at, nb::handle codes, CodesIn code_at, CodesIn levels,
                Bytes ordered, CodesIn labels, FloatsIn weights, std::size_t classes, FloatsIn factors,
                FloatsIn attribute_costs, Named options, std::size_t n_threads, nb::handle order) {
    const BorrowedColumns<double> number_columns(numbers, "grow_tree");
    const BorrowedColumns<std::int32_t> code_columns(codes, "grow_tree");
    const std::size_t n = labels.size();
    require(n && number_columns.has_rows(n) && code_columns.has_rows(n) &&
                (!weights.size() || weights.size() == n),
            "grow_tree: columns, labels and weights differ in length, or there are no rows");
    require(classes >= 1 && n < (std::size_t{1} << 32) / std::bit_ceil(classes),
            "grow_tree: rows times classes must stay below 2^32");
    acumen::tree::Table table;
    table.rows = n;
    table.classes = classes;
    table.numbers = number_columns.columns();
    table.codes = code_columns.columns();
    table.number_at =
        checked_span(number_at, number_columns.size(), "grow_tree: a place for each number column");
    table.code_at = checked_span(code_at, code_columns.size(), "grow_tree: a place for each code column");
    table.levels = checked_span(levels, code_columns.size(), "grow_tree: levels for each code column");
    table.ordered =
        checked_span(ordered, code_columns.size(), "grow_tree: an order flag for each code column");
    std::vector<std::uint8_t> seen(table.inputs());
    for (const auto places : {table.number_at, table.code_at})
        for (const std::int32_t at : places) {
            require(
                at >= 0 && static_cast<std::size_t>(at) < seen.size() && !seen[static_cast<std::size_t>(at)],
                "grow_tree: each input has one place");
            seen[static_cast<std::size_t>(at)] = 1;
        }
    for (const std::int32_t count : table.levels) require(count >= 0, "grow_tree: levels below zero");
    for (const std::int32_t label : span_of(labels))
        require(label >= 0 && static_cast<std::size_t>(label) < classes, "grow_tree: a label is no class");
    table.label = labels.data();
    table.weight = weights.size() ? weights.data() : nullptr;
    EntriesIn sorted;
    CodesIn sorted_known, places;
    if (!order.is_none()) {
        sorted = nb::cast<EntriesIn>(order.attr("entries"), false);
        sorted_known = nb::cast<CodesIn>(order.attr("known"), false);
        places = nb::cast<CodesIn>(order.attr("places"), false);
        take_order(table, sorted, sorted_known, places);
    }
    acumen::tree::Options asked = tree_options_of(options);
    require(!factors.size() || factors.size() == classes, "grow_tree: a factor for each class");
    require(!attribute_costs.size() || attribute_costs.size() == table.inputs(),
            "grow_tree: a cost for each input");
    asked.factors = span_of(factors);
    asked.attribute_costs = span_of(attribute_costs);
    acumen::tree::Nodes tree;
    bool whole;
    {
        const nb::gil_scoped_release unlocked;
        whole = acumen::tree::grow(table, asked, n_threads, ask_python(), tree);
    }
    if (!whole) throw nb::python_error();
    require(tree.node.size() < INT32_MAX && tree.branch.size() < INT32_MAX,
            "grow_tree: the tree is too large");
    return arrays_of(std::move(tree));
}

void tree_scores(nb::handle tree, nb::handle columns, FloatsIn weight, MatrixIn shares, MatrixIn logs,
                 MatrixOut out, std::size_t n_threads) {
    const BorrowedTree borrowed(tree);
    const BorrowedInputs inputs(columns, out.shape(0), "tree_scores");
    const std::size_t n = borrowed.nodes(), k = out.shape(1);
    require(borrowed.fits(inputs.columns().size()),
            "tree_scores: a test looks at a column that is not there");
    require(weight.size() == n && shares.shape(0) == n && logs.shape(0) == n && shares.shape(1) == k &&
                logs.shape(1) == k,
            "tree_scores: each node needs a weight and its class probabilities");
    bool whole;
    {
        const nb::gil_scoped_release unlocked;
        whole = acumen::tree::scores(borrowed.arrays(), inputs.columns(), out.shape(0), span_of(weight),
                                     shares.data(), logs.data(), k, n_threads, ask_python(), out.data());
    }
    if (!whole) throw nb::python_error();
}

// The line of a table of names that a Python string means.
template <class Facts, std::size_t N>
const Facts& named(const std::array<Facts, N>& facts, nb::handle given) {
    const auto name = nb::cast<std::string>(given);
    for (const Facts& each : facts)
        if (each.name == name) return each;
    throw nb::value_error("grow_tree: no such measure or rule");
}

}  // namespace

acumen::tree::Options tree_options_of(const nb::dict& given) {
    acumen::tree::Options made;
    const auto whole = [&](const char* name) { return nb::cast<std::size_t>(given[name]); };
    const auto number = [&](const char* name) { return nb::cast<double>(given[name]); };
    const auto limit = [&](const char* name) { return whole(name) ? whole(name) : SIZE_MAX; };
    made.measure = named(acumen::tree::MEASURES, given["measure"]).measure;
    made.missing = named(acumen::tree::MISSINGS, given["missing"]).missing;
    made.binary = nb::cast<bool>(given["binary"]);
    made.penalty = nb::cast<bool>(given["penalty"]);
    made.guard = nb::cast<bool>(given["guard"]);
    // Weights of shared rows are sums of fractions: what rounding makes of 2 must still be 2.
    made.leaf_size = number("leaf_size") * (1 + 1e-9);
    made.min_branch = number("min_branch") * (1 - 1e-9);
    made.purity = number("purity") * (1 - 1e-9);
    made.min_gain = number("min_gain");
    made.max_depth = limit("max_depth");
    made.max_leaves = whole("max_leaves");
    made.max_subset = limit("max_subset");
    made.intervals = whole("intervals");
    made.max_attributes = whole("max_attributes");
    made.rows = given.contains("rows") ? whole("rows") : 0;
    made.seed = nb::cast<std::uint64_t>(given["seed"]);
    return made;
}

void bind_trees(nb::module_& m) {
    m.def(
        "tree_measures",
        [] {
            std::vector<std::string> names;
            for (const auto& each : acumen::tree::MEASURES) names.emplace_back(each.name);
            return names;
        },
        "The names of the split measures the kernels know.");
    m.def("grow_tree", &grow_tree, "numbers"_a, "number_at"_a.noconvert(), "codes"_a, "code_at"_a.noconvert(),
          "levels"_a.noconvert(), "ordered"_a.noconvert(), "labels"_a.noconvert(), "weights"_a.noconvert(),
          "classes"_a, "factors"_a.noconvert(), "attribute_costs"_a.noconvert(), "options"_a,
          "n_threads"_a = 1, "order"_a = nb::none(),
          "Grow a tree from columns of numbers and of codes; the arrays of its nodes, level by level. "
          "`order` is that "
          "of a larger table's numbers (see presort), with the places of these rows in it.");
    m.def(
        "presort", &presort, "numbers"_a, "n_threads"_a = 1,
        "Of each column the ranks and rows of its known values in ascending order, and how many there are.");
    m.def("tree_scores", &tree_scores, "tree"_a, "columns"_a, "weight"_a.noconvert(), "shares"_a.noconvert(),
          "logs"_a.noconvert(), "out"_a.noconvert(), "n_threads"_a = 1,
          "Write log P(class | row) into `out` (rows x classes): a row that no branch of a node fits goes "
          "down all of "
          "them, in shares of the weight of their nodes.");
}
