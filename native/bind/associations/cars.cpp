#include "kernels/associations/cars.hpp"

#include <nanobind/stl/tuple.h>

#include "bind/borrow.hpp"
#include "kernels/trees/leaves.hpp"

using LongsIn = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using LinesIn = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

static void check_items(const LinesIn& items, const CodesIn& attribute, const char* who) {
    const auto fail = [&](const char* what) {
        throw nb::value_error((std::string(who) + ": " + what).c_str());
    };
    for (std::size_t i = 0; i < attribute.size(); ++i) {
        if (attribute.data()[i] < 0 || static_cast<std::size_t>(attribute.data()[i]) >= items.shape(1))
            fail("an item is of no attribute");
        if (i && attribute.data()[i] < attribute.data()[i - 1]) fail("items must come by attribute");
    }
    for (std::size_t i = 0; i < items.shape(0); ++i)
        for (std::size_t a = 0; a < items.shape(1); ++a) {
            const std::int32_t item = items.data()[i * items.shape(1) + a];
            if (item < 0) continue;
            if (static_cast<std::size_t>(item) >= attribute.size() ||
                attribute.data()[item] != static_cast<std::int32_t>(a))
                fail("a row holds an item of another attribute");
        }
}

static void check_rules(const acumen::cars::Cover& cover, const LongsIn& starts, const CodesIn& items,
                        const CodesIn& head, std::size_t classes) {
    if (starts.size() != head.size() + 1 || starts.data()[0] != 0 ||
        starts.data()[head.size()] != static_cast<std::int64_t>(items.size()))
        throw nb::value_error("car_list: rules need a start, an end and a class each");
    for (std::size_t i = 0; i < head.size(); ++i)
        if (starts.data()[i + 1] < starts.data()[i] || head.data()[i] < 0 ||
            static_cast<std::size_t>(head.data()[i]) >= classes)
            throw nb::value_error("car_list: a rule is out of range");
    for (std::size_t i = 0; i < items.size(); ++i)
        if (items.data()[i] < 0 || static_cast<std::size_t>(items.data()[i]) >= cover.items())
            throw nb::value_error("car_list: an item is out of range");
}

// Rules as (starts, items, classes), one lot for each part; without parts one lot.
static nb::list listed(const acumen::cars::Cover& cover, const nb::list& rules, const CodesIn& parts,
                       bool second, std::size_t n_threads) {
    if (parts.size() && parts.size() != cover.rows())
        throw nb::value_error("car_lists: each row has a part, or none has");
    std::vector<LongsIn> starts;  // kept alive
    std::vector<CodesIn> items, heads;
    std::vector<acumen::cars::Ordered> ordered;
    for (const nb::handle one : rules) {
        const auto lot = nb::cast<nb::tuple>(one);
        if (lot.size() != 3) throw nb::value_error("car_lists: rules are starts, items and classes");
        starts.push_back(nb::cast<LongsIn>(lot[0], false));
        items.push_back(nb::cast<CodesIn>(lot[1], false));
        heads.push_back(nb::cast<CodesIn>(lot[2], false));
        check_rules(cover, starts.back(), items.back(), heads.back(), cover.classes());
        ordered.push_back({span_of(starts.back()), span_of(items.back()), span_of(heads.back())});
    }
    std::vector<acumen::cars::Cover::List> made;
    {
        const nb::gil_scoped_release unlocked;
        made = cover.lists(ordered, span_of(parts), second, n_threads);
    }
    nb::list all;
    for (acumen::cars::Cover::List& one : made)
        all.append(nb::make_tuple(to_numpy(std::move(one.kept)), to_numpy(std::move(one.covered)),
                                  to_numpy(std::move(one.left))));
    return all;
}

void bind_cars(nb::module_& m) {
    m.def(
        "mine_cars",
        [](LinesIn items, CodesIn attribute, CodesIn segment, LongsIn weight, std::size_t classes,
           std::size_t folds, LongsIn least, std::size_t max_size, std::size_t limit, bool free,
           std::size_t n_threads) {
            check_items(items, attribute, "mine_cars");
            const std::size_t lines = std::max<std::size_t>(folds, 1);
            if (!classes || segment.size() != items.shape(0) ||
                (weight.size() && weight.size() != segment.size()) || least.size() != lines * classes)
                throw nb::value_error("mine_cars: the arrays' shapes do not go together");
            for (std::size_t i = 0; i < segment.size(); ++i)
                if (segment.data()[i] < 0 || static_cast<std::size_t>(segment.data()[i]) >= lines * classes)
                    throw nb::value_error("mine_cars: a segment is out of range");
            acumen::cars::Rows rows;
            rows.items = items.data();
            rows.n = items.shape(0);
            rows.attributes = items.shape(1);
            rows.n_items = attribute.size();
            rows.segment = span_of(segment);
            rows.weight = span_of(weight);
            rows.attribute = span_of(attribute);
            rows.classes = classes;
            rows.folds = folds;
            acumen::cars::Sets made;
            {
                const nb::gil_scoped_release unlocked;
                made =
                    acumen::cars::mine(rows, span_of(least), max_size, limit, free, n_threads, ask_python());
            }
            if (made.stopped) throw nb::python_error();
            return std::make_tuple(to_numpy(std::move(made.starts)), to_numpy(std::move(made.items)),
                                   to_numpy(std::move(made.counts)), made.overflow);
        },
        "items"_a.noconvert(), "attribute"_a.noconvert(), "segment"_a.noconvert(), "weight"_a.noconvert(),
        "classes"_a, "folds"_a, "least"_a.noconvert(), "max_size"_a, "limit"_a, "free"_a, "n_threads"_a = 1,
        "Sets of conditions that are frequent with some class (without some fold): starts, items, counts by "
        "segment, and whether there were more than the limit.");
    nb::class_<acumen::cars::Cover>(m, "CarCover")
        .def(
            "__init__",
            [](acumen::cars::Cover* self, LinesIn items, CodesIn attribute, CodesIn labels, LongsIn weight,
               std::size_t classes) {
                check_items(items, attribute, "CarCover");
                if (labels.size() != items.shape(0) || (weight.size() && weight.size() != labels.size()))
                    throw nb::value_error("CarCover: items, labels and weights differ in length");
                for (std::size_t i = 0; i < labels.size(); ++i)
                    if (labels.data()[i] >= static_cast<std::int64_t>(classes))
                        throw nb::value_error("CarCover: a label is out of range");
                new (self) acumen::cars::Cover(items.data(), items.shape(0), items.shape(1), attribute.size(),
                                               span_of(labels), span_of(weight), classes);
            },
            "items"_a.noconvert(), "attribute"_a.noconvert(), "labels"_a.noconvert(), "weight"_a.noconvert(),
            "classes"_a)
        .def("make_lists", &listed, "rules"_a, "parts"_a.noconvert(), "second"_a, "n_threads"_a = 1,
             "For each lot of rules in order (starts, items, classes) the list without the rows of its part: "
             "those kept, what each covers first and what it leaves, by class.");
    m.def(
        "shorter_sets",
        [](LongsIn starts, CodesIn items, std::size_t n_items, std::size_t width) {
            if (!starts.size() || starts.data()[0] != 0 || starts.size() > (std::size_t{1} << 31) - 1 ||
                starts.data()[starts.size() - 1] != static_cast<std::int64_t>(items.size()))
                throw nb::value_error("shorter_sets: starts do not go with the items");
            for (std::size_t i = 1; i < starts.size(); ++i)
                if (starts.data()[i] < starts.data()[i - 1] ||
                    starts.data()[i] - starts.data()[i - 1] > static_cast<std::int64_t>(width))
                    throw nb::value_error("shorter_sets: a set is wider than the lines");
            for (std::size_t i = 0; i < items.size(); ++i)
                if (items.data()[i] < 0 || static_cast<std::size_t>(items.data()[i]) >= n_items)
                    throw nb::value_error("shorter_sets: an item is out of range");
            std::vector<std::int32_t> made;
            {
                const nb::gil_scoped_release unlocked;
                made = acumen::cars::shorter_sets(span_of(starts), span_of(items), n_items, width);
            }
            return to_numpy(std::move(made));
        },
        "starts"_a.noconvert(), "items"_a.noconvert(), "n_items"_a, "width"_a,
        "The places of the sets with one item less, a line of `width` for each set; -2 where one is not "
        "there.");
    m.def(
        "judge_cars",
        [](LongsIn starts, CodesIn items, CodesIn attribute, LongsIn counts, CodesIn shorter, LongsIn least,
           double confidence, double unit, double cf, bool prune, bool free, std::size_t classes,
           std::size_t n_threads) {
            const auto fail = [](const char* what) {
                throw nb::value_error((std::string("judge_cars: ") + what).c_str());
            };
            if (!starts.size() || starts.data()[0] != 0 ||
                starts.data()[starts.size() - 1] != static_cast<std::int64_t>(items.size()))
                fail("starts do not go with the items");
            const std::size_t sets = starts.size() - 1;
            for (std::size_t s = 0; s < sets; ++s)
                if (starts.data()[s + 1] < starts.data()[s]) fail("a set ends before it begins");
            for (std::size_t i = 0; i < items.size(); ++i)
                if (items.data()[i] < 0 || static_cast<std::size_t>(items.data()[i]) >= attribute.size())
                    fail("an item is out of range");
            if (!classes || (sets && (counts.size() % (sets * classes) || shorter.size() % sets)) ||
                !(unit > 0))
                fail("the arrays' shapes do not go together");
            for (std::size_t i = 0; i < shorter.size(); ++i)
                if (shorter.data()[i] < -2 || shorter.data()[i] >= static_cast<std::int64_t>(sets))
                    fail("a shorter set is out of range");
            acumen::cars::Bench bench;
            bench.starts = span_of(starts);
            bench.items = span_of(items);
            bench.attribute = span_of(attribute);
            bench.counts = span_of(counts);
            bench.shorter = span_of(shorter);
            bench.width = sets ? shorter.size() / sets : 0;
            bench.classes = classes;
            bench.folds = sets ? counts.size() / (sets * classes) : 1;
            bench.confidence = confidence;
            bench.unit = unit;
            bench.cf = cf;
            bench.prune = prune;
            bench.free = free;
            if (!least.size() || least.size() % classes ||
                (least.size() != classes && sets && least.size() != bench.folds * classes))
                fail("thresholds are of every fold, or one line");
            std::vector<acumen::cars::Judged> made;
            {
                const nb::gil_scoped_release unlocked;
                made = acumen::cars::judge_each(bench, span_of(least), n_threads);
            }
            nb::list all;
            for (acumen::cars::Judged& one : made)
                all.append(nb::make_tuple(to_numpy(std::move(one.starts)), to_numpy(std::move(one.items)),
                                          to_numpy(std::move(one.head)), to_numpy(std::move(one.counts))));
            return all;
        },
        "starts"_a.noconvert(), "items"_a.noconvert(), "attribute"_a.noconvert(), "counts"_a.noconvert(),
        "shorter"_a.noconvert(), "least"_a.noconvert(), "confidence"_a, "unit"_a, "cf"_a, "prune"_a, "free"_a,
        "classes"_a, "n_threads"_a = 1,
        "Rules of mined sets in canonical order, without each fold in turn (of all rows where the thresholds "
        "are one line): starts, items, classes, and counts by class.");
}
