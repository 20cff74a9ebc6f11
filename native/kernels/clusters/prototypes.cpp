#include "kernels/clusters/prototypes.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/common/clones.hpp"

namespace acumen {

namespace {

constexpr std::size_t TILE = 64;

ACUMEN_CLONES
void add_squares(const double* ACUMEN_RESTRICT turned, const double* ACUMEN_RESTRICT at, std::size_t p,
                 double* ACUMEN_RESTRICT away) {
    for (std::size_t j = 0; j < p; ++j)
        for (std::size_t i = 0; i < TILE; ++i) {
            const double by = turned[j * TILE + i] - at[j];
            away[i] += by == by ? by * by : 0.0;
        }
}

ACUMEN_CLONES
void add_unlike(const std::int32_t* ACUMEN_RESTRICT codes, std::int32_t mode,
                std::int32_t* ACUMEN_RESTRICT unlike) {
    for (std::size_t i = 0; i < TILE; ++i)
        unlike[i] += static_cast<std::int32_t>(codes[i] != mode) & static_cast<std::int32_t>(codes[i] != -1);
}

ACUMEN_CLONES
void keep_least(const double* ACUMEN_RESTRICT numbers, const std::int32_t* ACUMEN_RESTRICT unlike,
                double gamma, double own, double* ACUMEN_RESTRICT best, double* ACUMEN_RESTRICT label) {
    for (std::size_t i = 0; i < TILE; ++i) {
        const double away = numbers[i] + gamma * static_cast<double>(unlike[i]);
        label[i] = away < best[i] ? own : label[i];
        best[i] = away < best[i] ? away : best[i];
    }
}

void add_rows(const PrototypeRows& rows, std::size_t first, std::size_t here, const std::int32_t* label,
              std::size_t levels, const PrototypeSums& sums) {
    for (std::size_t i = 0; i < here; ++i) {
        if (label[i] < 0) continue;
        const auto own = static_cast<std::size_t>(label[i]);
        const double weight = rows.weight[first + i];
        sums.whole[own] += weight;
        const double* x = rows.values + (first + i) * rows.p;
        for (std::size_t j = 0; j < rows.p; ++j)
            if (x[j] == x[j]) {
                sums.sum[own * rows.p + j] += weight * x[j];
                sums.known[own * rows.p + j] += weight;
            }
    }
    for (std::size_t j = 0; j < rows.q; ++j) {
        const std::int32_t* codes = rows.codes + j * rows.n + first;
        double* counts = sums.counts + sums.start[j];
        for (std::size_t i = 0; i < here; ++i)
            if (label[i] >= 0 && codes[i] >= 0)
                counts[static_cast<std::size_t>(label[i]) * levels + static_cast<std::size_t>(codes[i])] +=
                    rows.weight[first + i];
    }
}

}  // namespace

std::size_t prototype_pass(const PrototypeRows& rows, const Prototypes& prototypes, std::int32_t* label,
                           double* away, const PrototypeSums& sums) {
    const std::size_t p = rows.p, q = rows.q;
    const auto levels = static_cast<std::size_t>(sums.start[q]);
    std::vector<double> turned(p * TILE, 0.0);
    std::vector<std::int32_t> codes(q * TILE, -1);
    double numbers[TILE], best[TILE], found[TILE];
    std::int32_t unlike[TILE];
    std::size_t changed = 0;
    for (std::size_t first = 0; first < rows.n; first += TILE) {
        const std::size_t here = std::min(TILE, rows.n - first);
        for (std::size_t i = 0; i < here; ++i)
            for (std::size_t j = 0; j < p; ++j) turned[j * TILE + i] = rows.values[(first + i) * p + j];
        for (std::size_t j = 0; j < q; ++j)
            std::copy_n(rows.codes + j * rows.n + first, here, codes.data() + j * TILE);
        std::fill_n(best, TILE, std::numeric_limits<double>::infinity());
        std::fill_n(found, TILE, 0.0);
        for (std::size_t c = 0; c < prototypes.k; ++c) {
            std::fill_n(numbers, TILE, 0.0);
            std::fill_n(unlike, TILE, 0);
            add_squares(turned.data(), prototypes.at + c * p, p, numbers);
            for (std::size_t j = 0; j < q; ++j)
                add_unlike(codes.data() + j * TILE, prototypes.mode[c * q + j], unlike);
            keep_least(numbers, unlike, prototypes.gamma, static_cast<double>(c), best, found);
        }
        for (std::size_t i = 0; i < here; ++i) {
            bool known = false;
            for (std::size_t j = 0; j < p; ++j) known |= turned[j * TILE + i] == turned[j * TILE + i];
            for (std::size_t j = 0; j < q; ++j) known |= codes[j * TILE + i] != -1;
            const std::int32_t own = known ? static_cast<std::int32_t>(found[i]) : -1;
            changed += label[first + i] != own;
            label[first + i] = own;
            away[first + i] = known ? best[i] : 0.0;
        }
        add_rows(rows, first, here, label + first, levels, sums);
    }
    return changed;
}

}  // namespace acumen
