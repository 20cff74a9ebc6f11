#include "kernels/clusters/medoids.hpp"

#include "bind/neighbours/borrow.hpp"

namespace {

using RowsIn = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::vector<double> weights_of(const HeldRows& held) { return held.index->weights(); }

}  // namespace

void bind_medoids(nb::module_& m) {
    m.def(
        "start_medoids",
        [](const HeldRows& rows, MatrixIn extra, double far, FloatsIn drawn) {
            check_all_pairs(rows, extra, "start_medoids");
            const std::vector<double> shares(drawn.data(), drawn.data() + drawn.size());
            std::vector<std::int64_t> made;
            {
                const nb::gil_scoped_release unlocked;
                const acumen::RowDistances apart(*rows.index, extra.size() ? extra.data() : nullptr, far);
                const auto found = acumen::start_medoids(apart, weights_of(rows), shares);
                made.assign(found.begin(), found.end());
            }
            return to_numpy(std::move(made));
        },
        "rows"_a, "extra"_a.noconvert(), "far"_a, "drawn"_a.noconvert(),
        "Rows spread out, one for each number drawn; fewer where fewer differ.");
    m.def(
        "search_medoids",
        [](const HeldRows& rows, MatrixIn extra, double far, RowsIn medoids, bool drawn, std::uint64_t seed,
           std::size_t patience, std::size_t most, std::size_t n_threads) {
            check_all_pairs(rows, extra, "search_medoids");
            const std::size_t n = rows.index->rows().n;
            acumen::MedoidSearch how;
            std::vector<std::uint8_t> taken(n, 0);
            for (const std::int64_t row : span_of(medoids)) {
                require(
                    row >= 0 && static_cast<std::size_t>(row) < n && !taken[static_cast<std::size_t>(row)],
                    "search_medoids: medoids must be different rows");
                taken[static_cast<std::size_t>(row)] = 1;
                how.medoids.push_back(static_cast<std::uint32_t>(row));
            }
            require(!how.medoids.empty(), "search_medoids: there are no medoids");
            how.drawn = drawn, how.seed = seed, how.patience = patience, how.most = most,
            how.threads = n_threads;
            acumen::MedoidsFound found;
            {
                const nb::gil_scoped_release unlocked;
                const acumen::RowDistances apart(*rows.index, extra.size() ? extra.data() : nullptr, far);
                found = acumen::search_medoids(apart, weights_of(rows), how, ask_python());
            }
            if (!found.whole) throw nb::python_error();
            return nb::make_tuple(
                to_numpy(std::vector<std::int64_t>(found.medoids.begin(), found.medoids.end())),
                to_numpy(std::move(found.nearest)), found.loss, to_numpy(std::move(found.losses)),
                found.tried, found.settled);
        },
        "rows"_a, "extra"_a.noconvert(), "far"_a, "medoids"_a.noconvert(), "drawn"_a, "seed"_a, "patience"_a,
        "most"_a, "n_threads"_a = 1,
        "Better medoids by swaps: (medoids, the place of each row's, loss, losses, candidates, settled).");
}
