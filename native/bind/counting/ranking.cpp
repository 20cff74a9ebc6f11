#include "kernels/counting/ranking.hpp"

#include <nanobind/stl/tuple.h>

#include "bind/borrow.hpp"

using TruthsIn = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

static void check(const FloatsIn& scores, const TruthsIn& positive, const FloatsIn& weights) {
    if (positive.size() != scores.size() || (weights.size() && weights.size() != scores.size()))
        throw nb::value_error("scores, positive and weights differ in length");
}

static void judge(acumen::Ranked fate) {
    if (fate == acumen::Ranked::stopped) throw nb::python_error();
    if (fate == acumen::Ranked::not_a_number) throw nb::value_error("a score is not a number");
}

void bind_ranking(nb::module_& m) {
    m.def(
        "pair_sums",
        [](FloatsIn scores, TruthsIn positive, FloatsIn weights, std::size_t n_threads) {
            check(scores, positive, weights);
            acumen::PairSums sums;
            acumen::Ranked fate;
            {
                const nb::gil_scoped_release unlocked;
                fate = acumen::pair_sums(span_of(scores), positive.data(), span_of(weights), n_threads,
                                         ask_python(), sums);
            }
            judge(fate);
            return std::make_tuple(sums.positive, sums.negative, sums.pairs);
        },
        "scores"_a.noconvert(), "positive"_a.noconvert(), "weights"_a.noconvert(), "n_threads"_a = 1,
        "Weight of positive rows, of negative rows, and of the pairs ranked rightly (a tie counts one "
        "half).");
    m.def(
        "tie_groups",
        [](FloatsIn scores, TruthsIn positive, FloatsIn weights, std::size_t n_threads) {
            check(scores, positive, weights);
            acumen::TieGroups groups;
            acumen::Ranked fate;
            {
                const nb::gil_scoped_release unlocked;
                fate = acumen::tie_groups(span_of(scores), positive.data(), span_of(weights), n_threads,
                                          ask_python(), groups);
            }
            judge(fate);
            return std::make_tuple(to_numpy(std::move(groups.score)), to_numpy(std::move(groups.positive)),
                                   to_numpy(std::move(groups.negative)));
        },
        "scores"_a.noconvert(), "positive"_a.noconvert(), "weights"_a.noconvert(), "n_threads"_a = 1,
        "The distinct scores, highest first, and the weight of positive and of negative rows of each.");
}
