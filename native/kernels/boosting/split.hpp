// The best split of a node in one column, from its histogram.
#pragma once

#include <limits>

#include "kernels/boosting/types.hpp"

namespace acumen::boosting {

struct Split {
    double gain = 0;  // by how much it lowers the loss, to second order
    std::uint32_t column = 0;
    std::uint32_t cut = 0;                   // the last code that goes left, where codes have an order
    bool none_right = false;                 // where rows without a value go
    std::vector<std::uint32_t> left, right;  // codes, where they have none
    Cell sum_left;
    double value_left = 0, value_right = 0;

    bool found() const { return gain > 0; }
};

// What a node's rows must be told and may be told.
struct Bounds {
    double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();

    double within(double value) const { return value < low ? low : value > high ? high : value; }
};

struct Finder {
    const Options& options;
    Units units;

    // What rows of such a sum are told.
    double value(const Cell& sum, const Bounds& bounds, double l2) const {
        // A node without drawn rows has neither slope nor curvature: it changes nothing.
        const double curvature = units.curvature_of(sum) + l2;
        return bounds.within(curvature > 0 ? -units.slope_of(sum) / curvature : 0.0);
    }
    Split best(const forest::Column& column, std::uint32_t place, const Cell* histogram, std::size_t none,
               const Cell& whole, const Bounds& bounds, int sign) const;
};

}  // namespace acumen::boosting
