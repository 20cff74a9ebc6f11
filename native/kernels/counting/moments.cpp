// Each tile of rows is read twice while it lies in cache: sums for a provisional mean, then deviations
// from it; the tile's moments are then merged into the groups'. Lanes run over columns, so each column is
// added up in row order whatever the instruction set and the layout.
//
// What bounds it: memory. The arithmetic of 1M x 50 is about 20 ms of one core, the 400 MB take longer.
#include "kernels/counting/moments.hpp"

#include <cmath>
#include <limits>

#include "kernels/common/clones.hpp"

namespace acumen {

namespace {

constexpr std::size_t CHUNK = 256;       // columns taken together
constexpr std::size_t TILE = 16 * 1024;  // numbers in a tile: 128 KB
constexpr std::size_t MAX_ROWS = 4096;
constexpr double LARGEST = std::numeric_limits<double>::max();

struct Tile {
    const double* x;
    std::ptrdiff_t stride;
    const std::uint32_t* row;
    const std::uint32_t* local;
    const double* weight;
    std::size_t n, width;
};

ACUMEN_CLONES void sum_rows(const Tile& t, double* ACUMEN_RESTRICT sum) {
    for (std::size_t i = 0; i < t.n; ++i) {
        const double* ACUMEN_RESTRICT x = t.x + static_cast<std::ptrdiff_t>(t.row[i]) * t.stride;
        double* ACUMEN_RESTRICT s = sum + t.local[i] * t.width;
        const double w = t.weight[i];
        for (std::size_t j = 0; j < t.width; ++j) s[j] += w * x[j];
    }
}

ACUMEN_CLONES void deviate_rows(const Tile& t, const double* ACUMEN_RESTRICT mean,
                                double* ACUMEN_RESTRICT first, double* ACUMEN_RESTRICT second) {
    for (std::size_t i = 0; i < t.n; ++i) {
        const double* ACUMEN_RESTRICT x = t.x + static_cast<std::ptrdiff_t>(t.row[i]) * t.stride;
        const std::size_t at = t.local[i] * t.width;
        const double w = t.weight[i];
        for (std::size_t j = 0; j < t.width; ++j) {
            const double d = x[j] - mean[at + j], wd = w * d;
            first[at + j] += wd;
            second[at + j] += wd * d;
        }
    }
}

// The same two passes for tiles in which something is missing.
ACUMEN_CLONES void sum_known(const Tile& t, double* ACUMEN_RESTRICT weight, double* ACUMEN_RESTRICT sum) {
    for (std::size_t i = 0; i < t.n; ++i) {
        const double* ACUMEN_RESTRICT x = t.x + static_cast<std::ptrdiff_t>(t.row[i]) * t.stride;
        const std::size_t at = t.local[i] * t.width;
        const double w = t.weight[i];
        for (std::size_t j = 0; j < t.width; ++j) {
            const bool known = std::fabs(x[j]) <= LARGEST;
            weight[at + j] += known ? w : 0.0;
            sum[at + j] += w * (known ? x[j] : 0.0);
        }
    }
}

ACUMEN_CLONES void deviate_known(const Tile& t, const double* ACUMEN_RESTRICT mean,
                                 double* ACUMEN_RESTRICT first, double* ACUMEN_RESTRICT second) {
    for (std::size_t i = 0; i < t.n; ++i) {
        const double* ACUMEN_RESTRICT x = t.x + static_cast<std::ptrdiff_t>(t.row[i]) * t.stride;
        const std::size_t at = t.local[i] * t.width;
        const double w = t.weight[i];
        for (std::size_t j = 0; j < t.width; ++j) {
            const double d = std::fabs(x[j]) <= LARGEST ? x[j] - mean[at + j] : 0.0, wd = w * d;
            first[at + j] += wd;
            second[at + j] += wd * d;
        }
    }
}

// A mean whose sum overflowed: shares of the weight keep every term below the largest value.
double scaled_mean(const Tile& t, std::uint32_t local, std::size_t j, double weight) {
    double mean = 0;
    for (std::size_t i = 0; i < t.n; ++i) {
        const double x =
            t.x[static_cast<std::ptrdiff_t>(t.row[i]) * t.stride + static_cast<std::ptrdiff_t>(j)];
        if (t.local[i] == local && std::fabs(x) <= LARGEST) mean += t.weight[i] / weight * x;
    }
    return std::clamp(mean, -LARGEST, LARGEST);
}

// The first known value of each cell, and whether all others equal it.
ACUMEN_CLONES void compare_rows(const Tile& t, double* ACUMEN_RESTRICT first,
                                unsigned char* ACUMEN_RESTRICT differ) {
    for (std::size_t i = 0; i < t.n; ++i) {
        const double* ACUMEN_RESTRICT x = t.x + static_cast<std::ptrdiff_t>(t.row[i]) * t.stride;
        const std::size_t at = t.local[i] * t.width;
        for (std::size_t j = 0; j < t.width; ++j) {
            const bool known = std::fabs(x[j]) <= LARGEST, started = first[at + j] == first[at + j];
            if (known && !started) first[at + j] = x[j];
            differ[at + j] |= static_cast<unsigned char>(known && started && x[j] != first[at + j]);
        }
    }
}

// Adds one cell's moments to another's.
void merge_cell(double& weight, double& mean, double& rest, double& scatter, double w, double m, double r,
                double s) {
    if (!(w > 0)) return;
    if (!(weight > 0)) {
        weight = w;
        mean = m + r;
        rest = std::isfinite(mean) ? (m - mean) + r : 0.0;
        scatter = s;
        return;
    }
    const double all = weight + w, share = w / all;
    const double delta = (m - mean) + (r - rest);
    if (std::isfinite(delta)) {
        scatter += s + delta * delta * (weight * share);
        const double step = rest + delta * share, sum = mean + step, back = sum - mean;
        rest = (mean - (sum - back)) + (step - back);
        mean = sum;
    } else {
        mean = mean * (weight / all) + m * share;
        rest = 0;
        scatter = std::numeric_limits<double>::infinity();
    }
    weight = all;
}

// The moments of one tile at a time, merged into the groups'.
class TileMoments {
  public:
    TileMoments(const Rows& rows, const Columns& values, const Moments& into)
        : into_(into), columns_(values.size()), local_of_(rows.groups(), NONE) {}

    void add(const Picked& picked, const RowTile& tile, std::size_t first_column, std::size_t width) {
        local_.clear();
        touched_.clear();
        weights_.clear();
        for (std::size_t i = 0; i < picked.size(); ++i) {
            std::uint32_t& local = local_of_[picked.group[i]];
            if (local == NONE) {
                local = static_cast<std::uint32_t>(touched_.size());
                touched_.push_back(picked.group[i]);
                weights_.push_back(0.0);
            }
            weights_[local] += picked.weight[i];
            local_.push_back(local);
        }
        for (const std::size_t group : touched_) local_of_[group] = NONE;
        if (touched_.empty()) return;

        const Tile t{tile.row(0),   tile.stride(), picked.row.data(), local_.data(), picked.weight.data(),
                     picked.size(), width};
        const std::size_t cells = touched_.size() * width;
        for (auto* scratch : {&mean_, &first_, &second_}) scratch->assign(cells, 0.0);
        sum_rows(t, mean_.data());
        bool complete = true;  // a sum is finite only if all its terms are
        for (std::size_t k = 0; k < cells; ++k) complete = complete && std::isfinite(mean_[k]);
        if (complete) {
            for (std::size_t k = 0; k < cells; ++k) mean_[k] /= weights_[k / width];
            deviate_rows(t, mean_.data(), first_.data(), second_.data());
        } else {
            complete_ = false;
            known_.assign(cells, 0.0);
            mean_.assign(cells, 0.0);
            sum_known(t, known_.data(), mean_.data());
            for (std::size_t k = 0; k < cells; ++k) {
                if (!(known_[k] > 0)) continue;
                const bool overflow = !std::isfinite(mean_[k]);
                mean_[k] = overflow
                               ? scaled_mean(t, static_cast<std::uint32_t>(k / width), k % width, known_[k])
                               : mean_[k] / known_[k];
            }
            deviate_known(t, mean_.data(), first_.data(), second_.data());
        }
        settle_constants(t, cells, complete);
        for (std::size_t k = 0; k < cells; ++k) {
            const double weight = complete ? weights_[k / width] : known_[k];
            if (!(weight > 0)) continue;
            const bool overflow = !std::isfinite(second_[k]);
            const double rest = overflow ? 0.0 : first_[k] / weight;
            const double scatter = overflow ? std::numeric_limits<double>::infinity()
                                            : std::max(0.0, second_[k] - first_[k] * rest);
            const std::size_t at = touched_[k / width] * columns_ + first_column + k % width;
            merge_cell(into_.weight[at], into_.mean[at], into_.rest[at], into_.scatter[at], weight, mean_[k],
                       rest, scatter);
        }
    }

    bool complete() const { return complete_; }

  private:
    // The mean of equal numbers, n x / n, need not be x; its rounding would be taken for spread. Where the
    // deviations look alike they are compared, and the mean of a constant is then the constant.
    void settle_constants(const Tile& t, std::size_t cells, bool complete) {
        bool suspect = false;
        for (std::size_t k = 0; k < cells && !suspect; ++k) {
            const double weight = complete ? weights_[k / t.width] : known_[k];
            suspect = first_[k] != 0 && !(second_[k] * weight > (1 + ALIKE) * first_[k] * first_[k]);
        }
        if (!suspect) return;
        value_.assign(cells, std::numeric_limits<double>::quiet_NaN());
        differ_.assign(cells, 0);
        compare_rows(t, value_.data(), differ_.data());
        for (std::size_t k = 0; k < cells; ++k) {
            if (differ_[k] || value_[k] != value_[k]) continue;
            mean_[k] = value_[k];
            first_[k] = second_[k] = 0;
        }
    }

    static constexpr double ALIKE = 1e-6;
    static constexpr std::uint32_t NONE = UINT32_MAX;
    const Moments& into_;
    std::size_t columns_;
    bool complete_ = true;
    std::vector<std::uint32_t> local_of_, local_;
    std::vector<std::size_t> touched_;
    std::vector<double> weights_, known_, mean_, first_, second_, value_;
    std::vector<unsigned char> differ_;
};

}  // namespace

bool add_moments(const Columns& values, const Rows& rows, const Moments& into) {
    if (!values.size() || !rows.groups()) return true;
    TileMoments moments(rows, values, into);
    Picked picked;
    for (std::size_t first_column = 0; first_column < values.size(); first_column += CHUNK) {
        const std::size_t width = std::min(CHUNK, values.size() - first_column);
        // Many groups want long tiles: merging costs as much as a row for each group that a tile touches.
        const std::size_t many = rows.soft ? 0 : 16 * std::min<std::size_t>(rows.groups(), MAX_ROWS);
        const std::size_t length = std::clamp<std::size_t>(std::max(TILE / width, many), 64, MAX_ROWS);
        RowTile tile(values, first_column, width, length);
        for (std::size_t first = 0; first < rows.n; first += length) {
            const std::size_t count = std::min(length, rows.n - first);
            tile.load(first, count);
            if (!rows.soft) {
                picked.pick(rows, first, count);
                moments.add(picked, tile, first_column, width);
                continue;
            }
            for (std::size_t c = 0; c < rows.classes; ++c) {
                picked.pick_soft(rows, first, count, c);
                moments.add(picked, tile, first_column, width);
            }
        }
    }
    return moments.complete();
}

void merge_moments(const Moments& into, const double* weight, const double* mean, const double* rest,
                   const double* scatter, std::size_t n) {
    for (std::size_t k = 0; k < n; ++k)
        merge_cell(into.weight[k], into.mean[k], into.rest[k], into.scatter[k], weight[k], mean[k], rest[k],
                   scatter[k]);
}

}  // namespace acumen
