// A node's instances shared out among its children where some have no side: these go to every child, weighing
// less.
#pragma once

#include "kernels/trees/space.hpp"

namespace acumen::tree {

// A space for each branch in `keep`, in order; `side` of an instance is its branch, or `keep.size()` for all
// of them, with `part` of its weight in each. In every child those come first, under the same numbers.
template <class Entry, class Side>
std::vector<Space<Entry>> shared_out(const Space<Entry>& from, const Place& place, const Side* side,
                                     std::span<const std::uint8_t> keep, std::span<const double> part,
                                     std::vector<std::uint32_t>& number) {
    using Word = typename Entry::Word;
    const Table& table = *from.table;
    const std::size_t branches = keep.size(), numbers = table.numbers.size();
    const unsigned bits = from.bits;
    number.resize(std::max(number.size(), from.size));
    std::vector<std::uint32_t> lost, count(branches, 0);
    for (std::uint32_t i = place.all.begin; i < place.all.end; ++i) {
        const std::uint32_t instance = from.order[i] >> bits;
        if (side[instance] == branches) {
            number[instance] = static_cast<std::uint32_t>(lost.size());
            lost.push_back(from.order[i]);
        }
    }
    const auto first = static_cast<std::uint32_t>(lost.size());
    const auto word = [&](std::uint32_t old) {
        return static_cast<Word>(number[old >> bits] << bits | from.label_of(static_cast<Word>(old)));
    };
    std::vector<Space<Entry>> made;
    std::vector<std::size_t> place_of(branches);  // of each branch kept, among those made
    for (std::size_t b = 0; b < branches; ++b) {
        if (!keep[b]) continue;
        place_of[b] = made.size();
        Space<Entry>& child = made.emplace_back();
        child.table = from.table;
        child.bits = bits;
        child.ragged = from.ragged;
        for (const std::uint32_t old : lost) {
            child.order.push_back(word(old));
            child.row.push_back(static_cast<std::uint32_t>(from.row_of(old >> bits)));
            child.own_weight.push_back(from.weight_of(old >> bits) * part[b]);
        }
    }
    for (std::uint32_t i = place.all.begin; i < place.all.end; ++i) {
        const std::uint32_t old = from.order[i], instance = old >> bits;
        const std::size_t b = side[instance];
        if (b == branches || !keep[b]) continue;
        Space<Entry>& child = made[place_of[b]];
        number[instance] = first + count[b]++;
        child.order.push_back(word(old));
        child.row.push_back(static_cast<std::uint32_t>(from.row_of(instance)));
        child.own_weight.push_back(from.weight_of(instance));
    }
    for (Space<Entry>& child : made) {
        child.size = child.order.size();
        child.weight = child.own_weight.data();
        child.whole.all = {0, static_cast<std::uint32_t>(child.size)};
        if (child.ragged) child.whole.lists.resize(numbers);
        child.entries.reset(new Entry[numbers * child.size]);
        child.codes.resize(table.codes.size());
        for (std::size_t q = 0; q < table.codes.size(); ++q) {
            child.codes[q].resize(child.size);
            for (std::size_t i = 0; i < child.size; ++i) child.codes[q][i] = table.codes[q][child.row[i]];
        }
    }
    std::vector<Entry*> to(made.size());
    for (std::size_t j = 0; j < numbers; ++j) {
        for (std::size_t m = 0; m < made.size(); ++m) to[m] = made[m].list(j);
        const Segment segment = place.list(j);
        const Entry* list = from.list(j);
        for (std::uint32_t i = segment.begin; i < segment.end; ++i) {
            const std::size_t b = side[list[i].word >> bits];
            const Entry entry{list[i].rank, word(list[i].word)};
            if (b == branches)
                for (Entry*& end : to) *end++ = entry;
            else if (keep[b])
                *to[place_of[b]]++ = entry;
        }
        if (from.ragged)
            for (std::size_t m = 0; m < made.size(); ++m)
                made[m].whole.lists[j] = {0, static_cast<std::uint32_t>(to[m] - made[m].list(j))};
    }
    return made;
}

}  // namespace acumen::tree
