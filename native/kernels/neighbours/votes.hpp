// What neighbours say together: votes for classes, means of numbers, for one k or for every k up to the
// largest.
#pragma once

#include "kernels/neighbours/index.hpp"

namespace acumen {

// What a neighbour's say is: its weight, over its distance (of those at distance 0 alone where there are
// any), or times exp(-2 (distance / that of the k-th)^2).
enum class NearSay : std::uint8_t { uniform, distance, kernel };

struct NearTargets {
    std::size_t classes = 0;               // 0: numbers
    const std::int32_t* labels = nullptr;  // of each training row
    const double* numbers = nullptr;
    const double* totals = nullptr;  // weight of each class
};

// For each query the votes of each class and the winner; of numbers the mean (votes: one column; winner
// unused). `reach` (the k-th distance) and `within` (weight of the rows that vote) may be null.
bool near_votes(const NearIndex& index, const NearQueries& queries, double k, NearSay say,
                const NearTargets& targets, double* votes, std::int32_t* winner, double* reach,
                double* within, std::size_t threads, const Stop& stop);

// sums[j] and squares[j]: over all queries, their weight times the error of k = j + 1 and times its square;
// an error is 1 where another class wins, of numbers the squared difference. Added block by block in order:
// the same bytes for any number of threads. `truth_labels` or `truth_numbers`, and weights, are of the
// queries.
bool near_curve(const NearIndex& index, const NearQueries& queries, std::size_t max_k, NearSay say,
                const NearTargets& targets, const std::int32_t* truth_labels, const double* truth_numbers,
                const double* query_weight, double* sums, double* squares, std::size_t threads,
                const Stop& stop);

// The rows themselves: for each query its neighbours, nearest first, with their distances.
bool near_lists(const NearIndex& index, const NearQueries& queries, double k,
                std::vector<std::vector<NearFound>>& lists, std::size_t threads, const Stop& stop);

// Every distance: made is queries x rows. For an index of brute force.
bool all_distances(const NearIndex& index, const NearQueries& queries, double* made, std::size_t threads,
                   const Stop& stop);

}  // namespace acumen
