#include "kernels/trees/choose.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace acumen::tree {

namespace {

constexpr double NOTHING = 1e-10;  // gains no larger are rounding
constexpr double EPSILON = 1e-3;   // C4.5's
constexpr std::size_t MOST_LOGS = std::size_t{1} << 20;

double sum(const double* n, std::size_t k) { return std::accumulate(n, n + k, 0.0); }

// Gain and split information of a candidate whose branches have the class counts of `table` (branches x
// classes); `known` are the class counts of all branches, `counts` those of the node.
void weigh(const Rules& rules, const double* counts, const double* known, const std::vector<double>& table,
           Candidate& candidate, ChooseScratch& scratch) {
    const Options& options = rules.options;
    const std::size_t k = rules.classes(), branches = candidate.branches;
    const double all = sum(counts, k), known_weight = sum(known, k);
    candidate.missing = all - known_weight > EQUAL * all;
    const bool own = options.missing == Missing::branch && candidate.missing;
    std::vector<double>& scaled = scratch.scaled;
    scaled.resize(k);
    const auto value = [&](auto&& of) {
        for (std::size_t c = 0; c < k; ++c) scaled[c] = of(c) * (rules.factors() ? rules.factors()[c] : 1.0);
        return branch_value(options.measure, scaled.data(), k, scratch.shares.data());
    };
    const bool ratio = options.measure == Measure::gain_ratio;
    double rise = 0, info = 0;
    for (std::size_t b = 0; b < branches; ++b) {
        rise += value([&](std::size_t c) { return table[b * k + c]; });
        if (ratio) info += xlogx(sum(table.data() + b * k, k));
    }
    if (own) rise += value([&](std::size_t c) { return std::max(counts[c] - known[c], 0.0); });
    const double* parent = own ? counts : known;
    rise -= value([&](std::size_t c) { return parent[c]; });
    const double scale = sum(scaled.data(), k);
    candidate.gain = scale > 0 ? rise / scale : 0.0;
    if (!own) candidate.gain *= known_weight / all;
    if (!ratio) return;
    info += xlogx(std::max(all - known_weight, 0.0));
    candidate.info = std::log2(all) - info / all;
}

// Class shares, as measures see them, of what is split.
void set_shares(const Rules& rules, const double* counts, const double* known, ChooseScratch& scratch) {
    const std::size_t k = rules.classes();
    const double* of = rules.options.missing == Missing::branch ? counts : known;
    double total = 0;
    scratch.shares.resize(k);
    for (std::size_t c = 0; c < k; ++c) {
        scratch.shares[c] = of[c] * (rules.factors() ? rules.factors()[c] : 1.0);
        total += scratch.shares[c];
    }
    for (double& share : scratch.shares) share = total > 0 ? share / total : 0.0;
}

// The worth of a test among those of the same input.
double worth(const Rules& rules, const Candidate& candidate) {
    if (rules.options.measure != Measure::gain_ratio) return candidate.gain;
    return candidate.info > EPSILON ? candidate.gain / candidate.info : 0.0;
}

// Further cuts, each where the sum of values rises most; of the tests on this way, the first of the greatest
// worth: a ratio may fall before it rises. `price` is what each cut costs of the gain.
template <class Entry>
void cut_further(const Rules& rules, const Entry* list, std::uint32_t n, const double* counts,
                 const double* known, CutAsked asked, double price, Candidate& candidate,
                 ChooseScratch& scratch) {
    const std::size_t k = rules.classes();
    Candidate best = candidate;
    while (candidate.branches < rules.options.intervals) {
        double most = 0;
        std::uint32_t at = 0;
        std::size_t where = 0;
        std::vector<double> left;
        for (std::size_t b = 0; b < candidate.branches; ++b) {
            const std::uint32_t begin = b ? candidate.cuts[b - 1] : 0;
            const std::uint32_t end = b < candidate.cuts.size() ? candidate.cuts[b] : n;
            asked.total = scratch.table.data() + b * k;
            const Cut cut = best_cut(list + begin, end - begin, asked, scratch.cut);
            if (!cut.at || !better(cut.rise, most)) continue;
            most = cut.rise;
            at = begin + cut.at;
            where = b;
            left = scratch.cut.best;
        }
        if (!at) break;
        candidate.cuts.insert(candidate.cuts.begin() + static_cast<std::ptrdiff_t>(where), at);
        ++candidate.branches;
        std::vector<double>& table = scratch.table;
        table.insert(table.begin() + static_cast<std::ptrdiff_t>(where * k), left.begin(), left.end());
        for (std::size_t c = 0; c < k; ++c) {
            double& rest = table[(where + 1) * k + c];
            rest = std::max(rest - left[c], 0.0);
        }
        weigh(rules, counts, known, table, candidate, scratch);
        candidate.gain -= price * (candidate.branches - 1);
        if (better(worth(rules, candidate), worth(rules, best))) best = candidate;
    }
    candidate = std::move(best);
}

template <class Entry>
void judge_number(const Rules& rules, const Space<Entry>& space, const Place& place, const double* counts,
                  std::size_t j, Candidate& candidate, ChooseScratch& scratch) {
    const Options& options = rules.options;
    const std::size_t k = rules.classes();
    const Segment segment = place.list(j);
    const Entry* list = space.list(j) + segment.begin;
    const double* known = counts;
    if (segment.size() != place.all.size()) {
        scratch.known.assign(k, 0.0);
        for (std::uint32_t i = 0; i < segment.size(); ++i)
            scratch.known[space.label_of(list[i].word)] += space.weight_of(list[i].word >> space.bits);
        known = scratch.known.data();
    }
    const bool ratio = options.measure == Measure::gain_ratio;
    const double known_weight = sum(known, k);
    double least = options.min_branch;
    if (ratio) least = std::max(least, std::min(25.0, (0.1 - 1e-10) * known_weight / static_cast<double>(k)));
    if (known_weight < 2 * least) return;
    set_shares(rules, counts, known, scratch);
    const CutAsked asked{options.measure,
                         k,
                         space.bits,
                         known,
                         scratch.shares.data(),
                         rules.factors(),
                         space.weight,
                         space.tally.empty() ? nullptr : space.tally.data(),
                         least,
                         &rules.logs};
    const Cut cut = best_cut(list, segment.size(), asked, scratch.cut);
    if (!cut.at) return;
    candidate.usable = true;
    candidate.branches = 2;
    candidate.cuts.assign(1, cut.at);
    scratch.table.assign(scratch.cut.best.begin(), scratch.cut.best.end());
    for (std::size_t c = 0; c < k; ++c) scratch.table.push_back(std::max(known[c] - scratch.table[c], 0.0));
    weigh(rules, counts, known, scratch.table, candidate, scratch);
    const double price = ratio && options.penalty ? std::log2(cut.tries) / sum(counts, k) : 0.0;
    candidate.gain -= price;
    if (options.intervals > 2)
        cut_further(rules, list, segment.size(), counts, known, asked, price, candidate, scratch);
}

// Counts the levels at a node; `met` is kept sorted, so that branches come in the order of levels.
template <class Entry>
void count_levels(const Space<Entry>& space, const Place& place, std::size_t q, std::size_t k,
                  ChooseScratch& scratch) {
    const auto levels = static_cast<std::size_t>(space.table->levels[q]);
    const CodeColumn column = space.code_column(q);
    const bool by_row = space.codes.empty();
    LevelCounts& found = scratch.levels;
    found.classes = k;
    found.level.clear();
    if (scratch.by_level.size() < levels * k) scratch.by_level.resize(levels * k, 0.0);
    if (scratch.level_weight.size() < levels) scratch.level_weight.resize(levels, 0.0);
    for (std::uint32_t i = place.all.begin; i < place.all.end; ++i) {
        const auto word = space.order[i];
        const std::size_t instance = word >> space.bits;
        const auto code = static_cast<std::uint32_t>(column[by_row ? space.row_of(instance) : instance]);
        if (code >= levels) continue;
        const double w = space.weight_of(instance);
        if (scratch.level_weight[code] == 0.0) found.level.push_back(static_cast<std::int32_t>(code));
        scratch.level_weight[code] += w;
        scratch.by_level[code * k + space.label_of(word)] += w;
    }
    std::sort(found.level.begin(), found.level.end());
    found.counts.clear();
    found.weight.clear();
    for (const std::int32_t level : found.level) {
        const auto code = static_cast<std::size_t>(level);
        double* line = scratch.by_level.data() + code * k;
        found.counts.insert(found.counts.end(), line, line + k);
        found.weight.push_back(scratch.level_weight[code]);
        std::fill_n(line, k, 0.0);
        scratch.level_weight[code] = 0.0;
    }
}

template <class Entry>
void judge_levels(const Rules& rules, const Space<Entry>& space, const Place& place, const double* counts,
                  std::size_t q, Candidate& candidate, ChooseScratch& scratch) {
    const Options& options = rules.options;
    const std::size_t k = rules.classes();
    count_levels(space, place, q, k, scratch);
    const LevelCounts& levels = scratch.levels;
    if (levels.size() < 2) return;
    scratch.known.assign(k, 0.0);
    for (std::size_t t = 0; t < levels.size(); ++t)
        for (std::size_t c = 0; c < k; ++c) scratch.known[c] += levels.of(t)[c];
    set_shares(rules, counts, scratch.known.data(), scratch);
    const LevelsAsked asked{options.measure, scratch.shares.data(), rules.factors(), options.min_branch,
                            options.max_subset};
    const bool ordered = space.table->ordered[q];
    std::vector<std::int32_t>& branch = scratch.branch;
    if (ordered) {
        best_threshold(levels, asked, scratch.sharing, branch);
    } else if (options.binary) {
        best_subset(levels, asked, scratch.sharing, branch);
    } else {
        branch.resize(levels.size());
        std::iota(branch.begin(), branch.end(), 0);
        const auto heavy = std::count_if(levels.weight.begin(), levels.weight.end(),
                                         [&](double w) { return w >= options.min_branch; });
        if (heavy < 2) return;
    }
    if (branch.empty()) return;
    candidate.usable = true;
    candidate.branches = static_cast<std::uint32_t>(*std::max_element(branch.begin(), branch.end())) + 1;
    scratch.table.assign(candidate.branches * k, 0.0);
    candidate.branch.assign(static_cast<std::size_t>(space.table->levels[q]), -1);
    for (std::size_t t = 0; t < levels.size(); ++t) {
        candidate.branch[static_cast<std::size_t>(levels.level[t])] = branch[t];
        for (std::size_t c = 0; c < k; ++c)
            scratch.table[static_cast<std::size_t>(branch[t]) * k + c] += levels.of(t)[c];
    }
    if (ordered) {  // levels that were not met have their place in the order too
        std::int32_t latest = 0;
        for (std::int32_t& b : candidate.branch) latest = b = b < 0 ? latest : b;
    }
    weigh(rules, counts, scratch.known.data(), scratch.table, candidate, scratch);
}

}  // namespace

double whole_weight(const Table& table) {
    constexpr double most = 2147483648.0;
    if (!table.weight) return static_cast<double>(table.rows) < most ? static_cast<double>(table.rows) : 0.0;
    double sum = 0;
    for (std::size_t i = 0; i < table.rows; ++i) {
        if (table.weight[i] != std::floor(table.weight[i])) return 0.0;
        sum += table.weight[i];
    }
    return sum < most ? sum : 0.0;
}

Rules::Rules(const Table& rows, const Options& asked) : table(rows), options(asked) {
    kind.resize(rows.inputs());
    counted.assign(rows.inputs(), 1);
    for (std::size_t j = 0; j < rows.numbers.size(); ++j)
        kind[static_cast<std::size_t>(rows.number_at[j])] = static_cast<std::int32_t>(j);
    for (std::size_t q = 0; q < rows.codes.size(); ++q) {
        const auto input = static_cast<std::size_t>(rows.code_at[q]);
        kind[input] = -1 - static_cast<std::int32_t>(q);
        counted[input] = rows.levels[q] < 0.3 * static_cast<double>(asked.rows ? asked.rows : rows.rows);
    }
    if (std::find(counted.begin(), counted.end(), 1) == counted.end()) counted.assign(rows.inputs(), 1);
    const double whole = whole_weight(rows);
    if (made_of(asked.measure) == MadeOf::logs && whole > 0 && (!rows.weight || rows.classes == 2))
        logs.fill(static_cast<std::size_t>(std::min(whole + 1, static_cast<double>(MOST_LOGS))));
}

bool Rules::is_leaf(const double* counts, std::size_t depth) const {
    const double weight = sum(counts, classes());
    return weight <= options.leaf_size || depth >= options.max_depth || weight < 2 * options.min_branch ||
           *std::max_element(counts, counts + classes()) >= options.purity * weight * (1 - EQUAL);
}

template <class Entry>
void judge(const Rules& rules, const Space<Entry>& space, const Place& place, const double* counts,
           std::size_t input, Candidate& candidate, ChooseScratch& scratch) {
    candidate.usable = false;
    candidate.cuts.clear();
    candidate.branch.clear();
    const std::int32_t kind = rules.kind[input];
    if (kind >= 0)
        judge_number(rules, space, place, counts, static_cast<std::size_t>(kind), candidate, scratch);
    else
        judge_levels(rules, space, place, counts, static_cast<std::size_t>(-1 - kind), candidate, scratch);
}

template void judge(const Rules&, const Space<Wide>&, const Place&, const double*, std::size_t, Candidate&,
                    ChooseScratch&);
template void judge(const Rules&, const Space<Narrow>&, const Place&, const double*, std::size_t, Candidate&,
                    ChooseScratch&);

std::int32_t choose(const Rules& rules, const std::vector<Candidate>& candidates,
                    const std::vector<std::uint32_t>& inputs) {
    const Options& options = rules.options;
    const bool ratio = options.measure == Measure::gain_ratio;
    const double least =
        std::max(options.min_gain - NOTHING, ratio || options.measure == Measure::error ? NOTHING : -NOTHING);
    double average = 0;
    std::size_t possible = 0;
    if (ratio && options.guard && options.attribute_costs.empty()) {
        for (const std::uint32_t input : inputs)
            if (candidates[input].usable && candidates[input].gain >= least && rules.is_counted(input)) {
                average += candidates[input].gain;
                ++possible;
            }
        if (!possible) return -1;
        average /= static_cast<double>(possible);
    }
    std::int32_t best = -1;
    double most = 0;
    for (const std::uint32_t input : inputs) {
        const Candidate& candidate = candidates[input];
        if (!candidate.usable || candidate.gain < least) continue;
        if (ratio && (candidate.info <= EPSILON || candidate.gain < average - EPSILON)) continue;
        double score = ratio ? candidate.gain / candidate.info : candidate.gain;
        if (!options.attribute_costs.empty()) score /= options.attribute_costs[input];
        if (best >= 0 && !better(score, most)) continue;
        best = static_cast<std::int32_t>(input);
        most = score;
    }
    return best;
}

}  // namespace acumen::tree
