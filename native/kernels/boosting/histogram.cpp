#include "kernels/boosting/histogram.hpp"

#include <algorithm>

namespace acumen::boosting {

namespace {

constexpr std::size_t BLOCK = 1024;
// What several threads counted has to be cleared and added up: worth it where a cell is met so many times.
constexpr std::size_t MET = 8;

}  // namespace

Codes::Codes(const forest::Table& table) {
    const std::size_t columns = table.columns.size();
    place_.resize(columns);
    start_.resize(columns);
    none_.resize(columns);
    std::size_t narrow = 0;
    for (std::size_t j = 0; j < columns; ++j) {
        const forest::Column& column = table.columns[j];
        start_[j] = cells_;
        if (column.narrow) {
            none_[j] = 255;
            cells_ += 256;
            if (narrow % 4 == 0) {
                quads_.emplace_back(table.rows, 0u);
                quad_columns_.emplace_back();
            }
            place_[j] = narrow;
            quad_columns_.back().push_back(j);
            std::uint32_t* to = quads_.back().data();
            const int shift = static_cast<int>(8 * (narrow % 4));
            for (std::size_t i = 0; i < table.rows; ++i)
                to[i] |= static_cast<std::uint32_t>(column.narrow[i]) << shift;
            ++narrow;
        } else {
            none_[j] = column.slots;
            cells_ += column.slots + 1;
            place_[j] = WIDE | wide_.size();
            wide_.push_back(column.wide);
            wide_columns_.push_back(j);
        }
    }
}

void Codes::add(const Cell* cells, const std::uint32_t* rows, std::size_t first, std::size_t count,
                const std::uint8_t* wanted, Cell* histogram) const {
    Cell own[BLOCK];
    std::vector<Cell> spare(256);
    for (std::size_t at = 0; at < count; at += BLOCK) {
        const std::size_t n = std::min(BLOCK, count - at), begin = first + at;
        const std::uint32_t* which = rows ? rows + at : nullptr;
        const Cell* cell = cells + begin;
        if (which) {
            for (std::size_t r = 0; r < n; ++r) own[r] = cells[which[r]];
            cell = own;
        }
        for (std::size_t q = 0; q < quads_.size(); ++q) {
            const std::vector<std::size_t>& mine = quad_columns_[q];
            Cell* to[4];
            bool any = false;
            for (std::size_t k = 0; k < 4; ++k) {
                const bool used = k < mine.size() && wanted[mine[k]];
                to[k] = used ? histogram + start_[mine[k]] : spare.data();
                any = any || used;
            }
            if (!any) continue;
            const std::uint32_t* quad = quads_[q].data();
            Cell *a = to[0], *b = to[1], *c = to[2], *d = to[3];
            for (std::size_t r = 0; r < n; ++r) {
                const std::uint32_t code = quad[which ? which[r] : begin + r];
                const Cell add = cell[r];
                a[code & 255] += add;
                b[(code >> 8) & 255] += add;
                c[(code >> 16) & 255] += add;
                d[code >> 24] += add;
            }
        }
        for (std::size_t w = 0; w < wide_.size(); ++w) {
            const std::size_t j = wide_columns_[w];
            if (!wanted[j]) continue;
            Cell* to = histogram + start_[j];
            const auto none = static_cast<std::uint32_t>(none_[j]);
            for (std::size_t r = 0; r < n; ++r) {
                const std::uint32_t code = wide_[w][which ? which[r] : begin + r];
                to[std::min(code, none)] += cell[r];
            }
        }
    }
}

void Counter::count(const Cell* cells, const std::uint32_t* rows, std::size_t count,
                    const std::uint8_t* wanted, Cell* out) {
    std::fill_n(out, codes_.cells(), Cell{});
    if (count * codes_.columns() < MET * codes_.cells() || crew_.size() == 1) {
        codes_.add(cells, rows, 0, count, wanted, out);
        return;
    }
    // Pieces of the rows, a few for each thread; who takes one adds it to a histogram of its own.
    const std::size_t threads = crew_.size();
    const std::size_t part = std::max(BLOCK, (count / (4 * threads) + BLOCK - 1) / BLOCK * BLOCK);
    std::vector<std::uint8_t> used(threads, 0);
    crew_.share_by((count + part - 1) / part, [&](std::size_t t, std::size_t p) {
        const std::size_t first = p * part, n = std::min(count, first + part) - first;
        Cell* to = t ? own_[t].data() : out;
        if (t && !used[t]) std::fill_n(to, codes_.cells(), Cell{});
        used[t] = 1;
        codes_.add(cells, rows ? rows + first : nullptr, rows ? 0 : first, n, wanted, to);
    });
    for (std::size_t t = 1; t < threads; ++t)
        if (used[t])
            for (std::size_t c = 0; c < codes_.cells(); ++c) out[c] += own_[t][c];
}

}  // namespace acumen::boosting
