// CN2 (Clark and Niblett 1989; Clark and Boswell 1991): rules by beam search, one after another.
#pragma once

#include "kernels/common/parallel.hpp"
#include "kernels/rules/ripper.hpp"

namespace acumen::rules {

enum class Measure : int { entropy = 0, laplace = 1, m_estimate = 2, likelihood_ratio = 3, wracc = 4 };

struct Cn2Options {
    Measure measure = Measure::entropy;
    bool ordered = true;
    std::size_t beam = 5;
    double critical = 0;  // what the likelihood ratio of a rule must reach
    double min_covered = 2;
    std::size_t most = 0;  // of tests; 0: any number
    double m = 2;
    double threshold = 0;  // by how much a rule must be better than the rule without tests
    std::vector<std::int32_t> must;
    std::size_t threads = 1;
};

// Rules in the order they are found; of an unordered set class by class.
Learned cn2(const Coded& rows, const Cn2Options& options, const Stop& stop);

}  // namespace acumen::rules
