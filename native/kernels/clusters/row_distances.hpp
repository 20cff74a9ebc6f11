// Distances between the rows of one table, made where they are asked for: no matrix of all pairs is kept.
//
// Whatever clusters by distances alone asks here, so every distance the searches for neighbours know will do.
#pragma once

#include <vector>

#include "kernels/neighbours/index.hpp"

namespace acumen {

class RowDistances {
  public:
    // `index`: rows looked at one after the other (NearWay::brute); `extra`: what is added from outside
    // (words, functions), a number for each pair, or none; `far`: the distance of rows that know nothing in
    // common.
    RowDistances(const NearIndex& index, const double* extra, double far);

    // Some rows of another table's: a copy.
    RowDistances(const RowDistances& whole, std::span<const std::uint32_t> some);

    std::size_t n() const { return rows_.n; }
    const NearForm& form() const { return form_; }
    const NearRows& rows() const { return rows_; }
    bool plain() const { return plain_ && form_.root == NearRoot::square_root; }
    bool has_extra() const { return extra_ != nullptr; }

    // Of one row to those from `first` on (0: to all); out[j] is that to row j. A row is at 0 from itself.
    void from(std::size_t row, double* out, std::size_t first = 0) const;
    // Of two rows, to the bit the same.
    double between(std::size_t a, std::size_t b) const;

  private:
    NearQuery query(std::size_t row) const;
    void ask();

    struct Copy {
        std::vector<double> values, extra;
        std::vector<std::int32_t> codes;
        NearRows rows;
    };
    std::unique_ptr<Copy> copy_;
    const NearForm& form_;
    const NearRows& rows_;
    const double* extra_;
    double far_;
    bool plain_;
    std::vector<std::int32_t> asking_;  // n x q: codes as rows that ask have them
};

// Keys as distances, `far` in place of infinity.
void keys_to_distances(const NearForm& form, double far, double* keys, std::size_t count);

}  // namespace acumen
