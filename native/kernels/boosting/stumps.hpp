// AdaBoost of stumps: one split a round, found from weighted counts of codes; rows stay where they are.
#pragma once

#include <functional>

#include "kernels/common/parallel.hpp"
#include "kernels/forests/types.hpp"

namespace acumen::forest {

struct BoostOptions {
    std::size_t rounds = 50;
    bool samme = false;     // else M1
    bool resample = false;  // each stump from rows drawn by their weights
    std::size_t retries = 10;
    std::uint64_t seed = 0;
};

struct Boosted {
    std::vector<Tree> stumps;         // the value of a leaf is its vote for one class
    std::vector<double> error, vote;  // of each round: weighted error of its stump, and its vote
    std::vector<double> combined;     // after each round: the weighted training error of all stumps together
    std::vector<std::int32_t> drawn;  // how often rows were drawn for it
    std::int32_t end = 0;             // 0: all rounds; 1: a perfect stump; 2: error at its limit
    bool stopped = false;
};

// A vote is at most this, that of a stump that is never wrong.
inline constexpr double LEAST_ERROR = 1e-9;

// `told` is asked after each round with the number of rounds that are done; true means: leave off.
Boosted boost(const Table& table, const BoostOptions& options, std::size_t threads,
              const std::function<bool(std::size_t)>& told);

}  // namespace acumen::forest
