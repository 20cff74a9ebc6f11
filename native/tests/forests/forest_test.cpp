// Forests, extra trees and boosted stumps without Python, for the sanitizers.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/boosting/stumps.hpp"
#include "kernels/forests/bag.hpp"
#include "kernels/forests/codes.hpp"
#include "kernels/forests/grow.hpp"
#include "kernels/forests/walk.hpp"
#include "tests/claims.hpp"

namespace {

namespace forest = acumen::forest;

// Columns of codes, one of them wide and one of levels, with gaps where they are asked for.
struct Made {
    std::vector<std::vector<std::uint8_t>> narrow;
    std::vector<std::vector<std::uint16_t>> wide;
    std::vector<std::int32_t> label;
    std::vector<double> response, weight;
    std::vector<forest::Column> columns;
    forest::Table table;

    Made(std::size_t rows, std::size_t classes, bool plain, std::uint64_t seed) : weight(rows, 1.0) {
        forest::Draw draw(seed);
        const std::size_t count = plain ? 5 : 4;
        narrow.assign(count, std::vector<std::uint8_t>(rows));
        wide.assign(1, std::vector<std::uint16_t>(rows));
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t j = 0; j < count; ++j) {
                narrow[j][i] = static_cast<std::uint8_t>(draw.below(j == 3 ? 7 : 250));
                if (!plain && draw.below(10) == 0) narrow[j][i] = 255;
            }
            wide[0][i] = static_cast<std::uint16_t>(draw.below(1000));
            if (!plain && draw.below(10) == 0) wide[0][i] = 65535;
            const std::uint32_t told = narrow[0][i] / 64 + narrow[3][i] % 2 + draw.below(2);
            label.push_back(static_cast<std::int32_t>(classes ? told % classes : 0));
            response.push_back(static_cast<double>(told) + draw.unit());
        }
        for (std::size_t j = 0; j < count; ++j) {
            forest::Column column;
            column.narrow = narrow[j].data();
            column.slots = j == 3 ? 7 : 250;
            column.nominal = !plain && j == 3;
            columns.push_back(column);
        }
        if (!plain) {
            forest::Column column;
            column.wide = wide[0].data();
            column.slots = 1000;
            columns.push_back(column);
        }
        table.rows = rows;
        table.classes = classes;
        table.columns = columns;
        if (classes)
            table.label = label.data();
        else
            table.response = response.data();
    }
};

const forest::Told NEVER = [](std::size_t) { return false; };

forest::Forest grown(const Made& made, const forest::Options& options, std::size_t threads = 1,
                     std::size_t trees = 6) {
    std::vector<std::uint64_t> seeds;
    for (std::size_t t = 0; t < trees; ++t) seeds.push_back(1000 + 17 * t);
    const std::vector<double> prior(made.table.classes, 1.0 / static_cast<double>(made.table.classes));
    return forest::grow(made.table, options, seeds, prior, threads, NEVER);
}

// To the byte, or but for what shares and gains were rounded to.
bool same(const forest::Forest& a, const forest::Forest& b, double near = 0) {
    if (a.trees.size() != b.trees.size() || a.out_of_bag.sum != b.out_of_bag.sum) return false;
    for (std::size_t t = 0; t < a.trees.size(); ++t) {
        const forest::Tree &x = a.trees[t], &y = b.trees[t];
        const auto alike = [&](double p, double q) { return std::abs(p - q) <= near; };
        const auto close = [&](const auto& p, const auto& q) {
            return p.size() == q.size() && std::equal(p.begin(), p.end(), q.begin(), alike);
        };
        if (!close(x.value, y.value) || !close(x.gain, y.gain) || x.sets != y.sets ||
            x.node.size() != y.node.size() ||
            std::memcmp(x.node.data(), y.node.data(), x.node.size() * sizeof(forest::Node)) != 0)
            return false;
    }
    return true;
}

void trees_do_not_depend_on_threads_and_stand_on_their_feet() {
    for (const std::size_t classes : {0U, 1U, 2U, 3U, 5U})
        for (const bool plain : {true, false})
            for (const bool extra : {true, false}) {
                const Made made(300, classes, plain, 7 + classes);
                forest::Options options;
                options.max_attributes = 2;
                options.extra = extra;
                const forest::Forest one = grown(made, options), three = grown(made, options, 3);
                CHECK(same(one, three));
                CHECK(one.trees.size() == 6 && one.out_of_bag.votes.size() == 300);
                for (const forest::Tree& tree : one.trees) {
                    const std::size_t k = made.table.outputs();
                    for (std::size_t at = 0; at < tree.node.size(); ++at) {
                        if (tree.node[at].leaf()) CHECK(tree.node[at].child == at);
                        double sum = 0;
                        for (std::size_t c = 0; c < k; ++c) sum += tree.value[at * k + c];
                        CHECK(!classes || std::abs(sum - 1) < 1e-9);
                    }
                }
            }
}

void counts_and_weights_of_one_grow_the_same_trees() {
    for (const bool plain : {true, false})
        for (const bool extra : {true, false}) {
            Made made(400, 2, plain, 3);
            forest::Options options;
            options.max_attributes = 3;
            options.bootstrap = false;
            options.out_of_bag = false;
            options.extra = extra;
            const forest::Forest counts = grown(made, options);
            CHECK(forest::Bag::counts(made.table, options));
            made.table.weight = made.weight.data();
            CHECK(!forest::Bag::counts(made.table, options));
            CHECK(same(counts, grown(made, options), 1e-15));
        }
}

void full_trees_of_all_rows_know_them_by_heart() {
    for (const std::size_t classes : {2U, 4U})
        for (const bool extra : {true, false}) {
            const Made made(257, classes, true, 11);
            forest::Options options;
            options.bootstrap = false;
            options.out_of_bag = false;
            options.extra = extra;
            const forest::Forest found = grown(made, options, 2, 3);
            const forest::Asked asked(made.table);
            std::vector<std::uint32_t> leaf(257);
            for (const forest::Tree& tree : found.trees) {
                forest::leaves(tree, asked.nominal.data(), asked.all(), nullptr, 257, leaf.data(),
                               asked.whole);
                for (std::size_t i = 0; i < 257; ++i)
                    CHECK(tree.value[leaf[i] * classes + static_cast<std::size_t>(made.label[i])] == 1.0);
            }
        }
}

void walking_side_by_side_is_walking_alone() {
    for (const bool plain : {true, false}) {
        const Made made(1100, 3, plain, 5);
        forest::Options options;
        options.max_attributes = 2;
        const forest::Forest found = grown(made, options, 2, 4);
        const forest::Asked asked(made.table);
        std::vector<forest::Node> node;
        std::vector<double> value;
        std::vector<std::uint32_t> sets;
        std::vector<std::int64_t> start{0}, set_start{0};
        for (const forest::Tree& tree : found.trees) {
            node.insert(node.end(), tree.node.begin(), tree.node.end());
            value.insert(value.end(), tree.value.begin(), tree.value.end());
            sets.insert(sets.end(), tree.sets.begin(), tree.sets.end());
            start.push_back(static_cast<std::int64_t>(node.size()));
            set_start.push_back(static_cast<std::int64_t>(sets.size()));
        }
        const forest::Trees trees{node, value, sets, start, set_start, asked.nominal, 3};
        std::vector<double> sums(1100 * 3, 0.0), moved(asked.width * 3), begin(3);
        CHECK(forest::add_values(trees, asked.all(), 2, {}, sums.data()));
        for (const std::size_t i : {0U, 15U, 16U, 511U, 512U, 1099U}) {
            forest::contributions(trees, asked.all().row(i), asked.width, moved.data(), begin.data());
            for (std::size_t c = 0; c < 3; ++c) {
                double sum = begin[c];
                for (std::size_t j = 0; j < asked.width; ++j) sum += moved[j * 3 + c];
                CHECK(std::abs(sum - sums[i * 3 + c]) < 1e-9);
            }
        }
        std::vector<double> rise(found.trees.size() * 2);
        const std::vector<std::uint64_t> seeds{1000, 1017, 1034, 1051};
        CHECK(forest::permuted(made.table, options, found.trees, seeds, {{0, 1}, {2}}, 2, {}, rise.data()));
        CHECK(std::all_of(rise.begin(), rise.end(), [](double x) { return std::abs(x) <= 1; }));
    }
}

void what_was_stopped_is_without_a_gap() {
    const Made made(200, 2, true, 1);
    forest::Options options;
    std::vector<std::uint64_t> seeds(50, 3);
    const std::vector<double> prior(2, 0.5);
    for (const bool extra : {true, false}) {
        options.extra = extra;
        options.bootstrap = !extra;
        options.out_of_bag = !extra;
        // With two threads the other may grow all trees before this one asks.
        for (const std::size_t threads : {1u, 2u}) {
            std::size_t asked = 0;
            const auto soon = [&](std::size_t) { return ++asked == 4; };
            const forest::Forest found = forest::grow(made.table, options, seeds, prior, threads, soon);
            if (threads == 1) CHECK(found.stopped && !found.trees.empty() && found.trees.size() < 50);
            CHECK(std::none_of(found.trees.begin(), found.trees.end(),
                               [](const forest::Tree& tree) { return tree.node.empty(); }));
        }
    }
}

void stumps_leave_their_predecessor_at_one_half() {
    for (const std::size_t classes : {2U, 3U})
        for (const bool plain : {true, false})
            for (const bool resample : {true, false}) {
                const Made made(250, classes, plain, 21);
                forest::BoostOptions options;
                options.rounds = 12;
                options.samme = classes > 2;
                options.resample = resample;
                const forest::Boosted one = forest::boost(made.table, options, 1, NEVER);
                const forest::Boosted two = forest::boost(made.table, options, 2, NEVER);
                CHECK(one.error == two.error && one.vote == two.vote && one.combined == two.combined);
                CHECK(!one.stumps.empty() && one.error.size() == one.stumps.size());
                CHECK(resample || std::abs(one.error[0] - one.combined[0]) < 1e-12);
                for (const double error : one.error) CHECK(error >= 0 && error < 0.75);
            }
    const Made made(100, 2, true, 2);
    const forest::Boosted none = forest::boost(made.table, {}, 1, [](std::size_t) { return true; });
    CHECK(none.stopped && none.stumps.empty());
    Made bare(30, 2, true, 2);  // nothing to ask for
    bare.table.columns = {};
    const forest::Boosted always = forest::boost(bare.table, {}, 1, NEVER);
    CHECK(always.stumps.size() == 1 && always.stumps[0].node.size() == 1);
}

void numbers_are_coded_by_the_cuts_below_them() {
    const double none = std::numeric_limits<double>::quiet_NaN(),
                 inf = std::numeric_limits<double>::infinity();
    const std::vector<double> values{-inf, 0, 1, 1.5, 2, 3, inf, none}, cuts{0.5, 1.5, 2.5};
    const std::vector<std::int32_t> levels{0, 1, 2, 3, -1, -2, 7, 1};
    std::vector<std::uint8_t> narrow(8), coded(8);
    std::vector<std::uint16_t> wide(16);
    forest::Raw number, level;
    number.numbers = {values.data(), 1};
    number.numeric = true;
    number.cuts = cuts;
    level.codes = {levels.data(), 1};
    level.slots = 4;
    const std::vector<forest::Raw> raws{number, number, level};
    const std::vector<forest::Coded> out{
        {narrow.data(), nullptr, 1}, {nullptr, wide.data(), 2}, {coded.data(), nullptr, 1}};
    CHECK(forest::code(raws, out, 8, 2, {}));
    CHECK((narrow == std::vector<std::uint8_t>{0, 0, 1, 1, 2, 3, 3, 255}));
    CHECK(wide[2] == 0 && wide[8] == 2 && wide[14] == 65535);
    CHECK((coded == std::vector<std::uint8_t>{0, 1, 2, 3, 255, 255, 255, 1}));
}

}  // namespace

int main() {
    trees_do_not_depend_on_threads_and_stand_on_their_feet();
    counts_and_weights_of_one_grow_the_same_trees();
    full_trees_of_all_rows_know_them_by_heart();
    walking_side_by_side_is_walking_alone();
    what_was_stopped_is_without_a_gap();
    stumps_leave_their_predecessor_at_one_half();
    numbers_are_coded_by_the_cuts_below_them();
    return claims::finish();
}
