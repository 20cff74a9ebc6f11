// A sum of rows is made in parts whose number depends on the rows alone, and parts are added in their order:
// the answer is the same for any number of threads. There are so few that adding them up costs little beside
// the entries, and each stays in its core's cache.
//
// What bounds it: for sparse rows the random access to weights, one load or one load and store an entry; for
// dense ones the memory they come from.
#include "kernels/row_sums.hpp"

#include <algorithm>
#include <vector>

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

// Adds number(s) times row s of `which` into `out`, all of them; `number` may look at the row.
template <typename Rows, typename Number>
bool weighted(const Rows& rows, std::span<const std::int64_t> which, double bias, const Number& number,
              double* out, std::size_t threads, const Stop& stop) {
    const std::size_t size = rows.width + 1, n = which.size();
    const std::size_t parts =
        std::clamp<std::size_t>(entries_of(rows, which) / (WORTH * size), 1, MOST_PARTS);
    std::vector<double> others((parts - 1) * size);
    const bool whole = for_blocks(parts, threads, stop, [&] {
        return [&](std::size_t part) {
            double* sum = part ? others.data() + (part - 1) * size : out;
            std::fill(sum, sum + size, 0.0);
            double last = 0;
            for (std::size_t s = n * part / parts; s < n * (part + 1) / parts; ++s) {
                if (s + AHEAD < n) fetch(rows, static_cast<std::size_t>(which[s + AHEAD]));
                const auto i = static_cast<std::size_t>(which[s]);
                const double t = number(s, i);
                if (t == 0) continue;
                add(rows, i, t, sum);
                last += t;
            }
            sum[rows.width] = last * bias;
        };
    });
    if (!whole) return false;
    for (std::size_t part = 1; part < parts; ++part)
        for (std::size_t k = 0; k < size; ++k) out[k] += others[(part - 1) * size + k];
    return true;
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
    return weighted(rows, which, bias, [&](std::size_t s, std::size_t) { return u[s]; }, out, threads, stop);
}

template <typename Rows>
bool row_curvature(const Rows& rows, std::span<const std::int64_t> which, double bias, const double* scale,
                   const double* v, double* out, std::size_t threads, const Stop& stop) {
    const double more = bias * v[rows.width];
    return weighted(
        rows, which, bias,
        [&](std::size_t s, std::size_t i) { return scale[s] * (product(rows, i, v) + more); }, out, threads,
        stop);
}

#define ACUMEN_FOR(Rows)                                                                                   \
    template bool row_products(const Rows&, std::span<const std::int64_t>, double, const double*, double*, \
                               std::size_t, const Stop&);                                                  \
    template bool row_sum(const Rows&, std::span<const std::int64_t>, double, const double*, double*,      \
                          std::size_t, const Stop&);                                                       \
    template bool row_curvature(const Rows&, std::span<const std::int64_t>, double, const double*,         \
                                const double*, double*, std::size_t, const Stop&);
ACUMEN_FOR(DenseRows)
ACUMEN_FOR(SparseRows)
#undef ACUMEN_FOR

}  // namespace acumen
