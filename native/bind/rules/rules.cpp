#include <tuple>

#include "bind/borrow.hpp"
#include "kernels/rules/bits.hpp"
#include "kernels/rules/cn2.hpp"
#include "kernels/rules/ripper.hpp"

using BytesIn = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

namespace {

using namespace acumen::rules;

// Python's arrays as the learners of rules see them; keeps them alive.
class BorrowedRows {
  public:
    BorrowedRows(nb::sequence columns, CodesIn sizes, BytesIn ordered, CodesIn group, BytesIn directions,
                 CodesIn labels, FloatsIn weights, std::size_t classes)
        : sizes_(sizes),
          ordered_(ordered),
          group_(group),
          directions_(directions),
          labels_(labels),
          weights_(weights) {
        const std::size_t n = labels.size(), d = sizes.size();
        for (nb::handle value : columns) lines_.push_back(nb::cast<CodesIn>(value, false));
        if (lines_.size() != d || ordered.size() != d || group.size() != d ||
            directions.size() != classes * d)
            throw nb::value_error("CodedRows: the columns and what is said of them differ in number");
        if (!classes || (weights.size() && weights.size() != n))
            throw nb::value_error("CodedRows: labels and weights differ in length, or there is no class");
        for (std::size_t i = 0; i < n; ++i)
            if (labels.data()[i] < 0 || static_cast<std::size_t>(labels.data()[i]) >= classes)
                throw nb::value_error("CodedRows: a label is out of range");
        for (std::size_t j = 0; j < d; ++j) {
            if (lines_[j].size() != n) throw nb::value_error("CodedRows: columns differ in length");
            const std::int32_t* codes = lines_[j].data();
            std::int32_t most = -1;
            for (std::size_t i = 0; i < n; ++i) most = std::max(most, codes[i]);
            if (most >= sizes.data()[j]) throw nb::value_error("CodedRows: a code is out of range");
            made.columns.push_back(codes);
        }
        made.n = n;
        made.classes = classes;
        made.sizes = span_of(sizes_);
        made.ordered = span_of(ordered_);
        made.group = span_of(group_);
        made.directions = span_of(directions_);
        made.label = labels_.data();
        made.weight = weights_.size() ? weights_.data() : nullptr;
    }

    Coded made;

  private:
    std::vector<CodesIn> lines_;
    CodesIn sizes_;
    BytesIn ordered_;
    CodesIn group_;
    BytesIn directions_;
    CodesIn labels_;
    FloatsIn weights_;
};

// One line a test: rule, column, op, value; then the codes of sets, and how many rules were looked at.
nb::object told(const std::vector<RuleOfClass>& rules, std::size_t tried = 0) {
    std::vector<std::int32_t> labels, tests, sets;
    for (std::size_t r = 0; r < rules.size(); ++r) {
        labels.push_back(rules[r].label);
        for (const Test& test : rules[r].rule) {
            tests.insert(tests.end(), {static_cast<std::int32_t>(r), test.column,
                                       static_cast<std::int32_t>(test.op), test.value});
            for (std::size_t c = 0; c < test.levels.size(); ++c)
                if (test.levels[c]) sets.push_back(static_cast<std::int32_t>(c));
        }
    }
    return nb::make_tuple(to_numpy(std::move(labels)), to_numpy(std::move(tests)), to_numpy(std::move(sets)),
                          tried);
}

std::vector<std::int32_t> listed(const CodesIn& given) { return {given.data(), given.data() + given.size()}; }

RowList rows_in(const CodesIn& given, const Coded& rows) {
    RowList made = listed(given);
    for (std::size_t i = 0; i < made.size(); ++i)
        if (made[i] < 0 || static_cast<std::size_t>(made[i]) >= rows.n || (i && made[i] <= made[i - 1]))
            throw nb::value_error("CodedRows: rows must be in ascending order, and in range");
    return made;
}

void check_label(std::int32_t label, const Coded& rows) {
    if (label < 0 || static_cast<std::size_t>(label) >= rows.classes)
        throw nb::value_error("CodedRows: a class is out of range");
}

RuleOfClass rule_in(const CodesIn& tests, std::int32_t label, const Coded& rows) {
    RuleOfClass made;
    made.label = label;
    check_label(label, rows);
    if (tests.size() % 3) throw nb::value_error("CodedRows: a test is a column, an op and a value");
    for (std::size_t i = 0; i < tests.size(); i += 3) {
        const std::int32_t* one = tests.data() + i;
        if (one[0] < 0 || static_cast<std::size_t>(one[0]) >= rows.columns.size() || one[1] < 0 || one[1] > 2)
            throw nb::value_error("CodedRows: a test is out of range");
        made.rule.push_back({one[0], static_cast<Op>(one[1]), one[2], {}});
    }
    return made;
}

}  // namespace

void bind_rules(nb::module_& m) {
    nb::class_<BorrowedRows>(m, "CodedRows")
        .def(nb::init<nb::sequence, CodesIn, BytesIn, CodesIn, BytesIn, CodesIn, FloatsIn, std::size_t>(),
             "columns"_a, "sizes"_a.noconvert(), "ordered"_a.noconvert(), "group"_a.noconvert(),
             "directions"_a.noconvert(), "labels"_a.noconvert(), "weights"_a.noconvert(), "classes"_a)
        .def(
            "ripper",
            [](const BorrowedRows& rows, CodesIn order, bool smoothed, bool sets, double min_covered,
               std::size_t max_conditions, CodesIn must, double prune_share, int passes, bool all_classes,
               bool subsets, bool by_error, double conditions, std::uint64_t seed, FloatsIn worth,
               std::size_t n_threads) {
                if (worth.size() && worth.size() != rows.made.columns.size())
                    throw nb::value_error("CodedRows: worth is one number a column, or none");
                for (std::size_t i = 0; i < worth.size(); ++i)
                    if (!(worth.data()[i] > 0))
                        throw nb::value_error("CodedRows: what a column is worth must be above zero");
                RipperOptions options;
                options.grow = {smoothed,
                                sets,
                                min_covered,
                                max_conditions,
                                listed(must),
                                n_threads,
                                {worth.data(), worth.data() + worth.size()}};
                options.prune_share = prune_share;
                options.passes = passes;
                options.all_classes = all_classes;
                options.subsets = subsets;
                options.by_error = by_error;
                options.conditions = conditions;
                options.seed = seed;
                for (std::size_t i = 0; i < order.size(); ++i) check_label(order.data()[i], rows.made);
                Learned made;
                {
                    const nb::gil_scoped_release unlocked;
                    made = ripper(rows.made, span_of(order), options, ask_python());
                }
                if (made.stopped) throw nb::python_error();
                return told(made.rules, made.tried);
            },
            "order"_a.noconvert(), "smoothed"_a, "sets"_a, "min_covered"_a, "max_conditions"_a,
            "must"_a.noconvert(), "prune_share"_a, "passes"_a, "all_classes"_a, "subsets"_a, "by_error"_a,
            "conditions"_a, "seed"_a, "worth"_a.noconvert(), "n_threads"_a = 1,
            "RIPPER: the class of each rule, its tests (rule, column, op, value), and the codes of sets.")
        .def(
            "cn2",
            [](const BorrowedRows& rows, int measure, bool ordered, std::size_t beam, double critical,
               double min_covered, std::size_t max_conditions, double m_rows, double threshold, CodesIn must,
               std::size_t n_threads) {
                if (measure < 0 || measure > 4) throw nb::value_error("CodedRows: no such measure");
                const Cn2Options options{static_cast<Measure>(measure),
                                         ordered,
                                         beam,
                                         critical,
                                         min_covered,
                                         max_conditions,
                                         m_rows,
                                         threshold,
                                         listed(must),
                                         n_threads};
                Learned made;
                {
                    const nb::gil_scoped_release unlocked;
                    made = cn2(rows.made, options, ask_python());
                }
                if (made.stopped) throw nb::python_error();
                return told(made.rules, made.tried);
            },
            "measure"_a, "ordered"_a, "beam"_a, "critical"_a, "min_covered"_a, "max_conditions"_a, "m"_a,
            "threshold"_a, "must"_a.noconvert(), "n_threads"_a = 1,
            "CN2: the class of each rule, its tests (rule, column, op, value), and no sets.")
        .def(
            "grow",
            [](const BorrowedRows& rows, CodesIn some, std::int32_t label, bool smoothed, bool sets,
               double min_covered) {
                check_label(label, rows.made);
                Grower grower(rows.made, {smoothed, sets, min_covered, 0, {}, 1, {}});
                grower.aim(label);
                RuleOfClass one;
                one.label = label;
                grower.grow(one.rule, rows_in(some, rows.made));
                return told({one});
            },
            "rows"_a.noconvert(), "label"_a, "smoothed"_a, "sets"_a, "min_covered"_a,
            "One rule grown on some rows by FOIL's gain.")
        .def(
            "prune",
            [](const BorrowedRows& rows, CodesIn tests, CodesIn held, std::int32_t label, bool whole,
               bool subsets) {
                RipperOptions options;
                options.subsets = subsets;
                RuleOfClass one = rule_in(tests, label, rows.made);
                one.rule = pruned(rows.made, one.rule, rows_in(held, rows.made), label, whole, options);
                return told({one});
            },
            "tests"_a.noconvert(), "held"_a.noconvert(), "label"_a, "whole"_a, "subsets"_a,
            "A rule (column, op, value of each test) pruned on rows held back.");
    m.def("rule_theory_bits", &theory_bits, "k"_a, "n"_a,
          "The bits of a rule of k conditions out of n possible ones (Quinlan 1995).");
    m.def("rule_data_bits", &data_bits, "expected"_a, "cover"_a, "uncover"_a, "wrong"_a, "missed"_a,
          "The bits of the exceptions to rules.");
}
