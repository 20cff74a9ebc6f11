// RIPPER (Cohen 1995): rules class by class, grown, pruned, and made better together.
#pragma once

#include "kernels/rules/grow.hpp"

namespace acumen::rules {

struct RipperOptions {
    GrowOptions grow;
    double prune_share = 1.0 / 3;  // 0: nothing is held back, and rules are not pruned
    int passes = 2;                // of optimisation
    bool all_classes = false;      // rules for every class, each from all rows; else the last is the default
    bool subsets = false;          // prune by any set of tests; else by the last ones
    bool by_error = false;         // stop where a rule is wrong on more than half; else by description length
    double conditions = 0;         // how many different ones there could be
    std::uint64_t seed = 0;
};

struct RuleOfClass {
    Rule rule;
    std::int32_t label = 0;
};

// A stream of numbers that depends on the seed alone (splitmix64), the same on every machine.
class Draws {
  public:
    explicit Draws(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    // One of 0 to n - 1: the upper half of the product, without a division.
    std::uint64_t below(std::uint64_t n);

  private:
    std::uint64_t state_;
};

// What a search found, how many rules it looked at, and whether it was stopped, with nothing found.
struct Learned {
    std::vector<RuleOfClass> rules;
    std::size_t tried = 0;
    bool stopped = false;
};

// `order` are the classes in turn.
Learned ripper(const Coded& rows, std::span<const std::int32_t> order, const RipperOptions& options,
               const Stop& stop);

// How many tests a rule keeps, or which (by `subsets`), judged on rows held back: by the share of its class
// among what it covers; with `whole`, by how many of all it gets right. `least` tests stay at the front.
Rule pruned(const Coded& rows, const Rule& rule, std::span<const std::int32_t> held, std::int32_t label,
            bool whole, const RipperOptions& options);

}  // namespace acumen::rules
