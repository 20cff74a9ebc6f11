// A block of rows is turned so that lanes run over rows; the others pass by, four at a time, and the inner
// products of a tile stay in registers until all attributes are through. The kernel function is applied to
// the tile while it is in the first cache, and only sums (or the rows asked for) leave it. Sums are taken in
// the others' order, tile by tile, whoever takes them, so threads do not change them.
//
// What bounds it: two operations for each pair and attribute, some twenty for each exponential.
#include "kernels/svm/kernel_sums.hpp"

#include <cstdint>
#include <vector>

#include "kernels/common/clones.hpp"
#include "kernels/svm/kernel_tile.hpp"

namespace acumen {

namespace {

constexpr std::size_t ROWS = TILE_ROWS, AT_ONCE = TILE_STEP;
constexpr std::size_t OTHERS = 32;  // of a tile

// sum[i] += coefficient[j] tile[j][i]
template <typename T>
[[gnu::always_inline]] inline void weigh(const T* ACUMEN_RESTRICT tile, std::size_t count,
                                         const double* coefficient, std::size_t step,
                                         double* ACUMEN_RESTRICT sum) {
    for (std::size_t j = 0; j < count; ++j) {
        const double c = coefficient[j * step];
        if (c == 0) continue;
        for (std::size_t i = 0; i < ROWS; ++i) sum[i] += c * static_cast<double>(tile[j * ROWS + i]);
    }
}

ACUMEN_CLONES void weigh_tile(const double* tile, std::size_t count, const double* c, std::size_t step,
                              double* sum) {
    weigh(tile, count, c, step, sum);
}

ACUMEN_CLONES void weigh_tile_single(const float* tile, std::size_t count, const double* c, std::size_t step,
                                     double* sum) {
    weigh(tile, count, c, step, sum);
}

void weigh_tile(const float* tile, std::size_t count, const double* c, std::size_t step, double* sum) {
    weigh_tile_single(tile, count, c, step, sum);
}

// Memory whose lines start where a register's load is quickest.
template <typename T>
class Aligned {
  public:
    explicit Aligned(std::size_t n) : raw_(n + 64 / sizeof(T)) {
        const auto at = reinterpret_cast<std::uintptr_t>(raw_.data());
        data_ = raw_.data() + (64 - at % 64) % 64 / sizeof(T);
    }
    Aligned(Aligned&&) noexcept = default;  // a moved vector keeps its memory
    T* data() const { return data_; }

  private:
    std::vector<T> raw_;
    T* data_;
};

// The others, to a multiple of AT_ONCE: whole tiles are reckoned, and what is beyond is never used.
template <typename T>
struct Padded {
    explicit Padded(const KernelRows<T>& o) : values((o.n + AT_ONCE) / AT_ONCE * AT_ONCE * o.width + 1) {
        std::copy_n(o.values, o.n * o.width, values.begin());
    }
    std::vector<T> values;
};

// Calls take(block's first row, rows in it, others' first, others in the tile, tile) for all tiles of a
// block.
template <typename T, typename Begin, typename Take, typename End>
bool over_tiles(const KernelFunction& k, const KernelRows<T>& rows, const KernelRows<T>& others,
                std::size_t threads, const Stop& stop, const Begin& begin, const Take& take, const End& end) {
    if (!rows.n || !others.n) return true;
    const Padded<T> padded(others);
    const std::size_t width = rows.width;
    return for_blocks((rows.n + ROWS - 1) / ROWS, threads, stop, [&] {
        return
            [&, turned = Aligned<T>(std::max<std::size_t>(width, 1) * ROWS), tile = Aligned<T>(OTHERS * ROWS),
             squares = std::vector<T>(ROWS), scratch = begin()](std::size_t block) mutable {
                const std::size_t first = block * ROWS, count = std::min(ROWS, rows.n - first);
                for (std::size_t i = 0; i < ROWS; ++i) {
                    const T* x = rows.values + (first + std::min(i, count - 1)) * width;
                    for (std::size_t c = 0; c < width; ++c) turned.data()[c * ROWS + i] = x[c];
                    squares[i] = rows.squares[first + std::min(i, count - 1)];
                }
                for (std::size_t j = 0; j < others.n; j += OTHERS) {
                    const std::size_t some = std::min(OTHERS, others.n - j);
                    fill_tile(k, turned.data(), squares.data(), width, padded.values.data() + j * width,
                              others.squares + j, some, tile.data());
                    take(scratch, first, count, j, some, tile.data());
                }
                end(scratch, first, count);
            };
    });
}

struct Nothing {};

template <typename T>
[[gnu::always_inline]] inline void add_lines(const T* const* lines, const double* c, std::size_t count,
                                             std::size_t first, std::size_t n, double* ACUMEN_RESTRICT sums) {
    std::size_t j = 0;
    for (; j + 4 <= count; j += 4) {
        const T* ACUMEN_RESTRICT a = lines[j] + first;
        const T* ACUMEN_RESTRICT b = lines[j + 1] + first;
        const T* ACUMEN_RESTRICT d = lines[j + 2] + first;
        const T* ACUMEN_RESTRICT e = lines[j + 3] + first;
        for (std::size_t i = 0; i < n; ++i)
            sums[i] += (c[j] * static_cast<double>(a[i]) + c[j + 1] * static_cast<double>(b[i])) +
                       (c[j + 2] * static_cast<double>(d[i]) + c[j + 3] * static_cast<double>(e[i]));
    }
    for (; j < count; ++j) {
        const T* ACUMEN_RESTRICT a = lines[j] + first;
        for (std::size_t i = 0; i < n; ++i) sums[i] += c[j] * static_cast<double>(a[i]);
    }
}

ACUMEN_CLONES void add_some(const double* const* lines, const double* c, std::size_t count, std::size_t first,
                            std::size_t n, double* sums) {
    add_lines(lines, c, count, first, n, sums);
}

ACUMEN_CLONES void add_some_single(const float* const* lines, const double* c, std::size_t count,
                                   std::size_t first, std::size_t n, double* sums) {
    add_lines(lines, c, count, first, n, sums);
}

void add_some(const float* const* lines, const double* c, std::size_t count, std::size_t first, std::size_t n,
              double* sums) {
    add_some_single(lines, c, count, first, n, sums);
}

}  // namespace

template <typename T>
bool add_kernel_sums(const KernelFunction& k, const KernelRows<T>& rows, const KernelRows<T>& others,
                     const double* coefficients, std::size_t columns, double* sums, std::size_t threads,
                     const Stop& stop) {
    return over_tiles<T>(
        k, rows, others, threads, stop, [&] { return std::vector<double>(columns * ROWS); },
        [&](std::vector<double>& own, std::size_t, std::size_t, std::size_t j, std::size_t some,
            const T* tile) {
            for (std::size_t c = 0; c < columns; ++c)
                weigh_tile(tile, some, coefficients + j * columns + c, columns, own.data() + c * ROWS);
        },
        [&](std::vector<double>& own, std::size_t first, std::size_t count) {
            for (std::size_t i = 0; i < count; ++i)
                for (std::size_t c = 0; c < columns; ++c)
                    sums[(first + i) * columns + c] += own[c * ROWS + i];
            std::fill(own.begin(), own.end(), 0.0);
        });
}

template <typename T>
bool kernel_rows(const KernelFunction& k, const KernelRows<T>& rows, const KernelRows<T>& others,
                 T* const* out, std::size_t threads, const Stop& stop) {
    return over_tiles<T>(
        k, rows, others, threads, stop, [] { return Nothing{}; },
        [&](Nothing&, std::size_t first, std::size_t count, std::size_t j, std::size_t some, const T* tile) {
            for (std::size_t a = 0; a < some; ++a) std::copy_n(tile + a * ROWS, count, out[j + a] + first);
        },
        [](Nothing&, std::size_t, std::size_t) {});
}

template <typename T>
bool add_kept_rows(const T* const* lines, const double* coefficients, std::size_t count, std::size_t n,
                   double* sums, std::size_t threads, const Stop& stop) {
    constexpr std::size_t SPAN = 2048;  // of sums that stay in the first cache while all lines pass
    return for_blocks((n + SPAN - 1) / SPAN, threads, stop, [&] {
        return [&](std::size_t block) {
            const std::size_t first = block * SPAN;
            add_some(lines, coefficients, count, first, std::min(SPAN, n - first), sums + first);
        };
    });
}

template bool add_kernel_sums(const KernelFunction&, const KernelRows<float>&, const KernelRows<float>&,
                              const double*, std::size_t, double*, std::size_t, const Stop&);
template bool add_kernel_sums(const KernelFunction&, const KernelRows<double>&, const KernelRows<double>&,
                              const double*, std::size_t, double*, std::size_t, const Stop&);
template bool kernel_rows(const KernelFunction&, const KernelRows<float>&, const KernelRows<float>&,
                          float* const*, std::size_t, const Stop&);
template bool kernel_rows(const KernelFunction&, const KernelRows<double>&, const KernelRows<double>&,
                          double* const*, std::size_t, const Stop&);
template bool add_kept_rows(const float* const*, const double*, std::size_t, std::size_t, double*,
                            std::size_t, const Stop&);
template bool add_kept_rows(const double* const*, const double*, std::size_t, std::size_t, double*,
                            std::size_t, const Stop&);

}  // namespace acumen
