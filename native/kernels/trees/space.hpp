// The rows of nodes: for each numeric input a list in the order of its values, of which every node has a
// stretch.
//
//     Space   instances with their lists; a row that went down several branches is an instance of each
//     Place   the stretches of one node
//     part    a node's stretches parted stably among its children, in place
//     copied  a node's instances as a space of their own, numbered anew
//
// An instance is written as a word, its number << bits | its label, so that a list tells labels without a
// look elsewhere.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "kernels/trees/sort.hpp"
#include "kernels/trees/types.hpp"

namespace acumen::tree {

struct Segment {
    std::uint32_t begin = 0, end = 0;
    std::uint32_t size() const { return end - begin; }
};

struct Place {
    Segment all;                 // in `order`, and in each list where no value is missing
    std::vector<Segment> lists;  // in each list, where values are missing; else empty

    Segment list(std::size_t j) const { return lists.empty() ? all : lists[j]; }
};

template <class Entry>
struct Space {
    using Word = typename Entry::Word;

    const Table* table = nullptr;
    std::size_t size = 0;
    unsigned bits = 0;
    bool ragged = false;               // whether lists differ in length
    std::unique_ptr<Entry[]> entries;  // numeric inputs x size
    std::vector<Word> order;         // every instance; empty where no nominal input and no missing value asks
    const double* weight = nullptr;  // of each instance; null: all ones
    std::vector<double> own_weight;
    // Of two classes and whole weights: the weight of each instance, and of class 1 once more in the upper
    // half, so that one sum is both. Else empty.
    std::vector<std::uint64_t> tally;
    std::vector<std::uint32_t> row;                // of each instance; empty: the instance is the row
    std::vector<std::vector<std::int32_t>> codes;  // of each code column; empty: the table's
    Place whole;

    Entry* list(std::size_t j) const { return entries.get() + j * size; }
    std::size_t row_of(std::size_t instance) const { return row.empty() ? instance : row[instance]; }
    double weight_of(std::size_t instance) const { return weight ? weight[instance] : 1.0; }
    std::size_t label_of(Word word) const { return word & ((1u << bits) - 1u); }
    CodeColumn code_column(std::size_t q) const {
        return codes.empty() ? table->codes[q] : CodeColumn{codes[q].data(), 1};
    }
    bool has_order() const { return !order.empty(); }
    std::size_t numbers() const { return table->numbers.size(); }
};

inline std::uint32_t word_of(const Wide& e) { return e.word; }
inline std::uint32_t word_of(const Narrow& e) { return e.word; }
inline std::uint32_t word_of(std::uint32_t word) { return word; }
inline std::uint32_t word_of(std::uint16_t word) { return word; }

// Parts one stretch by side[instance]; branches not in `keep` are left out. `out` has a segment a branch.
template <class Item, class Side>
void part(Item* items, Segment segment, const Side* side, unsigned bits, std::span<const std::uint8_t> keep,
          std::vector<Item>& scratch, Segment* out) {
    const std::size_t branches = keep.size();
    if (!segment.size()) {
        std::fill_n(out, branches, segment);
        return;
    }
    if (scratch.size() < segment.size()) scratch.resize(segment.size());
    Item* spare = scratch.data();
    if (branches == 2) {
        std::uint32_t left = segment.begin, right = 0;
        const std::uint32_t end = segment.end;
        if (keep[0] && keep[1]) {
            for (std::uint32_t i = segment.begin; i < end; ++i) {
                const Item item = items[i];
                const std::uint32_t second = side[word_of(item) >> bits];
                items[left] = item;
                spare[right] = item;
                left += 1u - second;
                right += second;
            }
            std::memcpy(items + left, spare, right * sizeof(Item));
            out[0] = {segment.begin, left};
            out[1] = {left, end};
            return;
        }
        const std::uint32_t kept = keep[1] ? 1 : 0;
        for (std::uint32_t i = segment.begin; i < end; ++i) {
            const Item item = items[i];
            items[left] = item;
            left += side[word_of(item) >> bits] == kept;
        }
        out[kept] = {segment.begin, left};
        out[1 - kept] = {left, left};
        return;
    }
    for (std::size_t b = 0; b < branches; ++b) out[b] = {0, 0};
    for (std::uint32_t i = segment.begin; i < segment.end; ++i) ++out[side[word_of(items[i]) >> bits]].end;
    std::uint32_t at = segment.begin;
    for (std::size_t b = 0; b < branches; ++b) {
        const std::uint32_t count = keep[b] ? out[b].end : 0;
        out[b] = {at, at};
        at += count;
    }
    std::memcpy(spare, items + segment.begin, segment.size() * sizeof(Item));
    for (std::uint32_t i = 0; i < segment.size(); ++i) {
        const std::size_t b = side[word_of(spare[i]) >> bits];
        if (keep[b]) items[out[b].end++] = spare[i];
    }
}

// The instances of a place as a space of their own.
template <class To, class From>
Space<To> copied(const Space<From>& from, const Place& place, std::vector<std::uint32_t>& number) {
    Space<To> made;
    const Table& table = *from.table;
    made.table = from.table;
    made.bits = from.bits;
    made.ragged = from.ragged;
    made.size = place.all.size();
    made.whole.all = {0, place.all.size()};
    number.resize(std::max(number.size(), from.size));
    made.row.reserve(made.size);
    const auto enter = [&](std::uint32_t word) {
        const std::uint32_t instance = word >> from.bits;
        number[instance] = static_cast<std::uint32_t>(made.row.size());
        made.row.push_back(static_cast<std::uint32_t>(from.row_of(instance)));
        if (from.weight) made.own_weight.push_back(from.weight[instance]);
        if (!from.tally.empty()) made.tally.push_back(from.tally[instance]);
    };
    const auto renumbered = [&](std::uint32_t word) {
        const auto label = from.label_of(static_cast<typename From::Word>(word));
        return static_cast<typename To::Word>(number[word >> from.bits] << from.bits | label);
    };
    if (from.has_order()) {
        made.order.reserve(made.size);
        for (std::uint32_t i = place.all.begin; i < place.all.end; ++i) {
            enter(from.order[i]);
            made.order.push_back(renumbered(from.order[i]));
        }
    } else {
        for (std::uint32_t i = place.list(0).begin; i < place.list(0).end; ++i) enter(from.list(0)[i].word);
    }
    made.weight = from.weight ? made.own_weight.data() : nullptr;
    made.codes.resize(table.codes.size());
    for (std::size_t q = 0; q < table.codes.size(); ++q) {
        const CodeColumn column = from.code_column(q);
        made.codes[q].resize(made.size);
        for (std::size_t i = 0; i < made.size; ++i)
            made.codes[q][i] = from.codes.empty() ? column[made.row[i]]
                                                  : column[from.order[place.all.begin + i] >> from.bits];
    }
    const std::size_t numbers = table.numbers.size();
    made.entries.reset(new To[numbers * made.size]);
    if (made.ragged) made.whole.lists.resize(numbers);
    for (std::size_t j = 0; j < numbers; ++j) {
        const Segment segment = place.list(j);
        const From* list = from.list(j) + segment.begin;
        To* to = made.list(j);
        std::uint32_t rank = 0;
        for (std::uint32_t i = 0; i < segment.size(); ++i) {
            rank += i && list[i].rank != list[i - 1].rank;
            to[i] = {static_cast<typename To::Word>(rank), renumbered(list[i].word)};
        }
        if (made.ragged) made.whole.lists[j] = {0, segment.size()};
    }
    return made;
}

}  // namespace acumen::tree
