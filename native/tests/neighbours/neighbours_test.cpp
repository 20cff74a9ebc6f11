// Searches for the nearest rows without Python, for the sanitizers.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "kernels/neighbours/votes.hpp"
#include "tests/claims.hpp"

namespace {

constexpr double INF = std::numeric_limits<double>::infinity();
const double NONE = std::numeric_limits<double>::quiet_NaN();

std::uint64_t state = 1;
double drawn(int steps) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>((state >> 33) % static_cast<std::uint64_t>(steps)) / 4;
}

acumen::NearForm numbers(std::size_t d, acumen::NearRule rule) {
    acumen::NearForm form;
    form.rule = rule;
    form.root = rule == acumen::NearRule::squared ? acumen::NearRoot::square_root : acumen::NearRoot::itself;
    form.factor.assign(d, 1);
    form.weight.assign(d, 1);
    return form;
}

std::vector<double> drawn_many(std::size_t count, int steps) {
    std::vector<double> made(count);
    for (double& each : made) each = drawn(steps);
    return made;
}

acumen::NearRows rows_of(const std::vector<double>& values, std::size_t d) {
    acumen::NearRows rows;
    rows.n = values.size() / d;
    rows.d = d;
    rows.values = values.data();
    return rows;
}

// The rows that the definition names: sorted by distance, up to the k-th and all its equals.
std::vector<std::uint32_t> naive(const std::vector<double>& keys, double k) {
    std::vector<std::uint32_t> order(keys.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
    const auto kth = std::min(order.size(), static_cast<std::size_t>(k));
    while (!order.empty() && keys[order.back()] > keys[order[kth - 1]]) order.pop_back();
    return order;
}

void every_way_finds_the_same() {
    using acumen::NearRule;
    using acumen::NearWay;
    for (const std::size_t n : {1U, 63U, 64U, 65U, 500U})
        for (const std::size_t d : {1U, 3U, 9U})
            for (const NearRule rule : {NearRule::squared, NearRule::absolute, NearRule::largest})
                for (const NearWay way : {NearWay::brute, NearWay::kd, NearWay::vantage, NearWay::blocked}) {
                    if (way == NearWay::blocked && rule != NearRule::squared) continue;
                    const std::vector<double> values = drawn_many(n * d, n > 100 ? 7 : 3);
                    const acumen::NearIndex index(numbers(d, rule), rows_of(values, d),
                                                  std::vector<double>(n, 1.0), {}, way, 2);
                    std::vector<double> asked;
                    for (std::size_t i = 0; i < 10 * d; ++i) asked.push_back(drawn(9));
                    asked.resize(11 * d, 1e200);
                    asked.resize(12 * d, NONE);
                    acumen::NearQueries queries;
                    queries.n = 12;
                    queries.values = asked.data();
                    std::vector<std::vector<acumen::NearFound>> lists;
                    expect(acumen::near_lists(index, queries, 4, lists, 2, {}), "it is not stopped");
                    bool same = true;
                    for (std::size_t i = 0; i < 12; ++i) {
                        std::vector<double> keys(n);
                        for (std::size_t r = 0; r < n; ++r)
                            keys[r] = acumen::near_key(index.form(), index.rows(),
                                                       {asked.data() + i * d, nullptr, nullptr, nullptr}, r);
                        std::vector<std::uint32_t> found;
                        for (const auto& each : lists[i]) found.push_back(each.row);
                        same = same && found == naive(keys, 4);
                    }
                    expect(same, "every way finds the rows the definition names");
                }
}

void gaps_levels_and_what_is_left_out() {
    acumen::NearForm form;
    form.rule = acumen::NearRule::absolute;
    form.root = acumen::NearRoot::itself;
    form.share = form.capped = true;
    form.factor = {0.5};
    form.weight = {1};
    form.differ = {1, NONE};
    form.count = {1, 1};
    form.levels = {3, 2};
    form.table = {{}, {-1, 1, NONE, 1, 0, NONE, 1, 1, NONE}};
    acumen::NearRows rows;
    rows.n = 3;
    rows.d = 1;
    rows.q = 2;
    const double cells[] = {0, NONE, 4};
    const std::int32_t levels[] = {0, 0, 3, 2, 1, 1};
    rows.values = cells;
    rows.codes = levels;
    const acumen::NearIndex index(form, rows, {1, 2, 1}, {0, 1, 1}, acumen::NearWay::brute, 1);
    const double values[] = {1, NONE};
    const std::int32_t codes[] = {0, 0, -1, -1};
    double made[6];
    acumen::NearQueries queries;
    queries.n = 2;
    queries.values = values;
    queries.codes = codes;
    expect(acumen::all_distances(index, queries, made, 1, {}), "it is not stopped");
    expect(made[0] == 0.25, "two zeros say nothing");  // 0.5 of the number, 0 of the level, over two
    expect(made[1] == INF, "nothing is known of both");
    expect(made[2] == 1, "differences are capped, levels differ");
    expect(made[3] == INF && made[4] == INF && made[5] == INF, "a row of which nothing is known");

    const std::int32_t labels[] = {0, 1, 1};
    const double totals[] = {1, 3};
    acumen::NearTargets targets{2, labels, nullptr, totals};
    const std::int64_t own[] = {1, -1};
    const std::int32_t part[] = {0, 7};
    double votes[4], reach[2], within[2];
    std::int32_t winner[2];
    queries.own = own;
    expect(acumen::near_votes(index, queries, 4, acumen::NearSay::uniform, targets, votes, winner, reach,
                              within, 1, {}),
           "it is not stopped");
    expect(votes[0] == 1 && votes[1] == 2 && within[0] == 3, "of two equal rows one is left out");
    queries.part = part;
    expect(acumen::near_votes(index, queries, 1, acumen::NearSay::kernel, targets, votes, winner, reach,
                              within, 1, {}),
           "it is not stopped");
    expect(votes[0] == 0 && winner[0] == 1, "the own part has no vote");
    double sums[3] = {}, squares[3] = {};
    const std::int32_t truth[] = {0, 1};
    const double heavy[] = {2, 1};
    expect(acumen::near_curve(index, queries, 3, acumen::NearSay::distance, targets, truth, nullptr, heavy,
                              sums, squares, 2, {}),
           "it is not stopped");
    expect(sums[0] == 2 && squares[0] == 2, "errors are weighed");
    queries.part = nullptr;
    expect(!acumen::near_votes(index, queries, 1, acumen::NearSay::uniform, targets, votes, winner, reach,
                               within, 1, [] { return true; }),
           "it can be stopped");
}

void the_making_of_trees_can_be_stopped() {
    using acumen::NearWay;
    const std::vector<double> values = drawn_many(70000, 1000);
    for (const NearWay way : {NearWay::kd, NearWay::vantage})
        for (const bool stops : {false, true}) {
            const acumen::NearIndex index(numbers(1, acumen::NearRule::squared), rows_of(values, 1),
                                          std::vector<double>(values.size(), 1), {}, way, 2,
                                          [stops] { return stops; });
            expect(index.finished() != stops, "a tree is left off when it is asked for");
        }
}

}  // namespace

int main() {
    every_way_finds_the_same();
    gaps_levels_and_what_is_left_out();
    the_making_of_trees_can_be_stopped();
    return claims::finish();
}
