// Hierarchies of groups, from rows upwards: which two are joined, and at what height.
//
//     link_single     the shortest tree through all rows (Prim), with n numbers of memory
//     link_ward       centroids and weights alone: n d numbers
//     link_pairs      average and complete linkage by the chain of nearest neighbours (Murtagh 1983), on the
//     n (n -
//                     1) / 2 distances
//     divide          from all rows downwards: DIANA (Kaufman and Rousseeuw 1990, chapter 6)
//     table_of        joins in the order of their heights, groups numbered as they come to be
//
// Equal heights: of several nearest groups the one is joined that the chain came from, then the one whose
// first row is nearest in the order of the distance from one outermost row.
#pragma once

#include "kernels/clusters/row_distances.hpp"

namespace acumen {

struct Join {
    std::uint32_t a = 0, b = 0;  // a row of each of the two groups
    double height = 0;
};

enum class PairLinkage : std::uint8_t { average, complete };

// Empty when `stop` ended them (or there is only one row).
std::vector<Join> link_single(const RowDistances& rows, const Stop& stop);
std::vector<Join> link_pairs(const RowDistances& rows, const std::vector<double>& weight, PairLinkage linkage,
                             std::size_t threads, const Stop& stop);
// Euclidean distances of complete numbers: rows for which RowDistances::plain holds. The height of a join is
// the root of twice the growth of the sum of squares.
std::vector<Join> link_ward(const RowDistances& rows, const std::vector<double>& weight, const Stop& stop);
std::vector<Join> divide(const RowDistances& rows, const std::vector<double>& weight, std::size_t threads,
                         const Stop& stop);

// Line t joins groups a < b into group n + t; rows are the groups 0 to n - 1.
struct JoinTable {
    std::vector<std::int64_t> a, b, size;
    std::vector<double> height;
};
JoinTable table_of(std::vector<Join> joins, std::size_t n);

}  // namespace acumen
