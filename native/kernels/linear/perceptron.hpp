// Rosenblatt's rule, one epoch at a time: rows are gone through in a given order, and where the weights err
// on a row they are moved by it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace acumen {

// Rows in compressed form (starts has rows + 1 entries), or dense if `starts` is null: `columns` of each.
struct PerceptronRows {
    std::size_t rows = 0, columns = 0;
    const double* values = nullptr;
    const std::int64_t* starts = nullptr;
    const std::int32_t* places = nullptr;
};

// What an epoch needs besides rows and weights. With one vector a row of class 1 is positive, of class 0
// negative; with more there is one for each class, and the largest product wins.
struct PerceptronRule {
    double rate = 1.0;
    bool tie_is_right = false;       // a product of 0 counts as the positive class; of equals the first wins
    const double* weight = nullptr;  // of the rows; null: ones
};

// Goes through `order` once and returns how often the weights (vectors x columns) were moved. `lag` gathers
// each move times the number of rows seen before it (`step`, which counts on), so that the mean of the
// weights over all steps is weights - lag / step.
std::size_t perceptron_epoch(const PerceptronRows& rows, std::span<const std::int32_t> labels,
                             std::span<const std::int64_t> order, const PerceptronRule& rule,
                             std::size_t vectors, double* weights, double* lag, double& step);

// The same in the dual: `kernel` (rows x rows) stands for the products, `alpha` (vectors x rows) for the
// weights, and `products` (vectors x rows) are the values of all rows, kept up to date.
std::size_t kernel_perceptron_epoch(const double* kernel, std::size_t rows,
                                    std::span<const std::int32_t> labels, std::span<const std::int64_t> order,
                                    const PerceptronRule& rule, std::size_t vectors, double* alpha,
                                    double* products, double* lag, double& step);

}  // namespace acumen
