#include "kernels/boosting/grow.hpp"

#include <algorithm>
#include <array>

namespace acumen::boosting {

namespace {

// Fewer rows are parted, and fewer cells searched, by one thread: a few nanoseconds each. The cells of two
// leaves are searched by one thread each where they are not shared themselves.
constexpr std::size_t SHARED = 8'192;
constexpr std::size_t SEARCHED = 16'384;
constexpr std::size_t SEARCHED_APART = 2'048;

// Which side a row goes to, by the code of one column.
struct Sides {
    std::vector<std::uint8_t> right;  // of each code, that of no value last

    Sides(const forest::Column& column, std::size_t none, const Split& split)
        : right(none + 1, static_cast<std::uint8_t>(split.none_right)) {
        if (column.nominal) {
            for (const std::uint32_t code : split.left) right[code] = 0;
            for (const std::uint32_t code : split.right) right[code] = 1;
            return;
        }
        for (std::size_t code = 0; code < none; ++code) right[code] = code > split.cut;
    }
};

}  // namespace

Grower::Grower(const forest::Table& table, const Options& options, Crew& crew)
    : table_(table),
      options_(options),
      crew_(crew),
      codes_(table),
      counter_(codes_, crew),
      rows_(table.rows),
      spare_(table.rows),
      splits_(table.columns.size()),
      others_(table.columns.size()) {}

std::size_t Grower::take_histogram() {
    if (unused_.empty()) {
        histograms_.emplace_back(codes_.cells());
        return histograms_.size() - 1;
    }
    const std::size_t made = unused_.back();
    unused_.pop_back();
    return made;
}

void Grower::find(Leaf& leaf, const Finder& finder, const std::uint8_t* wanted, std::vector<Split>& splits) {
    const Cell* histogram = histograms_[leaf.histogram].data();
    const auto look = [&](std::size_t j) {
        splits[j] = Split{};
        if (!wanted[j]) return;
        const int sign = options_.monotone.empty() ? 0 : options_.monotone[j];
        splits[j] = finder.best(table_.columns[j], static_cast<std::uint32_t>(j), histogram + codes_.start(j),
                                codes_.none(j), leaf.sum, leaf.bounds, sign);
    };
    if (codes_.cells() < SEARCHED)
        for (std::size_t j = 0; j < splits.size(); ++j) look(j);
    else
        crew_.share(splits.size(), look);
    leaf.split = Split{};
    for (Split& each : splits)
        if (each.gain > leaf.split.gain * (1 + 1e-10)) leaf.split = std::move(each);
}

void Grower::find_both(Leaf& one, Leaf& other, const Finder& finder, const std::uint8_t* wanted) {
    if (codes_.cells() < SEARCHED_APART || codes_.cells() >= SEARCHED) {
        find(one, finder, wanted, splits_);
        find(other, finder, wanted, splits_);
        return;
    }
    crew_.share(2, [&](std::size_t which) {
        which ? find(other, finder, wanted, others_) : find(one, finder, wanted, splits_);
    });
}

// Rows of a leaf, those that go left before those that go right, each in the order they were in.
std::size_t Grower::part(const Leaf& leaf, const Split& split) {
    const Sides sides(table_.columns[split.column], codes_.none(split.column), split);
    const std::size_t count = leaf.end - leaf.begin;
    const std::size_t parts = count < SHARED ? 1 : crew_.size();
    const std::size_t each = (count + parts - 1) / parts;
    std::vector<std::size_t> lefts(parts + 1, 0);
    std::uint32_t *rows = rows_.data() + leaf.begin, *spare = spare_.data() + leaf.begin;
    const auto split_part = [&](std::size_t p) {
        // Left ones from the front of the part, right ones from its back.
        const std::size_t first = std::min(count, p * each), end = std::min(count, first + each);
        std::size_t left = first, right = end;
        for (std::size_t at = first; at < end; ++at) {
            const std::uint32_t row = rows[at];
            const bool to_right = sides.right[codes_.code(split.column, row)];
            spare[to_right ? --right : left++] = row;
        }
        lefts[p] = left - first;
    };
    const auto put_back = [&](std::size_t p, std::size_t left, std::size_t right) {
        const std::size_t first = std::min(count, p * each), end = std::min(count, first + each);
        std::copy_n(spare + first, lefts[p], rows + left);
        std::reverse_copy(spare + first + lefts[p], spare + end, rows + right);
    };
    if (parts == 1) {
        split_part(0);
        put_back(0, 0, lefts[0]);
        return lefts[0];
    }
    crew_.share(parts, split_part);
    std::vector<std::size_t> left(parts), right(parts);
    std::size_t at = 0;
    for (std::size_t p = 0; p < parts; ++p) left[p] = at, at += lefts[p];
    const std::size_t middle = at;
    for (std::size_t p = 0; p < parts; ++p) {
        const std::size_t first = std::min(count, p * each), end = std::min(count, first + each);
        right[p] = at;
        at += end - first - lefts[p];
    }
    crew_.share(parts, [&](std::size_t p) { put_back(p, left[p], right[p]); });
    return middle;
}

forest::Tree Grower::grow(const std::vector<Cell>& cells, const Units& units, const std::uint8_t* wanted,
                          std::size_t line, std::size_t lines, std::vector<double>& gain) {
    const Finder finder{options_, units};
    forest::Tree tree;
    for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i] = static_cast<std::uint32_t>(i);
    unused_.clear();
    for (std::size_t h = histograms_.size(); h-- > 0;) unused_.push_back(h);
    const auto add_node = [&](double value) {
        tree.node.push_back({forest::NO_CUT << 16, static_cast<std::uint32_t>(tree.node.size())});
        tree.value.resize(tree.node.size() * lines, 0.0);
        tree.value[(tree.node.size() - 1) * lines + line] = options_.rate * value;
        return static_cast<std::uint32_t>(tree.node.size() - 1);
    };
    leaves_.clear();
    Leaf root;
    root.end = rows_.size();
    root.histogram = take_histogram();
    Cell* all = histograms_[root.histogram].data();
    counter_.count(cells.data(), nullptr, root.end, wanted, all);
    for (const Cell& cell : cells) root.sum += cell;
    root.value = finder.value(root.sum, root.bounds, options_.l2);
    root.node = add_node(root.value);
    find(root, finder, wanted, splits_);
    leaves_.push_back(std::move(root));
    while (leaves_.size() < options_.leaves) {
        std::size_t which = 0;
        for (std::size_t l = 1; l < leaves_.size(); ++l)
            if (leaves_[l].split.gain > leaves_[which].split.gain) which = l;
        if (!leaves_[which].split.found()) break;
        Leaf parent = std::move(leaves_[which]);
        const Split& split = parent.split;
        gain[split.column] += 0.5 * split.gain;
        const std::size_t middle = part(parent, split);
        Leaf left, right;
        left.begin = parent.begin;
        left.end = right.begin = parent.begin + middle;
        right.end = parent.end;
        left.sum = split.sum_left;
        right.sum = parent.sum - split.sum_left;
        left.value = split.value_left;
        right.value = split.value_right;
        left.bounds = right.bounds = parent.bounds;
        const int sign = options_.monotone.empty() ? 0 : options_.monotone[split.column];
        if (sign) {
            const double between = left.value / 2 + right.value / 2;
            (sign > 0 ? left.bounds.high : left.bounds.low) = between;
            (sign > 0 ? right.bounds.low : right.bounds.high) = between;
        }
        left.node = add_node(left.value);
        right.node = add_node(right.value);
        forest::Node& node = tree.node[parent.node];
        const std::uint32_t child = left.node | (split.none_right ? forest::LEAN : 0u);
        const forest::Column& column = table_.columns[split.column];
        if (column.nominal) {
            const std::size_t words = (column.slots + 31) / 32, place = tree.sets.size();
            node.test = split.column;
            node.child = static_cast<std::uint32_t>(place);
            tree.sets.resize(place + 2 + 2 * words, 0u);
            tree.sets[place] = child;
            tree.sets[place + 1] = static_cast<std::uint32_t>(words);
            for (const std::uint32_t code : split.left) tree.sets[place + 2 + code / 32] |= 1u << (code % 32);
            for (const std::uint32_t code : split.right)
                tree.sets[place + 2 + words + code / 32] |= 1u << (code % 32);
        } else {
            node.test = split.column | split.cut << 16;
            node.child = child;
        }
        // The smaller one is counted, the larger is what is left of the parent.
        const double least = 2 * options_.leaf_size;
        const bool more = leaves_.size() + 1 < options_.leaves;
        Leaf& small = left.end - left.begin <= right.end - right.begin ? left : right;
        Leaf& large = &small == &left ? right : left;
        const auto able = [&](const Leaf& leaf) { return more && units.weight_of(leaf.sum) >= least; };
        if (able(small) || able(large)) {
            small.histogram = take_histogram();
            Cell* counted = histograms_[small.histogram].data();
            counter_.count(cells.data(), rows_.data() + small.begin, small.end - small.begin, wanted,
                           counted);
            large.histogram = parent.histogram;
            if (able(large)) {
                Cell* whole = histograms_[large.histogram].data();
                for (std::size_t c = 0; c < codes_.cells(); ++c) whole[c] -= counted[c];
            }
            if (able(large) && able(small))
                find_both(large, small, finder, wanted);
            else
                find(able(large) ? large : small, finder, wanted, splits_);
            for (Leaf* leaf : {&small, &large})
                if (!leaf->split.found()) {
                    unused_.push_back(leaf->histogram);
                    leaf->histogram = SIZE_MAX;
                }
        } else {
            unused_.push_back(parent.histogram);
        }
        leaves_[which] = std::move(left);
        leaves_.push_back(std::move(right));
    }
    return tree;
}

void Grower::settle(std::size_t line, std::size_t lines, double* scores) {
    crew_.share(leaves_.size(), [&](std::size_t l) {
        const Leaf& leaf = leaves_[l];
        const double add = options_.rate * leaf.value;
        for (std::size_t at = leaf.begin; at < leaf.end; ++at)
            scores[static_cast<std::size_t>(rows_[at]) * lines + line] += add;
    });
}

}  // namespace acumen::boosting
