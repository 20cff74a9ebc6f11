#include "kernels/rules/buckets.hpp"

#include "bind/arrays.hpp"

void bind_buckets(nb::module_& m) {
    m.def(
        "bucket_starts",
        [](MatrixIn weights, double least) {
            std::vector<std::int64_t> made;
            {
                const nb::gil_scoped_release unlocked;
                made = acumen::bucket_starts(span_of(weights), weights.shape(1), least);
            }
            return to_numpy(std::move(made));
        },
        "weights"_a.noconvert(), "least"_a,
        "At which lines of class weights (values, classes) the buckets of 1R begin.");
}
