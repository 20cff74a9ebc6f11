#include "bind/neighbours/borrow.hpp"
#include "kernels/neighbours/votes.hpp"

using RowsOwnIn = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using CodesOut = nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

namespace {

using Held = HeldRows;

acumen::NearForm form_of(const std::string& rule, const std::string& root, double power, double unit,
                         bool share, bool capped, const FloatsIn& factor, const FloatsIn& weight,
                         const FloatsIn& differ, const FloatsIn& count, const std::vector<MatrixIn>& tables,
                         const RowsOwnIn& levels, double extra) {
    acumen::NearForm form;
    const auto place = [](const std::string& word, std::initializer_list<const char*> words,
                          const char* sentence) {
        std::uint8_t at = 0;
        for (const char* known : words) {
            if (word == known) return at;
            ++at;
        }
        throw nb::value_error(sentence);
    };
    form.rule = static_cast<acumen::NearRule>(
        place(rule, {"squared", "absolute", "largest", "power"}, "Neighbours: no such rule"));
    form.root = static_cast<acumen::NearRoot>(
        place(root, {"itself", "square_root", "power_root", "half", "odds"}, "Neighbours: no such root"));
    form.power = power;
    form.unit = unit;
    form.share = share;
    form.capped = capped;
    form.extra_count = extra;
    require(factor.size() == weight.size(), "Neighbours: factor and weight differ in length");
    require(differ.size() == count.size() && differ.size() == tables.size() && differ.size() == levels.size(),
            "Neighbours: differ, count, tables and levels differ in length");
    form.factor.assign(factor.data(), factor.data() + factor.size());
    form.weight.assign(weight.data(), weight.data() + weight.size());
    form.differ.assign(differ.data(), differ.data() + differ.size());
    form.count.assign(count.data(), count.data() + count.size());
    for (std::size_t j = 0; j < tables.size(); ++j) {
        require(levels.data()[j] >= 0, "Neighbours: fewer than no levels");
        const auto size = static_cast<std::size_t>(levels.data()[j]);
        form.levels.push_back(size);
        const bool tabled = form.differ[j] != form.differ[j];
        require(!tabled || (tables[j].shape(1) == size + 1 && tables[j].shape(0) > size),
                "Neighbours: a table needs a column for each level and one for missing, and a line for each");
        form.table.emplace_back(tables[j].data(), tables[j].data() + (tabled ? tables[j].size() : 0));
    }
    return form;
}

acumen::NearQueries queries_of(const Held& held, const MatrixIn& values, const Codes2In& codes,
                               const MatrixIn& factor, const MatrixIn& extra, const RowsOwnIn& own,
                               const CodesIn& part) {
    const acumen::NearRows& rows = held.index->rows();
    acumen::NearQueries asked;
    asked.n = values.shape(0);
    require(values.shape(1) == rows.d && codes.shape(0) == asked.n && codes.shape(1) == rows.q,
            "Neighbours: the queries have other columns than the rows");
    require(!factor.size() || (factor.shape(0) == asked.n && factor.shape(1) == rows.d),
            "Neighbours: factor needs a number for each query and column");
    require((held.index->form().extra_count > 0) == (extra.size() > 0) || !asked.n,
            "Neighbours: what is added from outside is there for none or for all");
    require(!extra.size() || (extra.shape(0) == asked.n && extra.shape(1) == rows.n),
            "Neighbours: extra needs a number for each query and row");
    require(!own.size() || own.size() == asked.n, "Neighbours: own needs a row for each query");
    require(!part.size() || held.index->parts(), "Neighbours: the rows have no parts");
    require(!part.size() || part.size() == asked.n, "Neighbours: part needs a code for each query");
    for (std::size_t i = 0; i < own.size(); ++i)
        require(own.data()[i] < static_cast<std::int64_t>(rows.n), "Neighbours: own names no row");
    for (std::size_t i = 0; i < codes.size(); ++i) {
        const std::size_t lines = held.lines[i % rows.q];
        require(!lines || (codes.data()[i] >= -1 && codes.data()[i] < static_cast<std::int64_t>(lines)),
                "Neighbours: a code is no line of its table");
    }
    asked.values = values.data();
    asked.codes = codes.data();
    asked.factor = factor.size() ? factor.data() : nullptr;
    asked.extra = extra.size() ? extra.data() : nullptr;
    asked.own = own.size() ? own.data() : nullptr;
    asked.part = part.size() ? part.data() : nullptr;
    return asked;
}

acumen::NearSay say_of(const std::string& word) {
    if (word == "uniform") return acumen::NearSay::uniform;
    if (word == "distance") return acumen::NearSay::distance;
    require(word == "kernel", "Neighbours: no such say");
    return acumen::NearSay::kernel;
}

acumen::NearTargets targets_of(const Held& held, const CodesIn& labels, const FloatsIn& numbers,
                               const FloatsIn& totals) {
    const std::size_t n = held.index->rows().n;
    acumen::NearTargets targets;
    targets.classes = totals.size();
    require(targets.classes ? labels.size() == n : numbers.size() == n,
            "Neighbours: one target is needed for each row");
    for (std::size_t i = 0; targets.classes && i < n; ++i)
        require(labels.data()[i] >= 0 && static_cast<std::size_t>(labels.data()[i]) < targets.classes,
                "Neighbours: a label is no class");
    targets.labels = labels.data();
    targets.numbers = numbers.data();
    targets.totals = totals.data();
    return targets;
}

}  // namespace

void bind_neighbours(nb::module_& m) {
    nb::class_<Held>(m, "Neighbours", "Rows among which the nearest are searched.")
        .def(
            "__init__",
            [](Held* self, MatrixIn values, Codes2In codes, FloatsIn row_weight, CodesIn part,
               const std::string& way, const std::string& rule, const std::string& root, double power,
               double unit, bool share, bool capped, FloatsIn factor, FloatsIn weight, FloatsIn differ,
               FloatsIn count, const std::vector<MatrixIn>& tables, RowsOwnIn levels, double extra,
               std::size_t n_threads) {
                acumen::NearForm form = form_of(rule, root, power, unit, share, capped, factor, weight,
                                                differ, count, tables, levels, extra);
                acumen::NearRows rows;
                rows.n = values.shape(0);
                rows.d = values.shape(1);
                rows.q = codes.shape(1);
                require(codes.shape(0) == rows.n && (!row_weight.size() || row_weight.size() == rows.n) &&
                            (!part.size() || part.size() == rows.n),
                        "Neighbours: values, codes, weights and parts differ in length");
                require(rows.d == form.numbers() && rows.q == form.nominal(),
                        "Neighbours: the rows have other columns than the distance");
                require(rows.n < 0xFFFFFFFFU, "Neighbours: there are too many rows");
                bool complete = true;
                for (std::size_t i = 0; i < codes.size(); ++i) {
                    const auto size = static_cast<std::int64_t>(form.levels[i % rows.q]);
                    require(codes.data()[i] >= 0 && codes.data()[i] <= size,
                            "Neighbours: a code is no level");
                    complete = complete && codes.data()[i] < size;
                }
                std::size_t unknown = 0;
                for (const double value : span_of(values)) unknown += value != value;
                complete = complete && !unknown;
                acumen::NearWay kind = acumen::NearWay::brute;
                if (way == "blocked") kind = acumen::NearWay::blocked;
                if (way == "kd") kind = acumen::NearWay::kd;
                if (way == "vantage") kind = acumen::NearWay::vantage;
                require(kind != acumen::NearWay::brute || way == "brute", "Neighbours: no such way");
                require(kind == acumen::NearWay::brute || (complete && !extra && rows.n),
                        "Neighbours: only brute force searches rows with missing values, or words");
                require(
                    (kind != acumen::NearWay::kd && kind != acumen::NearWay::blocked) || (!rows.q && rows.d),
                    "Neighbours: k-d trees and products are for numbers");
                if (kind == acumen::NearWay::blocked) {
                    bool ones = rule == "squared" && !share;
                    for (const double w : form.weight) ones = ones && w == 1;
                    require(ones, "Neighbours: products are for squared differences");
                }
                rows.values = values.data();
                rows.codes = codes.data();
                std::vector<double> weights(row_weight.data(), row_weight.data() + row_weight.size());
                std::vector<std::int32_t> parts(part.data(), part.data() + part.size());
                Held made;
                made.values = values;
                made.codes = codes;
                for (std::size_t j = 0; j < rows.q; ++j)
                    made.lines.push_back(form.table[j].size() / (form.levels[j] + 1));
                {
                    const nb::gil_scoped_release unlocked;
                    made.index = std::make_unique<acumen::NearIndex>(std::move(form), std::move(rows),
                                                                     std::move(weights), std::move(parts),
                                                                     kind, n_threads, ask_python());
                }
                if (!made.index->finished()) throw nb::python_error();
                new (self) Held(std::move(made));
            },
            "values"_a.noconvert(), "codes"_a.noconvert(), "row_weight"_a.noconvert(), "part"_a.noconvert(),
            "way"_a, "rule"_a, "root"_a, "power"_a, "unit"_a, "share"_a, "capped"_a, "factor"_a.noconvert(),
            "weight"_a.noconvert(), "differ"_a.noconvert(), "count"_a.noconvert(), "tables"_a,
            "levels"_a.noconvert(), "extra"_a, "n_threads"_a = 1)
        .def(
            "votes",
            [](const Held& self, MatrixIn values, Codes2In codes, MatrixIn factor, MatrixIn extra,
               RowsOwnIn own, CodesIn part, double k, const std::string& say, CodesIn labels,
               FloatsIn numbers, FloatsIn totals, MatrixOut votes, CodesOut winner, FloatsOut reach,
               FloatsOut within, std::size_t n_threads) {
                const acumen::NearQueries asked = queries_of(self, values, codes, factor, extra, own, part);
                const acumen::NearTargets targets = targets_of(self, labels, numbers, totals);
                require(votes.shape(0) == asked.n &&
                            votes.shape(1) == std::max<std::size_t>(targets.classes, 1) &&
                            winner.size() == asked.n && reach.size() == asked.n && within.size() == asked.n,
                        "Neighbours: the answers need a line for each query");
                const acumen::NearSay how = say_of(say);
                bool whole;
                {
                    const nb::gil_scoped_release unlocked;
                    whole =
                        acumen::near_votes(*self.index, asked, k, how, targets, votes.data(), winner.data(),
                                           reach.data(), within.data(), n_threads, ask_python());
                }
                if (!whole) throw nb::python_error();
            },
            "values"_a.noconvert(), "codes"_a.noconvert(), "factor"_a.noconvert(), "extra"_a.noconvert(),
            "own"_a.noconvert(), "part"_a.noconvert(), "k"_a, "say"_a, "labels"_a.noconvert(),
            "numbers"_a.noconvert(), "totals"_a.noconvert(), "votes"_a.noconvert(), "winner"_a.noconvert(),
            "reach"_a.noconvert(), "within"_a.noconvert(), "n_threads"_a = 1)
        .def(
            "curve",
            [](const Held& self, MatrixIn values, Codes2In codes, MatrixIn factor, MatrixIn extra,
               RowsOwnIn own, CodesIn part, const std::string& say, CodesIn labels, FloatsIn numbers,
               FloatsIn totals, CodesIn truth_labels, FloatsIn truth_numbers, FloatsIn query_weight,
               FloatsOut sums, FloatsOut squares, std::size_t n_threads) {
                const acumen::NearQueries asked = queries_of(self, values, codes, factor, extra, own, part);
                const acumen::NearTargets targets = targets_of(self, labels, numbers, totals);
                require((targets.classes ? truth_labels.size() : truth_numbers.size()) == asked.n &&
                            query_weight.size() == asked.n && sums.size() == squares.size(),
                        "Neighbours: a truth and a weight are needed for each query");
                const acumen::NearSay how = say_of(say);
                bool whole;
                {
                    const nb::gil_scoped_release unlocked;
                    whole = acumen::near_curve(*self.index, asked, sums.size(), how, targets,
                                               truth_labels.data(), truth_numbers.data(), query_weight.data(),
                                               sums.data(), squares.data(), n_threads, ask_python());
                }
                if (!whole) throw nb::python_error();
            },
            "values"_a.noconvert(), "codes"_a.noconvert(), "factor"_a.noconvert(), "extra"_a.noconvert(),
            "own"_a.noconvert(), "part"_a.noconvert(), "say"_a, "labels"_a.noconvert(),
            "numbers"_a.noconvert(), "totals"_a.noconvert(), "truth_labels"_a.noconvert(),
            "truth_numbers"_a.noconvert(), "query_weight"_a.noconvert(), "sums"_a.noconvert(),
            "squares"_a.noconvert(), "n_threads"_a = 1)
        .def(
            "lists",
            [](const Held& self, MatrixIn values, Codes2In codes, MatrixIn factor, MatrixIn extra,
               RowsOwnIn own, CodesIn part, double k, std::size_t n_threads) {
                const acumen::NearQueries asked = queries_of(self, values, codes, factor, extra, own, part);
                std::vector<std::vector<acumen::NearFound>> lists;
                std::vector<std::int64_t> ends(1, 0), rows;
                std::vector<double> distances;
                bool whole;
                {
                    const nb::gil_scoped_release unlocked;
                    whole = acumen::near_lists(*self.index, asked, k, lists, n_threads, ask_python());
                    for (const auto& list : lists) {
                        for (const acumen::NearFound& found : list) {
                            rows.push_back(found.row);
                            distances.push_back(self.index->form().distance(found.key));
                        }
                        ends.push_back(static_cast<std::int64_t>(rows.size()));
                    }
                }
                if (!whole) throw nb::python_error();
                return nb::make_tuple(to_numpy(std::move(ends)), to_numpy(std::move(rows)),
                                      to_numpy(std::move(distances)));
            },
            "values"_a.noconvert(), "codes"_a.noconvert(), "factor"_a.noconvert(), "extra"_a.noconvert(),
            "own"_a.noconvert(), "part"_a.noconvert(), "k"_a, "n_threads"_a = 1)
        .def(
            "between",
            [](const Held& self, MatrixIn values, Codes2In codes, MatrixIn factor, MatrixIn extra,
               RowsOwnIn own, CodesIn part, MatrixOut made, std::size_t n_threads) {
                const acumen::NearQueries asked = queries_of(self, values, codes, factor, extra, own, part);
                const acumen::NearRows& rows = self.index->rows();
                require(made.shape(0) == asked.n && made.shape(1) == rows.n,
                        "Neighbours: between needs a number for each pair");
                bool whole;
                {
                    const nb::gil_scoped_release unlocked;
                    whole = acumen::all_distances(*self.index, asked, made.data(), n_threads, ask_python());
                }
                if (!whole) throw nb::python_error();
            },
            "values"_a.noconvert(), "codes"_a.noconvert(), "factor"_a.noconvert(), "extra"_a.noconvert(),
            "own"_a.noconvert(), "part"_a.noconvert(), "made"_a.noconvert(), "n_threads"_a = 1);
}
