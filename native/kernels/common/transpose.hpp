// A few rows turned into columns that lie one after another.
#pragma once

#include "kernels/common/columns.hpp"

namespace acumen {

inline constexpr std::size_t TURN = 64;

// Writes TURN rows as columns x TURN; rows beyond the last are zeros.
class Turner {
  public:
    explicit Turner(const Columns& source)
        : source_(source), rows_first_(source.side_by_side(0, source.size())) {}

    void operator()(std::size_t first, std::size_t count, double* turned) const {
        const std::size_t d = source_.size();
        if (count < TURN) std::fill_n(turned, d * TURN, 0.0);
        if (!rows_first_) {
            for (std::size_t j = 0; j < d; ++j)
                for (std::size_t r = 0; r < count; ++r) turned[j * TURN + r] = source_.columns[j][first + r];
            return;
        }
        // Eight rows together: each cache line written is filled at once, each line read is used whole.
        const std::ptrdiff_t stride = source_.columns[0].stride;
        std::size_t r = 0;
        for (; r + 8 <= count; r += 8) {
            const double* x = &source_.columns[0][first + r];
            for (std::size_t j = 0; j < d; ++j, ++x)
                for (std::ptrdiff_t k = 0; k < 8; ++k)
                    turned[j * TURN + r + static_cast<std::size_t>(k)] = x[k * stride];
        }
        for (; r < count; ++r)
            for (std::size_t j = 0; j < d; ++j) turned[j * TURN + r] = source_.columns[j][first + r];
    }

  private:
    const Columns& source_;
    bool rows_first_;
};

}  // namespace acumen
