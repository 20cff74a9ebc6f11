// A sum of rows is made in parts whose number depends on the rows alone, and parts are added in their order:
// the answer is the same for any number of threads. There are so few that adding them up costs little beside
// the entries, and each stays in its core's cache.
//
// What bounds it: for sparse rows the random access to weights, one load or one load and store an entry; for
// dense ones the memory they come from.
#include "kernels/linear/row_sums.hpp"

#include <algorithm>
#include <memory>

namespace acumen {

namespace {

constexpr std::size_t BLOCK = 512;
constexpr std::size_t AHEAD = 4;  // so many rows are fetched before their turn: some between may be left out
constexpr std::size_t MOST_PARTS = 16;
constexpr std::size_t WORTH = 16;  // entries for each number of a part

std::size_t entries_of(const DenseRows& rows, std::span<const std::int64_t> which) {
    return which.size() * rows.width;
}

std::size_t entries_of(const SparseRows& rows, std::span<const std::int64_t> which) {
    std::int64_t entries = 0;
    for (const std::int64_t i : which) entries += rows.starts[i + 1] - rows.starts[i];
    return static_cast<std::size_t>(entries);
}

// Calls sum_up(from, to, sum) for parts of `which`, each with zeros of its own to add to, then adds these up.
// A cell may hold more than a sum: `start` makes one, `sum_of` gives its sum. The calling thread allocates,
// as memory that goes back and forth between threads is fetched from the system anew.
template <typename Cell, typename Rows, typename Start, typename SumUp, typename SumOf>
bool in_parts(const Rows& rows, std::span<const std::int64_t> which, const Start& start, const SumUp& sum_up,
              const SumOf& sum_of, double* out, std::size_t threads, const Stop& stop) {
    const std::size_t size = rows.width + 1, n = which.size();
    const std::size_t parts =
        std::clamp<std::size_t>(entries_of(rows, which) / (WORTH * size), 1, MOST_PARTS);
    const auto cells = std::make_unique_for_overwrite<Cell[]>(parts * size);
    const bool whole = for_blocks(parts, threads, stop, [&] {
        return [&](std::size_t part) {
            Cell* own = cells.get() + part * size;
            for (std::size_t k = 0; k < size; ++k) own[k] = start(k);
            sum_up(n * part / parts, n * (part + 1) / parts, own);
        };
    });
    if (!whole) return false;
    for (std::size_t k = 0; k < size; ++k) out[k] = sum_of(cells[k]);
    for (std::size_t part = 1; part < parts; ++part)
        for (std::size_t k = 0; k < size; ++k) out[k] += sum_of(cells[part * size + k]);
    return true;
}

// For sums alone.
template <typename Rows, typename SumUp>
bool in_parts(const Rows& rows, std::span<const std::int64_t> which, const SumUp& sum_up, double* out,
              std::size_t threads, const Stop& stop) {
    return in_parts<double>(
        rows, which, [](std::size_t) { return 0.0; }, sum_up, [](double cell) { return cell; }, out, threads,
        stop);
}

void add_squares(const DenseRows& rows, std::size_t i, double t, double* sum) {
    const double* x = rows.values + i * rows.width;
    for (std::size_t k = 0; k < rows.width; ++k) sum[k] += t * (x[k] * x[k]);
}

void add_squares(const SparseRows& rows, std::size_t i, double t, double* sum) {
    for (std::int64_t e = rows.starts[i]; e < rows.starts[i + 1]; ++e)
        sum[rows.columns[e]] += t * (rows.values[e] * rows.values[e]);
}

// What a column gives and what it takes stand side by side, so that a sparse row's second pass finds in the
// nearest cache what its first one fetched.
struct GiveAndTake {
    double v, sum;
};

double product(const SparseRows& rows, std::size_t i, const GiveAndTake* cells) {
    double sum[4] = {};
    std::int64_t e = rows.starts[i];
    const std::int64_t end = rows.starts[i + 1];
    for (; e + 4 <= end; e += 4)
        for (std::int64_t l = 0; l < 4; ++l) sum[l] += rows.values[e + l] * cells[rows.columns[e + l]].v;
    for (; e < end; ++e) sum[0] += rows.values[e] * cells[rows.columns[e]].v;
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void add(const SparseRows& rows, std::size_t i, double t, GiveAndTake* cells) {
    for (std::int64_t e = rows.starts[i]; e < rows.starts[i + 1]; ++e)
        cells[rows.columns[e]].sum += t * rows.values[e];
}

}  // namespace

template <typename Rows>
bool row_products(const Rows& rows, std::span<const std::int64_t> which, double bias, const double* v,
                  double* out, std::size_t threads, const Stop& stop) {
    const double more = bias * v[rows.width];
    return for_blocks((which.size() + BLOCK - 1) / BLOCK, threads, stop, [&] {
        return [&](std::size_t block) {
            const std::size_t end = std::min(which.size(), (block + 1) * BLOCK);
            for (std::size_t s = block * BLOCK; s < end; ++s) {
                if (s + AHEAD < which.size()) fetch(rows, static_cast<std::size_t>(which[s + AHEAD]));
                out[s] = product(rows, static_cast<std::size_t>(which[s]), v) + more;
            }
        };
    });
}

template <typename Rows>
bool row_sum(const Rows& rows, std::span<const std::int64_t> which, double bias, const double* u, double* out,
             std::size_t threads, const Stop& stop) {
    const auto sum_up = [&](std::size_t from, std::size_t to, double* sum) {
        double last = 0;
        for (std::size_t s = from; s < to; ++s) {
            if (s + AHEAD < to) fetch(rows, static_cast<std::size_t>(which[s + AHEAD]));
            if (u[s] == 0) continue;
            add(rows, static_cast<std::size_t>(which[s]), u[s], sum);
            last += u[s];
        }
        sum[rows.width] += last * bias;
    };
    return in_parts(rows, which, sum_up, out, threads, stop);
}

template <typename Rows>
bool row_squares(const Rows& rows, std::span<const std::int64_t> which, double bias, const double* u,
                 double* out, std::size_t threads, const Stop& stop) {
    const auto sum_up = [&](std::size_t from, std::size_t to, double* sum) {
        double last = 0;
        for (std::size_t s = from; s < to; ++s) {
            if (s + AHEAD < to) fetch(rows, static_cast<std::size_t>(which[s + AHEAD]));
            add_squares(rows, static_cast<std::size_t>(which[s]), u[s], sum);
            last += u[s];
        }
        sum[rows.width] += last * bias * bias;
    };
    return in_parts(rows, which, sum_up, out, threads, stop);
}

bool row_curvature(const DenseRows& rows, std::span<const std::int64_t> which, double bias,
                   const double* scale, const double* v, double* out, std::size_t threads, const Stop& stop) {
    const double more = bias * v[rows.width];
    const auto sum_up = [&](std::size_t from, std::size_t to, double* sum) {
        double last = 0;
        for (std::size_t s = from; s < to; ++s) {
            const auto i = static_cast<std::size_t>(which[s]);
            const double t = scale[s] * (product(rows, i, v) + more);
            add(rows, i, t, sum);
            last += t;
        }
        sum[rows.width] += last * bias;
    };
    return in_parts(rows, which, sum_up, out, threads, stop);
}

bool row_curvature(const SparseRows& rows, std::span<const std::int64_t> which, double bias,
                   const double* scale, const double* v, double* out, std::size_t threads, const Stop& stop) {
    const double more = bias * v[rows.width];
    const auto sum_up = [&](std::size_t from, std::size_t to, GiveAndTake* cells) {
        double last = 0;
        for (std::size_t s = from; s < to; ++s) {
            if (s + AHEAD < to) fetch(rows, static_cast<std::size_t>(which[s + AHEAD]));
            const auto i = static_cast<std::size_t>(which[s]);
            const double t = scale[s] * (product(rows, i, cells) + more);
            add(rows, i, t, cells);
            last += t;
        }
        cells[rows.width].sum += last * bias;
    };
    return in_parts<GiveAndTake>(
        rows, which, [v](std::size_t k) { return GiveAndTake{v[k], 0.0}; }, sum_up,
        [](const GiveAndTake& cell) { return cell.sum; }, out, threads, stop);
}

#define ACUMEN_FOR(Rows)                                                                                   \
    template bool row_products(const Rows&, std::span<const std::int64_t>, double, const double*, double*, \
                               std::size_t, const Stop&);                                                  \
    template bool row_sum(const Rows&, std::span<const std::int64_t>, double, const double*, double*,      \
                          std::size_t, const Stop&);                                                       \
    template bool row_squares(const Rows&, std::span<const std::int64_t>, double, const double*, double*,  \
                              std::size_t, const Stop&);
ACUMEN_FOR(DenseRows)
ACUMEN_FOR(SparseRows)
#undef ACUMEN_FOR

}  // namespace acumen
