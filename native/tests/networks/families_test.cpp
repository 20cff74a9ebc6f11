// Families of Bayesian networks without Python, for the sanitizers: counts and scores against the definition.
#include "kernels/networks/families.hpp"

#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "tests/claims.hpp"

namespace {

std::uint64_t state = 3;
std::uint16_t drawn(std::uint64_t levels) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::uint16_t>((state >> 33) % levels);
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * (1 + std::abs(a) + std::abs(b)); }

struct Rows {
    std::size_t n = 200;
    std::vector<std::int32_t> levels{2, 3, 2, 4};
    std::vector<std::uint8_t> gaps{0, 0, 0, 0};
    std::vector<std::uint16_t> codes;
    std::vector<double> weights;

    explicit Rows(bool weighted) {
        for (const std::int32_t count : levels)
            for (std::size_t i = 0; i < n; ++i) codes.push_back(drawn(static_cast<std::uint64_t>(count)));
        for (std::size_t i = 0; i < n; ++i)
            codes[i] = static_cast<std::uint16_t>(codes[n + i] > 0 && drawn(4));
        for (std::size_t i = 0; weighted && i < n; ++i) weights.push_back(1 + drawn(3));
    }
    double weight(std::size_t i) const { return weights.empty() ? 1.0 : weights[i]; }
    acumen::CodedRows view() const {
        double total = 0;
        for (std::size_t i = 0; i < n; ++i) total += weight(i);
        return {codes.data(),  n,           levels.size(),
                levels.data(), gaps.data(), weights.empty() ? nullptr : weights.data(),
                total};
    }
};

// The log-likelihood of a child under its parents, less what each free parameter and parent costs.
double likelihood(const Rows& rows, std::int32_t child, const std::vector<std::int32_t>& parents,
                  const acumen::FamilyScore& score) {
    std::map<std::vector<int>, std::map<int, double>> counts;
    for (std::size_t i = 0; i < rows.n; ++i) {
        std::vector<int> key;
        for (const std::int32_t parent : parents)
            key.push_back(rows.codes[static_cast<std::size_t>(parent) * rows.n + i]);
        counts[key][rows.codes[static_cast<std::size_t>(child) * rows.n + i]] += rows.weight(i);
    }
    double made = 0;
    for (const auto& [key, of] : counts) {
        double sum = 0;
        for (const auto& [level, weight] : of) sum += weight;
        for (const auto& [level, weight] : of) made += weight * std::log(weight / sum);
    }
    double free = rows.levels[static_cast<std::size_t>(child)] - 1;
    for (const std::int32_t parent : parents) free *= rows.levels[static_cast<std::size_t>(parent)];
    return made - score.per_parameter * free - score.per_parent * static_cast<double>(parents.size());
}

void counts_and_scores_are_those_of_the_definition() {
    for (const bool weighted : {false, true}) {
        const Rows rows(weighted);
        std::vector<double> table(6);
        const std::int32_t columns[] = {0, 1};
        acumen::count_family(rows.view(), columns, table);
        std::vector<double> wanted(6);
        for (std::size_t i = 0; i < rows.n; ++i)
            wanted[static_cast<std::size_t>(rows.codes[i]) * 3 + rows.codes[rows.n + i]] += rows.weight(i);
        CHECK(table == wanted);
        const acumen::FamilyScore score{1.5, 0.25, 0, false};
        const std::int32_t parents[] = {1};
        const std::vector<std::uint8_t> allowed{1, 1, 1, 0};
        for (const std::size_t threads : {1U, 3U}) {
            std::vector<double> out(4);
            CHECK(acumen::score_family(rows.view(), 0, parents, allowed, score, threads, {}, out));
            CHECK(near(out[0], likelihood(rows, 0, {1}, score)));     // as it is
            CHECK(near(out[1], likelihood(rows, 0, {}, score)));      // without its parent
            CHECK(near(out[2], likelihood(rows, 0, {1, 2}, score)));  // with one more
            CHECK(std::isinf(out[3]) && out[3] < 0);                  // which is not allowed
        }
        std::vector<double> out(4);
        CHECK(!acumen::score_family(rows.view(), 0, parents, allowed, score, 1, [] { return true; }, out));
    }
}

void information_is_that_of_the_definition_and_zero_of_what_is_constant() {
    Rows rows(true);
    for (std::size_t i = 0; i < rows.n; ++i) rows.codes[2 * rows.n + i] = 1;
    std::vector<double> out(16);
    CHECK(acumen::pair_information(rows.view(), -1, 2, {}, out));
    std::vector<double> both(6), one(2), other(3);
    double total = 0;
    for (std::size_t i = 0; i < rows.n; ++i) {
        const std::size_t a = rows.codes[i], b = rows.codes[rows.n + i];
        both[a * 3 + b] += rows.weight(i);
        one[a] += rows.weight(i);
        other[b] += rows.weight(i);
        total += rows.weight(i);
    }
    double wanted = 0;
    for (std::size_t a = 0; a < 2; ++a)
        for (std::size_t b = 0; b < 3; ++b)
            if (both[a * 3 + b] > 0)
                wanted += both[a * 3 + b] / total * std::log(both[a * 3 + b] * total / (one[a] * other[b]));
    CHECK(near(out[1], wanted) && near(out[4], wanted) && wanted > 0.05);
    CHECK(near(out[2], 0) && near(out[2 * 4 + 3], 0));
}

}  // namespace

int main() {
    counts_and_scores_are_those_of_the_definition();
    information_is_that_of_the_definition_and_zero_of_what_is_constant();
    return claims::finish();
}
