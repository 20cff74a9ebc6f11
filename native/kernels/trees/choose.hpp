// The test of a node: every input's best one, and of these the one to take. The rules stand in
// src/acumen/trees/options.py.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/trees/cut.hpp"
#include "kernels/trees/levels.hpp"
#include "kernels/trees/space.hpp"

namespace acumen::tree {

// An input's best test at a node.
struct Candidate {
    bool usable = false;
    bool missing = false;  // whether some rows of the node have no value
    double gain = 0, info = 0;
    std::uint32_t branches = 0;        // without one for missing values
    std::vector<std::uint32_t> cuts;   // numbers: how many of the node's entries lie below each
    std::vector<std::int32_t> branch;  // levels: the branch of each, -1 where it was not met
};

struct ChooseScratch {
    CutScratch cut;
    LevelCounts levels;
    LevelScratch sharing;
    std::vector<double> by_level, level_weight, known, shares, table, scaled;
    std::vector<std::int32_t> met, branch;
};

// What all nodes of a tree have in common.
struct Rules {
    const Table& table;
    const Options& options;
    LogTable logs;

    Rules(const Table& rows, const Options& asked);

    std::size_t classes() const { return table.classes; }
    const double* factors() const { return options.factors.empty() ? nullptr : options.factors.data(); }
    bool is_leaf(const double* counts, std::size_t depth) const;
    // Whether the input's gain counts in the average that gains are held against.
    bool is_counted(std::size_t input) const { return counted[input] != 0; }

    std::vector<std::int32_t> kind;  // of each input: j >= 0 the number column j, -1 - q the code column q
    std::vector<std::uint8_t> counted;
};

// The best test of one input at a node with these class counts.
template <class Entry>
void judge(const Rules& rules, const Space<Entry>& space, const Place& place, const double* counts,
           std::size_t input, Candidate& candidate, ChooseScratch& scratch);

// Which of the candidates (of the inputs listed, in ascending order) is taken; -1: none.
std::int32_t choose(const Rules& rules, const std::vector<Candidate>& candidates,
                    const std::vector<std::uint32_t>& inputs);

}  // namespace acumen::tree
