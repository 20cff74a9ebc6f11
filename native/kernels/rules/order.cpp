#include "kernels/rules/order.hpp"

namespace acumen::rules {

std::vector<Order> orders_of(const Coded& coded) {
    std::vector<Order> made(coded.columns.size());
    for (std::size_t j = 0; j < made.size(); ++j) {
        if (!coded.ordered[j] || coded.sizes[j] <= FEW_CODES) continue;
        std::vector<std::size_t> at(static_cast<std::size_t>(coded.sizes[j]) + 1, 0);
        const std::int32_t* column = coded.columns[j];
        for (std::size_t i = 0; i < coded.n; ++i)
            if (column[i] >= 0) ++at[static_cast<std::size_t>(column[i]) + 1];
        for (std::size_t c = 1; c < at.size(); ++c) at[c] += at[c - 1];
        made[j].resize(at.back());
        const std::vector<std::size_t> first(at.begin(), at.end() - 1);
        for (std::size_t i = 0; i < coded.n; ++i)
            if (column[i] >= 0) {
                const auto code = static_cast<std::size_t>(column[i]);
                const std::size_t place = at[code]++;
                made[j][place] = static_cast<std::uint32_t>(i) | (place == first[code] ? FIRST : 0);
            }
    }
    return made;
}

void RowBits::hold(std::span<const std::int32_t> rows) {
    std::fill(words_.begin(), words_.end(), 0);
    std::size_t at = 0;
    std::uint64_t word = 0;
    for (const std::int32_t row : rows) {
        const auto place = static_cast<std::size_t>(row) >> 6;
        if (place != at) {
            words_[at] = word;
            at = place;
            word = 0;
        }
        word |= std::uint64_t{1} << (row & 63);
    }
    if (!rows.empty()) words_[at] = word;
}

void RowBits::hold_both(const RowBits& one, const RowBits& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] = one.words_[w] & other.words_[w];
}

std::size_t codes_in(std::span<const std::uint32_t> order) {
    std::size_t found = 0;
    for (const std::uint32_t one : order) found += one >> 31;
    return found;
}

}  // namespace acumen::rules
