// What bounds them: multiply and add from the second cache (reflections: a column is read twice for each
// reflection), and from registers (division: four columns of sixteen rows at a time).
#include "kernels/linear/triangle.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/common/lanes.hpp"

namespace acumen {
namespace {

constexpr std::size_t STRIP = 4;

// into[c] = v'column c for four columns that stand `stride` apart.
template <std::size_t BYTES>
ACUMEN_INLINE void dot_four_in(const double* v, const double* columns, std::size_t stride, std::size_t n,
                               double* into) {
    constexpr std::size_t N = LANES<BYTES>, WIDE = PACK / N;
    Lanes<BYTES> sum[STRIP][WIDE] = {};
    std::size_t i = 0;
    for (; i + PACK <= n; i += PACK)
        for (std::size_t t = 0; t < WIDE; ++t) {
            Lanes<BYTES> x, a;
            fetch<BYTES>(v + i + t * N, x);
            for (std::size_t c = 0; c < STRIP; ++c) {
                fetch<BYTES>(columns + c * stride + i + t * N, a);
                sum[c][t] += x * a;
            }
        }
    for (std::size_t c = 0; c < STRIP; ++c) {
        double lane[PACK], tail = 0.0;
        for (std::size_t t = 0; t < WIDE; ++t) put<BYTES>(sum[c][t], lane + t * N);
        for (std::size_t k = i; k < n; ++k) tail += v[k] * columns[c * stride + k];
        into[c] =
            (((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]))) +
            tail;
    }
}
ACUMEN_WIDTHS(void, dot_four,
              (const double* v, const double* columns, std::size_t stride, std::size_t n, double* into),
              (v, columns, stride, n, into))

// column c -= by[c] v for four columns.
ACUMEN_CLONES void subtract_four(const double* ACUMEN_RESTRICT v, double* ACUMEN_RESTRICT columns,
                                 std::size_t stride, std::size_t n, const double* by) {
    for (std::size_t c = 0; c < 4; ++c) {
        double* column = columns + c * stride;
        const double factor = by[c];
        for (std::size_t i = 0; i < n; ++i) column[i] -= factor * v[i];
    }
}

double dot_one(const double* a, const double* b, std::size_t n) {
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

// The length of a vector, whatever the size of its numbers.
double length_of(const double* v, std::size_t n) {
    double largest = 0.0;
    for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(v[i]));
    if (largest == 0.0 || !std::isfinite(largest)) return largest;
    if (largest > 1e-140 && largest < 1e140) return std::sqrt(dot_one(v, v, n));
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) sum += (v[i] / largest) * (v[i] / largest);
    return largest * std::sqrt(sum);
}

}  // namespace

void triangular(double* stack, std::size_t m, std::size_t p, double* factor) {
    std::fill(factor, factor + p * p, 0.0);
    const std::size_t steps = std::min(m, p);
    for (std::size_t j = 0; j < steps; ++j) {
        double* v = stack + j * m + j;
        const std::size_t n = m - j;
        const double length = length_of(v, n);
        if (length > 0.0 && n > 1) {
            // v becomes u with u[0] = 1 and the reflection I - tau u u'; the sign avoids cancellation.
            const double first = v[0], head = first < 0.0 ? first - length : first + length;
            const double tau = std::abs(head) / length;
            for (std::size_t i = 1; i < n; ++i) v[i] /= head;
            v[0] = 1.0;
            std::size_t k = j + 1;
            double by[4];
            for (; k + 4 <= p; k += 4) {
                dot_four(v, stack + k * m + j, m, n, by);
                for (double& each : by) each *= tau;
                subtract_four(v, stack + k * m + j, m, n, by);
            }
            for (; k < p; ++k) {
                double* column = stack + k * m + j;
                const double step = tau * dot_one(v, column, n);
                for (std::size_t i = 0; i < n; ++i) column[i] -= step * v[i];
            }
            v[0] = first < 0.0 ? length : -length;
        }
        const double sign = v[0] < 0.0 ? -1.0 : 1.0;
        for (std::size_t k = j; k < p; ++k) factor[j * p + k] = sign * stack[k * m + j];
    }
}

namespace {

constexpr std::size_t ROWS = 2 * PACK;

// The columns of `q` (p x 16) from `first` on, four of them, less what the columns before `first` account
// for.
template <std::size_t BYTES>
ACUMEN_INLINE void reduce_four_in(double* q, std::size_t first, const double* const* lines) {
    constexpr std::size_t N = LANES<BYTES>, WIDE = BYTES < 64 ? PACK / N : ROWS / N;
    for (std::size_t at = 0; at < ROWS; at += WIDE * N) {
        Lanes<BYTES> sum[STRIP][WIDE] = {};
        for (std::size_t k = 0; k < first; ++k) {
            Lanes<BYTES> x[WIDE];
            for (std::size_t t = 0; t < WIDE; ++t) fetch<BYTES>(q + k * ROWS + at + t * N, x[t]);
            for (std::size_t c = 0; c < STRIP; ++c)
                for (std::size_t t = 0; t < WIDE; ++t) sum[c][t] += x[t] * lines[c][k];
        }
        for (std::size_t c = 0; c < STRIP; ++c) {
            double less[WIDE * N];
            for (std::size_t t = 0; t < WIDE; ++t) put<BYTES>(sum[c][t], less + t * N);
            double* own = q + (first + c) * ROWS + at;
            for (std::size_t r = 0; r < WIDE * N; ++r) own[r] -= less[r];
        }
    }
}
ACUMEN_WIDTHS(void, reduce_four, (double* q, std::size_t first, const double* const* lines),
              (q, first, lines))

// One column of `q`: less the columns from `first` on that stand before it, divided by its pivot.
void finish(double* q, std::size_t first, std::size_t j, const double* line) {
    double* own = q + j * ROWS;
    for (std::size_t k = first; k < j; ++k)
        for (std::size_t r = 0; r < ROWS; ++r) own[r] -= q[k * ROWS + r] * line[k];
    for (std::size_t r = 0; r < ROWS; ++r) own[r] /= line[j];
}

}  // namespace

void divide_rows(double* rows, std::size_t n, std::size_t p, const double* factor) {
    std::vector<double> turned(p * p), q(p * ROWS);
    for (std::size_t j = 0; j < p; ++j)
        for (std::size_t k = 0; k <= j; ++k) turned[j * p + k] = factor[k * p + j];
    for (std::size_t start = 0; start < n; start += ROWS) {
        const std::size_t here = std::min(ROWS, n - start);
        for (std::size_t r = 0; r < ROWS; ++r)
            for (std::size_t j = 0; j < p; ++j) q[j * ROWS + r] = r < here ? rows[(start + r) * p + j] : 0.0;
        std::size_t first = 0;
        for (; first + 4 <= p; first += 4) {
            const double* lines[4];
            for (std::size_t c = 0; c < 4; ++c) lines[c] = turned.data() + (first + c) * p;
            reduce_four(q.data(), first, lines);
            for (std::size_t c = 0; c < 4; ++c) finish(q.data(), first, first + c, lines[c]);
        }
        for (; first < p; ++first) finish(q.data(), 0, first, turned.data() + first * p);
        for (std::size_t r = 0; r < here; ++r)
            for (std::size_t j = 0; j < p; ++j) rows[(start + r) * p + j] = q[j * ROWS + r];
    }
}

namespace {

// y -= by x
ACUMEN_CLONES void subtract_one(double* ACUMEN_RESTRICT y, const double* ACUMEN_RESTRICT x, double by,
                                std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) y[i] -= by * x[i];
}

}  // namespace

bool cholesky(const double* gram, std::size_t p, double* factor) noexcept {
    for (std::size_t j = 0; j < p; ++j)
        for (std::size_t k = 0; k < p; ++k) factor[j * p + k] = k < j ? 0.0 : gram[j * p + k];
    for (std::size_t j = 0; j < p; ++j) {
        double* row = factor + j * p;
        if (!(row[j] > 0.0)) return false;
        const double pivot = std::sqrt(row[j]);
        for (std::size_t k = j; k < p; ++k) row[k] /= pivot;
        for (std::size_t i = j + 1; i < p; ++i) subtract_one(factor + i * p + i, row + i, row[i], p - i);
    }
    return true;
}

void multiply_triangles(const double* a, const double* b, std::size_t p, double* product) noexcept {
    std::fill(product, product + p * p, 0.0);
    for (std::size_t i = 0; i < p; ++i)
        for (std::size_t k = i; k < p; ++k)
            subtract_one(product + i * p + k, b + k * p + k, -a[i * p + k], p - k);
}

}  // namespace acumen
