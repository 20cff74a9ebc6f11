#include <numeric>

#include "kernels/clusters/linkage.hpp"
#include "kernels/common/lanes.hpp"

namespace acumen {

namespace {

constexpr double INF = std::numeric_limits<double>::infinity();
constexpr std::size_t NONE = static_cast<std::size_t>(-1);
constexpr std::size_t SMALL = 64;    // rows below which nothing is moved together
constexpr std::size_t SELDOM = 256;  // steps between two questions whether to stop

// The squares of a tile's rows to one row, taken into their shortest ways; returns the least of these. Bit g
// of `shorter`: one of the g-th NEAR_GROUP rows has a new one. Places beyond the last row hold NaN and never
// have.
#if defined(__GNUC__)
template <std::size_t BYTES, bool SCALED>
ACUMEN_INLINE double shorten(const double* x, const double* q, const double* factor, std::size_t d,
                             double* shortest, unsigned& shorter) {
    constexpr std::size_t WIDE = NEAR_GROUP / LANES<BYTES>;
    Lanes<BYTES> least;
    fetch<BYTES>(shortest, least);
    shorter = 0;
    for (std::size_t first = 0; first < NEAR_LANES; first += NEAR_GROUP) {
        Lanes<BYTES> sum[WIDE] = {};
        for (std::size_t j = 0; j < d; ++j)
            for (std::size_t t = 0; t < WIDE; ++t) {
                Lanes<BYTES> v;
                fetch<BYTES>(x + j * NEAR_LANES + first + t * LANES<BYTES>, v);
                v -= q[j];
                if constexpr (SCALED) v = v * factor[j];
                sum[t] += v * v;
            }
        Lanes<BYTES> before;
        fetch<BYTES>(shortest + first, before);
        auto any = sum[0] < before;
        for (std::size_t t = 0; t < WIDE; ++t) {
            fetch<BYTES>(shortest + first + t * LANES<BYTES>, before);
            const auto below = sum[t] < before;
            any |= below;
            before = below ? sum[t] : before;
            least = before < least ? before : least;
            put<BYTES>(before, shortest + first + t * LANES<BYTES>);
        }
        std::uint64_t bits[LANES<BYTES>], some = 0;
        std::memcpy(bits, &any, sizeof bits);
        for (const std::uint64_t each : bits) some |= each;
        if (some) shorter |= 1U << (first / NEAR_GROUP);
    }
    double made = INF, lanes[LANES<BYTES>];
    put<BYTES>(least, lanes);
    for (const double each : lanes) made = each < made ? each : made;
    return made;
}
#else
template <std::size_t BYTES, bool SCALED>
ACUMEN_INLINE double shorten(const double* x, const double* q, const double* factor, std::size_t d,
                             double* shortest, unsigned& shorter) {
    double least = INF;
    shorter = 0;
    for (std::size_t i = 0; i < NEAR_LANES; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < d; ++j) {
            const double v = (x[j * NEAR_LANES + i] - q[j]) * (SCALED ? factor[j] : 1.0);
            sum += v * v;
        }
        if (sum < shortest[i]) shortest[i] = sum, shorter |= 1U << (i / NEAR_GROUP);
        least = shortest[i] < least ? shortest[i] : least;
    }
    return least;
}
#endif

template <std::size_t BYTES>
ACUMEN_INLINE double shorten_scaled_in(const double* x, const double* q, const double* factor, std::size_t d,
                                       double* shortest, unsigned& shorter) {
    return shorten<BYTES, true>(x, q, factor, d, shortest, shorter);
}
ACUMEN_WIDTHS(double, shorten_scaled,
              (const double* x, const double* q, const double* factor, std::size_t d, double* shortest,
               unsigned& shorter),
              (x, q, factor, d, shortest, shorter))

template <std::size_t BYTES>
ACUMEN_INLINE double shorten_whole_in(const double* x, const double* q, const double* factor, std::size_t d,
                                      double* shortest, unsigned& shorter) {
    return shorten<BYTES, false>(x, q, factor, d, shortest, shorter);
}
ACUMEN_WIDTHS(double, shorten_whole,
              (const double* x, const double* q, const double* factor, std::size_t d, double* shortest,
               unsigned& shorter),
              (x, q, factor, d, shortest, shorter))

// Euclidean distances of complete numbers. Squares alone are compared, and a row that is taken leaves its
// place to the last one: no row is looked at in vain.
std::vector<Join> link_squares(const RowDistances& rows, const Stop& stop) {
    const NearForm& form = rows.form();
    const std::size_t n = rows.n(), d = rows.rows().d, places = rows.rows().n_tiles() * NEAR_LANES;
    const bool ones = std::all_of(form.factor.begin(), form.factor.end(), [](double f) { return f == 1; });
    std::vector<double> tiles(rows.rows().tiles), shortest(places, INF), before(places, INF), asked(d);
    std::vector<std::uint32_t> left(rows.rows().order), way(places, 0);
    const auto at = [&](std::size_t place, std::size_t j) -> double& {
        return tiles[(place / NEAR_LANES * d + j) * NEAR_LANES + place % NEAR_LANES];
    };
    std::vector<Join> joins;
    joins.reserve(n - 1);
    std::size_t taken = 0;
    for (std::size_t count = n - 1; count > 0; --count) {
        if (joins.size() % SELDOM == 0 && stop && stop()) return {};
        const std::uint32_t row = left[taken];
        for (std::size_t j = 0; j < d; ++j) {
            asked[j] = at(taken, j);
            at(taken, j) = at(count, j);
            at(count, j) = std::numeric_limits<double>::quiet_NaN();
        }
        left[taken] = left[count], way[taken] = way[count];
        shortest[taken] = before[taken] = shortest[count];
        shortest[count] = before[count] = INF;
        double least = INF;
        std::size_t where = 0;
        for (std::size_t first = 0; first < count; first += NEAR_LANES) {
            unsigned shorter = 0;
            const double* tile = tiles.data() + first * d;
            double* ways = shortest.data() + first;
            const double made =
                ones ? shorten_whole(tile, asked.data(), form.factor.data(), d, ways, shorter)
                     : shorten_scaled(tile, asked.data(), form.factor.data(), d, ways, shorter);
            for (std::size_t group = first; shorter; shorter >>= 1, group += NEAR_GROUP) {
                if (!(shorter & 1)) continue;
                for (std::size_t i = group; i < group + NEAR_GROUP; ++i)
                    if (shortest[i] < before[i]) before[i] = shortest[i], way[i] = row;
            }
            if (made < least) least = made, where = first;
        }
        taken = where;
        while (taken + 1 < count && shortest[taken] != least) ++taken;
        joins.push_back({way[taken], left[taken], form.distance(shortest[taken])});
    }
    return joins;
}

}  // namespace

std::vector<Join> link_single(const RowDistances& rows, const Stop& stop) {
    const std::size_t n = rows.n();
    std::vector<Join> joins;
    if (n < 2) return joins;
    if (rows.plain()) return link_squares(rows, stop);
    // Rows not yet in the tree, each with its shortest way into it; the last row taken asks.
    std::vector<std::uint32_t> left(n);
    std::iota(left.begin(), left.end(), 0U);
    std::vector<double> shortest(n, INF), away(n);
    std::vector<std::uint32_t> way(n, 0);
    std::unique_ptr<RowDistances> some;
    const RowDistances* now = &rows;
    std::size_t taken = 0;  // its place in `left`
    std::vector<std::uint8_t> gone(n, 0);
    std::size_t count = n;
    joins.reserve(n - 1);
    while (count > 1) {
        if (joins.size() % SELDOM == 0 && stop && stop()) return {};
        gone[taken] = 1;
        --count;
        now->from(taken, away.data());
        std::size_t next = NONE;
        for (std::size_t i = 0; i < left.size(); ++i) {
            if (gone[i]) continue;
            if (away[i] < shortest[i]) shortest[i] = away[i], way[i] = left[taken];
            if (next == NONE || shortest[i] < shortest[next]) next = i;
        }
        joins.push_back({way[next], left[next], shortest[next]});
        taken = next;
        if (left.size() > SMALL && 4 * count <= 3 * left.size()) {
            std::vector<std::uint32_t> kept;  // places
            std::size_t place = 0;
            for (std::size_t i = 0; i < left.size(); ++i) {
                if (gone[i]) continue;
                if (i == taken) place = kept.size();
                shortest[kept.size()] = shortest[i], way[kept.size()] = way[i];
                kept.push_back(static_cast<std::uint32_t>(i));
            }
            for (std::uint32_t& each : kept) each = left[each];
            left = std::move(kept);
            some = std::make_unique<RowDistances>(rows, left);
            now = some.get();
            gone.assign(left.size(), 0);
            taken = place;
        }
    }
    return joins;
}

}  // namespace acumen
