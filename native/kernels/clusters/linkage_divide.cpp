// DIANA: a group is divided by the row furthest from the others on average, which the rows follow that are
// nearer to those who left than to those who stay. Its height is its diameter.
#include <numeric>

#include "kernels/clusters/linkage.hpp"

namespace acumen {

namespace {

constexpr std::size_t NONE = static_cast<std::size_t>(-1);

struct Group {
    std::vector<std::uint32_t> rows;
    std::vector<double> sum;  // of each row: the weighted distances to all of the group
    double diameter = 0;
};

// What a row's mean distance to a group it belongs to is a mean over: its like that it stands for are at
// distance 0.
double others(double total, double own) { return total - std::min(own, 1.0); }

}  // namespace

std::vector<Join> divide(const RowDistances& rows, const std::vector<double>& weight, std::size_t threads,
                         const Stop& stop) {
    std::vector<Join> joins;
    std::vector<Group> open;
    bool whole = true;
    const auto measure = [&](Group& group) {
        const std::size_t m = group.rows.size();
        group.sum.assign(m, 0.0);
        const RowDistances own(rows, group.rows);
        std::vector<double> furthest(m, 0.0);
        whole = whole && for_blocks((m + 15) / 16, m < 256 ? 1 : threads, stop, [&] {
                    return [&, away = std::make_shared<std::vector<double>>(m)](std::size_t block) {
                        for (std::size_t i = block * 16; i < std::min(m, block * 16 + 16); ++i) {
                            own.from(i, away->data());
                            double sum = 0, far = 0;
                            for (std::size_t j = 0; j < m; ++j) {
                                sum += weight[group.rows[j]] * (*away)[j];
                                far = (*away)[j] > far ? (*away)[j] : far;
                            }
                            group.sum[i] = sum, furthest[i] = far;
                        }
                    };
                });
        group.diameter = m ? *std::max_element(furthest.begin(), furthest.end()) : 0.0;
    };
    Group all;
    all.rows.resize(rows.n());
    std::iota(all.rows.begin(), all.rows.end(), 0U);
    if (all.rows.size() < 2) return joins;
    measure(all);
    open.push_back(std::move(all));
    std::vector<double> away, with;
    while (!open.empty() && whole) {
        Group group = std::move(open.back());
        open.pop_back();
        const std::size_t m = group.rows.size();
        if (group.diameter == 0) {  // all the same: one after the other
            for (std::size_t i = m; i-- > 1;) joins.push_back({group.rows[0], group.rows[i], 0.0});
            continue;
        }
        const RowDistances own(rows, group.rows);
        std::vector<std::uint8_t> left(m, 0);
        away.assign(m, 0.0);
        with.assign(m, 0.0);  // of each row: the weighted distances to those who left
        double stay = 0, gone = 0;
        for (const std::uint32_t row : group.rows) stay += weight[row];
        for (std::size_t count = m; count > 1; --count) {
            if (count % 64 == 0 && stop && stop()) whole = false;
            std::size_t next = NONE;
            double most = 0;
            for (std::size_t i = 0; i < m; ++i) {
                if (left[i]) continue;
                const double rest = others(stay, weight[group.rows[i]]);
                const double apart =
                    (rest > 0 ? (group.sum[i] - with[i]) / rest : 0) - (gone > 0 ? with[i] / gone : 0);
                if (apart > most) most = apart, next = i;
            }
            if (next == NONE || !whole) break;
            left[next] = 1;
            const double w = weight[group.rows[next]];
            stay -= w, gone += w;
            own.from(next, away.data());
            for (std::size_t i = 0; i < m; ++i) with[i] += w * away[i];
        }
        Group a, b;
        for (std::size_t i = 0; i < m; ++i) (left[i] ? b : a).rows.push_back(group.rows[i]);
        if (b.rows.empty()) std::swap(a.rows, b.rows), a.rows.push_back(b.rows.back()), b.rows.pop_back();
        joins.push_back({a.rows[0], b.rows[0], group.diameter});
        for (Group* part : {&a, &b}) {
            if (part->rows.size() < 2) continue;
            measure(*part);
            open.push_back(std::move(*part));
        }
    }
    if (!whole) return {};
    std::reverse(joins.begin(), joins.end());  // what was divided last is joined first
    return joins;
}

}  // namespace acumen
