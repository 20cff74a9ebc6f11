#include "kernels/trees/cells.hpp"

#include "bind/trees/borrow.hpp"

namespace {

using Bins = nb::ndarray<const std::uint16_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using RowsIn = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using PathsIn = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using BytesIn = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using CellsIn = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using CellsOut = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

acumen::tree::CellLayout layout_of(const CodesIn& at, std::size_t classes) {
    require(at.size() >= 2 && classes && at.data()[0] == 0, "tree cells: there are no inputs or no classes");
    for (std::size_t j = 1; j < at.size(); ++j)
        require(at.data()[j] > at.data()[j - 1], "tree cells: each input needs a cell for missing values");
    return {classes, span_of(at)};
}

void tree_count_cells(Bins codes, CodesIn labels, RowsIn rows, CodesIn slots, FloatsIn weights, CodesIn at,
                      CellsOut cells, std::size_t n_threads) {
    const acumen::tree::CellLayout layout = layout_of(at, cells.shape(2));
    const std::size_t n = labels.size(), m = rows.size();
    require(codes.shape(0) == layout.inputs() && codes.shape(1) == n && cells.shape(1) == layout.width() &&
                slots.size() == m && weights.size() == m,
            "tree_count_cells: shapes differ");
    for (std::size_t i = 0; i < n; ++i)
        require(labels.data()[i] >= 0 && static_cast<std::size_t>(labels.data()[i]) < cells.shape(2),
                "tree_count_cells: a label is no class");
    for (std::size_t i = 0; i < m; ++i)
        require(rows.data()[i] < n && slots.data()[i] >= 0 &&
                    static_cast<std::size_t>(slots.data()[i]) < cells.shape(0),
                "tree_count_cells: an instance has no row or no node");
    std::vector<const std::uint16_t*> columns;
    for (std::size_t j = 0; j < layout.inputs(); ++j) columns.push_back(codes.data() + j * n);
    bool whole;
    {
        const nb::gil_scoped_release unlocked;
        whole = acumen::tree::count_cells(layout, columns, labels.data(),
                                          {span_of(rows), span_of(slots), span_of(weights)}, cells.shape(0),
                                          n_threads, ask_python(), cells.data());
    }
    if (!whole) throw nb::python_error();
}

nb::typed<nb::dict, nb::str, nb::any> tree_split_cells(CellsIn cells, CodesIn at, CodesIn number_at,
                                                       CodesIn code_at, CodesIn levels, BytesIn ordered,
                                                       std::size_t rows, std::size_t depth, PathsIn paths,
                                                       FloatsIn factors, FloatsIn attribute_costs,
                                                       nb::dict options, std::size_t n_threads) {
    const acumen::tree::CellLayout layout = layout_of(at, cells.shape(2));
    require(cells.shape(1) == layout.width() && paths.size() == cells.shape(0) &&
                number_at.size() + code_at.size() == layout.inputs() && levels.size() == code_at.size() &&
                ordered.size() == code_at.size(),
            "tree_split_cells: shapes differ");
    std::vector<std::uint8_t> seen(layout.inputs());
    for (const auto places : {span_of(number_at), span_of(code_at)})
        for (const std::int32_t place : places) {
            require(place >= 0 && static_cast<std::size_t>(place) < seen.size() &&
                        !seen[static_cast<std::size_t>(place)],
                    "tree_split_cells: each input has one place");
            seen[static_cast<std::size_t>(place)] = 1;
        }
    for (std::size_t q = 0; q < code_at.size(); ++q)
        require(levels.data()[q] ==
                    static_cast<std::int32_t>(layout.codes(static_cast<std::size_t>(code_at.data()[q]))),
                "tree_split_cells: levels and cells differ");
    const std::vector<acumen::Column> numbers(number_at.size());
    const std::vector<acumen::CodeColumn> codes(code_at.size());
    const double some_weight = 1.0;  // cells weigh what they weigh
    acumen::tree::Table table;
    table.rows = rows;
    table.classes = cells.shape(2);
    table.numbers = numbers;
    table.codes = codes;
    table.number_at = span_of(number_at);
    table.code_at = span_of(code_at);
    table.levels = span_of(levels);
    table.ordered = span_of(ordered);
    table.weight = &some_weight;
    acumen::tree::Options asked = tree_options_of(options);
    require(!factors.size() || factors.size() == table.classes, "tree_split_cells: a factor for each class");
    require(!attribute_costs.size() || attribute_costs.size() == table.inputs(),
            "tree_split_cells: a cost for each input");
    asked.factors = span_of(factors);
    asked.attribute_costs = span_of(attribute_costs);
    acumen::tree::CellSplits found;
    bool whole;
    {
        const nb::gil_scoped_release unlocked;
        whole = acumen::tree::split_cells(table, asked, layout, cells.data(), cells.shape(0), depth,
                                          span_of(paths), n_threads, ask_python(), found);
    }
    if (!whole) throw nb::python_error();
    nb::typed<nb::dict, nb::str, nb::any> made;
    made["input"] = to_numpy(std::move(found.input));
    made["branches"] = to_numpy(std::move(found.branches));
    made["otherwise"] = to_numpy(std::move(found.otherwise));
    made["worth"] = to_numpy(std::move(found.worth));
    made["cut_at"] = to_numpy(std::move(found.cut_at));
    made["below"] = to_numpy(std::move(found.below));
    made["above"] = to_numpy(std::move(found.above));
    made["branch_at"] = to_numpy(std::move(found.branch_at));
    made["branch"] = to_numpy(std::move(found.branch));
    made["child_counts"] = to_numpy(std::move(found.child_counts));
    made["child_share"] = to_numpy(std::move(found.child_share));
    made["child_open"] = to_numpy(std::move(found.child_open));
    return made;
}

}  // namespace

void bind_tree_cells(nb::module_& m) {
    m.def("tree_count_cells", &tree_count_cells, "codes"_a.noconvert(), "labels"_a.noconvert(),
          "rows"_a.noconvert(), "slots"_a.noconvert(), "weights"_a.noconvert(), "at"_a.noconvert(),
          "cells"_a.noconvert(), "n_threads"_a = 1,
          "Add rows at some nodes of a tree to the cells of these nodes, in place.");
    m.def("tree_split_cells", &tree_split_cells, "cells"_a.noconvert(), "at"_a.noconvert(),
          "number_at"_a.noconvert(), "code_at"_a.noconvert(), "levels"_a.noconvert(), "ordered"_a.noconvert(),
          "rows"_a, "depth"_a, "paths"_a.noconvert(), "factors"_a.noconvert(),
          "attribute_costs"_a.noconvert(), "options"_a, "n_threads"_a = 1,
          "The test of each node from its cells, and the class weights of its children.");
}
