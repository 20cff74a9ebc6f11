// The summary and prediction kernels on edge inputs: nothing, one row, all missing, codes far out of range.
// Meant for the sanitizers; exits non-zero when a check fails.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "kernels/counting/counting.hpp"
#include "kernels/counting/histogram.hpp"
#include "kernels/counting/joint.hpp"
#include "kernels/counting/moments.hpp"
#include "kernels/counting/scatter.hpp"
#include "kernels/counting/word_sums.hpp"
#include "kernels/densities/gaussian.hpp"
#include "kernels/densities/quadratic.hpp"
#include "tests/claims.hpp"

using namespace acumen;

namespace {

constexpr double NOTHING = std::numeric_limits<double>::quiet_NaN();
constexpr double INFINITE = std::numeric_limits<double>::infinity();
constexpr double LARGEST = std::numeric_limits<double>::max();
constexpr std::int32_t LOWEST = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t HIGHEST = std::numeric_limits<std::int32_t>::max();

const std::int32_t LABELS[] = {0, 1, -1, -2, 2, LOWEST, HIGHEST, 1};
const std::int32_t CODES[] = {0, 3, 1, HIGHEST, LOWEST, -1, -2, 2};
const std::int32_t PARTS[] = {0, 1, 2, LOWEST, HIGHEST, -1, 0, 1};
const double WEIGHTS[] = {1, 0, 2, 0.5, NOTHING, 1, 1, 3};
const double VALUES[] = {1, NOTHING, INFINITE, -INFINITE, LARGEST, -LARGEST, 0, 1e300};
constexpr std::size_t N = 8;

Rows rows_of(std::size_t n, std::size_t classes, bool weighted = false, std::size_t parts = 0) {
    Rows rows;
    rows.n = n;
    rows.classes = classes;
    rows.label = LABELS;
    rows.weight = weighted ? WEIGHTS : nullptr;
    rows.part = parts ? PARTS : nullptr;
    rows.parts = parts ? parts : 1;
    return rows;
}

void counting() {
    for (std::size_t n : {std::size_t{0}, std::size_t{1}, N})
        for (std::size_t levels : {0u, 1u, 3u}) {
            std::vector<double> table(3 * (levels + 1));
            count_levels({CODES, 1}, rows_of(n, 2), levels, table.data());
            double sum = 0;
            for (double x : table) sum += x;
            CHECK(sum == static_cast<double>(n));
            std::vector<double> parts(2 * 3 * (levels + 1));
            count_levels({CODES, 1}, rows_of(n, 2, true, 2), levels, parts.data());
        }
    std::vector<std::int32_t> codes(1000, HIGHEST), labels(1000, LOWEST);
    Rows rows;
    rows.n = 1000;
    rows.classes = 1;
    rows.label = labels.data();
    double table[4] = {};
    count_levels({codes.data(), 1}, rows, 1, table);
    CHECK(table[3] == 1000);
    const double shares[] = {0.5, 0.5, 1, 0};
    Rows soft;
    soft.n = 2;
    soft.classes = 2;
    soft.soft = shares;
    double three[6] = {};
    count_levels({CODES, 1}, soft, 1, three);
    CHECK(three[0] == 0.5 && three[1] == 1 && three[2] == 0.5 && three[3] == 0);
}

void moments() {
    for (std::size_t n : {std::size_t{0}, std::size_t{1}, N})
        for (bool weighted : {false, true})
            for (std::size_t parts : {0u, 2u}) {
                const Column columns[] = {{VALUES, 1}, {VALUES + N - 1, -1}, {VALUES, 0}};
                const Rows rows = rows_of(n, 2, weighted, parts);
                std::vector<double> weight(rows.groups() * 3), mean(weight), rest(weight), scatter(weight);
                add_moments({columns, n}, rows, {weight.data(), mean.data(), rest.data(), scatter.data()});
                for (double x : mean) CHECK(std::isfinite(x));
                for (double x : scatter) CHECK(x >= 0);
            }
    const Column none[] = {{nullptr, 1}};
    double cell[4] = {};
    const Moments into{cell, cell + 1, cell + 2, cell + 3};
    CHECK(add_moments({none, 0}, rows_of(0, 1), into));
    CHECK(add_moments({{}, N}, rows_of(N, 1), into));
    const double missing[] = {NOTHING, NOTHING};
    const Column lost[] = {{missing, 1}};
    CHECK(!add_moments({lost, 2}, rows_of(2, 1), into));
    CHECK(cell[0] == 0 && cell[1] == 0 && cell[3] == 0);
}

void scatters() {
    const double values[] = {1, 2, 3, 4, 5, 6, 7, 8};
    const Column columns[] = {{values, 1}, {values + 7, -1}, {VALUES, 1}};
    const std::vector<double> centre(2 * 2 * 3);
    for (std::size_t n : {std::size_t{0}, std::size_t{1}, N})
        for (bool weighted : {false, true})
            for (std::size_t parts : {0u, 2u}) {
                const Rows rows = rows_of(n, 2, weighted, parts);
                for (bool shared : {false, true}) {
                    std::vector<double> scatter(4 * 4);
                    add_scatter({std::span(columns, 2), n}, rows, shared, centre.data(), scatter.data());
                    CHECK(scatter[1] == scatter[2]);
                }
                std::vector<double> weight(4 * 9), sum(weight), product(weight);
                add_pairs({columns, n}, rows, centre.data(), weight.data(), sum.data(), product.data());
                CHECK(weight[1] == weight[3]);
            }
    add_scatter({{}, 0}, rows_of(0, 0), true, nullptr, nullptr);
}

void joints() {
    const CodeColumn columns[] = {{CODES, 1}, {CODES + N - 1, -1}, {PARTS, 1}};
    for (std::size_t n : {std::size_t{0}, std::size_t{1}, N})
        for (std::size_t parts : {0u, 2u})
            for (std::size_t width : {0u, 1u, 3u}) {
                const std::span<const CodeColumn> some(columns, width);
                const Joint made = count_joint(some, rows_of(n, 2, true, parts));
                CHECK(made.keys.size() == made.n * made.width && made.weights.size() == made.n * 2);
                const Joint both =
                    merge_joint(made.keys, made.weights, made.keys, made.weights, made.width, made.classes);
                CHECK(both.n == made.n);
                if (parts || !width) continue;
                std::vector<std::int64_t> place(n);
                find_joint(made.keys, width, some, n, place.data());
                for (auto at : place) CHECK(at >= -1 && at < static_cast<std::int64_t>(made.n));
            }
}

void histograms() {
    for (std::size_t n_cuts : {0u, 1u, 2u, 5u}) {
        const double cuts[] = {-1, 0, 1, 2, 3};
        std::int32_t codes[N];
        bin_codes({VALUES, 1}, N, {cuts, n_cuts}, codes);
        const auto top = static_cast<std::int32_t>(n_cuts);
        CHECK(codes[1] == -1 && codes[2] == top && codes[3] == 0 && codes[4] == top && codes[5] == 0);
    }
}

void logs() {
    const Column columns[] = {{VALUES, 1}, {VALUES + N - 1, -1}};
    const double mean[] = {0, LARGEST, -LARGEST, INFINITE}, variance[] = {0, 1, INFINITE, NOTHING};
    const double factor[] = {1, NOTHING, 0.5, 2, 1e200, 0, 0, 1e-200};
    const double means[] = {0, 1, -1e300, 1e300};
    for (std::size_t threads : {1u, 3u})
        for (std::size_t n : {std::size_t{0}, std::size_t{1}, N}) {
            std::vector<double> total(n * 2);
            CHECK(add_gaussian_logs({columns, n}, 2, mean, variance, total.data(), threads, {}));
            std::size_t skipped = 0;
            CHECK(add_quadratic_logs({columns, n}, 2, means, factor, total.data(), threads, {}, skipped));
            CHECK(n < N || skipped == 6);
            for (double x : total) CHECK(std::isfinite(x));
        }
    const CodeColumn codes[] = {{CODES, 1}, {LABELS, 1}};
    const double table[] = {1, 2, 3, 4};
    const double* tables[] = {table, table};
    const std::size_t levels[] = {2, 1};
    double total[N * 2] = {};
    CHECK(add_level_logs(codes, N, 2, tables, levels, total, 2, {}));
    CHECK(total[0] == 2 && total[1] == 5);
    std::vector<double> many(100'000 * 2), value(100'000, 1.0);
    const Column one[] = {{value.data(), 1}};
    CHECK(!add_gaussian_logs({one, value.size()}, 2, mean, variance, many.data(), 1, [] { return true; }));
}

void words() {
    const std::int32_t starts[] = {0, 2, 2, 9, -5}, indices[] = {0, 1, 7, -1};
    const double values[] = {1, NOTHING, 2, 3};
    Rows rows = rows_of(4, 2);
    rows.n = 4;
    const std::int32_t labels[] = {0, 0, 1, 1};
    rows.label = labels;
    std::vector<double> sums(4), presence(4);
    const Sparse<std::int32_t, double> matrix{starts, indices, values, 2};
    add_words(matrix, rows, sums.data(), presence.data());
    CHECK(sums[0] == 1 && sums[1] == 0 && presence[0] == 1 && sums[2] == 0);
}

}  // namespace

int main() {
    counting();
    moments();
    scatters();
    joints();
    histograms();
    logs();
    words();
    return claims::finish();
}
