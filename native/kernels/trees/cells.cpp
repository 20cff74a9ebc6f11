// What bounds it: counting, one addition to a cell of the node at hand an instance and input; a node's cells
// fit in the second-level cache, and instances are taken node by node.
#include "kernels/trees/cells.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "kernels/trees/split.hpp"

namespace acumen::tree {

namespace {

constexpr std::size_t SHARED_OUT = 100'000;  // additions worth the start of threads

// Instances in the order of their nodes.
struct InOrder {
    std::vector<std::uint32_t> row;
    std::vector<std::size_t> cell;  // where the instance's class stands in the first cell of its node
    std::vector<double> weight;
};

InOrder in_order(const CellLayout& layout, const std::int32_t* label, const Fallen& fallen,
                 std::size_t slots) {
    const std::size_t n = fallen.row.size();
    std::vector<std::size_t> next(slots + 1, 0);
    for (const std::int32_t slot : fallen.slot) ++next[static_cast<std::size_t>(slot) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    InOrder made{std::vector<std::uint32_t>(n), std::vector<std::size_t>(n), std::vector<double>(n)};
    for (std::size_t i = 0; i < n; ++i) {
        const auto slot = static_cast<std::size_t>(fallen.slot[i]);
        const std::size_t to = next[slot]++;
        made.row[to] = fallen.row[i];
        made.weight[to] = fallen.weight[i];
        made.cell[to] =
            slot * layout.width() * layout.classes + static_cast<std::size_t>(label[fallen.row[i]]);
    }
    return made;
}

// The cells of one node as a space: every cell with rows is an instance that weighs as much as they do.
class CellSpace {
  public:
    CellSpace(const Table& table, const CellLayout& layout) : table_(table), layout_(layout) {
        space_ = std::make_shared<Space<Wide>>();
        space_->table = &table;
        space_->bits = static_cast<unsigned>(std::bit_width(std::max<std::size_t>(table.classes, 1) - 1));
        space_->ragged = true;
        for (std::size_t j = 0; j < table.numbers.size(); ++j)
            space_->size = std::max(
                space_->size, layout.codes(static_cast<std::size_t>(table.number_at[j])) * table.classes);
        space_->entries.reset(new Wide[table.numbers.size() * space_->size]);
        space_->codes.resize(table.codes.size());
    }

    // The space holds this node's cells until the next call.
    const std::shared_ptr<Space<Wide>>& fill(const double* cells, Place& place) {
        Space<Wide>& space = *space_;
        weight_.clear();
        place.lists.assign(table_.numbers.size(), {});
        std::uint32_t longest = 0;
        for (std::size_t j = 0; j < table_.numbers.size(); ++j) {
            Wide* list = space.list(j);
            std::uint32_t n = 0;
            each(cells, static_cast<std::size_t>(table_.number_at[j]),
                 [&](std::size_t code, std::uint32_t word) {
                     list[n++] = {static_cast<std::uint32_t>(code), word};
                 });
            place.lists[j] = {0, n};
            longest = std::max(longest, n);
        }
        space.order.clear();
        for (auto& codes : space.codes) codes.assign(weight_.size(), MISSING);
        for (std::size_t q = 0; q < table_.codes.size(); ++q) {
            each(cells, static_cast<std::size_t>(table_.code_at[q]),
                 [&](std::size_t code, std::uint32_t word) {
                     space.order.push_back(word);
                     for (auto& codes : space.codes) codes.push_back(MISSING);
                     space.codes[q].back() = static_cast<std::int32_t>(code);
                 });
        }
        // An instance that weighs nothing and has no value, so often that no list is as long as the order:
        // a list of another length is one whose known weight is counted, not taken for granted.
        const auto nothing = static_cast<std::uint32_t>(weight_.size() << space.bits);
        weight_.push_back(0.0);
        for (auto& codes : space.codes) codes.push_back(MISSING);
        while (space.order.size() <= longest) space.order.push_back(nothing);
        place.all = {0, static_cast<std::uint32_t>(space.order.size())};
        space.weight = weight_.data();
        return space_;
    }

    const Wide* list(std::size_t j) const { return space_->list(j); }

  private:
    static constexpr std::int32_t MISSING = -1;

    template <class Take>
    void each(const double* cells, std::size_t input, const Take& take) {
        const std::size_t k = layout_.classes, codes = layout_.codes(input);
        const double* cell = cells + layout_.begin(input) * k;
        for (std::size_t code = 0; code < codes; ++code, cell += k)
            for (std::size_t c = 0; c < k; ++c) {
                if (!(cell[c] > 0)) continue;
                const auto word = static_cast<std::uint32_t>(weight_.size() << space_->bits | c);
                weight_.push_back(cell[c]);
                take(code, word);
            }
    }

    const Table& table_;
    const CellLayout& layout_;
    std::shared_ptr<Space<Wide>> space_;
    std::vector<double> weight_;
};

// What is found for one node.
struct Found {
    std::int32_t input = -1, otherwise = -1;
    double worth = 0;
    std::vector<std::int32_t> below, above, branch;
    std::vector<double> counts, share;
    std::vector<std::uint8_t> open;
};

// Shares the node's cells of the input tested out over the branches.
void share_out(const Rules& rules, const CellLayout& layout, const double* cells, std::size_t depth,
               const Candidate& candidate, Found& found) {
    const std::size_t k = layout.classes, input = static_cast<std::size_t>(found.input);
    std::size_t branches = candidate.branches;
    const std::size_t codes = layout.codes(input);
    found.counts.assign((branches + 1) * k, 0.0);
    const double* cell = cells + layout.begin(input) * k;
    for (std::size_t code = 0; code <= codes; ++code, cell += k) {
        const std::int32_t b = code < codes ? found.branch[code] : -1;
        double* to = found.counts.data() + (b < 0 ? branches : static_cast<std::size_t>(b)) * k;
        for (std::size_t c = 0; c < k; ++c) to[c] += cell[c];
    }
    std::vector<double> weight(branches + 1);
    for (std::size_t b = 0; b <= branches; ++b)
        weight[b] = std::accumulate(found.counts.begin() + static_cast<std::ptrdiff_t>(b * k),
                                    found.counts.begin() + static_cast<std::ptrdiff_t>((b + 1) * k), 0.0);
    const bool missing = weight[branches] > 0;
    const auto last = weight.begin() + static_cast<std::ptrdiff_t>(branches);
    const double known = std::accumulate(weight.begin(), last, 0.0);
    const auto heaviest = static_cast<std::size_t>(std::max_element(weight.begin(), last) - weight.begin());
    const Missing rule = rules.options.missing;
    found.share.assign(branches, 0.0);
    if (rule == Missing::fractional) {
        for (std::size_t b = 0; b < branches; ++b) found.share[b] = weight[b] / known;
    } else if (rule == Missing::branch && missing) {
        found.otherwise = static_cast<std::int32_t>(branches++);
        found.share.push_back(1.0);
    } else {
        found.otherwise = static_cast<std::int32_t>(heaviest);
        found.share[heaviest] = 1.0;
    }
    if (found.otherwise < static_cast<std::int32_t>(candidate.branches)) {
        const double* rest = found.counts.data() + candidate.branches * k;
        for (std::size_t b = 0; b < branches; ++b)
            for (std::size_t c = 0; c < k; ++c) found.counts[b * k + c] += found.share[b] * rest[c];
    }
    found.counts.resize(branches * k);
    found.open.resize(branches);
    for (std::size_t b = 0; b < branches; ++b)
        found.open[b] = !rules.is_leaf(found.counts.data() + b * k, depth + 1);
}

}  // namespace

bool count_cells(const CellLayout& layout, std::span<const std::uint16_t* const> codes,
                 const std::int32_t* label, const Fallen& fallen, std::size_t slots, std::size_t threads,
                 const Stop& stop, double* cells) {
    const InOrder instances = in_order(layout, label, fallen, slots);
    const std::size_t n = instances.row.size(), k = layout.classes;
    if (n * layout.inputs() < SHARED_OUT) threads = 1;
    return for_blocks(layout.inputs(), threads, stop, [&] {
        return [&](std::size_t j) {
            const std::uint16_t* code = codes[j];
            const std::size_t known = layout.codes(j);
            double* mine = cells + layout.begin(j) * k;
            for (std::size_t i = 0; i < n; ++i) {
                const std::size_t at = std::min<std::size_t>(code[instances.row[i]], known);
                mine[instances.cell[i] + at * k] += instances.weight[i];
            }
        };
    });
}

bool split_cells(const Table& table, const Options& options, const CellLayout& layout, const double* cells,
                 std::size_t slots, std::size_t depth, std::span<const std::uint64_t> paths,
                 std::size_t threads, const Stop& stop, CellSplits& made) {
    const std::size_t k = layout.classes, width = layout.width() * k;
    const Rules rules(table, options);
    const Stop never;
    std::vector<Found> found(slots);
    const bool whole = for_blocks(slots, threads, stop, [&] {
        struct Worker {
            Nodes nodes;
            Splitter<Wide> splitter;
            CellSpace space;
            Worker(const Rules& r, const CellLayout& l, const Stop& s)
                : splitter(r, nodes, 1, s), space(r.table, l) {
                nodes.classes = l.classes;
            }
        };
        return [&, worker = std::make_shared<Worker>(rules, layout, never)](std::size_t slot) {
            const double* mine = cells + slot * width;
            std::vector<double> counts(k, 0.0);
            for (std::size_t at = layout.begin(0); at < layout.begin(1); ++at)
                for (std::size_t c = 0; c < k; ++c) counts[c] += mine[at * k + c];
            if (rules.is_leaf(counts.data(), depth)) return;
            worker->nodes.node.clear();
            worker->nodes.counts.clear();
            Open<Wide> open;
            open.node = worker->nodes.add(counts.data());
            open.depth = depth;
            open.path = paths[slot];
            open.space = worker->space.fill(mine, open.place);
            Found& out = found[slot];
            out.input = worker->splitter.find(open);
            if (out.input < 0) return;
            const auto input = static_cast<std::size_t>(out.input);
            const Candidate& candidate = worker->splitter.candidate(input);
            out.worth = candidate.gain * std::accumulate(counts.begin(), counts.end(), 0.0);
            out.branch = candidate.branch;
            if (rules.kind[input] >= 0) {
                const Wide* list = worker->space.list(static_cast<std::size_t>(rules.kind[input]));
                for (const std::uint32_t cut : candidate.cuts) {
                    out.below.push_back(static_cast<std::int32_t>(list[cut - 1].rank));
                    out.above.push_back(static_cast<std::int32_t>(list[cut].rank));
                }
                out.branch.resize(layout.codes(input));
                for (std::size_t code = 0; code < out.branch.size(); ++code)
                    out.branch[code] = static_cast<std::int32_t>(
                        std::count_if(out.below.begin(), out.below.end(),
                                      [&](std::int32_t b) { return b < static_cast<std::int32_t>(code); }));
            }
            share_out(rules, layout, mine, depth, candidate, out);
        };
    });
    if (!whole) return false;
    made.cut_at.push_back(0);
    made.branch_at.push_back(0);
    for (const Found& node : found) {
        made.input.push_back(node.input);
        made.branches.push_back(static_cast<std::int32_t>(node.open.size()));
        made.otherwise.push_back(node.otherwise);
        made.worth.push_back(node.worth);
        made.below.insert(made.below.end(), node.below.begin(), node.below.end());
        made.above.insert(made.above.end(), node.above.begin(), node.above.end());
        made.branch.insert(made.branch.end(), node.branch.begin(), node.branch.end());
        made.cut_at.push_back(static_cast<std::int32_t>(made.below.size()));
        made.branch_at.push_back(static_cast<std::int32_t>(made.branch.size()));
        made.child_counts.insert(made.child_counts.end(), node.counts.begin(), node.counts.end());
        made.child_share.insert(made.child_share.end(), node.share.begin(), node.share.end());
        made.child_open.insert(made.child_open.end(), node.open.begin(), node.open.end());
    }
    return true;
}

}  // namespace acumen::tree
