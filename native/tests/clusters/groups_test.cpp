// Groups of rows by distances, modes and densities without Python, for the sanitizers: hierarchies, medoids,
// dense rows, prototypes and mixtures against the definition.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>
#include <set>
#include <vector>

#include "kernels/clusters/dense_rows.hpp"
#include "kernels/clusters/linkage.hpp"
#include "kernels/clusters/medoids.hpp"
#include "kernels/clusters/mixture.hpp"
#include "kernels/clusters/prototypes.hpp"
#include "tests/claims.hpp"

namespace {

const double NONE = std::numeric_limits<double>::quiet_NaN();

std::uint64_t state = 7;
double drawn() {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state >> 40) / static_cast<double>(1 << 24);
}

std::vector<double> drawn_many(std::size_t count) {
    std::vector<double> made(count);
    for (double& each : made) each = drawn();
    return made;
}

acumen::NearIndex index_of(const std::vector<double>& values, std::size_t d, acumen::NearWay way) {
    acumen::NearForm form;
    form.factor.assign(d, 1);
    form.weight.assign(d, 1);
    acumen::NearRows rows;
    rows.n = values.size() / d;
    rows.d = d;
    rows.values = values.data();
    return {form, rows, std::vector<double>(rows.n, 1.0), {}, way, 2};
}

double apart(const std::vector<double>& values, std::size_t d, std::size_t a, std::size_t b) {
    double sum = 0;
    for (std::size_t j = 0; j < d; ++j)
        sum += (values[a * d + j] - values[b * d + j]) * (values[a * d + j] - values[b * d + j]);
    return std::sqrt(sum);
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * (1 + std::abs(a) + std::abs(b)); }

enum class Rule : std::uint8_t { single, complete, average };

// Heights of joins by the definition: all pairs of groups looked at, the nearest joined.
std::vector<double> naive_heights(const std::vector<double>& values, std::size_t d, Rule rule) {
    std::vector<std::vector<std::size_t>> groups(values.size() / d);
    for (std::size_t i = 0; i < groups.size(); ++i) groups[i] = {i};
    std::vector<double> heights;
    while (groups.size() > 1) {
        double best = std::numeric_limits<double>::infinity();
        std::size_t one = 0, other = 1;
        for (std::size_t a = 0; a < groups.size(); ++a)
            for (std::size_t b = a + 1; b < groups.size(); ++b) {
                double least = std::numeric_limits<double>::infinity(), most = 0, sum = 0;
                for (const std::size_t i : groups[a])
                    for (const std::size_t j : groups[b]) {
                        const double away = apart(values, d, i, j);
                        least = std::min(least, away);
                        most = std::max(most, away);
                        sum += away;
                    }
                const double mean = sum / static_cast<double>(groups[a].size() * groups[b].size());
                const double height = rule == Rule::single ? least : rule == Rule::complete ? most : mean;
                if (height < best) best = height, one = a, other = b;
            }
        heights.push_back(best);
        groups[one].insert(groups[one].end(), groups[other].begin(), groups[other].end());
        groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(other));
    }
    return heights;
}

void hierarchies_have_the_heights_of_the_definition() {
    for (const std::size_t n : {1U, 2U, 3U, 30U}) {
        const std::vector<double> values = drawn_many(2 * n), ones(n, 1.0);
        const acumen::NearIndex index = index_of(values, 2, acumen::NearWay::brute);
        const acumen::RowDistances rows(index, nullptr, 0);
        const auto heights = [&](std::vector<acumen::Join> joins) {
            return acumen::table_of(std::move(joins), n).height;
        };
        const auto agree = [&](const std::vector<double>& found, Rule rule) {
            const std::vector<double> wanted = naive_heights(values, 2, rule);
            return std::ranges::equal(found, wanted, near);
        };
        CHECK(agree(heights(acumen::link_single(rows, {})), Rule::single));
        CHECK(agree(heights(acumen::link_pairs(rows, ones, acumen::PairLinkage::complete, 2, {})),
                    Rule::complete));
        CHECK(agree(heights(acumen::link_pairs(rows, ones, acumen::PairLinkage::average, 2, {})),
                    Rule::average));
        const auto ward = acumen::table_of(acumen::link_ward(rows, ones, {}), n);
        CHECK(std::ranges::is_sorted(ward.height) &&
              (n == 1 || ward.size.back() == static_cast<std::int64_t>(n)));
        // The squares of all heights, halved, are the sum of squares of all rows around their mean.
        double squares = 0, grown = 0;
        for (std::size_t j = 0; j < 2; ++j) {
            double mean = 0;
            for (std::size_t i = 0; i < n; ++i) mean += values[2 * i + j] / static_cast<double>(n);
            for (std::size_t i = 0; i < n; ++i)
                squares += (values[2 * i + j] - mean) * (values[2 * i + j] - mean);
        }
        for (const double height : ward.height) grown += height * height / 2;
        CHECK(near(squares, grown));
        const auto divided = acumen::table_of(acumen::divide(rows, ones, 2, {}), n);
        CHECK(divided.height.size() == n - 1);
        if (n > 1) {
            double widest = 0;
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j < n; ++j) widest = std::max(widest, apart(values, 2, i, j));
            CHECK(near(divided.height.back(), widest));  // all rows together are as wide as they are
        }
    }
    const std::vector<double> values = drawn_many(40);
    const acumen::NearIndex index = index_of(values, 2, acumen::NearWay::brute);
    CHECK(acumen::link_single(acumen::RowDistances(index, nullptr, 0), [] { return true; }).empty());
}

void medoids_cannot_be_bettered_by_one_swap() {
    const std::size_t n = 40, k = 3;
    const std::vector<double> values = drawn_many(2 * n);
    std::vector<double> weight(n, 1.0);
    weight[5] = 0;
    const acumen::NearIndex index = index_of(values, 2, acumen::NearWay::brute);
    const acumen::RowDistances rows(index, nullptr, 0);
    const auto loss_of = [&](const std::vector<std::uint32_t>& medoids) {
        double loss = 0;
        for (std::size_t i = 0; i < n; ++i) {
            double least = std::numeric_limits<double>::infinity();
            for (const std::uint32_t medoid : medoids) least = std::min(least, apart(values, 2, i, medoid));
            loss += weight[i] * least;
        }
        return loss;
    };
    acumen::MedoidSearch how;
    how.medoids = acumen::start_medoids(rows, weight, {0.1, 0.5, 0.9});
    CHECK(std::set<std::uint32_t>(how.medoids.begin(), how.medoids.end()).size() == k);
    const double before = loss_of(how.medoids);
    const auto found = acumen::search_medoids(rows, weight, how, {});
    CHECK(found.settled && found.whole && near(found.loss, loss_of(found.medoids)) && found.loss <= before);
    CHECK(near(found.losses.front(), before) && near(found.losses.back(), found.loss));
    bool best = true;
    for (std::size_t m = 0; m < k; ++m)
        for (std::uint32_t row = 0; row < n; ++row) {
            if (row == 5 || std::ranges::find(found.medoids, row) != found.medoids.end()) continue;
            auto other = found.medoids;
            other[m] = row;
            best = best && loss_of(other) >= found.loss - 1e-9;
        }
    CHECK(best);
    how.threads = 3;
    CHECK(acumen::search_medoids(rows, weight, how, {}).medoids == found.medoids);
    CHECK(!acumen::search_medoids(rows, weight, how, [] { return true; }).whole);
}

void dense_rows_are_those_of_the_definition() {
    const std::size_t n = 120;
    std::vector<double> values = drawn_many(2 * n);
    for (std::size_t i = 0; i < 60; ++i) values[2 * i] += 3;  // two clouds
    values[0] = values[1] = 50;                               // and one row alone
    const double eps = 0.15, enough = 4;
    for (const acumen::NearWay way : {acumen::NearWay::brute, acumen::NearWay::kd}) {
        const acumen::NearIndex index = index_of(values, 2, way);
        const auto found = acumen::dense_rows(index, nullptr, eps, enough, 2, {});
        bool cores = true, together = true, reached = true;
        for (std::size_t i = 0; i < n; ++i) {
            int count = 0, near_core = -1;
            for (std::size_t j = 0; j < n; ++j) {
                const bool within = apart(values, 2, i, j) <= eps;
                count += within;
                if (within && found.core[j]) near_core = found.group[j];
                if (within && found.core[i] && found.core[j])
                    together = together && found.group[i] == found.group[j];
            }
            cores = cores && (found.core[i] != 0) == (count >= enough);
            reached = reached && (found.group[i] >= 0) == (near_core >= 0);
        }
        CHECK(cores && together && reached);
        CHECK(found.group[0] == -1 && found.groups >= 2 && found.whole);
        int next = 0;
        bool numbered = true;
        for (const std::int32_t group : found.group) {
            if (group == next) ++next;
            numbered = numbered && group < next;
        }
        CHECK(numbered && static_cast<std::size_t>(next) == found.groups);
    }
}

void prototypes_have_the_rows_that_are_nearest() {
    const std::size_t n = 50, p = 2, q = 2, k = 3;
    std::vector<double> values = drawn_many(n * p), weight = drawn_many(n), at = drawn_many(k * p);
    std::vector<std::int32_t> codes(q * n), mode(k * q);
    for (auto& code : codes) code = static_cast<std::int32_t>(drawn() * 4) - 1;  // -1: missing
    for (auto& code : mode) code = static_cast<std::int32_t>(drawn() * 3);
    codes[3] = -2;
    values[0] = NONE;
    values[8] = values[9] = NONE;  // row 4 knows nothing
    codes[4] = codes[n + 4] = -1;
    const std::int64_t start[] = {0, 3, 6};
    std::vector<double> sum(k * p), known(k * p), counts(k * 6), whole(k), away(n);
    std::vector<std::int32_t> label(n, -7);
    const acumen::PrototypeRows rows{values.data(), codes.data(), weight.data(), n, p, q};
    const acumen::Prototypes prototypes{at.data(), mode.data(), k, 0.5};
    const acumen::PrototypeSums sums{start, sum.data(), known.data(), counts.data(), whole.data()};
    CHECK(acumen::prototype_pass(rows, prototypes, label.data(), away.data(), sums) == n);
    bool right = true;
    std::vector<double> total(k), first(k * p);
    for (std::size_t i = 0; i < n; ++i) {
        double least = std::numeric_limits<double>::infinity();
        std::int32_t nearest = -1;
        for (std::size_t c = 0; c < k; ++c) {
            double distance = 0;
            for (std::size_t j = 0; j < p; ++j)
                if (const double gap = values[i * p + j] - at[c * p + j]; !std::isnan(gap))
                    distance += gap * gap;
            for (std::size_t j = 0; j < q; ++j)
                if (const auto code = codes[j * n + i]; code != -1)
                    distance += code == mode[c * q + j] ? 0 : 0.5;
            if (distance < least) least = distance, nearest = static_cast<std::int32_t>(c);
        }
        if (i == 4) nearest = -1;
        right = right && label[i] == nearest && (i == 4 || near(away[i], least));
        if (nearest < 0) continue;
        const auto c = static_cast<std::size_t>(nearest);
        total[c] += weight[i];
        for (std::size_t j = 0; j < p; ++j)
            if (!std::isnan(values[i * p + j])) first[c * p + j] += weight[i] * values[i * p + j];
    }
    CHECK(right);
    CHECK(std::ranges::equal(whole, total, near) && std::ranges::equal(sum, first, near));
    CHECK(acumen::prototype_pass(rows, prototypes, label.data(), away.data(), sums) ==
          0);  // nothing has changed
}

void mixtures_add_up_shares_of_the_definition() {
    const std::size_t n = 150, d = 3, k = 2;  // more than two tiles
    std::vector<double> values = drawn_many(n * d), weight = drawn_many(n), mean = drawn_many(k * d);
    values[7 * d + 1] = NONE;
    for (const bool diagonal : {false, true}) {
        const std::size_t m = diagonal ? d : d * d;
        std::vector<double> factor(k * m), constant(k);
        for (std::size_t c = 0; c < k; ++c) {
            double log_det = 0;
            for (std::size_t a = 0; a < d; ++a) {
                const std::size_t place = c * m + (diagonal ? a : a * d + a);
                factor[place] = 1 + drawn();
                log_det += std::log(factor[place]);
                for (std::size_t b = 0; b < a && !diagonal; ++b) factor[c * m + a * d + b] = drawn() - 0.5;
            }
            constant[c] =
                std::log(0.5) + log_det - static_cast<double>(d) / 2 * std::log(2 * std::numbers::pi);
        }
        std::vector<double> share(k), first(k * d), second(k * m), logs(n * k), wanted(k), moved(k * d);
        const acumen::MixtureRows rows{values.data(), weight.data(), n, d};
        const acumen::MixtureParts parts{constant.data(), mean.data(), factor.data(), k, diagonal};
        const double found = acumen::mixture_pass(rows, parts, {share.data(), first.data(), second.data()});
        acumen::mixture_logs(rows, parts, logs.data());
        double likelihood = 0;
        bool same = true;
        for (std::size_t i = 0; i < n; ++i) {
            if (i == 7) {
                same = same && std::isnan(logs[i * k]);
                continue;
            }
            std::vector<double> own(k);
            double sum = 0;
            for (std::size_t c = 0; c < k; ++c) {
                double squared = 0;
                for (std::size_t a = 0; a < d; ++a) {
                    double turned = 0;
                    for (std::size_t b = 0; b < d; ++b) {
                        if (diagonal && a != b) continue;
                        const double w = factor[c * m + (diagonal ? a : a * d + b)];
                        turned += w * (values[i * d + b] - mean[c * d + b]);
                    }
                    squared += turned * turned;
                }
                own[c] = constant[c] - squared / 2;
                same = same && near(own[c], logs[i * k + c]);
                sum += std::exp(own[c]);
            }
            likelihood += weight[i] * std::log(sum);
            for (std::size_t c = 0; c < k; ++c) {
                const double part = weight[i] * std::exp(own[c]) / sum;
                wanted[c] += part;
                for (std::size_t a = 0; a < d; ++a)
                    moved[c * d + a] += part * (values[i * d + a] - mean[c * d + a]);
            }
        }
        CHECK(same && near(found, likelihood));
        CHECK(std::ranges::equal(share, wanted, near) && std::ranges::equal(first, moved, near));
    }
}

}  // namespace

int main() {
    hierarchies_have_the_heights_of_the_definition();
    medoids_cannot_be_bettered_by_one_swap();
    dense_rows_are_those_of_the_definition();
    prototypes_have_the_rows_that_are_nearest();
    mixtures_add_up_shares_of_the_definition();
    return claims::finish();
}
