// Large nodes are split one after the other, their inputs shared out among threads. A small node's subtree is
// then grown by one thread on rows numbered anew, so that everything it touches lies in its cache.
//
// What bounds it: two passes over every node's entries, one to find cuts and one to part the lists; above the
// cache memory, below it about two nanoseconds an entry and pass.
#include "kernels/trees/grow.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <queue>

#include "kernels/trees/split.hpp"

namespace acumen::tree {

namespace {

constexpr std::size_t LARGEST_TASK = 16'384, SMALLEST_TASK = 1'024;
constexpr std::size_t ROWS = 65'536;  // whose keys a thread writes at a time

// Each column's known values in ascending order, equal ones by row, with the words of their rows.
bool sorted(std::span<const Column> columns, std::size_t n, const std::vector<std::uint32_t>& words,
            std::size_t threads, const Stop& stop, Wide* entries, std::int32_t* known) {
    std::vector<Wide*> lists(columns.size());
    for (std::size_t j = 0; j < columns.size(); ++j) lists[j] = entries + j * n;
    const auto write = [&](std::size_t block) {
        keys_of_rows(columns, block * ROWS, std::min((block + 1) * ROWS, n), lists.data());
    };
    if (!for_blocks((n + ROWS - 1) / ROWS, threads, stop, [&] { return write; })) return false;
    return for_blocks(columns.size(), threads, stop, [&] {
        return [&, scratch = SortScratch{}](std::size_t j) mutable {
            known[j] = static_cast<std::int32_t>(sort_keys(lists[j], n, words.data(), scratch));
        };
    });
}

// The same from the order of a larger table: entries of rows that are not there are passed over.
bool taken(const Table& table, const std::vector<std::uint32_t>& words, std::size_t threads, const Stop& stop,
           Wide* entries, std::int32_t* known) {
    constexpr std::uint32_t NOT_THERE = UINT32_MAX;
    std::vector<std::uint32_t> word_of(table.sorted_rows, NOT_THERE);
    for (std::size_t i = 0; i < table.rows; ++i)
        word_of[static_cast<std::size_t>(table.places[i])] = words[i];
    const auto take = [&](std::size_t j) {
        const Wide* from = table.sorted + j * table.sorted_rows;
        const Wide* const end = from + table.sorted_known[j];
        Wide* to = entries + j * table.rows;
        Wide* const full = to + table.rows;
        for (; from < end && to < full; ++from) {
            const std::uint32_t word = word_of[from->word];
            *to = {from->rank, word};
            to += word != NOT_THERE;
        }
        known[j] = static_cast<std::int32_t>(to - (entries + j * table.rows));
    };
    return for_blocks(table.numbers.size(), threads, stop, [&] { return take; });
}

// All rows, every numeric input sorted.
std::shared_ptr<Space<Wide>> root_space(const Table& table, std::size_t threads, const Stop& stop,
                                        bool& whole) {
    auto space = std::make_shared<Space<Wide>>();
    const std::size_t n = table.rows, numbers = table.numbers.size();
    space->table = &table;
    space->size = n;
    space->bits = static_cast<unsigned>(std::bit_width(std::max<std::size_t>(table.classes, 1) - 1));
    space->weight = table.weight;
    if (table.weight && table.classes == 2 && whole_weight(table) > 0) {
        space->tally.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            const auto weight = static_cast<std::uint64_t>(table.weight[i]);
            space->tally[i] = table.label[i] ? weight << 32 | weight : weight;
        }
    }
    space->entries.reset(new Wide[numbers * n]);
    std::vector<std::uint32_t> words(n);
    for (std::size_t i = 0; i < n; ++i)
        words[i] = static_cast<std::uint32_t>(i << space->bits) | static_cast<std::uint32_t>(table.label[i]);
    std::vector<std::int32_t> known(numbers);
    whole = table.sorted ? taken(table, words, threads, stop, space->entries.get(), known.data())
                         : sorted(table.numbers, n, words, threads, stop, space->entries.get(), known.data());
    if (!whole) return space;
    std::vector<Segment> found(numbers);
    for (std::size_t j = 0; j < numbers; ++j) found[j] = {0, static_cast<std::uint32_t>(known[j])};
    space->whole.all = {0, static_cast<std::uint32_t>(n)};
    space->ragged = std::any_of(found.begin(), found.end(), [&](const Segment& s) { return s.end != n; });
    if (space->ragged) space->whole.lists = std::move(found);
    if (space->ragged || !table.codes.empty()) space->order = std::move(words);
    return space;
}

// Grows everything below a node, depth first. False when stopped.
template <class Entry>
bool grow_below(Splitter<Entry>& splitter, Open<Entry>&& root) {
    std::vector<Open<Entry>> open;
    open.push_back(std::move(root));
    while (!open.empty()) {
        const Open<Entry> at = std::move(open.back());
        open.pop_back();
        const std::int32_t input = splitter.find(at);
        if (input >= 0)
            splitter.split(at, static_cast<std::size_t>(input),
                           splitter.candidate(static_cast<std::size_t>(input)), open);
        if (splitter.stopped()) return false;
    }
    return true;
}

template <class Entry>
void grow_task(const Rules& rules, const Open<Wide>& task, const double* counts, Nodes& nodes) {
    const Stop never;
    std::vector<std::uint32_t> number;
    Open<Entry> root;
    root.space = std::make_shared<Space<Entry>>(copied<Entry>(*task.space, task.place, number));
    root.place = root.space->whole;
    root.depth = task.depth;
    root.path = task.path;
    root.node = nodes.add(counts);
    Splitter<Entry> splitter(rules, nodes, 1, never);
    grow_below(splitter, std::move(root));
}

// Of all open nodes, the one whose split gains most is split next, until there are `max_leaves`.
bool grow_best_first(const Rules& rules, Open<Wide>&& root, std::size_t threads, const Stop& stop,
                     Nodes& nodes) {
    struct Waiting {
        Open<Wide> open;
        std::size_t input;
        Candidate candidate;
    };
    std::vector<Waiting> waiting;
    using Profit = std::pair<double, std::size_t>;  // weight times gain, and the place in `waiting`
    const auto later = [](const Profit& a, const Profit& b) {
        return a.first != b.first ? a.first < b.first : a.second > b.second;
    };
    std::priority_queue<Profit, std::vector<Profit>, decltype(later)> queue(later);
    Splitter<Wide> splitter(rules, nodes, threads, stop);
    std::vector<Profit> tied;
    std::vector<Open<Wide>> open;
    open.push_back(std::move(root));
    std::size_t leaves = 1;
    for (;;) {
        for (Open<Wide>& node : open) {
            const std::int32_t input = splitter.find(node);
            if (splitter.stopped() || (stop && stop())) return false;
            if (input < 0) continue;
            const Candidate& best = splitter.candidate(static_cast<std::size_t>(input));
            const double* counts = nodes.counts_of(node.node);
            queue.emplace(best.gain * std::accumulate(counts, counts + nodes.classes, 0.0), waiting.size());
            waiting.push_back({std::move(node), static_cast<std::size_t>(input), best});
        }
        open.clear();
        if (queue.empty()) return true;
        // Of those whose profit is the best up to rounding the earliest.
        tied.assign(1, queue.top());
        for (queue.pop(); !queue.empty() && !better(tied[0].first, queue.top().first); queue.pop())
            tied.push_back(queue.top());
        const auto earliest = std::min_element(
            tied.begin(), tied.end(), [](const Profit& a, const Profit& b) { return a.second < b.second; });
        Waiting next = std::move(waiting[earliest->second]);
        tied.erase(earliest);
        for (const Profit& other : tied) queue.push(other);
        // A node that would be too much stays a leaf.
        const bool more = next.candidate.missing && rules.options.missing == Missing::branch;
        const std::size_t children = next.candidate.branches + more;
        if (leaves + children - 1 > rules.options.max_leaves) continue;
        splitter.split(next.open, next.input, next.candidate, open);
        if (splitter.stopped()) return false;
        leaves += static_cast<std::size_t>(nodes.node[next.open.node].branches) - 1;
    }
}

// The nodes of all buffers level by level.
void lay_out(const Nodes& top, const std::vector<Nodes>& tasks, Nodes& tree) {
    tree.classes = top.classes;
    std::vector<std::pair<const Nodes*, std::size_t>> from;
    const auto resolved = [&](const Nodes* nodes, std::size_t at) {
        const std::int32_t task = nodes->node[at].task;
        return task < 0 ? std::pair{nodes, at}
                        : std::pair{&tasks[static_cast<std::size_t>(task)], std::size_t{0}};
    };
    from.push_back(resolved(&top, 0));
    for (std::size_t i = 0; i < from.size(); ++i) {
        const auto [nodes, at] = from[i];
        Node node = nodes->node[at];
        const std::size_t first = static_cast<std::size_t>(node.first);
        tree.cuts.insert(tree.cuts.end(), nodes->cuts.begin() + node.cut_at,
                         nodes->cuts.begin() + node.cut_at + node.cuts);
        const auto branch = nodes->branch.begin() + static_cast<std::ptrdiff_t>(node.branch_at);
        tree.branch.insert(tree.branch.end(), branch, branch + node.levels);
        node.cut_at = static_cast<std::uint32_t>(tree.cuts.size()) - node.cuts;
        node.branch_at = tree.branch.size() - node.levels;
        const auto stand_in = nodes->surrogate.begin() + node.surrogate_at;
        tree.surrogate.insert(tree.surrogate.end(), stand_in, stand_in + node.surrogates);
        node.surrogate_at = static_cast<std::uint32_t>(tree.surrogate.size()) - node.surrogates;
        if (node.branches) node.first = static_cast<std::int32_t>(from.size());
        for (std::size_t b = 0; b < static_cast<std::size_t>(node.branches); ++b)
            from.push_back(resolved(nodes, first + b));
        tree.node.push_back(node);
        tree.counts.insert(tree.counts.end(), nodes->counts_of(at), nodes->counts_of(at) + tree.classes);
    }
}

}  // namespace

bool presorted(std::span<const Column> columns, std::size_t rows, std::size_t threads, const Stop& stop,
               Wide* entries, std::int32_t* known) {
    std::vector<std::uint32_t> words(rows);
    std::iota(words.begin(), words.end(), 0u);
    return sorted(columns, rows, words, threads, stop, entries, known);
}

bool grow(const Table& table, const Options& options, std::size_t threads, const Stop& stop, Nodes& tree) {
    Nodes top;
    top.classes = table.classes;
    std::vector<double> counts(table.classes, 0.0);
    for (std::size_t i = 0; i < table.rows; ++i)
        counts[static_cast<std::size_t>(table.label[i])] += table.weight ? table.weight[i] : 1.0;
    top.add(counts.data());
    const Rules rules(table, options);
    std::vector<Nodes> grown;
    if (table.inputs() && !rules.is_leaf(counts.data(), 0)) {
        bool whole = true;
        Open<Wide> root;
        root.path = options.seed;
        root.space = root_space(table, threads, stop, whole);
        if (!whole) return false;
        root.place = root.space->whole;
        if (options.max_leaves) {
            if (!grow_best_first(rules, std::move(root), threads, stop, top)) return false;
        } else {
            const std::size_t small = std::clamp(table.rows / 8, SMALLEST_TASK, LARGEST_TASK);
            std::vector<Open<Wide>> open, tasks;
            open.push_back(std::move(root));
            Splitter<Wide> splitter(rules, top, threads, stop);
            while (!open.empty()) {
                Open<Wide> at = std::move(open.back());
                open.pop_back();
                if (at.place.all.size() <= small) {
                    top.node[at.node].task = static_cast<std::int32_t>(tasks.size());
                    tasks.push_back(std::move(at));
                    continue;
                }
                const std::int32_t input = splitter.find(at);
                if (input >= 0)
                    splitter.split(at, static_cast<std::size_t>(input),
                                   splitter.candidate(static_cast<std::size_t>(input)), open);
                if (splitter.stopped()) return false;
            }
            std::vector<std::size_t> order(tasks.size());  // the largest first, so that threads end together
            std::iota(order.begin(), order.end(), std::size_t{0});
            std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
                return tasks[a].place.all.size() > tasks[b].place.all.size();
            });
            grown.resize(tasks.size());
            const auto run = [&](std::size_t i) {
                const std::size_t t = order[i];
                Open<Wide> task = std::move(tasks[t]);
                grown[t].classes = table.classes;
                if (task.place.all.size() << task.space->bits <= 65'536)
                    grow_task<Narrow>(rules, task, top.counts_of(task.node), grown[t]);
                else
                    grow_task<Wide>(rules, task, top.counts_of(task.node), grown[t]);
            };
            if (!for_blocks(tasks.size(), threads, stop, [&] { return run; })) return false;
        }
    }
    lay_out(top, grown, tree);
    return true;
}

}  // namespace acumen::tree
