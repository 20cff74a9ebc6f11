// Many small machines at once: a thread takes one after the other.
#pragma once

#include <cstdint>

#include "kernels/svm/kernel_sums.hpp"
#include "kernels/svm/smo.hpp"

namespace acumen {

// Machine m has the rows members[starts[m]] to members[starts[m + 1] - 1]; every other array has a number for
// each member. The kernel gets `extra` added everywhere (a folded bias) and `ridge` on its diagonal; `b` is
// all zero to begin with, and `gradient` minus what the rows are to be.
struct ManyMachines {
    KernelFunction function;
    KernelRows<double> rows;
    double extra;
    std::size_t machines;
    const std::int64_t *starts, *members;
    const double *low, *high, *ridge;
    double *b, *gradient;
    bool balanced;
};

// Each machine to `tolerance`, and then, as long as that is cheap, to `fine`; `steps` gets what each took.
// False when `stop` ended it early: then b and gradient of every machine are in order all the same.
bool smo_many(const ManyMachines& problem, double tolerance, double fine, std::uint64_t max_steps,
              std::int64_t* steps, std::size_t threads, const Stop& stop);

}  // namespace acumen
