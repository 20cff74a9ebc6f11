#include "kernels/additive.hpp"

#include <algorithm>
#include <vector>

namespace acumen::additive {

namespace {

constexpr std::size_t BLOCK = 2048;

// The coefficients that a row has, the constant first.
void places(const Rows& rows, std::size_t i, std::vector<std::size_t>& out) {
    out.assign(1, 0);
    for (std::size_t j = 0; j < rows.columns; ++j)
        out.push_back(static_cast<std::size_t>(rows.offset[j]) + rows.column(j)[i]);
    if (rows.row_start.empty()) return;
    for (auto at = rows.row_start[i]; at < rows.row_start[i + 1]; ++at)
        out.push_back(rows.first_word() +
                      static_cast<std::size_t>(rows.row_word[static_cast<std::size_t>(at)]));
}

}  // namespace

bool scores(const Rows& rows, const double* coefficient, std::size_t lines, std::size_t threads,
            const Stop& stop, double* out) {
    return for_blocks((rows.rows + BLOCK - 1) / BLOCK, threads, stop, [&] {
        return [&](std::size_t block) {
            const std::size_t first = block * BLOCK, end = std::min(rows.rows, first + BLOCK);
            for (std::size_t i = first; i < end; ++i) std::copy_n(coefficient, lines, out + i * lines);
            for (std::size_t j = 0; j < rows.columns; ++j) {
                const std::uint16_t* slot = rows.column(j);
                const double* own = coefficient + static_cast<std::size_t>(rows.offset[j]) * lines;
                if (lines == 1) {
                    for (std::size_t i = first; i < end; ++i) out[i] += own[slot[i]];
                    continue;
                }
                for (std::size_t i = first; i < end; ++i)
                    for (std::size_t k = 0; k < lines; ++k) out[i * lines + k] += own[slot[i] * lines + k];
            }
            if (rows.row_start.empty()) return;
            const double* own = coefficient + rows.first_word() * lines;
            for (std::size_t i = first; i < end; ++i)
                for (auto at = rows.row_start[i]; at < rows.row_start[i + 1]; ++at) {
                    const auto word = static_cast<std::size_t>(rows.row_word[static_cast<std::size_t>(at)]);
                    for (std::size_t k = 0; k < lines; ++k) out[i * lines + k] += own[word * lines + k];
                }
        };
    });
}

bool sums(const Rows& rows, const double* values, std::size_t lines, std::size_t threads, const Stop& stop,
          double* out) {
    std::fill_n(out, rows.width() * lines, 0.0);
    for (std::size_t i = 0; i < rows.rows; ++i)
        for (std::size_t k = 0; k < lines; ++k) out[k] += values[i * lines + k];
    return for_blocks(rows.columns + rows.words(), threads, stop, [&] {
        return [&](std::size_t j) {
            if (j >= rows.columns) {
                const std::size_t word = j - rows.columns;
                double* own = out + (rows.first_word() + word) * lines;
                for (auto at = rows.word_start[word]; at < rows.word_start[word + 1]; ++at) {
                    const auto i = static_cast<std::size_t>(rows.word_row[static_cast<std::size_t>(at)]);
                    for (std::size_t k = 0; k < lines; ++k) own[k] += values[i * lines + k];
                }
                return;
            }
            const std::uint16_t* slot = rows.column(j);
            double* own = out + static_cast<std::size_t>(rows.offset[j]) * lines;
            if (lines == 1) {
                for (std::size_t i = 0; i < rows.rows; ++i) own[slot[i]] += values[i];
                return;
            }
            for (std::size_t i = 0; i < rows.rows; ++i)
                for (std::size_t k = 0; k < lines; ++k) own[slot[i] * lines + k] += values[i * lines + k];
        };
    });
}

bool tables(const Rows& rows, const double* weight, std::size_t threads, const Stop& stop, double* out) {
    const std::size_t width = rows.width(), columns = rows.columns;
    std::fill_n(out, width * width, 0.0);
    const auto offset = [&](std::size_t j) { return static_cast<std::size_t>(rows.offset[j]); };
    // Pairs of columns, each with itself too; then words.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (std::uint32_t a = 0; a < columns; ++a)
        for (std::uint32_t b = a; b < columns; ++b) pairs.emplace_back(a, b);
    for (std::size_t i = 0; i < rows.rows; ++i) out[0] += weight[i];
    return for_blocks(pairs.size() + rows.words(), threads, stop, [&] {
        return [&, own = std::vector<double>()](std::size_t task) mutable {
            if (task >= pairs.size()) {
                const std::size_t place = rows.first_word() + task - pairs.size();
                const std::size_t word = task - pairs.size();
                double* line = out + place * width;
                for (auto at = rows.word_start[word]; at < rows.word_start[word + 1]; ++at) {
                    const auto i = static_cast<std::size_t>(rows.word_row[static_cast<std::size_t>(at)]);
                    const double w = weight[i];
                    line[0] += w;
                    for (std::size_t j = 0; j < columns; ++j) line[offset(j) + rows.column(j)[i]] += w;
                    for (auto to = rows.row_start[i]; to < rows.row_start[i + 1]; ++to)
                        line[rows.first_word() +
                             static_cast<std::size_t>(rows.row_word[static_cast<std::size_t>(to)])] += w;
                }
                // Between words both halves are made; with the columns the other half is written here.
                for (std::size_t c = 0; c < rows.first_word(); ++c) out[c * width + place] = line[c];
                return;
            }
            const auto [a, b] = pairs[task];
            const std::uint16_t *first = rows.column(a), *second = rows.column(b);
            if (a == b) {
                own.assign(rows.slots(a), 0.0);
                for (std::size_t i = 0; i < rows.rows; ++i) own[first[i]] += weight[i];
                for (std::size_t s = 0; s < own.size(); ++s) {
                    const std::size_t at = offset(a) + s;
                    out[at * width + at] = out[at] = out[at * width] = own[s];
                }
                return;
            }
            const std::size_t wide = rows.slots(b);
            own.assign(rows.slots(a) * wide, 0.0);
            double* table = own.data();
            for (std::size_t i = 0; i < rows.rows; ++i) table[first[i] * wide + second[i]] += weight[i];
            for (std::size_t s = 0; s < rows.slots(a); ++s)
                std::copy_n(table + s * wide, wide, out + (offset(a) + s) * width + offset(b));
            for (std::size_t t = 0; t < wide; ++t)
                for (std::size_t s = 0; s < rows.slots(a); ++s)
                    out[(offset(b) + t) * width + offset(a) + s] = table[s * wide + t];
        };
    });
}

bool forms(const Rows& rows, const double* matrix, std::size_t threads, const Stop& stop, double* out) {
    const std::size_t width = rows.width();
    return for_blocks((rows.rows + BLOCK - 1) / BLOCK, threads, stop, [&] {
        return [&, at = std::vector<std::size_t>()](std::size_t block) mutable {
            const std::size_t end = std::min(rows.rows, (block + 1) * BLOCK);
            for (std::size_t i = block * BLOCK; i < end; ++i) {
                places(rows, i, at);
                double whole = 0;
                for (std::size_t a = 0; a < at.size(); ++a) {
                    const double* line = matrix + at[a] * width;
                    double part = 0;
                    for (std::size_t b = 0; b < a; ++b) part += line[at[b]];
                    whole += 2 * part + line[at[a]];
                }
                out[i] = whole;
            }
        };
    });
}

}  // namespace acumen::additive
