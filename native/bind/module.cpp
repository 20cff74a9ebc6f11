// The one extension: every topic has a folder of bindings, all of them listed here.
#include <nanobind/nanobind.h>

#include <exception>
#include <new>
#include <stdexcept>

namespace nb = nanobind;

void bind_adatron(nb::module_& m);
void bind_additive(nb::module_& m);
void bind_boost(nb::module_& m);
void bind_buckets(nb::module_& m);
void bind_cars(nb::module_& m);
void bind_cells(nb::module_& m);
void bind_counting(nb::module_& m);
void bind_distinct(nb::module_& m);
void bind_dual_ascent(nb::module_& m);
void bind_families(nb::module_& m);
void bind_first_cover(nb::module_& m);
void bind_fisher(nb::module_& m);
void bind_forest(nb::module_& m);
void bind_gaussian(nb::module_& m);
void bind_graph_cut(nb::module_& m);
void bind_histogram(nb::module_& m);
void bind_intern(nb::module_& m);
void bind_itemsets(nb::module_& m);
void bind_kernel_sums(nb::module_& m);
void bind_joint(nb::module_& m);
void bind_kernel_rows(nb::module_& m);
void bind_gram(nb::module_& m);
void bind_linkage(nb::module_& m);
void bind_logistic(nb::module_& m);
void bind_lasso(nb::module_& m);
void bind_birch(nb::module_& m);
void bind_means(nb::module_& m);
void bind_mixture(nb::module_& m);
void bind_prototypes(nb::module_& m);
void bind_medoids(nb::module_& m);
void bind_moments(nb::module_& m);
void bind_neighbours(nb::module_& m);
void bind_parzen(nb::module_& m);
void bind_perceptron(nb::module_& m);
void bind_quadratic(nb::module_& m);
void bind_ranking(nb::module_& m);
void bind_relief(nb::module_& m);
void bind_row_sums(nb::module_& m);
void bind_rules(nb::module_& m);
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

namespace {

// Memory that a kernel asks for and does not get, or a size beyond all memory, as a sentence.
void translate_shortage(const std::exception_ptr& thrown, void*) {
    constexpr const char* sentence =
        "a calculation needs more memory than there is; leave out columns of many levels, or take fewer "
        "rows.";
    try {
        std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
        PyErr_SetString(PyExc_MemoryError, sentence);
    } catch (const std::length_error&) {
        PyErr_SetString(PyExc_MemoryError, sentence);
    }
}

}  // namespace

NB_MODULE(_native, m) {
    nb::register_exception_translator(translate_shortage);
    m.doc() = "acumen's C++ kernels.";
    bind_adatron(m);
    bind_additive(m);
    bind_boost(m);
    bind_buckets(m);
    bind_cars(m);
    bind_cells(m);
    bind_counting(m);
    bind_families(m);
    bind_first_cover(m);
    bind_fisher(m);
    bind_relief(m);
    bind_row_sums(m);  // LinearRows, which others take
    bind_distinct(m);
    bind_dual_ascent(m);
    bind_forest(m);
    bind_gaussian(m);
    bind_graph_cut(m);
    bind_histogram(m);
    bind_intern(m);
    bind_itemsets(m);
    bind_kernel_sums(m);
    bind_joint(m);
    bind_kernel_rows(m);
    bind_gram(m);
    bind_logistic(m);
    bind_lasso(m);
    bind_birch(m);
    bind_means(m);
    bind_mixture(m);
    bind_prototypes(m);
    bind_moments(m);
    bind_neighbours(m);
    bind_linkage(m);  // takes Neighbours, as the next does
    bind_medoids(m);
    bind_parzen(m);
    bind_perceptron(m);
    bind_quadratic(m);
    bind_ranking(m);
    bind_rules(m);
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
