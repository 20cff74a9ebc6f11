// The one extension; each kernel header has a binding file of its own, listed here.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_buckets(nb::module_& m);
void bind_cars(nb::module_& m);
void bind_cells(nb::module_& m);
void bind_counting(nb::module_& m);
void bind_distinct(nb::module_& m);
void bind_dual_ascent(nb::module_& m);
void bind_first_cover(nb::module_& m);
void bind_forest(nb::module_& m);
void bind_gaussian(nb::module_& m);
void bind_histogram(nb::module_& m);
void bind_intern(nb::module_& m);
void bind_itemsets(nb::module_& m);
void bind_kernel_sums(nb::module_& m);
void bind_joint(nb::module_& m);
void bind_kernel_rows(nb::module_& m);
void bind_gram(nb::module_& m);
void bind_logistic(nb::module_& m);
void bind_lasso(nb::module_& m);
void bind_moments(nb::module_& m);
void bind_neighbours(nb::module_& m);
void bind_parzen(nb::module_& m);
void bind_perceptron(nb::module_& m);
void bind_quadratic(nb::module_& m);
void bind_ranking(nb::module_& m);
void bind_row_sums(nb::module_& m);
void bind_scatter(nb::module_& m);
void bind_sgd(nb::module_& m);
void bind_single_machine(nb::module_& m);
void bind_smo(nb::module_& m);
void bind_smo_many(nb::module_& m);
void bind_sparse_text(nb::module_& m);
void bind_text(nb::module_& m);
void bind_traces(nb::module_& m);
void bind_tree_cells(nb::module_& m);
void bind_tree_prune(nb::module_& m);
void bind_trees(nb::module_& m);
void bind_triangle(nb::module_& m);
void bind_word_logs(nb::module_& m);
void bind_word_sums(nb::module_& m);
void bind_words(nb::module_& m);

NB_MODULE(_native, m) {
    m.doc() = "acumen's C++ kernels.";
    bind_buckets(m);
    bind_cars(m);
    bind_cells(m);
    bind_counting(m);
    bind_first_cover(m);
    bind_row_sums(m);  // LinearRows, which others take
    bind_distinct(m);
    bind_dual_ascent(m);
    bind_forest(m);
    bind_gaussian(m);
    bind_histogram(m);
    bind_intern(m);
    bind_itemsets(m);
    bind_kernel_sums(m);
    bind_joint(m);
    bind_kernel_rows(m);
    bind_gram(m);
    bind_logistic(m);
    bind_lasso(m);
    bind_moments(m);
    bind_neighbours(m);
    bind_parzen(m);
    bind_perceptron(m);
    bind_quadratic(m);
    bind_ranking(m);
    bind_scatter(m);
    bind_sgd(m);
    bind_single_machine(m);
    bind_smo(m);
    bind_smo_many(m);
    bind_sparse_text(m);
    bind_text(m);
    bind_traces(m);
    bind_tree_cells(m);
    bind_tree_prune(m);
    bind_trees(m);
    bind_triangle(m);
    bind_word_logs(m);
    bind_word_sums(m);
    bind_words(m);
}
