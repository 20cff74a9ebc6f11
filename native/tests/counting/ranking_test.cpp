// The ranking kernel on edge inputs: nothing, one row, NaN, infinities, both zeros, ties, many rows and
// threads, and being stopped. Meant for the sanitizers; exits non-zero when a check fails.
#include "kernels/counting/ranking.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <vector>

#include "tests/claims.hpp"

using namespace acumen;

namespace {

constexpr double NOTHING = std::numeric_limits<double>::quiet_NaN();
constexpr double INFINITE = std::numeric_limits<double>::infinity();
constexpr double LARGEST = std::numeric_limits<double>::max();
constexpr double SMALLEST = std::numeric_limits<double>::denorm_min();

void edges() {
    const double scores[] = {INFINITE, -INFINITE, 0.0, -0.0, LARGEST, -LARGEST, SMALLEST, -SMALLEST};
    const bool positive[] = {true, false, true, false, true, false, true, false};
    const double weights[] = {1, 2, 0.5, 0, 1, 1, 3, 1};
    for (std::size_t n = 0; n <= 8; ++n)
        for (bool weighed : {false, true}) {
            const std::span<const double> weight(weights, weighed ? n : 0);
            PairSums sums;
            TieGroups groups;
            CHECK(pair_sums({scores, n}, positive, weight, 2, {}, sums) == Ranked::done);
            CHECK(tie_groups({scores, n}, positive, weight, 2, {}, groups) == Ranked::done);
            CHECK(groups.score.size() == (n < 4 ? n : n - 1));  // the two zeros are one score
            for (std::size_t g = 1; g < groups.score.size(); ++g)
                CHECK(groups.score[g - 1] > groups.score[g]);
            double up = 0;
            for (double w : groups.positive) up += w;
            CHECK(up == sums.positive);
        }
    PairSums sums;
    CHECK(pair_sums({scores, 8}, positive, {}, 1, {}, sums) == Ranked::done);
    CHECK(sums.positive == 4 && sums.negative == 4 && sums.pairs == 15.5);
    const double bad[] = {1, NOTHING};
    CHECK(pair_sums({bad, 2}, positive, {}, 1, {}, sums) == Ranked::not_a_number);
}

void many() {
    constexpr std::size_t n = 700'000;
    std::vector<double> scores(n), weights(n);
    const auto positive = std::make_unique<bool[]>(n);
    std::uint64_t state = 1;
    for (std::size_t i = 0; i < n; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        scores[i] = static_cast<double>(state >> 40) / 1000 - 4000;
        positive[i] = state >> 20 & 1;
        weights[i] = static_cast<double>(state >> 60);
    }
    for (bool weighed : {false, true}) {
        const std::span<const double> weight(weights.data(), weighed ? n : 0);
        PairSums one, two;
        CHECK(pair_sums(scores, positive.get(), weight, 1, {}, one) == Ranked::done);
        CHECK(pair_sums(scores, positive.get(), weight, 3, {}, two) == Ranked::done);
        CHECK(one.positive == two.positive && one.negative == two.negative && one.pairs == two.pairs);
        CHECK(one.pairs > 0 && one.pairs < one.positive * one.negative);
    }
    PairSums sums;
    CHECK(pair_sums(scores, positive.get(), {}, 1, [] { return true; }, sums) == Ranked::stopped);
}

}  // namespace

int main() {
    edges();
    many();
    return claims::finish();
}
