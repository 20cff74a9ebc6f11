// Trees grown with gaps, surrogates and shared rows, then pruned: without Python, for the sanitizers.
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <random>

#include "kernels/trees/grow.hpp"
#include "kernels/trees/prune.hpp"
#include "tests/claims.hpp"

namespace {

constexpr std::size_t CLASSES = 3, NUMBERS = 2, CODES = 2, LEVELS = 5;

// Rows of two numbers and two codes, some missing, that tell something of the class.
struct Data {
    std::vector<double> numbers[NUMBERS];
    std::vector<std::int32_t> codes[CODES], labels;
    std::vector<double> weights;

    Data(std::size_t rows, unsigned seed) {
        std::mt19937 random(seed);
        std::uniform_real_distribution<double> unit(0, 1);
        for (std::size_t i = 0; i < rows; ++i) {
            labels.push_back(static_cast<std::int32_t>(random() % CLASSES));
            weights.push_back(0.5 + unit(random));
            for (auto& column : numbers)
                column.push_back(unit(random) < 0.1 ? std::numeric_limits<double>::quiet_NaN()
                                                    : std::round(10 * (labels[i] + 2 * unit(random))));
            for (auto& column : codes)
                column.push_back(unit(random) < 0.1
                                     ? -1
                                     : static_cast<std::int32_t>(
                                           (static_cast<unsigned>(labels[i]) + random() % 3) % LEVELS));
        }
    }
};

// The arrays of a grown tree as Python has them.
struct Flat {
    std::vector<std::int32_t> input, first, branches, otherwise, cut_at{0}, branch_at{0}, surrogate_at{0};
    std::vector<std::int32_t> other, other_cut_at{0}, other_branch_at{0}, other_branch;
    std::vector<double> other_cuts, weight;

    explicit Flat(const acumen::tree::Nodes& tree) {
        for (const acumen::tree::Node& node : tree.node) {
            input.push_back(node.input);
            first.push_back(node.first);
            branches.push_back(node.branches);
            otherwise.push_back(node.otherwise);
            cut_at.push_back(static_cast<std::int32_t>(node.cut_at + node.cuts));
            branch_at.push_back(static_cast<std::int32_t>(node.branch_at + node.levels));
            surrogate_at.push_back(static_cast<std::int32_t>(node.surrogate_at + node.surrogates));
        }
        for (const acumen::tree::Surrogate& test : tree.surrogate) {
            other.push_back(test.input);
            if (test.branch.empty()) other_cuts.push_back(test.cut);
            if (test.branch.empty() && test.turned) other_branch.insert(other_branch.end(), {1, 0});
            other_branch.insert(other_branch.end(), test.branch.begin(), test.branch.end());
            other_cut_at.push_back(static_cast<std::int32_t>(other_cuts.size()));
            other_branch_at.push_back(static_cast<std::int32_t>(other_branch.size()));
        }
        for (std::size_t i = 0; i < tree.node.size(); ++i)
            weight.push_back(std::accumulate(tree.counts_of(i), tree.counts_of(i) + CLASSES, 0.0));
    }
};

void grow_and_prune(std::size_t rows, unsigned seed, acumen::tree::Missing missing, bool binary) {
    const Data data(rows, seed);
    std::vector<acumen::Column> numbers;
    std::vector<acumen::CodeColumn> codes;
    std::vector<acumen::InputColumn> inputs;
    for (const auto& column : data.numbers) {
        numbers.push_back({column.data(), 1});
        inputs.push_back({numbers.back(), {}, true});
    }
    for (const auto& column : data.codes) {
        codes.push_back({column.data(), 1});
        inputs.push_back({{}, codes.back(), false});
    }
    const std::int32_t number_at[] = {0, 1}, code_at[] = {2, 3}, levels[] = {LEVELS, LEVELS};
    const std::uint8_t ordered[] = {0, 1};
    acumen::tree::Table table;
    table.rows = rows;
    table.classes = CLASSES;
    table.numbers = numbers;
    table.codes = codes;
    table.number_at = number_at;
    table.code_at = code_at;
    table.levels = levels;
    table.ordered = ordered;
    table.label = data.labels.data();
    table.weight = data.weights.data();
    acumen::tree::Options options;
    options.measure = acumen::tree::Measure::gini;
    options.missing = missing;
    options.binary = binary;
    acumen::tree::Nodes grown;
    expect(acumen::tree::grow(table, options, 2, {}, grown), "growing ends");

    const Flat flat(grown);
    const acumen::TestArrays tests{flat.input.data(), flat.cut_at.data(), grown.cuts.data(),
                                   flat.branch_at.data(), grown.branch.data()};
    const acumen::TestArrays surrogates{flat.other.data(), flat.other_cut_at.data(), flat.other_cuts.data(),
                                        flat.other_branch_at.data(), flat.other_branch.data()};
    const acumen::TreeArrays tree{
        grown.node.size(),        tests,     flat.first.data(), flat.branches.data(), flat.otherwise.data(),
        flat.surrogate_at.data(), surrogates};
    const acumen::TreeRows sample{inputs, data.labels, data.weights};

    std::vector<double> counts(grown.counts.size(), 0.0);
    expect(acumen::count_on_leaves(tree, sample, flat.weight, CLASSES, 2, {}, counts.data()),
           "counting ends");
    bool equal = true;
    for (std::size_t i = 0; i < grown.node.size(); ++i)
        for (std::size_t c = 0; c < CLASSES; ++c)
            equal &= grown.node[i].branches ||
                     std::abs(counts[i * CLASSES + c] - grown.counts[i * CLASSES + c]) < 1e-9;
    expect(equal, "rows fall on the leaves they were grown at");

    for (const bool raising : {false, true}) {
        counts = grown.counts;
        acumen::Raised made;
        expect(acumen::raise_subtrees(tree, sample, {}, CLASSES, 0.25, raising, 2, {}, counts.data(), made),
               "pruning ends");
        double sum = 0;
        std::vector<std::size_t> open{0};
        while (!open.empty()) {
            const std::size_t at = open.back();
            open.pop_back();
            for (std::int32_t b = 0; b < made.branches[at]; ++b)
                open.push_back(static_cast<std::size_t>(made.first[at] + b));
            if (!made.branches[at])
                sum += std::accumulate(counts.begin() + static_cast<std::ptrdiff_t>(at * CLASSES),
                                       counts.begin() + static_cast<std::ptrdiff_t>((at + 1) * CLASSES), 0.0);
        }
        expect(std::abs(sum - flat.weight[0]) < 1e-6, "pruning loses no weight");
    }
}

}  // namespace

int main() {
    using acumen::tree::Missing;
    for (const Missing missing :
         {Missing::fractional, Missing::surrogate, Missing::branch, Missing::majority})
        for (const bool binary : {false, true})
            for (unsigned seed = 0; seed < 6; ++seed) {
                grow_and_prune(1 + 61 * seed, seed, missing, binary);
                if (missing != Missing::fractional) grow_and_prune(3000, seed, missing, binary);
            }
    return claims::finish();
}
