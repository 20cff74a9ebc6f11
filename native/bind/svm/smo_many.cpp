#include "kernels/svm/smo_many.hpp"

#include "bind/svm/borrow.hpp"

using StepsOut = nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

static void solve(const std::string& kernel, double gamma, double offset, unsigned degree,
                  Square<const double> rows, Line<double> squares, double extra, Places starts,
                  Places members, FloatsIn low, FloatsIn high, FloatsIn ridge, FloatsOut b,
                  FloatsOut gradient, bool balanced, double tolerance, double fine, std::uint64_t max_steps,
                  StepsOut steps, std::size_t threads) {
    const auto x = rows_of<double>(rows, squares);
    const std::size_t total = members.size(), machines = steps.size();
    if (starts.size() != machines + 1 || starts.data()[0] != 0 ||
        starts.data()[machines] != static_cast<std::int64_t>(total))
        throw nb::value_error("smo_many: starts must run from 0 to the number of members");
    for (std::size_t m = 0; m < machines; ++m)
        if (starts.data()[m] >= starts.data()[m + 1])
            throw nb::value_error("smo_many: a machine has no rows");
    for (const std::int64_t row : span_of(members))
        if (row < 0 || row >= static_cast<std::int64_t>(x.n))
            throw nb::value_error("smo_many: a member lies outside the rows");
    if (low.size() != total || high.size() != total || ridge.size() != total || b.size() != total ||
        gradient.size() != total)
        throw nb::value_error("smo_many: bounds, ridge, b and gradient need a number for each member");
    const acumen::ManyMachines problem{function_of(kernel, gamma, offset, degree),
                                       x,
                                       extra,
                                       machines,
                                       starts.data(),
                                       members.data(),
                                       low.data(),
                                       high.data(),
                                       ridge.data(),
                                       b.data(),
                                       gradient.data(),
                                       balanced};
    bool whole;
    {
        const nb::gil_scoped_release unlocked;
        whole = acumen::smo_many(problem, tolerance, fine, max_steps, steps.data(), threads, ask_python());
    }
    if (!whole) throw nb::python_error();
}

void bind_smo_many(nb::module_& m) {
    m.def("smo_many", &solve, "kernel"_a, "gamma"_a, "offset"_a, "degree"_a, "rows"_a.noconvert(),
          "squares"_a.noconvert(), "extra"_a, "starts"_a.noconvert(), "members"_a.noconvert(),
          "low"_a.noconvert(), "high"_a.noconvert(), "ridge"_a.noconvert(), "b"_a.noconvert(),
          "gradient"_a.noconvert(), "balanced"_a, "tolerance"_a, "fine"_a, "max_steps"_a,
          "steps"_a.noconvert(), "n_threads"_a = 1,
          "Solve many small machines as `smo` does one, kernel lines being made as they are asked for: "
          "machine m has "
          "the\nrows members[starts[m]:starts[m + 1]]. b (zeros), gradient and steps change in place, and "
          "are in "
          "order even\nwhen Ctrl-C raises.");
}
