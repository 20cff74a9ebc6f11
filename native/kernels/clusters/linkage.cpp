#include "kernels/clusters/linkage.hpp"

#include <numeric>

#include "kernels/common/clones.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace acumen {

namespace {

constexpr double INF = std::numeric_limits<double>::infinity();
constexpr std::size_t NONE = static_cast<std::size_t>(-1);
constexpr std::size_t SMALL = 64;    // groups below which nothing is moved together
constexpr std::size_t SELDOM = 256;  // steps between two questions whether to stop

ACUMEN_CLONES double least_of(const double* ACUMEN_RESTRICT x, std::size_t count) {
    double least[8];
    for (double& each : least) each = INF;
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8)
        for (std::size_t l = 0; l < 8; ++l) least[l] = x[i + l] < least[l] ? x[i + l] : least[l];
    double made = INF;
    for (; i < count; ++i) made = x[i] < made ? x[i] : made;
    for (const double each : least) made = each < made ? each : made;
    return made;
}

// Rows by their distance from the one furthest from the first: what is near then stands together, and a chain
// of neighbours looks at few lines of the triangle.
std::vector<std::uint32_t> outward(const RowDistances& rows) {
    const std::size_t n = rows.n();
    std::vector<double> away(n);
    rows.from(0, away.data());
    const auto outermost =
        static_cast<std::size_t>(std::max_element(away.begin(), away.end()) - away.begin());
    rows.from(outermost, away.data());
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return away[a] < away[b]; });
    return order;
}

// All pairs of m slots, those of slot i with later ones lying together.
class Triangle {
  public:
    explicit Triangle(std::size_t m) : m_(m), size_(m * (m - 1) / 2) {
        data_ = std::make_unique_for_overwrite<double[]>(size_);
#if defined(__linux__)
        // Columns are a page apart from line to line: large pages save most of the looking up.
        const auto start = (reinterpret_cast<std::uintptr_t>(data_.get()) + 4095) & ~std::uintptr_t{4095};
        const std::size_t bytes = size_ * sizeof(double);
        if (bytes > (1U << 22)) madvise(reinterpret_cast<void*>(start), bytes - 4096, MADV_HUGEPAGE);
#endif
    }
    std::size_t at(std::size_t i, std::size_t j) const {
        return i * (2 * m_ - i - 1) / 2 + j - i - 1;
    }  // i < j
    double& operator()(std::size_t i, std::size_t j) { return data_[i < j ? at(i, j) : at(j, i)]; }
    double* line(std::size_t i) { return data_.get() + at(i, i + 1); }
    double* data() { return data_.get(); }
    std::size_t m() const { return m_; }

    // Keeps some slots, which move down in their order.
    void keep(const std::vector<std::size_t>& slots) {
        std::size_t to = 0;
        for (std::size_t a = 0; a < slots.size(); ++a)
            for (std::size_t b = a + 1; b < slots.size(); ++b) data_[to++] = data_[at(slots[a], slots[b])];
        m_ = slots.size();
    }

  private:
    std::size_t m_, size_;
    std::unique_ptr<double[]> data_;
};

// The nearest slot to one: `before` if there is none nearer.
std::pair<std::size_t, double> nearest(Triangle& apart, std::size_t slot, std::size_t before) {
    std::size_t found = before;
    double least = before == NONE ? INF : apart(slot, before);
    const std::size_t m = apart.m();
    std::size_t place = slot ? slot - 1 : 0;
    for (std::size_t j = 0; j < slot; ++j) {
        const double away = apart.data()[place];
        if (away < least) least = away, found = j;
        place += m - j - 2;
    }
    if (slot + 1 < m) {
        const double* line = apart.line(slot);
        const double right = least_of(line, m - slot - 1);
        if (right < least) {
            least = right;
            found = slot + 1 + static_cast<std::size_t>(std::find(line, line + (m - slot - 1), right) - line);
        }
    }
    return {found, least};
}

}  // namespace

std::vector<Join> link_pairs(const RowDistances& rows, const std::vector<double>& weight, PairLinkage linkage,
                             std::size_t threads, const Stop& stop) {
    const std::size_t n = rows.n();
    std::vector<Join> joins;
    if (n < 2) return joins;
    const std::vector<std::uint32_t> order = outward(rows);
    const RowDistances sorted(rows, order);
    Triangle apart(n);
    const bool filled = for_blocks(n, threads, stop, [&] {
        return [&, away = std::make_shared<std::vector<double>>(n)](std::size_t i) {
            if (i + 1 == n) return;
            sorted.from(i, away->data(), i + 1);
            std::copy(away->begin() + static_cast<std::ptrdiff_t>(i) + 1, away->end(), apart.line(i));
        };
    });
    if (!filled) return joins;
    std::vector<std::uint32_t> row(order);
    std::vector<double> mass(n);
    for (std::size_t i = 0; i < n; ++i) mass[i] = weight[order[i]];
    std::vector<std::uint8_t> alive(n, 1);
    std::vector<std::size_t> chain;
    std::size_t count = n, start = 0, steps = 0;
    joins.reserve(n - 1);
    while (count > 1) {
        if (++steps % SELDOM == 0 && stop && stop()) return {};
        const std::size_t m = apart.m();
        if (chain.empty()) {
            while (!alive[start]) ++start;
            chain.push_back(start);
        }
        const std::size_t top = chain.back(), before = chain.size() > 1 ? chain[chain.size() - 2] : NONE;
        const auto [next, height] = nearest(apart, top, before);
        if (next != before) {
            chain.push_back(next);
            continue;
        }
        chain.resize(chain.size() - 2);
        const std::size_t kept = std::min(top, before), gone = std::max(top, before);
        joins.push_back({row[kept], row[gone], height});
        const double a = mass[kept], b = mass[gone], both = a + b;
        const auto merge = [&](double& into, double& from) {
            if (linkage == PairLinkage::complete)
                into = from > into ? from : into;
            else
                into = (a * into + b * from) / both;
            from = INF;
        };
        double* data = apart.data();
        std::size_t x = kept ? kept - 1 : 0, y = gone - 1;
        for (std::size_t j = 0; j < kept; ++j) {
            merge(data[x], data[y]);
            x += m - j - 2, y += m - j - 2;
        }
        double* line = apart.line(kept);
        line[gone - kept - 1] = INF;
        y = apart.at(kept, gone) + (m - kept - 2);
        for (std::size_t j = kept + 1; j < gone; ++j) {
            merge(line[j - kept - 1], data[y]);
            y += m - j - 2;
        }
        double* later = gone + 1 < m ? apart.line(gone) : nullptr;
        for (std::size_t j = gone + 1; j < m; ++j) merge(line[j - kept - 1], later[j - gone - 1]);
        mass[kept] = both;
        alive[gone] = 0;
        --count;
        if (m > SMALL && 4 * count <= 3 * m) {
            std::vector<std::size_t> slots, place(m, NONE);
            for (std::size_t j = 0; j < m; ++j) {
                if (!alive[j]) continue;
                place[j] = slots.size();
                row[slots.size()] = row[j], mass[slots.size()] = mass[j];
                slots.push_back(j);
            }
            apart.keep(slots);
            alive.assign(slots.size(), 1);
            for (std::size_t& each : chain) each = place[each];
            start = 0;
        }
    }
    return joins;
}

std::vector<Join> link_ward(const RowDistances& rows, const std::vector<double>& weight, const Stop& stop) {
    const std::size_t n = rows.n(), d = rows.rows().d;
    std::vector<Join> joins;
    if (n < 2) return joins;
    const NearForm& form = rows.form();
    // Centroids in units of the distance, from the middle of all rows: far from 0 their means would lose
    // digits.
    NearForm ones;
    ones.factor.assign(d, 1.0);
    ones.weight.assign(d, 1.0);
    ones.settle();
    std::vector<double> middle(d, 0.0), values(n * d), mass(weight);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < d; ++j)
            middle[j] += (rows.rows().values[i * d + j] - middle[j]) / static_cast<double>(i + 1);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < d; ++j)
            values[i * d + j] = (rows.rows().values[i * d + j] - middle[j]) * form.factor[j] * form.unit;
    NearRows groups;
    groups.d = d;
    std::vector<std::uint32_t> row(n);
    std::iota(row.begin(), row.end(), 0U);
    std::vector<std::uint8_t> alive(n, 1);
    const auto lay = [&](std::size_t m) {
        groups.n = m;
        groups.values = values.data();
        groups.order.resize(m);
        std::iota(groups.order.begin(), groups.order.end(), 0U);
        groups.lay(ones);
    };
    lay(n);
    const auto growth = [&](std::size_t a, std::size_t b, double square) {
        return 2 * mass[a] * mass[b] / (mass[a] + mass[b]) * square;
    };
    const double lightest = *std::min_element(weight.begin(), weight.end());
    std::vector<std::size_t> chain;
    std::vector<double> centre(d);
    std::size_t count = n, start = 0, steps = 0;
    joins.reserve(n - 1);
    alignas(64) double keys[NEAR_LANES];
    while (count > 1) {
        if (++steps % SELDOM == 0 && stop && stop()) return {};
        if (chain.empty()) {
            while (!alive[start]) ++start;
            chain.push_back(start);
        }
        const std::size_t top = chain.back(), before = chain.size() > 1 ? chain[chain.size() - 2] : NONE;
        std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(top * d), d, centre.begin());
        std::size_t next = before;
        double least =
            before == NONE ? INF : growth(top, before, near_square(ones, groups, centre.data(), before));
        for (std::size_t tile = 0; tile < groups.n_tiles(); ++tile) {
            // Growth is the larger the heavier the other is: no group of which the square is beyond `reach`
            // is nearer.
            const double a = mass[top], reach = least * (a + lightest) / (2 * a * lightest) * (1 + 1e-12);
            const unsigned near = near_squares(ones, groups, centre.data(), tile, reach, keys);
            if (!near) continue;
            const std::size_t last = std::min(groups.n, (tile + 1) * NEAR_LANES);
            for (std::size_t slot = tile * NEAR_LANES; slot < last; ++slot) {
                if (!alive[slot] || slot == top) continue;
                const double grown = growth(top, slot, keys[slot - tile * NEAR_LANES]);
                if (grown < least) least = grown, next = slot;
            }
        }
        if (next != before) {
            chain.push_back(next);
            continue;
        }
        chain.resize(chain.size() - 2);
        const std::size_t kept = std::min(top, before), gone = std::max(top, before);
        joins.push_back({row[kept], row[gone], std::sqrt(least)});
        const double a = mass[kept], b = mass[gone];
        for (std::size_t j = 0; j < d; ++j) {
            double& into = values[kept * d + j];
            into += (values[gone * d + j] - into) * (b / (a + b));
            groups.tiles[(kept / NEAR_LANES * d + j) * NEAR_LANES + kept % NEAR_LANES] = into;
        }
        mass[kept] = a + b;
        alive[gone] = 0;
        --count;
        if (groups.n > SMALL && 4 * count <= 3 * groups.n) {
            std::vector<std::size_t> place(groups.n, NONE);
            std::size_t m = 0;
            for (std::size_t j = 0; j < groups.n; ++j) {
                if (!alive[j]) continue;
                place[j] = m;
                row[m] = row[j], mass[m] = mass[j];
                std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(j * d), d,
                            values.begin() + static_cast<std::ptrdiff_t>(m * d));
                ++m;
            }
            alive.assign(m, 1);
            lay(m);
            for (std::size_t& each : chain) each = place[each];
            start = 0;
        }
    }
    return joins;
}

JoinTable table_of(std::vector<Join> joins, std::size_t n) {
    std::stable_sort(joins.begin(), joins.end(),
                     [](const Join& x, const Join& y) { return x.height < y.height; });
    std::vector<std::uint32_t> parent(n);
    std::iota(parent.begin(), parent.end(), 0U);
    std::vector<std::int64_t> group(n), size(n, 1);
    std::iota(group.begin(), group.end(), 0);
    const auto root = [&](std::uint32_t x) {
        while (parent[x] != x) x = parent[x] = parent[parent[x]];
        return x;
    };
    JoinTable table;
    for (std::size_t t = 0; t < joins.size(); ++t) {
        std::uint32_t x = root(joins[t].a), y = root(joins[t].b);
        table.a.push_back(std::min(group[x], group[y]));
        table.b.push_back(std::max(group[x], group[y]));
        table.height.push_back(joins[t].height);
        if (size[x] < size[y]) std::swap(x, y);
        parent[y] = x;
        size[x] += size[y];
        group[x] = static_cast<std::int64_t>(n + t);
        table.size.push_back(size[x]);
    }
    return table;
}

}  // namespace acumen
