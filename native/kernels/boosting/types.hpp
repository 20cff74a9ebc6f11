// Gradient boosting on the codes that forests use: what is grown, from what, and cells of histograms.
//
// Slopes and curvatures of the loss are rounded to whole numbers of a unit that is a power of two, so that
// their sums are exact: they do not depend on the order of rows, on how rows were shared out to threads, or
// on whether a histogram was counted or is the difference of two others.
#pragma once

#include "kernels/common/parallel.hpp"
#include "kernels/forests/types.hpp"

namespace acumen::boosting {

struct Options {
    std::size_t rounds = 100;
    double rate = 0.1;
    std::size_t leaves = 31;
    double leaf_size = 20;  // each side of a split weighs at least so much
    double l2 = 1;
    double level_l2 = 1;       // more of it where levels are put in an order by what they say
    double sample = 1;         // of rows, drawn for each round
    double columns = 1;        // of columns, drawn for each tree
    std::size_t patience = 0;  // end when so many rounds have not lowered the loss of held-out rows; 0: never
    std::uint64_t seed = 0;
    std::span<const std::int8_t> monotone;  // of each column +1, -1 or 0; or empty
};

// Rows to learn from: a table whose weights may be 0, which then only go along and are told; `held` is what
// rows weigh that are judged by and not learned from.
struct Given {
    forest::Table table;
    const double* held = nullptr;
    std::size_t lines = 1;     // 1: numbers, or the log-odds of class 1; else one for each class
    std::vector<double> base;  // of each line, what rows start from
    double weight_unit = 1;    // weights are whole multiples of it
};

struct Made {
    std::vector<forest::Tree> trees;  // rounds x lines; the value of a node is what it adds, for its own line
    std::vector<double> held;         // after each round: the mean loss of the rows held out
    std::vector<double> gain;         // of each column: by how much its splits lower the loss
    bool stopped = false;
};

// Asked after each round how many there are; true: leave off.
using Tell = std::function<bool(std::size_t)>;

// The slope of a row or of many; and, in one number, weight (upper bits) and curvature (lower bits).
struct alignas(16) Cell {
    std::int64_t slope = 0;
    std::uint64_t rest = 0;

    Cell& operator+=(const Cell& other) {
        slope += other.slope;
        rest += other.rest;
        return *this;
    }
    Cell& operator-=(const Cell& other) {
        slope -= other.slope;
        rest -= other.rest;
        return *this;
    }
    friend Cell operator+(Cell a, const Cell& b) { return a += b; }
    friend Cell operator-(Cell a, const Cell& b) { return a -= b; }
};

// How cells are read: what a whole unit of each part stands for.
struct Units {
    double slope = 1, curvature = 1, weight = 1;
    int shift = 32;    // bits of the curvature
    double noise = 1;  // the variance of slopes of rows that nothing tells apart, over their curvature

    double slope_of(const Cell& cell) const { return static_cast<double>(cell.slope) * slope; }
    double curvature_of(const Cell& cell) const {
        return static_cast<double>(static_cast<std::int64_t>(cell.rest & ((std::uint64_t{1} << shift) - 1))) *
               curvature;
    }
    double weight_of(const Cell& cell) const {
        return static_cast<double>(static_cast<std::int64_t>(cell.rest >> shift)) * weight;
    }
};

Made boost(const Given& given, const Options& options, std::size_t threads, const Tell& tell);

}  // namespace acumen::boosting
