// The order in which levels without one are cut at a node.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/forests/groups.hpp"

namespace acumen::forest {

// Levels by their mean: of two classes, and of numbers, the best cut of that order is the best of all subsets
// (Breiman et al. 1984). Of several classes by the first principal component of their shares (Coppersmith,
// Hong and Hosking 1999). Equal ones stay in the order of their codes.
class LevelOrder {
  public:
    explicit LevelOrder(std::size_t classes)
        : classes_(classes), all_(classes), axis_(classes), side_(classes) {}

    std::vector<std::uint32_t> order;  // places in the groups

    template <Tally T>
    void sort(const Groups<T>& groups) {
        key_.resize(groups.each.size());
        order.resize(groups.each.size());
        if constexpr (T == Tally::classes)
            components(groups);
        else
            for (std::size_t g = 0; g < key_.size(); ++g)
                key_[g] = groups.each[g].sum / groups.each[g].weight;
        for (std::uint32_t g = 0; g < order.size(); ++g) order[g] = g;
        std::stable_sort(order.begin(), order.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return key_[a] < key_[b]; });
    }

  private:
    template <Tally T>
    void components(const Groups<T>& groups) {
        const std::vector<Group>& each = groups.each;
        double total = 0;
        std::fill(all_.begin(), all_.end(), 0.0);
        for (std::size_t g = 0; g < each.size(); ++g) {
            total += each[g].weight;
            for (std::size_t c = 0; c < classes_; ++c) all_[c] += groups.counts[g * classes_ + c];
        }
        // From the class that varies most; its sign makes the order of levels the same each time.
        std::size_t first = 0;
        double most = -1;
        for (std::size_t c = 0; c < classes_; ++c) {
            double spread = 0;
            for (std::size_t g = 0; g < each.size(); ++g) {
                const double away = groups.counts[g * classes_ + c] / each[g].weight - all_[c] / total;
                spread += each[g].weight * away * away;
            }
            if (spread > most) most = spread, first = c;
            axis_[c] = 0;
        }
        axis_[first] = 1;
        for (int step = 0; step < 12; ++step) {
            std::fill(side_.begin(), side_.end(), 0.0);
            for (std::size_t g = 0; g < each.size(); ++g) {
                const double* counts = groups.counts.data() + g * classes_;
                double along = 0;
                for (std::size_t c = 0; c < classes_; ++c)
                    along += axis_[c] * (counts[c] / each[g].weight - all_[c] / total);
                key_[g] = along;
                for (std::size_t c = 0; c < classes_; ++c)
                    side_[c] += along * (counts[c] - each[g].weight * (all_[c] / total));
            }
            double length = 0;
            for (const double x : side_) length += x * x;
            if (!(length > 0)) return;
            length = std::sqrt(length);
            for (std::size_t c = 0; c < classes_; ++c) axis_[c] = side_[c] / length;
        }
    }

    std::size_t classes_;
    std::vector<double> all_, axis_, side_, key_;
};

}  // namespace acumen::forest
