// Rows of one slot are centred into panels of eight columns (each panel rows x 8, so that it is read in
// order and two of them fit in the first cache), and a register block of 4 x 8 products runs down the rows.
// Lanes run over columns and nothing is fused, so every instruction set gives the same bytes.
//
// What bounds it: multiply and add. One product a cycle and lane, without fusing; memory is far behind.
#include "kernels/counting/scatter.hpp"

#include <cmath>
#include <limits>

#include "kernels/common/lanes.hpp"

namespace acumen {

namespace {

constexpr std::size_t PANEL_ROWS = 256;
constexpr std::size_t STRIP = 4;
constexpr double LARGEST = std::numeric_limits<double>::max();

std::size_t panels_of(std::size_t columns) { return (columns + PACK - 1) / PACK; }

// A block of STRIP lines by PACK columns of a'b.
template <std::size_t BYTES>
ACUMEN_INLINE void add_block(const double* left, const double* right, std::size_t rows, double* to,
                             std::size_t across) {
    constexpr std::size_t N = LANES<BYTES>, WIDE = PACK / N;
    Lanes<BYTES> sum[STRIP][WIDE] = {};
    for (std::size_t r = 0; r < rows; ++r) {
        Lanes<BYTES> x[WIDE];
        for (std::size_t t = 0; t < WIDE; ++t) fetch<BYTES>(right + r * PACK + t * N, x[t]);
        for (std::size_t s = 0; s < STRIP; ++s)
            for (std::size_t t = 0; t < WIDE; ++t) sum[s][t] += x[t] * left[r * PACK + s];
    }
    for (std::size_t s = 0; s < STRIP; ++s)
        for (std::size_t t = 0; t < WIDE; ++t) add_to<BYTES>(sum[s][t], to + s * across + t * N);
}

// c += a'b for panels a and b; c is (8 panels) x (8 panels) row-major. With `upper` only the register
// blocks on and above the diagonal are computed.
template <std::size_t BYTES>
ACUMEN_INLINE void add_products_in(const double* a, const double* b, std::size_t rows, std::size_t panels,
                                   bool upper, double* c) {
    const std::size_t across = panels * PACK, size = PANEL_ROWS * PACK;
    for (std::size_t strip = 0; strip < panels * 2; ++strip) {
        const double* left = a + strip / 2 * size + strip % 2 * STRIP;
        for (std::size_t panel = upper ? strip / 2 : 0; panel < panels; ++panel)
            add_block<BYTES>(left, b + panel * size, rows, c + strip * STRIP * across + panel * PACK, across);
    }
}
ACUMEN_WIDTHS(void, add_products,
              (const double* a, const double* b, std::size_t rows, std::size_t panels, bool upper, double* c),
              (a, b, rows, panels, upper, c))

// The rows of a tile put together by slot, in order within each.
class Buckets {
  public:
    explicit Buckets(std::size_t slots) : start_(slots + 1) {}

    void sort(const Picked& picked, std::size_t slot_width) {
        std::fill(start_.begin(), start_.end(), 0);
        for (const std::size_t group : picked.group) ++start_[group / slot_width + 1];
        for (std::size_t s = 1; s < start_.size(); ++s) start_[s] += start_[s - 1];
        order_.resize(picked.size());
        next_.assign(start_.begin(), start_.end() - 1);
        for (std::size_t i = 0; i < picked.size(); ++i) order_[next_[picked.group[i] / slot_width]++] = i;
    }
    // Calls body(slot, places among the picked) for each slot, at most PANEL_ROWS places at a time.
    template <typename Body>
    void each(const Body& body) const {
        for (std::size_t s = 0; s + 1 < start_.size(); ++s)
            for (std::size_t at = start_[s]; at < start_[s + 1]; at += PANEL_ROWS)
                body(s, std::span(order_).subspan(at, std::min(PANEL_ROWS, start_[s + 1] - at)));
    }

  private:
    std::vector<std::size_t> start_, next_, order_;
};

// Calls body(picked, first row) for tiles long enough that each slot has a good many rows in them.
template <typename Body>
void each_tile(const Rows& rows, std::size_t slots, const Body& body) {
    const std::size_t length = PANEL_ROWS * std::clamp<std::size_t>(slots, 1, 16);
    Picked picked;
    for (std::size_t first = 0; first < rows.n; first += length) {
        const std::size_t count = std::min(length, rows.n - first);
        for (std::size_t c = 0; c < (rows.soft ? rows.classes : 1); ++c) {
            if (rows.soft)
                picked.pick_soft(rows, first, count, c);
            else
                picked.pick(rows, first, count);
            if (picked.size()) body(picked, first);
        }
    }
}

// Copies a padded square out; with `upper` its lower triangle is the upper one's mirror.
void copy_out(const double* padded, std::size_t columns, bool upper, double* out) {
    const std::size_t across = panels_of(columns) * PACK;
    for (std::size_t i = 0; i < columns; ++i)
        for (std::size_t j = 0; j < columns; ++j)
            out[i * columns + j] += padded[upper && j < i ? j * across + i : i * across + j];
}

}  // namespace

void add_scatter(const Columns& values, const Rows& rows, bool shared, const double* centre,
                 double* scatter) {
    const std::size_t d = values.size(), panels = panels_of(d), across = panels * PACK;
    const std::size_t slots = shared ? rows.parts : rows.groups();
    if (!d || !slots) return;
    std::vector<double> squares(slots * across * across), panel(panels * PANEL_ROWS * PACK);
    const bool weighted = rows.weight || rows.soft;
    std::vector<double> heavy(weighted ? panel.size() : 0);  // the same rows times their weights
    const bool side_by_side = values.side_by_side(0, d);
    Buckets buckets(slots);
    each_tile(rows, slots, [&](const Picked& picked, std::size_t first) {
        buckets.sort(picked, shared ? rows.classes : 1);
        buckets.each([&](std::size_t slot, std::span<const std::size_t> places) {
            const auto put = [&](std::size_t r, std::size_t j, double x, const double* middle,
                                 double weight) {
                const std::size_t at = j / PACK * PANEL_ROWS * PACK + r * PACK + j % PACK;
                panel[at] = x - middle[j];
                if (weighted) heavy[at] = weight * panel[at];
            };
            if (side_by_side) {
                for (std::size_t r = 0; r < places.size(); ++r) {
                    const std::size_t i = places[r];
                    const double* x = &values.columns[0][first + picked.row[i]];
                    const double* middle = centre + picked.group[i] * d;
                    for (std::size_t j = 0; j < d; ++j) put(r, j, x[j], middle, picked.weight[i]);
                }
            } else {
                for (std::size_t j = 0; j < d; ++j)
                    for (std::size_t r = 0; r < places.size(); ++r) {
                        const std::size_t i = places[r];
                        put(r, j, values.columns[j][first + picked.row[i]], centre + picked.group[i] * d,
                            picked.weight[i]);
                    }
            }
            add_products(weighted ? heavy.data() : panel.data(), panel.data(), places.size(), panels, true,
                         squares.data() + slot * across * across);
        });
    });
    for (std::size_t s = 0; s < slots; ++s)
        copy_out(squares.data() + s * across * across, d, true, scatter + s * d * d);
}

void add_pairs(const Columns& values, const Rows& rows, const double* centre, double* weight, double* sum,
               double* product) {
    const std::size_t d = values.size(), panels = panels_of(d), across = panels * PACK,
                      square = across * across;
    const std::size_t slots = rows.groups(), size = panels * PANEL_ROWS * PACK;
    if (!d || !slots) return;
    std::vector<double> weights(slots * square), sums(slots * square), products(slots * square);
    std::vector<double> value(size), known(size), heavy_value(size), heavy_known(size);
    Buckets buckets(slots);
    each_tile(rows, slots, [&](const Picked& picked, std::size_t first) {
        buckets.sort(picked, 1);
        buckets.each([&](std::size_t slot, std::span<const std::size_t> places) {
            for (std::size_t j = 0; j < d; ++j)
                for (std::size_t r = 0; r < places.size(); ++r) {
                    const std::size_t i = places[r], at = j / PACK * PANEL_ROWS * PACK + r * PACK + j % PACK;
                    const double x = values.columns[j][first + picked.row[i]];
                    known[at] = std::fabs(x) <= LARGEST ? 1.0 : 0.0;
                    value[at] = known[at] != 0.0 ? x - centre[picked.group[i] * d + j] : 0.0;
                    heavy_known[at] = picked.weight[i] * known[at];
                    heavy_value[at] = picked.weight[i] * value[at];
                }
            const std::size_t n = places.size();
            add_products(heavy_known.data(), known.data(), n, panels, true, weights.data() + slot * square);
            add_products(heavy_value.data(), known.data(), n, panels, false, sums.data() + slot * square);
            add_products(heavy_value.data(), value.data(), n, panels, true, products.data() + slot * square);
        });
    });
    for (std::size_t s = 0; s < slots; ++s) {
        copy_out(weights.data() + s * square, d, true, weight + s * d * d);
        copy_out(sums.data() + s * square, d, false, sum + s * d * d);
        copy_out(products.data() + s * square, d, true, product + s * d * d);
    }
}

}  // namespace acumen
