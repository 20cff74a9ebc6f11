#include "kernels/clusters/linkage.hpp"

#include "bind/neighbours/borrow.hpp"
#include "kernels/clusters/dense_rows.hpp"

namespace {

// Ends a cut of the table: the group of each row, numbered by their first rows.
std::vector<std::int32_t> groups_after(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b,
                                       std::size_t n, std::size_t joins) {
    std::vector<std::int64_t> parent(n + joins);
    for (std::size_t i = 0; i < parent.size(); ++i) parent[i] = static_cast<std::int64_t>(i);
    for (std::size_t t = 0; t < joins; ++t)
        parent[static_cast<std::size_t>(a[t])] = parent[static_cast<std::size_t>(b[t])] =
            static_cast<std::int64_t>(n + t);
    for (std::size_t i = parent.size(); i-- > 0;)  // parents come later
        parent[i] = parent[static_cast<std::size_t>(parent[i])];
    std::vector<std::int32_t> name(parent.size(), -1), made(n);
    std::int32_t next = 0;
    for (std::size_t i = 0; i < n; ++i) {
        std::int32_t& own = name[static_cast<std::size_t>(parent[i])];
        if (own < 0) own = next++;
        made[i] = own;
    }
    return made;
}

}  // namespace

void bind_linkage(nb::module_& m) {
    m.def(
        "link_rows",
        [](const HeldRows& rows, MatrixIn extra, double far, const std::string& linkage,
           std::size_t n_threads) {
            check_all_pairs(rows, extra, "link_rows");
            const std::size_t n = rows.index->rows().n;
            const bool average = linkage == "average", complete = linkage == "complete";
            require(average || complete || linkage == "single" || linkage == "ward" || linkage == "divide",
                    "link_rows: no such linkage");
            require(linkage != "ward" || acumen::near_plain(rows.index->form(), rows.index->rows()),
                    "link_rows: ward is for Euclidean distances of complete numbers");
            acumen::JoinTable table;
            bool whole = true;
            {
                const nb::gil_scoped_release unlocked;
                const acumen::RowDistances apart(*rows.index, extra.size() ? extra.data() : nullptr, far);
                std::vector<acumen::Join> joins;
                const std::vector<double> weight = rows.index->weights();
                if (linkage == "single")
                    joins = acumen::link_single(apart, ask_python());
                else if (linkage == "ward")
                    joins = acumen::link_ward(apart, weight, ask_python());
                else if (linkage == "divide")
                    joins = acumen::divide(apart, weight, n_threads, ask_python());
                else
                    joins = acumen::link_pairs(
                        apart, weight, average ? acumen::PairLinkage::average : acumen::PairLinkage::complete,
                        n_threads, ask_python());
                whole = n < 2 || !joins.empty();
                table = acumen::table_of(std::move(joins), n);
            }
            if (!whole) throw nb::python_error();
            return nb::make_tuple(to_numpy(std::move(table.a)), to_numpy(std::move(table.b)),
                                  to_numpy(std::move(table.height)), to_numpy(std::move(table.size)));
        },
        "rows"_a, "extra"_a.noconvert(), "far"_a, "linkage"_a, "n_threads"_a = 1,
        "The joins of a hierarchy in the order of their heights: (first group, second, height, rows).");
    m.def(
        "cut_joins",
        [](nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> a,
           nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> b, std::size_t joins) {
            require(a.size() == b.size() && joins <= a.size(), "cut_joins: there are not so many joins");
            const std::size_t n = a.size() + 1;
            for (std::size_t t = 0; t < a.size(); ++t)
                for (const std::int64_t group : {a.data()[t], b.data()[t]})
                    require(group >= 0 && static_cast<std::size_t>(group) < n + t,
                            "cut_joins: a join of a group that is not there yet");
            return to_numpy(
                groups_after({a.data(), a.data() + a.size()}, {b.data(), b.data() + b.size()}, n, joins));
        },
        "a"_a.noconvert(), "b"_a.noconvert(), "joins"_a, "The group of each row after the first joins.");
    m.def(
        "dense_rows",
        [](const HeldRows& rows, MatrixIn extra, double eps, double enough, std::size_t n_threads) {
            check_all_pairs(rows, extra, "dense_rows");
            const acumen::NearWay way = rows.index->way();
            require(way == acumen::NearWay::kd || way == acumen::NearWay::brute,
                    "dense_rows: rows are searched by a k-d tree, or all of them");
            require(eps >= 0 && enough > 0, "dense_rows: eps must be at least 0, and enough more than 0");
            acumen::DenseGroups found;
            {
                const nb::gil_scoped_release unlocked;
                found = acumen::dense_rows(*rows.index, extra.size() ? extra.data() : nullptr, eps, enough,
                                           n_threads, ask_python());
            }
            if (!found.whole) throw nb::python_error();
            return nb::make_tuple(to_numpy(std::move(found.core)), to_numpy(std::move(found.group)),
                                  found.groups);
        },
        "rows"_a, "extra"_a.noconvert(), "eps"_a, "enough"_a, "n_threads"_a = 1,
        "Groups of rows that lie densely: (whether each is a core, its group or -1, how many groups).");
}
