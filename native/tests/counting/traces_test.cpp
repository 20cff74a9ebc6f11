// Hashes, ranges, samples and suspicions without Python, for the sanitizers.
#include "kernels/counting/traces.hpp"

#include <limits>
#include <numeric>

#include "tests/claims.hpp"

namespace {

using namespace acumen;

constexpr double INF = std::numeric_limits<double>::infinity();
const double NONE = std::numeric_limits<double>::quiet_NaN();

void ranges_and_hashes() {
    const std::size_t n = 2500;
    std::vector<double> wide(2 * n);  // two columns side by side
    for (std::size_t i = 0; i < 2 * n; ++i) wide[i] = static_cast<double>((i * 7919) % 1000) - 300;
    wide[4] = NONE;
    wide[7] = INF;
    const std::vector<Column> columns{{wide.data(), 2}, {wide.data() + 1, 2}};
    std::vector<std::int32_t> codes(n);
    for (std::size_t i = 0; i < n; ++i) codes[i] = static_cast<std::int32_t>(i % 5) - 2;
    codes[3] = 99;  // none of its levels: unknown
    const std::vector<CodeColumn> coded{{codes.data(), 1}};
    const std::vector<std::uint64_t> keys{11, 12, 13, 14, 15};
    const std::vector<std::span<const std::uint64_t>> spans{keys};
    std::vector<double> low(2, INF), high(2, -INF);
    std::vector<std::int64_t> infinite(2, 0);
    std::vector<std::uint64_t> hashes(n, 0), again(n, 0);
    const Columns all{columns, n};
    trace({all, coded, spans, n, low.data(), high.data(), infinite.data(), hashes.data()}, 0);
    CHECK(infinite[0] == 0 && infinite[1] == 1);
    CHECK(low[0] >= -300 && high[1] <= 699 && high[1] < INF);
    for (std::size_t i = 0; i < n; ++i) {
        const auto place = static_cast<std::size_t>(codes[i] == 99 ? 0 : codes[i] + 2);
        again[i] = number_hash(wide[2 * i], column_factor(0)) +
                   number_hash(wide[2 * i + 1], column_factor(1)) + keys[place];
    }
    CHECK(hashes == again);
    std::fill(again.begin(), again.end(), 0);
    trace({all, coded, spans, n, low.data(), high.data(), infinite.data(), again.data()}, 0, 3);
    CHECK(hashes == again);
    CHECK(number_hash(0.0, 3) == number_hash(-0.0, 3) && number_hash(NONE, 3) == number_hash(-NONE, 3));
    trace({{}, {}, {}, 0, nullptr, nullptr, nullptr, nullptr}, 0);
}

void samples() {
    std::vector<std::uint64_t> hashes;
    for (std::uint64_t i = 0; i < 3000; ++i) hashes.push_back(scrambled(i % 2000));
    const auto [level, kept] = sample_hashes(hashes, 0, 300);
    CHECK(kept.size() <= 300 && level > 0 && std::is_sorted(kept.begin(), kept.end()));
    for (const std::uint64_t hash : kept) CHECK(hash >> (64 - level) == 0);
    CHECK(sample_hashes(hashes, 0, 2000).first == 0 && sample_hashes(hashes, 0, 2000).second.size() == 2000);
    CHECK(sample_hashes({}, 5, 10).first == 5 && sample_hashes({}, 0, 10).second.empty());
    const std::vector<std::uint64_t> same(5000, 77);
    CHECK(sample_hashes(same, 0, 10).first == 0 && sample_hashes(same, 0, 10).second.size() == 1);
}

void suspicions() {
    const std::size_t n = 500;
    std::vector<double> rising(n), same(n, 2.0), noise(n), gaps(n, NONE);
    std::iota(rising.begin(), rising.end(), 1.0);
    std::vector<std::int32_t> labels(n), pure(n), mixed(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
        noise[i] = static_cast<double>(scrambled(i) % 1000) / 7;
        labels[i] = static_cast<std::int32_t>(scrambled(i + 9000) % 2);
        pure[i] = labels[i];
    }
    const auto judged = [&](const std::vector<double>& values) {
        return suspect_numbers({values.data(), 1}, n, labels, 2, 1024, SAME | IDENTIFIER | LEAK);
    };
    CHECK(judged(rising) & IDENTIFIER);
    CHECK(judged(same) & SAME);
    CHECK(judged(noise) == 0);
    CHECK(judged(gaps) & SAME);
    CHECK(suspect_codes({pure.data(), 1}, n, labels, 2) == LEAK);
    CHECK(suspect_codes({mixed.data(), 1}, n, labels, 1) == SAME);
    CHECK(suspect_codes({mixed.data(), 1}, n, {}, 0) & SAME);  // no level is known
    CHECK(!has_lonely({pure.data(), 1}, n, 2) && !has_lonely({pure.data(), 1}, n, 0));
    pure[5] = 4;
    CHECK(has_lonely({pure.data(), 1}, n, 5));
    std::vector<std::int64_t> counts(4, 0);
    mixed[0] = 7;
    mixed[1] = -1;
    count_codes({mixed.data(), 1}, n, counts);
    CHECK(counts[0] == 1 && counts[1] == 1 && counts[2] == 498);
    const std::vector<Column> numbers{{rising.data(), 1}, {gaps.data(), 1}, {rising.data(), 1}};
    const std::vector<CodeColumn> coded{{mixed.data(), 1}};
    const std::vector<double> low{10, 0, 1}, high{490, 1, 0};
    mixed[2] = -2;
    for (const std::size_t threads : {1, 3}) {
        std::vector<std::int64_t> outside(3, -1), unknown(1, -1);
        count_strange({numbers, n}, low.data(), high.data(), coded, n, outside.data(), unknown.data(),
                      threads);
        CHECK(outside[0] == 19 && outside[1] == 0 && outside[2] == 0 && unknown[0] == 1);
    }
}

}  // namespace

int main() {
    ranges_and_hashes();
    samples();
    suspicions();
    return claims::finish();
}
