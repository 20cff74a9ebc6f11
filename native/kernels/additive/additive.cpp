#include "kernels/additive/additive.hpp"

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

namespace {

// The tables of one column with up to FOUR others, in one pass over the rows: their sums do not wait for each
// other where a slot comes often.
constexpr std::size_t FOUR = 4;

void add_four(const std::uint16_t* first, const std::uint16_t* const* second, const std::size_t* wide,
              const double* weight, std::size_t rows, double* const* table) {
    const std::uint16_t *s0 = second[0], *s1 = second[1], *s2 = second[2], *s3 = second[3];
    double *t0 = table[0], *t1 = table[1], *t2 = table[2], *t3 = table[3];
    const std::size_t w0 = wide[0], w1 = wide[1], w2 = wide[2], w3 = wide[3];
    for (std::size_t i = 0; i < rows; ++i) {
        const std::size_t f = first[i];
        const double w = weight[i];
        t0[f * w0 + s0[i]] += w;
        t1[f * w1 + s1[i]] += w;
        t2[f * w2 + s2[i]] += w;
        t3[f * w3 + s3[i]] += w;
    }
}

struct Task {
    std::size_t a, b, count;  // column a with columns b .. b + count
};

}  // namespace

bool tables(const Rows& rows, const double* weight, std::size_t threads, const Stop& stop, double* out) {
    const std::size_t width = rows.width(), columns = rows.columns;
    std::fill_n(out, width * width, 0.0);
    const auto offset = [&](std::size_t j) { return static_cast<std::size_t>(rows.offset[j]); };
    // Every two columns, then words; dear ones first would gain little: tasks are small.
    std::vector<Task> tasks;
    for (std::size_t a = 0; a < columns; ++a)
        for (std::size_t b = a + 1; b < columns; b += FOUR)
            tasks.push_back({a, b, std::min(FOUR, columns - b)});
    for (std::size_t i = 0; i < rows.rows; ++i) out[0] += weight[i];
    const auto alone = [&](std::size_t a, std::vector<double>& own) {
        const std::uint16_t* first = rows.column(a);
        own.assign(rows.slots(a), 0.0);
        for (std::size_t i = 0; i < rows.rows; ++i) own[first[i]] += weight[i];
        for (std::size_t s = 0; s < own.size(); ++s) {
            const std::size_t at = offset(a) + s;
            out[at * width + at] = out[at] = out[at * width] = own[s];
        }
    };
    const auto of_word = [&](std::size_t word) {
        const std::size_t place = rows.first_word() + word;
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
    };
    const auto together = [&](const Task& task, std::vector<double>& own) {
        const std::uint16_t* second[FOUR];
        std::size_t wide[FOUR], size = 0;
        double* table[FOUR];
        const std::size_t tall = rows.slots(task.a);
        for (std::size_t q = 0; q < task.count; ++q) size += tall * rows.slots(task.b + q);
        own.assign(size, 0.0);
        double* at = own.data();
        for (std::size_t q = 0; q < task.count; ++q) {
            second[q] = rows.column(task.b + q);
            wide[q] = rows.slots(task.b + q);
            table[q] = at;
            at += tall * wide[q];
        }
        const std::uint16_t* first = rows.column(task.a);
        if (task.count == FOUR) {
            add_four(first, second, wide, weight, rows.rows, table);
        } else {
            for (std::size_t q = 0; q < task.count; ++q)
                for (std::size_t i = 0; i < rows.rows; ++i)
                    table[q][first[i] * wide[q] + second[q][i]] += weight[i];
        }
        for (std::size_t q = 0; q < task.count; ++q) {
            const std::size_t left = offset(task.a), right = offset(task.b + q);
            for (std::size_t s = 0; s < tall; ++s)
                std::copy_n(table[q] + s * wide[q], wide[q], out + (left + s) * width + right);
            for (std::size_t t = 0; t < wide[q]; ++t)
                for (std::size_t s = 0; s < tall; ++s)
                    out[(right + t) * width + left + s] = table[q][s * wide[q] + t];
        }
    };
    const std::size_t pairs = tasks.size();
    return for_blocks(pairs + columns + rows.words(), threads, stop, [&] {
        return [&, own = std::vector<double>()](std::size_t task) mutable {
            if (task < pairs)
                together(tasks[task], own);
            else if (task < pairs + columns)
                alone(task - pairs, own);
            else
                of_word(task - pairs - columns);
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
