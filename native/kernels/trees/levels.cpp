#include "kernels/trees/levels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace acumen::tree {

namespace {

constexpr std::size_t EXHAUSTIVE = 10;        // levels of which every subset is tried
constexpr std::size_t EXHAUSTIVE_OF_TWO = 7;  // the same of two classes where their order does not settle it
constexpr std::size_t FEW = 4;                // the same where their order would tell as well
constexpr std::size_t MOST_SUBSETS = 4096;    // the same where `max_subset` leaves so few
constexpr int PASSES = 20, TURNS = 50;        // of moving levels; of the power method

// What measures see of the levels, and the value of a split into two sides.
class Scales {
  public:
    Scales(const LevelCounts& levels, const LevelsAsked& asked, LevelScratch& scratch)
        : levels_(levels), asked_(asked), scratch_(scratch) {
        const std::size_t k = levels.classes;
        scratch.counts.assign(levels.counts.begin(), levels.counts.end());
        scratch.total.assign(k, 0.0);
        for (std::size_t t = 0; t < levels.size(); ++t)
            for (std::size_t c = 0; c < k; ++c) {
                if (asked.factors) scratch.counts[t * k + c] *= asked.factors[c];
                scratch.total[c] += scratch.counts[t * k + c];
            }
        weight_ = std::accumulate(levels.weight.begin(), levels.weight.end(), 0.0);
        scale_ = std::accumulate(scratch.total.begin(), scratch.total.end(), 0.0);
        scratch.side.resize(k);
        scratch.other.resize(k);
    }

    std::size_t size() const { return levels_.size(); }
    std::size_t classes() const { return levels_.classes; }
    double scale() const { return scale_; }
    const double* of(std::size_t t) const { return scratch_.counts.data() + t * classes(); }
    const std::vector<double>& total() const { return scratch_.total; }
    LevelScratch& scratch() { return scratch_; }

    void clear() {
        std::fill(scratch_.side.begin(), scratch_.side.end(), 0.0);
        side_weight_ = 0;
    }
    void add(std::size_t t, double sign) {
        for (std::size_t c = 0; c < classes(); ++c) scratch_.side[c] += sign * of(t)[c];
        side_weight_ += sign * levels_.weight[t];
    }
    // Sides of up to so many levels, built one level after the other: put(t, i) adds level t to the i put
    // before it.
    void start(std::size_t levels) {
        scratch_.built.assign((levels + 1) * (classes() + 1), 0.0);
        clear();
    }
    void put(std::size_t t, std::size_t before) {
        const std::size_t k = classes();
        const double* from = scratch_.built.data() + before * (k + 1);
        double* to = scratch_.built.data() + (before + 1) * (k + 1);
        for (std::size_t c = 0; c < k; ++c) scratch_.side[c] = to[c] = from[c] + of(t)[c];
        side_weight_ = to[k] = from[k] + levels_.weight[t];
    }
    // Whether both sides are heavy enough.
    bool allowed() const {
        const double rest = weight_ - side_weight_;
        return side_weight_ >= asked_.least && rest >= asked_.least && side_weight_ > 0 && rest > 0;
    }
    // The sum of both sides' values.
    double value() {
        for (std::size_t c = 0; c < classes(); ++c)
            scratch_.other[c] = std::max(scratch_.total[c] - scratch_.side[c], 0.0);
        return branch_value(asked_.measure, scratch_.side.data(), classes(), asked_.shares) +
               branch_value(asked_.measure, scratch_.other.data(), classes(), asked_.shares);
    }

  private:
    const LevelCounts& levels_;
    const LevelsAsked& asked_;
    LevelScratch& scratch_;
    double weight_ = 0, scale_ = 0, side_weight_ = 0;
};

// The best parting of levels in an order.
struct Parted {
    std::size_t at = 0;  // how many levels are on the first side; 0: there is none
    double value = 0;
    bool bound = false;  // whether a better one was not allowed
};

// `most` limits the number of levels on the smaller side.
Parted part_in_order(Scales& scales, const std::vector<std::size_t>& order, std::size_t most) {
    Parted made;
    double any = -1e300;
    scales.clear();
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
        scales.add(order[i], 1.0);
        const double value = scales.value();
        any = std::max(any, value);
        if (!scales.allowed() || std::min(i + 1, order.size() - i - 1) > most) continue;
        if (made.at && !better(value, made.value, scales.scale())) continue;
        made.value = value;
        made.at = i + 1;
    }
    made.bound = !made.at || better(any, made.value, scales.scale());
    return made;
}

void in_given_order(Scales& scales) {
    std::vector<std::size_t>& order = scales.scratch().order;
    order.resize(scales.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
}

// Levels by their share of class c.
void by_share(Scales& scales, std::size_t c) {
    std::vector<double>& share = scales.scratch().share;
    share.resize(scales.size());
    for (std::size_t t = 0; t < scales.size(); ++t) {
        const double* n = scales.of(t);
        const double weight = std::accumulate(n, n + scales.classes(), 0.0);
        share[t] = weight > 0 ? n[c] / weight : 0.0;
    }
    in_given_order(scales);
    std::vector<std::size_t>& order = scales.scratch().order;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return share[a] != share[b] ? share[a] < share[b] : a < b;
    });
}

// Levels by the first principal component of their class shares, weighted; by the power method.
void by_component(Scales& scales) {
    const std::size_t k = scales.classes(), n = scales.size();
    std::vector<double> away(n * k), weight(n), axis(k), next(k), place(n);
    for (std::size_t t = 0; t < n; ++t) {
        weight[t] = std::accumulate(scales.of(t), scales.of(t) + k, 0.0);
        for (std::size_t c = 0; c < k; ++c)
            away[t * k + c] =
                (weight[t] > 0 ? scales.of(t)[c] / weight[t] : 0.0) - scales.total()[c] / scales.scale();
    }
    // The start is the class whose shares vary most, a little off the axis: never at right angles to the
    // answer.
    for (std::size_t t = 0; t < n; ++t)
        for (std::size_t c = 0; c < k; ++c) next[c] += weight[t] * away[t * k + c] * away[t * k + c];
    const std::size_t start =
        static_cast<std::size_t>(std::max_element(next.begin(), next.end()) - next.begin());
    for (std::size_t c = 0; c < k; ++c)
        axis[c] = c == start ? 1.0 : 1e-3 * static_cast<double>(c + 1) / static_cast<double>(k);
    for (int turn = 0; turn < TURNS; ++turn) {
        std::fill(next.begin(), next.end(), 0.0);
        for (std::size_t t = 0; t < n; ++t) {
            place[t] = std::inner_product(axis.begin(), axis.end(),
                                          away.begin() + static_cast<std::ptrdiff_t>(t * k), 0.0);
            for (std::size_t c = 0; c < k; ++c) next[c] += weight[t] * place[t] * away[t * k + c];
        }
        const double length = std::sqrt(std::inner_product(next.begin(), next.end(), next.begin(), 0.0));
        if (!(length > 0)) break;
        for (std::size_t c = 0; c < k; ++c) axis[c] = next[c] / length;
    }
    in_given_order(scales);
    std::vector<std::size_t>& order = scales.scratch().order;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return place[a] < place[b]; });
}

// Moves single levels to the other side while the value rises.
void improve(Scales& scales, std::vector<std::int32_t>& branch, std::size_t most, double value) {
    const std::size_t n = branch.size();
    std::size_t inside = 0;
    scales.clear();
    for (std::size_t t = 0; t < n; ++t)
        if (branch[t] == 0) {
            scales.add(t, 1.0);
            ++inside;
        }
    for (int pass = 0; pass < PASSES; ++pass) {
        bool moved = false;
        for (std::size_t t = 0; t < n; ++t) {
            const std::size_t then = branch[t] == 0 ? inside - 1 : inside + 1;
            if (!then || then == n || std::min(then, n - then) > most) continue;
            const double sign = branch[t] == 0 ? -1.0 : 1.0;
            scales.add(t, sign);
            const double found = scales.value();
            if (scales.allowed() && better(found, value, scales.scale())) {
                value = found;
                branch[t] = 1 - branch[t];
                inside = then;
                moved = true;
            } else {
                scales.add(t, -sign);
            }
        }
        if (!moved) return;
    }
}

// Every V with at most `most` levels, by size, then by the order of levels.
void every_subset(Scales& scales, std::size_t most, std::vector<std::int32_t>& branch) {
    const std::size_t n = scales.size();
    std::vector<std::size_t> chosen, best_set;
    double best = 0;
    for (std::size_t size = 1; size <= std::min(most, n / 2); ++size) {
        chosen.resize(size);
        std::iota(chosen.begin(), chosen.end(), std::size_t{0});
        std::size_t settled = 0;  // levels of `chosen` that are on the side
        scales.start(size);
        for (;;) {
            for (; settled < size; ++settled) scales.put(chosen[settled], settled);
            if (scales.allowed()) {
                const double value = scales.value();
                if (best_set.empty() || better(value, best, scales.scale())) {
                    best = value;
                    best_set = chosen;
                }
            }
            std::size_t i = size;
            while (i > 0 && chosen[i - 1] == n - size + i - 1) --i;
            if (i == 0) break;
            settled = i - 1;
            ++chosen[i - 1];
            for (; i < size; ++i) chosen[i] = chosen[i - 1] + 1;
        }
    }
    if (best_set.empty()) return;
    branch.assign(n, 1);
    for (const std::size_t t : best_set) branch[t] = 0;
}

std::size_t count_subsets(std::size_t n, std::size_t most) {
    std::size_t sum = 0, choose = 1;
    for (std::size_t size = 1; size <= std::min(most, n / 2); ++size) {
        choose = choose * (n - size + 1) / size;
        sum += choose;
        if (sum > MOST_SUBSETS) break;
    }
    return sum;
}

// Branch 0 is the side of fewer levels, of two equal ones that of the first level.
void smaller_first(std::vector<std::int32_t>& branch) {
    const auto ones = static_cast<std::size_t>(std::count(branch.begin(), branch.end(), 1));
    const std::size_t zeros = branch.size() - ones;
    if (zeros < ones || (zeros == ones && branch[0] == 0)) return;
    for (std::int32_t& b : branch) b = 1 - b;
}

}  // namespace

void best_subset(const LevelCounts& levels, const LevelsAsked& asked, LevelScratch& scratch,
                 std::vector<std::int32_t>& branch) {
    branch.clear();
    const std::size_t n = levels.size();
    if (n < 2 || !asked.max_subset) return;
    Scales scales(levels, asked, scratch);
    std::size_t present = 0, latest = 0;
    for (std::size_t c = 0; c < levels.classes; ++c)
        if (scales.total()[c] > 0) {
            ++present;
            latest = c;
        }
    const bool free = asked.max_subset >= n / 2;
    const bool few = n <= (present > 2 ? EXHAUSTIVE : EXHAUSTIVE_OF_TWO) ||
                     (!free && count_subsets(n, asked.max_subset) <= MOST_SUBSETS);
    if (n <= FEW || (few && present > 2)) {
        every_subset(scales, asked.max_subset, branch);
    } else {
        if (present <= 2)
            by_share(scales, latest);
        else
            by_component(scales);
        const Parted parted = part_in_order(scales, scratch.order, asked.max_subset);
        const bool best = present <= 2 && !parted.bound;
        if (!best && few) {
            every_subset(scales, asked.max_subset, branch);
        } else if (parted.at) {
            branch.assign(n, 1);
            for (std::size_t i = 0; i < parted.at; ++i) branch[scratch.order[i]] = 0;
            if (!best) improve(scales, branch, asked.max_subset, parted.value);
        }
    }
    if (!branch.empty()) smaller_first(branch);
}

void best_threshold(const LevelCounts& levels, const LevelsAsked& asked, LevelScratch& scratch,
                    std::vector<std::int32_t>& branch) {
    branch.clear();
    if (levels.size() < 2) return;
    Scales scales(levels, asked, scratch);
    in_given_order(scales);
    const Parted parted = part_in_order(scales, scratch.order, SIZE_MAX);
    if (!parted.at) return;
    branch.assign(levels.size(), 1);
    std::fill_n(branch.begin(), parted.at, 0);
}

}  // namespace acumen::tree
