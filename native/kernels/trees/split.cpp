#include "kernels/trees/split.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "kernels/trees/share.hpp"

namespace acumen::tree {

namespace {

constexpr std::size_t SHARED_OUT = 200'000;  // entries of a node worth the start of threads

std::uint64_t mixed(std::uint64_t x) {  // splitmix64
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

}  // namespace

template <class Entry>
Splitter<Entry>::Splitter(const Rules& rules, Nodes& nodes, std::size_t threads, const Stop& stop)
    : rules_(rules),
      nodes_(nodes),
      threads_(std::max<std::size_t>(threads, 1)),
      stop_(stop),
      candidates_(rules.table.inputs()),
      inputs_(rules.table.inputs()),
      scratch_(threads_),
      spare_(threads_) {
    std::iota(inputs_.begin(), inputs_.end(), 0u);
}

template <class Entry>
std::size_t Splitter<Entry>::threads_for(std::size_t rows) const {
    return rows * rules_.table.inputs() < SHARED_OUT ? 1 : threads_;
}

template <class Entry>
void Splitter<Entry>::judge_all(const Open<Entry>& open, std::span<const std::uint32_t> inputs) {
    const double* counts = nodes_.counts_of(open.node);
    const std::size_t threads = threads_for(open.place.all.size());
    if (threads == 1) {
        for (const std::uint32_t input : inputs)
            judge(rules_, *open.space, open.place, counts, input, candidates_[input], scratch_[0]);
        return;
    }
    std::atomic<std::size_t> next{0};
    stopped_ = !for_blocks(inputs.size(), threads, stop_, [&] {
        ChooseScratch& scratch = scratch_[next++];
        return [&](std::size_t i) {
            judge(rules_, *open.space, open.place, counts, inputs[i], candidates_[inputs[i]], scratch);
        };
    });
}

template <class Entry>
std::int32_t Splitter<Entry>::find(const Open<Entry>& open) {
    const std::size_t wanted = rules_.options.max_attributes;
    if (!wanted || wanted >= inputs_.size()) {
        judge_all(open, inputs_);
        return stopped_ ? -1 : choose(rules_, candidates_, inputs_);
    }
    std::iota(inputs_.begin(), inputs_.end(), 0u);
    std::uint64_t state = open.path;
    std::size_t drawn = 0, usable = 0;
    while (usable < wanted && drawn < inputs_.size() && !stopped_) {
        const std::size_t first = drawn;
        for (std::size_t more = wanted - usable; more && drawn < inputs_.size(); --more, ++drawn) {
            state = mixed(state);
            std::swap(inputs_[drawn], inputs_[drawn + state % (inputs_.size() - drawn)]);
        }
        judge_all(open, std::span(inputs_).subspan(first, drawn - first));
        for (std::size_t i = first; i < drawn; ++i) usable += candidates_[inputs_[i]].usable;
    }
    if (stopped_) return -1;
    tried_.assign(inputs_.begin(), inputs_.begin() + static_cast<std::ptrdiff_t>(drawn));
    std::sort(tried_.begin(), tried_.end());
    return choose(rules_, candidates_, tried_);
}

template <class Entry>
template <class Side>
bool Splitter<Entry>::mark(const Open<Entry>& at, std::size_t input, const Candidate& candidate, Side* side) {
    const Space<Entry>& space = *at.space;
    const Place& place = at.place;
    const std::size_t k = rules_.classes(), branches = candidate.branches;
    child_.assign((branches + 1) * k, 0.0);
    bool any = false;
    const std::int32_t kind = rules_.kind[input];
    if (kind < 0) {
        const auto q = static_cast<std::size_t>(-1 - kind);
        const CodeColumn column = space.code_column(q);
        const bool by_row = space.codes.empty();
        const std::size_t levels = candidate.branch.size();
        for (std::uint32_t i = place.all.begin; i < place.all.end; ++i) {
            const auto word = space.order[i];
            const std::size_t instance = word >> space.bits;
            const auto code = static_cast<std::uint32_t>(column[by_row ? space.row_of(instance) : instance]);
            const std::size_t b = code < levels && candidate.branch[code] >= 0
                                      ? static_cast<std::size_t>(candidate.branch[code])
                                      : branches;
            any |= b == branches;
            side[instance] = static_cast<Side>(b);
            child_[b * k + space.label_of(word)] += space.weight_of(instance);
        }
        return any;
    }
    const Segment segment = place.list(static_cast<std::size_t>(kind));
    const Entry* list = space.list(static_cast<std::size_t>(kind)) + segment.begin;
    any = segment.size() != place.all.size();
    if (any)
        for (std::uint32_t i = place.all.begin; i < place.all.end; ++i)
            side[space.order[i] >> space.bits] = static_cast<Side>(branches);
    std::uint32_t i = 0;
    for (std::size_t b = 0; b < branches; ++b) {
        const std::uint32_t end = b < candidate.cuts.size() ? candidate.cuts[b] : segment.size();
        double* counts = child_.data() + b * k;
        for (; i < end; ++i) {
            const std::size_t instance = list[i].word >> space.bits;
            side[instance] = static_cast<Side>(b);
            counts[space.label_of(list[i].word)] += space.weight_of(instance);
        }
    }
    if (any)
        for (i = place.all.begin; i < place.all.end; ++i) {
            const std::size_t instance = space.order[i] >> space.bits;
            if (side[instance] == branches)
                child_[branches * k + space.label_of(space.order[i])] += space.weight_of(instance);
        }
    return any;
}

template <class Entry>
void Splitter<Entry>::write_test(const Open<Entry>& at, std::size_t input, const Candidate& candidate) {
    Node& node = nodes_.node[at.node];
    node.input = static_cast<std::int32_t>(input);
    node.cut_at = static_cast<std::uint32_t>(nodes_.cuts.size());
    node.cuts = static_cast<std::uint32_t>(candidate.cuts.size());
    node.branch_at = nodes_.branch.size();
    node.levels = static_cast<std::uint32_t>(candidate.branch.size());
    nodes_.branch.insert(nodes_.branch.end(), candidate.branch.begin(), candidate.branch.end());
    if (rules_.kind[input] < 0) return;
    const auto j = static_cast<std::size_t>(rules_.kind[input]);
    const Entry* list = at.space->list(j) + at.place.list(j).begin;
    const auto value = [&](std::uint32_t i) {
        return rules_.table.numbers[j][at.space->row_of(list[i].word >> at.space->bits)];
    };
    for (const std::uint32_t cut : candidate.cuts)
        nodes_.cuts.push_back(midpoint(value(cut - 1), value(cut)));
}

template <class Entry>
template <class Side>
void Splitter<Entry>::stand_in(const Open<Entry>& at, std::size_t input, bool missing, Side* side) {
    const Space<Entry>& space = *at.space;
    const std::size_t threads = threads_for(at.place.all.size());
    stopped_ = !find_surrogates(rules_, space, at.place, input, side, threads, stop_, stand_ins_);
    if (stopped_) return;
    Node& node = nodes_.node[at.node];
    node.surrogate_at = static_cast<std::uint32_t>(nodes_.surrogate.size());
    node.surrogates = static_cast<std::uint32_t>(stand_ins_.size());
    for (const StandIn& test : stand_ins_)
        nodes_.surrogate.push_back(
            {static_cast<std::int32_t>(test.input), test.turned, test.cut, test.branch});
    if (!missing || stand_ins_.empty()) return;
    const std::size_t k = rules_.classes();
    for (std::uint32_t i = at.place.all.begin; i < at.place.all.end; ++i) {
        const std::size_t instance = space.order[i] >> space.bits;
        if (side[instance] != 2) continue;
        for (const StandIn& test : stand_ins_) {
            const std::size_t b = side_by(test, rules_, space, instance);
            if (b == 2) continue;
            const std::size_t label = space.label_of(space.order[i]);
            child_[b * k + label] += space.weight_of(instance);
            side[instance] = static_cast<Side>(b);
            break;
        }
    }
    for (std::size_t c = 0; c < k; ++c)
        child_[2 * k + c] = 0;  // what is left is counted anew: no remains of rounding
    for (std::uint32_t i = at.place.all.begin; i < at.place.all.end; ++i) {
        const std::size_t instance = space.order[i] >> space.bits;
        if (side[instance] == 2) child_[2 * k + space.label_of(space.order[i])] += space.weight_of(instance);
    }
}

template <class Entry>
template <class Side>
void Splitter<Entry>::part_in_place(const Open<Entry>& at, const Side* side,
                                    std::span<const std::uint8_t> keep, std::vector<Open<Entry>>& open) {
    Space<Entry>& space = *at.space;
    const std::size_t numbers = space.numbers(), branches = keep.size();
    segments_.resize((numbers + 1) * branches);
    const auto part_list = [&](std::size_t j, std::vector<Entry>& spare) {
        Segment* out = segments_.data() + (j + 1) * branches;
        part(space.list(j), at.place.list(j), side, space.bits, keep, spare, out);
    };
    const std::size_t threads = threads_for(at.place.all.size());
    if (threads == 1) {
        for (std::size_t j = 0; j < numbers; ++j) part_list(j, spare_[0]);
    } else {
        std::atomic<std::size_t> next{0};
        stopped_ = !for_blocks(numbers, threads, stop_, [&] {
            std::vector<Entry>& spare = spare_[next++];
            return [&](std::size_t j) { part_list(j, spare); };
        });
        if (stopped_) return;
    }
    if (space.has_order())
        part(space.order.data(), at.place.all, side, space.bits, keep, spare_order_, segments_.data());
    else
        std::copy_n(segments_.begin() + static_cast<std::ptrdiff_t>(branches), branches, segments_.begin());
    const auto first = static_cast<std::size_t>(nodes_.node[at.node].first);
    for (std::size_t b = 0; b < branches; ++b) {
        if (!keep[b]) continue;
        Open<Entry>& child = open.emplace_back();
        child.node = first + b;
        child.depth = at.depth + 1;
        child.path = mixed(at.path ^ mixed(b + 1));
        child.space = at.space;
        child.place.all = segments_[b];
        if (space.ragged)
            for (std::size_t j = 0; j < numbers; ++j)
                child.place.lists.push_back(segments_[(j + 1) * branches + b]);
    }
}

template <class Entry>
template <class Side>
void Splitter<Entry>::split_by(const Open<Entry>& at, std::size_t input, const Candidate& candidate,
                               std::vector<Side>& side, std::vector<Open<Entry>>& open) {
    const std::size_t k = rules_.classes();
    std::size_t branches = candidate.branches;
    if (side.size() < at.space->size) side.resize(at.space->size);
    const bool missing = mark(at, input, candidate, side.data());
    write_test(at, input, candidate);

    std::vector<double> weight(branches);
    for (std::size_t b = 0; b < branches; ++b)
        weight[b] = std::accumulate(child_.begin() + static_cast<std::ptrdiff_t>(b * k),
                                    child_.begin() + static_cast<std::ptrdiff_t>((b + 1) * k), 0.0);
    const double known = std::accumulate(weight.begin(), weight.end(), 0.0);
    const auto heaviest =
        static_cast<std::size_t>(std::max_element(weight.begin(), weight.end()) - weight.begin());
    const Missing rule = rules_.options.missing;
    if (rule == Missing::surrogate && branches == 2) {
        stand_in(at, input, missing, side.data());
        if (stopped_) return;
    }
    const bool shared = missing && rule == Missing::fractional;
    std::int32_t otherwise = rule == Missing::fractional ? -1 : static_cast<std::int32_t>(heaviest);
    if (missing && rule == Missing::branch) {
        otherwise = static_cast<std::int32_t>(branches++);
    } else if (shared) {
        for (std::size_t b = 0; b < branches; ++b)
            for (std::size_t c = 0; c < k; ++c)
                child_[b * k + c] += weight[b] / known * child_[branches * k + c];
    } else if (missing) {
        for (std::size_t c = 0; c < k; ++c) child_[heaviest * k + c] += child_[branches * k + c];
        const Space<Entry>& space = *at.space;
        for (std::uint32_t i = at.place.all.begin; i < at.place.all.end; ++i) {
            Side& s = side[space.order[i] >> space.bits];
            if (s == branches) s = static_cast<Side>(heaviest);
        }
    }
    const auto first = static_cast<std::int32_t>(nodes_.node.size());
    std::vector<std::uint8_t> keep(branches);
    for (std::size_t b = 0; b < branches; ++b) {
        nodes_.add(child_.data() + b * k);
        keep[b] = !rules_.is_leaf(child_.data() + b * k, at.depth + 1);
    }
    Node& node = nodes_.node[at.node];
    node.first = first;
    node.branches = static_cast<std::int32_t>(branches);
    node.otherwise = otherwise;
    if (std::find(keep.begin(), keep.end(), 1) == keep.end()) return;
    if (!shared) {
        part_in_place(at, side.data(), keep, open);
        return;
    }
    for (double& part : weight) part /= known;
    std::vector<Space<Entry>> spaces = shared_out(*at.space, at.place, side.data(), keep, weight, number_);
    for (std::size_t b = 0, made = 0; b < branches; ++b) {
        if (!keep[b]) continue;
        Open<Entry>& child = open.emplace_back();
        child.node = static_cast<std::size_t>(first) + b;
        child.depth = at.depth + 1;
        child.path = mixed(at.path ^ mixed(b + 1));
        child.space = std::make_shared<Space<Entry>>(std::move(spaces[made++]));
        child.place = child.space->whole;
    }
}

template <class Entry>
void Splitter<Entry>::split(const Open<Entry>& at, std::size_t input, const Candidate& candidate,
                            std::vector<Open<Entry>>& open) {
    if (candidate.branches < 255)
        split_by(at, input, candidate, side_, open);
    else
        split_by(at, input, candidate, many_sides_, open);
}

template class Splitter<Wide>;
template class Splitter<Narrow>;

}  // namespace acumen::tree
