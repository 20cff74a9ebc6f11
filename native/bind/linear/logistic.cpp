#include "kernels/linear/logistic.hpp"

#include <nanobind/stl/optional.h>

#include "bind/borrow.hpp"

using EndsIn = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// A compressed matrix whose every index points inside; `across` is one more than the largest index allowed.
static acumen::Compressed compressed(const EndsIn& ends, const CodesIn& at, const FloatsIn& value,
                                     std::size_t across, const char* who) {
    bool right = ends.size() > 0 && at.size() == value.size() && ends.data()[0] == 0 &&
                 ends.data()[ends.size() - 1] == static_cast<std::int64_t>(at.size());
    for (std::size_t i = 1; right && i < ends.size(); ++i) right = ends.data()[i - 1] <= ends.data()[i];
    for (std::size_t e = 0; right && e < at.size(); ++e)
        right = static_cast<std::uint32_t>(at.data()[e]) < across;
    if (!right) throw nb::value_error((std::string(who) + ": this is no compressed matrix").c_str());
    return {span_of(ends), span_of(at), span_of(value)};
}

static acumen::Outcomes outcomes_of(const CodesIn& labels, const FloatsIn& weights, std::size_t lines,
                                    const char* who) {
    bool right = lines > 0 && (!weights.size() || weights.size() == labels.size());
    const auto classes = static_cast<std::uint32_t>(lines == 1 ? 2 : lines);
    for (std::size_t i = 0; right && i < labels.size(); ++i)
        right = static_cast<std::uint32_t>(labels.data()[i]) < classes;
    if (!right) throw nb::value_error((std::string(who) + ": labels and weights do not go together").c_str());
    return {span_of(labels), weights.size() ? weights.data() : nullptr, lines};
}

static bool is_square(const MatrixOut& matrix, std::size_t side) {
    return matrix.shape(0) == side && matrix.shape(1) == side;
}

static double dense(nb::handle columns, const FloatsIn& centre, const FloatsIn& factor, const CodesIn& labels,
                    const FloatsIn& weights, const MatrixIn& coefficients, const MatrixOut& gradient,
                    const std::optional<MatrixOut>& hessian, std::size_t n_threads) {
    const char* who = "logistic_dense";
    const BorrowedColumns<double> values(columns, who);
    const std::size_t d = values.size(), lines = coefficients.shape(0);
    const auto outcomes = outcomes_of(labels, weights, lines, who);
    if (!values.has_rows(labels.size()) || centre.size() != d || factor.size() != d ||
        coefficients.shape(1) != d + 1 || gradient.shape(0) != lines || gradient.shape(1) != d + 1 ||
        (hessian && !is_square(*hessian, lines * (d + 1))))
        throw nb::value_error("logistic_dense: the arrays' shapes do not go together");
    const auto borrowed = columns_of(values);
    double loss = 0;
    bool whole;
    {
        const nb::gil_scoped_release unlocked;
        whole = acumen::logistic_dense(borrowed, centre.data(), factor.data(), outcomes, coefficients.data(),
                                       loss, gradient.data(), hessian ? hessian->data() : nullptr, n_threads,
                                       ask_python());
    }
    if (!whole) throw nb::python_error();
    return loss;
}

// The two forms of a sparse matrix, checked once and borrowed for every pass.
class SparseRows {
  public:
    SparseRows(EndsIn ends, CodesIn at, FloatsIn value, EndsIn t_ends, CodesIn t_at, FloatsIn t_value)
        : ends_(ends),
          t_ends_(t_ends),
          at_(at),
          t_at_(t_at),
          value_(value),
          t_value_(t_value),
          rows_(compressed(ends, at, value, t_ends.size() ? t_ends.size() - 1 : 0, "SparseRows")),
          columns_(compressed(t_ends, t_at, t_value, ends.size() ? ends.size() - 1 : 0, "SparseRows")) {}

    double pass(const CodesIn& labels, const FloatsIn& weights, const MatrixIn& coefficients,
                const MatrixOut& scratch, const MatrixOut& gradient, std::size_t n_threads) const {
        const std::size_t d = columns_.size(), lines = coefficients.shape(0);
        const auto outcomes = outcomes_of(labels, weights, lines, "SparseRows.logistic");
        if (labels.size() != rows_.size() || coefficients.shape(1) != d + 1 ||
            scratch.shape(0) != rows_.size() || scratch.shape(1) != lines || gradient.shape(0) != lines ||
            gradient.shape(1) != d + 1)
            throw nb::value_error("SparseRows.logistic: the arrays' shapes do not go together");
        double loss = 0;
        bool whole;
        {
            const nb::gil_scoped_release unlocked;
            whole = acumen::logistic_sparse(rows_, columns_, outcomes, coefficients.data(), scratch.data(),
                                            loss, gradient.data(), n_threads, ask_python());
        }
        if (!whole) throw nb::python_error();
        return loss;
    }

    void hessian(const CodesIn& labels, const FloatsIn& weights, const MatrixIn& coefficients,
                 const MatrixOut& hessian, std::size_t n_threads) const {
        const std::size_t d = columns_.size(), lines = coefficients.shape(0);
        const auto outcomes = outcomes_of(labels, weights, lines, "SparseRows.logistic_hessian");
        if (labels.size() != rows_.size() || coefficients.shape(1) != d + 1 ||
            !is_square(hessian, lines * (d + 1)))
            throw nb::value_error("SparseRows.logistic_hessian: the arrays' shapes do not go together");
        bool whole;
        {
            const nb::gil_scoped_release unlocked;
            whole = acumen::logistic_sparse_hessian(rows_, d, outcomes, coefficients.data(), hessian.data(),
                                                    n_threads, ask_python());
        }
        if (!whole) throw nb::python_error();
    }

  private:
    EndsIn ends_, t_ends_;
    CodesIn at_, t_at_;
    FloatsIn value_, t_value_;
    acumen::Compressed rows_, columns_;
};

void bind_logistic(nb::module_& m) {
    m.def("logistic_dense", &dense, "columns"_a, "centre"_a.noconvert(), "factor"_a.noconvert(),
          "labels"_a.noconvert(), "weights"_a.noconvert(), "coefficients"_a.noconvert(),
          "gradient"_a.noconvert(), "hessian"_a.noconvert().none(), "n_threads"_a = 1,
          "The loss of logistic regression over columns read as (x - centre) * factor, missing as zero;\n"
          "`gradient` (lines x columns and intercept) and `hessian` (its square, or None) are overwritten.");
    nb::class_<SparseRows>(m, "SparseRows", "A sparse matrix by rows and by columns, checked once.")
        .def(nb::init<EndsIn, CodesIn, FloatsIn, EndsIn, CodesIn, FloatsIn>(), "ends"_a.noconvert(),
             "at"_a.noconvert(), "value"_a.noconvert(), "t_ends"_a.noconvert(), "t_at"_a.noconvert(),
             "t_value"_a.noconvert())
        .def("logistic", &SparseRows::pass, "labels"_a.noconvert(), "weights"_a.noconvert(),
             "coefficients"_a.noconvert(), "scratch"_a.noconvert(), "gradient"_a.noconvert(),
             "n_threads"_a = 1,
             "The loss of logistic regression; `gradient` is overwritten, `scratch` left with the residuals.")
        .def("logistic_hessian", &SparseRows::hessian, "labels"_a.noconvert(), "weights"_a.noconvert(),
             "coefficients"_a.noconvert(), "hessian"_a.noconvert(), "n_threads"_a = 1,
             "The second derivatives of that loss.");
}
