// One node at a time: find its test, and send its rows to its children.
#pragma once

#include <memory>
#include <vector>

#include "kernels/common/parallel.hpp"
#include "kernels/trees/choose.hpp"
#include "kernels/trees/surrogate.hpp"

namespace acumen::tree {

// A node whose test is still to be found.
template <class Entry>
struct Open {
    std::size_t node = 0;
    std::size_t depth = 0;
    std::uint64_t path = 0;  // of the branches that lead here: the node's stream of random numbers
    std::shared_ptr<Space<Entry>> space;
    Place place;
};

template <class Entry>
class Splitter {
  public:
    // With several threads, inputs of large nodes are shared out among them.
    Splitter(const Rules& rules, Nodes& nodes, std::size_t threads, const Stop& stop);

    // The input to test, its candidate being in `candidate`; -1: the node stays a leaf.
    std::int32_t find(const Open<Entry>& open);
    const Candidate& candidate(std::size_t input) const { return candidates_[input]; }
    // Writes the test into the node and adds its children; those that are no leaves are put behind `open`.
    void split(const Open<Entry>& at, std::size_t input, const Candidate& candidate,
               std::vector<Open<Entry>>& open);
    bool stopped() const { return stopped_; }

  private:
    template <class Side>
    void split_by(const Open<Entry>& at, std::size_t input, const Candidate& candidate,
                  std::vector<Side>& side, std::vector<Open<Entry>>& open);
    // Marks the side of each instance, with `branches` for none, and adds up `child_`; whether any has none.
    template <class Side>
    bool mark(const Open<Entry>& at, std::size_t input, const Candidate& candidate, Side* side);
    template <class Side>
    void part_in_place(const Open<Entry>& at, const Side* side, std::span<const std::uint8_t> keep,
                       std::vector<Open<Entry>>& open);
    // Finds the stand-ins of a node's test in two branches and sends the instances without a side where these
    // say.
    template <class Side>
    void stand_in(const Open<Entry>& at, std::size_t input, bool missing, Side* side);
    void write_test(const Open<Entry>& at, std::size_t input, const Candidate& candidate);
    void judge_all(const Open<Entry>& open, std::span<const std::uint32_t> inputs);
    std::size_t threads_for(std::size_t rows) const;

    const Rules& rules_;
    Nodes& nodes_;
    std::size_t threads_;
    const Stop& stop_;
    bool stopped_ = false;
    std::vector<Candidate> candidates_;
    std::vector<std::uint32_t> inputs_, tried_;
    std::vector<ChooseScratch> scratch_;
    std::vector<std::vector<Entry>> spare_;
    std::vector<typename Entry::Word> spare_order_;
    std::vector<std::uint8_t> side_;
    std::vector<std::uint32_t> many_sides_, number_;
    std::vector<double> child_;
    std::vector<Segment> segments_;
    std::vector<StandIn> stand_ins_;
};

}  // namespace acumen::tree
