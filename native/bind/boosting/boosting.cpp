#include "bind/forests/borrow.hpp"
#include "kernels/boosting/types.hpp"

namespace {

namespace boosting = acumen::boosting;
namespace forest = acumen::forest;
using Named = nb::typed<nb::dict, nb::str, nb::any>;
using SignsIn = nb::ndarray<const std::int8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Named gradient_boost(nb::handle columns, CodesIn slots, FlagsIn nominal, nb::handle low, nb::handle high,
                     CodesIn labels, FloatsIn response, FloatsIn weights, FloatsIn held, FloatsIn base,
                     double weight_unit, SignsIn monotone, Named options, nb::object tell,
                     std::size_t n_threads) {
    const bool numbers = labels.size() == 0;
    const std::size_t n = numbers ? response.size() : labels.size(), lines = base.size();
    const BorrowedCodes codes(columns, slots, nominal, low, high, n);
    require(n && n < (std::size_t{1} << 31), "gradient_boost: it needs rows, and less than 2^31 of them");
    require((!weights.size() || weights.size() == n) && (!held.size() || held.size() == n),
            "gradient_boost: rows and weights differ in length");
    require(lines >= 1 && (!numbers || lines == 1) && weight_unit > 0, "gradient_boost: no line, or no unit");
    require(!monotone.size() || monotone.size() == slots.size(), "gradient_boost: a sign for each column");
    const std::size_t classes = numbers ? 0 : std::max<std::size_t>(lines, 2);
    for (const std::int32_t label : span_of(labels))
        require(label >= 0 && static_cast<std::size_t>(label) < classes,
                "gradient_boost: a label is no class");
    boosting::Given given;
    given.table.rows = n;
    given.table.classes = classes;
    given.table.columns = codes.columns();
    given.table.label = numbers ? nullptr : labels.data();
    given.table.response = numbers ? response.data() : nullptr;
    given.table.weight = weights.size() ? weights.data() : nullptr;
    given.held = held.size() ? held.data() : nullptr;
    given.lines = lines;
    given.base.assign(base.data(), base.data() + lines);
    given.weight_unit = weight_unit;
    boosting::Options asked;
    asked.rounds = nb::cast<std::size_t>(options["rounds"]);
    asked.rate = nb::cast<double>(options["rate"]);
    asked.leaves = nb::cast<std::size_t>(options["leaves"]);
    asked.leaf_size = nb::cast<double>(options["leaf_size"]) * (1 - 1e-9);
    asked.l2 = nb::cast<double>(options["l2"]);
    asked.level_l2 = nb::cast<double>(options["level_l2"]);
    asked.sample = nb::cast<double>(options["sample"]);
    asked.columns = nb::cast<double>(options["columns"]);
    asked.patience = nb::cast<std::size_t>(options["patience"]);
    asked.seed = nb::cast<std::uint64_t>(options["seed"]);
    asked.monotone = span_of(monotone);
    boosting::Made made;
    {
        const nb::gil_scoped_release unlocked;
        made = boosting::boost(given, asked, n_threads, [&](std::size_t done) {
            const nb::gil_scoped_acquire locked;
            if (!tell.is_none()) tell(done);
            return PyErr_CheckSignals() != 0;
        });
    }
    nb::object stopped = nb::none();
    if (made.stopped) {
        const nb::python_error raised;  // takes what the signal has raised
        stopped = nb::borrow(raised.value());
    }
    std::vector<std::uint32_t> node, sets;
    std::vector<double> value;
    std::vector<std::int64_t> start{0}, set_start{0};
    for (const forest::Tree& tree : made.trees) {
        for (const forest::Node& each : tree.node) node.push_back(each.test), node.push_back(each.child);
        value.insert(value.end(), tree.value.begin(), tree.value.end());
        sets.insert(sets.end(), tree.sets.begin(), tree.sets.end());
        start.push_back(start.back() + static_cast<std::int64_t>(tree.node.size()));
        set_start.push_back(static_cast<std::int64_t>(sets.size()));
    }
    Named arrays;
    arrays["node"] = to_numpy(std::move(node), 2);
    arrays["value"] = to_numpy(std::move(value), lines);
    arrays["sets"] = to_numpy(std::move(sets));
    arrays["start"] = to_numpy(std::move(start));
    arrays["set_start"] = to_numpy(std::move(set_start));
    arrays["held"] = to_numpy(std::move(made.held));
    arrays["gain"] = to_numpy(std::move(made.gain));
    arrays["stopped"] = stopped;
    return arrays;
}

}  // namespace

void bind_boost(nb::module_& m) {
    m.def("gradient_boost", &gradient_boost, "columns"_a, "slots"_a.noconvert(), "nominal"_a.noconvert(),
          "low"_a, "high"_a, "labels"_a.noconvert(), "response"_a.noconvert(), "weights"_a.noconvert(),
          "held"_a.noconvert(), "base"_a.noconvert(), "weight_unit"_a, "monotone"_a.noconvert(), "options"_a,
          "tell"_a.none(), "n_threads"_a = 1,
          "Gradient boosting from columns of codes: packed trees, and the loss of held-out rows after each "
          "round.");
}
