#include "bind/forests/borrow.hpp"
#include "kernels/boosting/stumps.hpp"
#include "kernels/forests/codes.hpp"
#include "kernels/forests/grow.hpp"

namespace {

namespace forest = acumen::forest;
using Named = nb::typed<nb::dict, nb::str, nb::any>;
using SeedsIn = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

forest::Options options_of(const nb::dict& given) {
    forest::Options made;
    const auto whole = [&](const char* name) { return nb::cast<std::size_t>(given[name]); };
    made.max_attributes = whole("max_attributes");
    made.extra = nb::cast<bool>(given["extra"]);
    made.bootstrap = nb::cast<bool>(given["bootstrap"]);
    made.sample = nb::cast<double>(given["sample"]);
    made.leaf_size = nb::cast<double>(given["leaf_size"]) * (1 + 1e-9);
    made.purity = nb::cast<double>(given["purity"]) * (1 - 1e-9);
    made.max_depth = whole("max_depth") ? whole("max_depth") : SIZE_MAX;
    made.out_of_bag = nb::cast<bool>(given["out_of_bag"]);
    made.patience = whole("patience");
    if (whole("most_words")) made.most_words = whole("most_words");
    return made;
}

// What is learned from, checked and borrowed.
struct Given {
    BorrowedCodes codes;
    forest::Table table;

    Given(nb::handle columns, const CodesIn& slots, const FlagsIn& nominal, nb::handle low, nb::handle high,
          const CodesIn& labels, const FloatsIn& response, const FloatsIn& weights, const CodesIn& units,
          std::size_t classes)
        : codes(columns, slots, nominal, low, high, classes ? labels.size() : response.size()) {
        const std::size_t n = classes ? labels.size() : response.size();
        require(n && n < (std::size_t{1} << 31), "a forest needs rows, and less than 2^31 of them");
        require((!weights.size() || weights.size() == n) && (!units.size() || units.size() == n),
                "rows, weights and groups differ in length");
        for (std::size_t i = 0; classes && i < n; ++i)
            require(labels.data()[i] >= 0 && static_cast<std::size_t>(labels.data()[i]) < classes,
                    "a label is no class");
        std::int32_t most = -1;
        for (const std::int32_t unit : span_of(units)) {
            require(unit >= 0, "a group is below zero");
            most = std::max(most, unit);
        }
        table.rows = n;
        table.classes = classes;
        table.columns = codes.columns();
        table.label = classes ? labels.data() : nullptr;
        table.response = classes ? nullptr : response.data();
        table.weight = weights.size() ? weights.data() : nullptr;
        table.unit = units.size() ? units.data() : nullptr;
        table.units = static_cast<std::size_t>(most + 1);
    }
};

// Memory that Python will own, as it comes: threads that fill it are the first to touch it.
template <typename T>
struct Room {
    std::unique_ptr<T[]> data;
    std::size_t size;

    explicit Room(std::size_t n) : data(new T[n]), size(n) {}
    nb::ndarray<nb::numpy, T, nb::ndim<2>> matrix(std::size_t columns) {
        T* from = data.release();
        nb::capsule owner(from, [](void* p) noexcept { delete[] static_cast<T*>(p); });
        return nb::ndarray<nb::numpy, T, nb::ndim<2>>(from, {columns ? size / columns : 0, columns}, owner);
    }
    nb::ndarray<nb::numpy, T, nb::ndim<1>> line() {
        T* from = data.release();
        nb::capsule owner(from, [](void* p) noexcept { delete[] static_cast<T*>(p); });
        return nb::ndarray<nb::numpy, T, nb::ndim<1>>(from, {size}, owner);
    }
};

// Trees end to end; each is let go as soon as it is copied.
Named arrays_of(forest::Forest&& made, std::size_t outputs, std::size_t columns, std::size_t threads) {
    const std::size_t n = made.trees.size();
    Room<std::int64_t> start(n + 1), set_start(n + 1);
    start.data[0] = set_start.data[0] = 0;
    std::vector<double> gain;
    for (std::size_t t = 0; t < n; ++t) {
        const forest::Tree& tree = made.trees[t];
        start.data[t + 1] = start.data[t] + static_cast<std::int64_t>(tree.node.size());
        set_start.data[t + 1] = set_start.data[t] + static_cast<std::int64_t>(tree.sets.size());
        gain.insert(gain.end(), tree.gain.begin(), tree.gain.end());
    }
    Room<std::uint32_t> node(2 * static_cast<std::size_t>(start.data[n])),
        sets(static_cast<std::size_t>(set_start.data[n]));
    Room<double> value(outputs * static_cast<std::size_t>(start.data[n]));
    {
        const nb::gil_scoped_release unlocked;
        acumen::for_blocks(n, threads, {}, [&] {
            return [&](std::size_t t) {
                forest::Tree& tree = made.trees[t];
                const auto at = static_cast<std::size_t>(start.data[t]);
                std::uint32_t* to = node.data.get() + 2 * at;
                for (const forest::Node& each : tree.node) *to++ = each.test, *to++ = each.child;
                std::copy(tree.value.begin(), tree.value.end(), value.data.get() + outputs * at);
                std::copy(tree.sets.begin(), tree.sets.end(), sets.data.get() + set_start.data[t]);
                tree = {};
            };
        });
    }
    Named arrays;
    arrays["node"] = node.matrix(2);
    arrays["value"] = value.matrix(outputs);
    arrays["sets"] = sets.line();
    arrays["start"] = start.line();
    arrays["set_start"] = set_start.line();
    arrays["gain"] = to_numpy(std::move(gain), columns);
    arrays["sum"] = to_numpy(std::move(made.out_of_bag.sum), outputs);
    arrays["votes"] = to_numpy(std::move(made.out_of_bag.votes));
    arrays["error"] = to_numpy(std::move(made.out_of_bag.error));
    arrays["voted"] = to_numpy(std::move(made.out_of_bag.voted));
    arrays["unvoted_wrong"] = to_numpy(std::move(made.out_of_bag.unvoted_wrong));
    return arrays;
}

// Tells Python how far it is, and asks whether to leave off.
forest::Told teller(const nb::object& tell) {
    return [&tell](std::size_t done) {
        const nb::gil_scoped_acquire locked;
        if (!tell.is_none()) tell(done);
        return PyErr_CheckSignals() != 0;
    };
}

// What stopped it, Ctrl-C or an alarm clock, for whoever asked to raise once the trees that are there are
// kept; None if nothing did. Without a tree there is nothing to keep.
nb::object stopped_by(bool stopped, bool nothing) {
    if (!stopped) return nb::none();
    const nb::python_error raised;  // takes what the signal has raised
    if (nothing) throw raised;
    return nb::borrow(raised.value());
}

Named grow_forest(nb::handle columns, CodesIn slots, FlagsIn nominal, nb::handle low, nb::handle high,
                  CodesIn labels, FloatsIn response, FloatsIn weights, CodesIn units, std::size_t classes,
                  FloatsIn prior, SeedsIn seeds, Named options, nb::object tell, std::size_t n_threads) {
    const Given given(columns, slots, nominal, low, high, labels, response, weights, units, classes);
    require(prior.size() == classes, "grow_forest: a prior for each class");
    const forest::Options asked = options_of(options);
    forest::Forest made;
    {
        const nb::gil_scoped_release unlocked;
        made = forest::grow(given.table, asked, span_of(seeds), span_of(prior), n_threads, teller(tell));
    }
    const nb::object stopped = stopped_by(made.stopped, made.trees.empty());
    Named arrays = arrays_of(std::move(made), given.table.outputs(), given.table.columns.size(), n_threads);
    arrays["stopped"] = stopped;
    return arrays;
}

Named boost_stumps(nb::handle columns, CodesIn slots, FlagsIn nominal, nb::handle low, nb::handle high,
                   CodesIn labels, FloatsIn weights, std::size_t classes, std::size_t rounds, bool samme,
                   bool resample, std::size_t retries, std::uint64_t seed, nb::object tell,
                   std::size_t n_threads) {
    const FloatsIn none;
    const CodesIn no_units;
    const Given given(columns, slots, nominal, low, high, labels, none, weights, no_units, classes);
    require(classes >= 1, "boost_stumps: there are no classes");
    const forest::BoostOptions asked{rounds, samme, resample, retries, seed};
    forest::Boosted made;
    {
        const nb::gil_scoped_release unlocked;
        made = forest::boost(given.table, asked, n_threads, teller(tell));
    }
    const nb::object stopped = stopped_by(made.stopped, made.stumps.empty());
    forest::Forest trees;
    trees.trees = std::move(made.stumps);
    Named arrays = arrays_of(std::move(trees), classes, slots.size(), n_threads);
    arrays["stopped"] = stopped;
    arrays["error"] = to_numpy(std::move(made.error));
    arrays["vote"] = to_numpy(std::move(made.vote));
    arrays["combined"] = to_numpy(std::move(made.combined));
    arrays["drawn"] = to_numpy(std::move(made.drawn));
    arrays["end"] = made.end;
    return arrays;
}

// Packed trees, each by itself.
std::vector<forest::Tree> taken_apart(const forest::Trees& trees) {
    std::vector<forest::Tree> apart(trees.size());
    for (std::size_t t = 0; t < trees.size(); ++t) {
        const auto a = trees.start[t], b = trees.start[t + 1];
        const auto k = static_cast<std::int64_t>(trees.outputs);
        apart[t].node.assign(trees.node.begin() + a, trees.node.begin() + b);
        apart[t].value.assign(trees.value.begin() + a * k, trees.value.begin() + b * k);
        apart[t].sets.assign(trees.sets.begin() + trees.set_start[t],
                             trees.sets.begin() + trees.set_start[t + 1]);
    }
    return apart;
}

Named forest_kept(nb::handle packed, nb::handle columns, CodesIn slots, FlagsIn nominal, nb::handle low,
                  nb::handle high, CodesIn labels, FloatsIn response, FloatsIn weights, CodesIn units,
                  std::size_t classes, FloatsIn prior, SeedsIn seeds, Named options, MatrixIn sum,
                  CodesIn votes, MatrixIn errors) {
    const Given given(columns, slots, nominal, low, high, labels, response, weights, units, classes);
    const BorrowedForest borrowed(packed);
    const forest::Trees trees = borrowed.trees();
    const std::size_t n = given.table.rows, k = given.table.outputs(), before = errors.shape(0);
    require(prior.size() == classes, "forest_kept: a prior for each class");
    require(seeds.size() == trees.size() && trees.outputs == k &&
                borrowed.width() == std::max<std::size_t>(slots.size(), 1),
            "forest_kept: the forest is of other columns or classes");
    require(!before || (errors.shape(1) == 3 && sum.shape(0) == n && sum.shape(1) == k && votes.size() == n),
            "forest_kept: what trees before have said is of other rows");
    forest::OutOfBag said;
    if (before) {
        said.sum.assign(sum.data(), sum.data() + n * k);
        said.votes.assign(votes.data(), votes.data() + n);
        for (std::size_t t = 0; t < before; ++t) {
            said.error.push_back(errors.data()[3 * t]);
            said.voted.push_back(errors.data()[3 * t + 1]);
            said.unvoted_wrong.push_back(errors.data()[3 * t + 2]);
        }
    }
    forest::Options asked = options_of(options);
    require(asked.out_of_bag, "forest_kept: there are no rows out of bag");
    forest::Kept made;
    {
        const nb::gil_scoped_release unlocked;
        made = forest::kept(given.table, asked, span_of(prior), taken_apart(trees), span_of(seeds),
                            std::move(said), ask_python());
    }
    if (made.stopped) throw nb::python_error();
    std::vector<double> lines;
    for (std::size_t t = 0; t < made.out_of_bag.error.size(); ++t)
        lines.insert(lines.end(),
                     {made.out_of_bag.error[t], made.out_of_bag.voted[t], made.out_of_bag.unvoted_wrong[t]});
    Named arrays;
    arrays["sum"] = to_numpy(std::move(made.out_of_bag.sum), k);
    arrays["votes"] = to_numpy(std::move(made.out_of_bag.votes));
    arrays["errors"] = to_numpy(std::move(lines), 3);
    arrays["enough"] = made.enough;
    return arrays;
}

void forest_permuted(nb::handle packed, nb::handle columns, CodesIn slots, FlagsIn nominal, nb::handle low,
                     nb::handle high, CodesIn labels, FloatsIn response, FloatsIn weights, CodesIn units,
                     std::size_t classes, SeedsIn seeds, Named options,
                     std::vector<std::vector<std::uint32_t>> groups, MatrixOut out, std::size_t n_threads) {
    const Given given(columns, slots, nominal, low, high, labels, response, weights, units, classes);
    const BorrowedForest borrowed(packed);
    const forest::Trees trees = borrowed.trees();
    require(seeds.size() == trees.size() && out.shape(0) == trees.size() && out.shape(1) == groups.size() &&
                trees.outputs == given.table.outputs() &&
                borrowed.width() == std::max<std::size_t>(slots.size(), 1),
            "forest_permuted: the forest is of other columns or classes");
    for (const auto& group : groups)
        for (const std::uint32_t j : group)
            require(j < slots.size(), "forest_permuted: there is no such column");
    const forest::Options asked = options_of(options);
    const std::vector<forest::Tree> apart = taken_apart(trees);
    bool whole;
    {
        const nb::gil_scoped_release unlocked;
        whole = forest::permuted(given.table, asked, apart, span_of(seeds), groups, n_threads, ask_python(),
                                 out.data());
    }
    if (!whole) throw nb::python_error();
}

void forest_codes(nb::handle columns, nb::handle cuts, CodesIn slots, nb::handle out, std::size_t rows,
                  std::size_t n_threads) {
    using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>;
    using Levels = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::device::cpu>;
    using Narrow = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::device::cpu>;
    using Wide = nb::ndarray<std::uint16_t, nb::ndim<1>, nb::device::cpu>;
    std::vector<Numbers> numbers;
    std::vector<Levels> levels;
    std::vector<Narrow> narrow;
    std::vector<Wide> wide;
    std::vector<FloatsIn> bounds;
    std::vector<forest::Raw> raws;
    std::vector<forest::Coded> coded;
    const auto given = nb::cast<nb::sequence>(columns), edges = nb::cast<nb::sequence>(cuts),
               outs = nb::cast<nb::sequence>(out);
    const std::size_t n = nb::len(given);
    require(nb::len(edges) == n && nb::len(outs) == n && slots.size() == n,
            "forest_codes: columns, cuts and outputs differ in number");
    for (std::size_t j = 0; j < n; ++j) {
        forest::Raw raw;
        const nb::object line = given[j];
        std::size_t length = 0;
        if (Numbers found; nb::try_cast(line, found, false)) {
            raw.numbers = {found.data(), found.stride(0)};
            raw.numeric = true;
            length = found.shape(0);
            numbers.push_back(std::move(found));
        } else {
            auto codes = nb::cast<Levels>(line, false);
            raw.codes = {codes.data(), codes.stride(0)};
            length = codes.shape(0);
            levels.push_back(std::move(codes));
        }
        auto edge = nb::cast<FloatsIn>(nb::object(edges[j]), false);
        raw.cuts = span_of(edge);
        bounds.push_back(std::move(edge));
        raw.slots = static_cast<std::uint32_t>(std::max(slots.data()[j], 0));
        forest::Coded to;
        const nb::object place = outs[j];
        std::size_t room = 0;
        if (Narrow bytes; nb::try_cast(place, bytes, false)) {
            to.narrow = bytes.data();
            to.stride = bytes.stride(0);
            room = bytes.shape(0);
            narrow.push_back(std::move(bytes));
        } else {
            auto pairs = nb::cast<Wide>(place, false);
            to.wide = pairs.data();
            to.stride = pairs.stride(0);
            room = pairs.shape(0);
            wide.push_back(std::move(pairs));
        }
        require(length == rows && room == rows, "forest_codes: columns and outputs differ in length");
        const std::size_t most = to.narrow ? 254 : 65533;
        require(raw.numeric ? raw.cuts.size() <= most : raw.slots <= most + 1,
                "forest_codes: too many codes");
        raws.push_back(raw);
        coded.push_back(to);
    }
    bool whole;
    {
        const nb::gil_scoped_release unlocked;
        whole = forest::code(raws, coded, rows, n_threads, ask_python());
    }
    if (!whole) throw nb::python_error();
}

void forest_values(nb::handle packed, CodeRowsIn codes, MatrixOut out, std::size_t n_threads) {
    const BorrowedForest borrowed(packed);
    const forest::CodeRows rows = borrowed.rows(codes);
    require(out.shape(0) == rows.rows && out.shape(1) == borrowed.outputs(),
            "forest_values: out has another shape");
    bool whole;
    {
        const nb::gil_scoped_release unlocked;
        whole = forest::add_values(borrowed.trees(), rows, n_threads, ask_python(), out.data());
    }
    if (!whole) throw nb::python_error();
}

void forest_leaves(nb::handle packed, CodeRowsIn codes,
                   nb::ndarray<std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu> out,
                   std::size_t n_threads) {
    const BorrowedForest borrowed(packed);
    const forest::CodeRows rows = borrowed.rows(codes);
    require(out.shape(0) == rows.rows && out.shape(1) == borrowed.trees().size(),
            "forest_leaves: out has another shape");
    bool whole;
    {
        const nb::gil_scoped_release unlocked;
        whole = forest::all_leaves(borrowed.trees(), rows, n_threads, ask_python(), out.data());
    }
    if (!whole) throw nb::python_error();
}

void forest_contributions(nb::handle packed, CodeRowsIn codes, MatrixOut moved, FloatsOut start) {
    const BorrowedForest borrowed(packed);
    const forest::CodeRows rows = borrowed.rows(codes);
    require(rows.rows == 1 && moved.shape(0) == borrowed.width() && moved.shape(1) == borrowed.outputs() &&
                start.size() == borrowed.outputs(),
            "forest_contributions: one row, and room for each column and output");
    forest::contributions(borrowed.trees(), rows.row(0), borrowed.width(), moved.data(), start.data());
}

}  // namespace

void bind_forest(nb::module_& m) {
    m.def("forest_codes", &forest_codes, "columns"_a, "cuts"_a, "slots"_a.noconvert(), "out"_a, "rows"_a,
          "n_threads"_a = 1,
          "Write numbers (by their column's cuts) and levels as codes of one or two bytes.");
    m.def("grow_forest", &grow_forest, "columns"_a, "slots"_a.noconvert(), "nominal"_a.noconvert(), "low"_a,
          "high"_a, "labels"_a.noconvert(), "response"_a.noconvert(), "weights"_a.noconvert(),
          "units"_a.noconvert(), "classes"_a, "prior"_a.noconvert(), "seeds"_a.noconvert(), "options"_a,
          "tell"_a.none(), "n_threads"_a = 1,
          "Grow a tree for each seed from columns of codes; packed trees and what they say of rows out of "
          "bag.");
    m.def("boost_stumps", &boost_stumps, "columns"_a, "slots"_a.noconvert(), "nominal"_a.noconvert(), "low"_a,
          "high"_a, "labels"_a.noconvert(), "weights"_a.noconvert(), "classes"_a, "rounds"_a, "samme"_a,
          "resample"_a, "retries"_a, "seed"_a, "tell"_a.none(), "n_threads"_a = 1,
          "AdaBoost of stumps from columns of codes: packed stumps whose leaves hold their votes, and the "
          "trace.");
    m.def(
        "forest_kept", &forest_kept, "forest"_a, "columns"_a, "slots"_a.noconvert(), "nominal"_a.noconvert(),
        "low"_a, "high"_a, "labels"_a.noconvert(), "response"_a.noconvert(), "weights"_a.noconvert(),
        "units"_a.noconvert(), "classes"_a, "prior"_a.noconvert(), "seeds"_a.noconvert(), "options"_a,
        "sum"_a.noconvert(), "votes"_a.noconvert(), "errors"_a.noconvert(),
        "What trees grown elsewhere say of rows out of their bags, after what others have said before them: "
        "sums, votes, and after each tree the weight of wrong, of voted and of unvoted wrong rows.");
    m.def("forest_permuted", &forest_permuted, "forest"_a, "columns"_a, "slots"_a.noconvert(),
          "nominal"_a.noconvert(), "low"_a, "high"_a, "labels"_a.noconvert(), "response"_a.noconvert(),
          "weights"_a.noconvert(), "units"_a.noconvert(), "classes"_a, "seeds"_a.noconvert(), "options"_a,
          "groups"_a, "out"_a.noconvert(), "n_threads"_a = 1,
          "By how much each tree errs more on its rows out of bag when a group of columns is permuted among "
          "them.");
    m.def("forest_values", &forest_values, "forest"_a, "codes"_a.noconvert(), "out"_a.noconvert(),
          "n_threads"_a = 1, "Add the leaf values of all trees, in their order, to `out` (rows x outputs).");
    m.def("forest_leaves", &forest_leaves, "forest"_a, "codes"_a.noconvert(), "out"_a.noconvert(),
          "n_threads"_a = 1, "Write the leaf of each row in each tree into `out` (rows x trees).");
    m.def("forest_contributions", &forest_contributions, "forest"_a, "codes"_a.noconvert(),
          "moved"_a.noconvert(), "start"_a.noconvert(),
          "What each column moves the values of one row by, and the sum of the roots' values.");
}
