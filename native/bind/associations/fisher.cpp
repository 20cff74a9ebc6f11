#include "kernels/associations/fisher.hpp"

#include "bind/borrow.hpp"

using LongsIn = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void bind_fisher(nb::module_& m) {
    m.def(
        "fisher_tails",
        [](LongsIn right, LongsIn covered, LongsIn head, LongsIn whole) {
            const std::size_t n = right.size();
            if (covered.size() != n || head.size() != n || whole.size() != n)
                throw nb::value_error("fisher_tails: counts differ in length");
            for (std::size_t i = 0; i < n; ++i) {
                const std::int64_t a = right.data()[i], b = covered.data()[i], k = head.data()[i],
                                   all = whole.data()[i];
                if (a < 0 || a > b || a > k || b > all || k > all || all > (std::int64_t{1} << 53) ||
                    a < b + k - all)
                    throw nb::value_error("fisher_tails: the counts of a table do not go together");
            }
            std::vector<double> made(n);
            {
                const nb::gil_scoped_release unlocked;
                acumen::fisher_tails(span_of(right), span_of(covered), span_of(head), span_of(whole),
                                     made.data());
            }
            return to_numpy(std::move(made));
        },
        "right"_a.noconvert(), "covered"_a.noconvert(), "head"_a.noconvert(), "whole"_a.noconvert(),
        "One-sided chances of Fisher's exact test, one for each table of counts.");
}
