// Where 1R closes its buckets of numbers (Holte 1993).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace acumen {

// `weights` is (values, classes), row-major, values ascending. A bucket is closed after the first value at
// which its leading class (the first of equals) weighs at least `least` and is not among the heaviest
// classes of the next value. Gives the line at which each bucket begins. Bound by one pass over `weights`.
inline std::vector<std::int64_t> bucket_starts(std::span<const double> weights, std::size_t classes,
                                               double least) {
    std::vector<std::int64_t> starts;
    if (classes == 0 || weights.empty()) return starts;
    const std::size_t values = weights.size() / classes;
    std::vector<double> counts(classes);
    starts.push_back(0);
    for (std::size_t at = 0; at + 1 < values; ++at) {
        const double* line = weights.data() + at * classes;
        const double* next = line + classes;
        std::size_t leading = 0;
        double heaviest = next[0];
        for (std::size_t c = 0; c < classes; ++c) {
            counts[c] += line[c];
            if (counts[c] > counts[leading]) leading = c;
            if (next[c] > heaviest) heaviest = next[c];
        }
        if (counts[leading] >= least && next[leading] < heaviest) {
            starts.push_back(static_cast<std::int64_t>(at + 1));
            counts.assign(classes, 0.0);
        }
    }
    return starts;
}

}  // namespace acumen
