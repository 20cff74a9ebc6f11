// The best split of a node's rows by one column after another.
//
//     Value    what a row adds to a sum: weight and weight times number (two classes are the numbers 0 and 1,
//              for which least squares and Gini's index choose alike), or weight and class of several
//     Groups   the rows of a node by their code, ascending: as many as there are different codes
//     Search   looks at columns, keeps the best split
//
// A node of few rows is sorted; of more, counted into slots, with a bit for each slot met where slots
// outnumber rows. Either way only slots that were met are looked at and cleared again.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/forest_types.hpp"

namespace acumen::forest {

template <bool Many>
struct Value;
template <>
struct Value<false> {
    double weight = 0, sum = 0;
};
template <>
struct Value<true> {
    double weight = 0;
    std::uint32_t label = 0;
};

struct Split {
    double score =
        -std::numeric_limits<double>::infinity();  // gain in weight times purity, over rows of known value
    std::uint32_t column = 0;
    std::uint32_t below = 0, above = 0;  // neighbouring slots met in the node, between which the cut falls
    std::vector<std::uint32_t> left, right;  // levels of a nominal column
    double left_weight = 0, right_weight = 0;

    bool found() const { return score > -std::numeric_limits<double>::infinity(); }
};

template <bool Many>
class Search {
    struct Group {
        std::uint32_t code;
        double weight, sum;  // of several classes `sum` is unused and the counts lie apart
    };
    struct Pair {
        double weight, sum;
    };

  public:
    explicit Search(const Table& table) : table_(table), classes_(Many ? table.classes : 1) {
        std::size_t slots = 257;
        for (const Column& column : table.columns) slots = std::max<std::size_t>(slots, column.slots + 1);
        if (slots > 257) slots = 65536;
        if constexpr (Many)
            counts_.assign(slots * classes_, 0.0);
        else
            pairs_.assign(slots, Pair{0, 0});
        met_.assign((slots + 63) / 64, 0);
        side_.resize(classes_);
        all_.resize(classes_);
    }

    void begin() { best = Split{}; }

    // Looks at column j; false where its known values do not differ.
    bool look(std::uint32_t j, const std::uint32_t* rows, const Value<Many>* values, std::size_t n) {
        const Column& column = table_.columns[j];
        const bool told = column.narrow ? group(column.narrow, column.slots, rows, values, n)
                                        : group(column.wide, column.slots, rows, values, n);
        if (!told) return false;
        if (column.nominal) sort_levels();
        sweep(j, column.nominal);
        return true;
    }

    // The same with one cut drawn at random, uniformly between the least and the largest value.
    bool look_once(std::uint32_t j, const std::uint32_t* rows, const Value<Many>* values, std::size_t n,
                   Draw& draw) {
        const Column& column = table_.columns[j];
        return column.narrow ? look_once(column, column.narrow, j, rows, values, n, draw)
                             : look_once(column, column.wide, j, rows, values, n, draw);
    }

    Split best;

  private:
    static constexpr double SLACK = 1e-11;
    static constexpr std::size_t FEW = Many ? 40 : 12;

    template <class Code>
    static constexpr std::uint32_t none = static_cast<Code>(~Code{0});

    void add(std::uint32_t code, const Value<Many>& value) {
        if constexpr (Many) {
            counts_[code * classes_ + value.label] += value.weight;
        } else {
            pairs_[code].weight += value.weight;
            pairs_[code].sum += value.sum;
        }
    }

    // Moves what a slot holds to the end of the groups, and clears it.
    void take(std::uint32_t code) {
        if constexpr (Many) {
            double weight = 0;
            const std::size_t at = group_counts_.size();
            group_counts_.resize(at + classes_);
            double* from = counts_.data() + code * classes_;
            for (std::size_t c = 0; c < classes_; ++c) {
                weight += from[c];
                group_counts_[at + c] = from[c];
                from[c] = 0;
            }
            if (weight > 0)
                groups_.push_back({code, weight, 0});
            else
                group_counts_.resize(at);
        } else {
            const Pair pair = pairs_[code];
            pairs_[code] = {0, 0};
            if (pair.weight > 0) groups_.push_back({code, pair.weight, pair.sum});
        }
    }

    void forget(std::uint32_t code) {
        if constexpr (Many)
            std::fill_n(counts_.data() + code * classes_, classes_, 0.0);
        else
            pairs_[code] = {0, 0};
    }

    template <class Code>
    bool group(const Code* codes, std::uint32_t slots, const std::uint32_t* rows, const Value<Many>* values,
               std::size_t n) {
        groups_.clear();
        group_counts_.clear();
        if (n <= FEW) {
            sorted(codes, rows, values, n);
        } else if (n >= slots) {
            for (std::size_t i = 0; i < n; ++i) add(codes[rows[i]], values[i]);
            for (std::uint32_t code = 0; code < slots; ++code) take(code);
            forget(none<Code>);
        } else {
            for (std::size_t i = 0; i < n; ++i) {
                const std::uint32_t code = codes[rows[i]];
                add(code, values[i]);
                met_[code >> 6] |= std::uint64_t{1} << (code & 63);
            }
            const std::uint32_t absent = none<Code>;
            const std::size_t words = (slots + 63) / 64;
            if (met_[absent >> 6] >> (absent & 63) & 1) {
                met_[absent >> 6] &= ~(std::uint64_t{1} << (absent & 63));
                forget(absent);
            }
            for (std::size_t word = 0; word < words; ++word) {
                std::uint64_t bits = met_[word];
                met_[word] = 0;
                for (; bits; bits &= bits - 1)
                    take(static_cast<std::uint32_t>(word * 64 +
                                                    static_cast<std::size_t>(std::countr_zero(bits))));
            }
        }
        return groups_.size() > 1;
    }

    // Groups of few rows, by insertion.
    template <class Code>
    void sorted(const Code* codes, const std::uint32_t* rows, const Value<Many>* values, std::size_t n) {
        std::uint32_t key[FEW];
        std::size_t known = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t code = codes[rows[i]];
            if (code == none<Code>) continue;
            const std::uint32_t word = code << 8 | static_cast<std::uint32_t>(i);
            std::size_t at = known++;
            for (; at && key[at - 1] > word; --at) key[at] = key[at - 1];
            key[at] = word;
        }
        for (std::size_t i = 0; i < known;) {
            const std::uint32_t code = key[i] >> 8;
            Group made{code, 0, 0};
            const std::size_t at = group_counts_.size();
            if constexpr (Many) group_counts_.resize(at + classes_, 0.0);
            for (; i < known && key[i] >> 8 == code; ++i) {
                const Value<Many>& value = values[key[i] & 255];
                made.weight += value.weight;
                if constexpr (Many)
                    group_counts_[at + value.label] += value.weight;
                else
                    made.sum += value.sum;
            }
            groups_.push_back(made);
        }
    }

    // Levels by their mean: of two classes, and of numbers, the best cut of that order is the best of all
    // subsets (Breiman et al. 1984). Of several classes by the first principal component of their shares
    // (Coppersmith, Hong and Hosking 1999). Equal ones stay in the order of their codes.
    void sort_levels() {
        order_.resize(groups_.size());
        key_.resize(groups_.size());
        if constexpr (Many)
            components();
        else
            for (std::size_t g = 0; g < groups_.size(); ++g) key_[g] = groups_[g].sum / groups_[g].weight;
        for (std::uint32_t g = 0; g < groups_.size(); ++g) order_[g] = g;
        std::stable_sort(order_.begin(), order_.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return key_[a] < key_[b]; });
    }

    void components() {
        double total = 0;
        std::fill(all_.begin(), all_.end(), 0.0);
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            total += groups_[g].weight;
            for (std::size_t c = 0; c < classes_; ++c) all_[c] += group_counts_[g * classes_ + c];
        }
        std::vector<double>& axis = axis_;
        axis.resize(classes_);
        side_.assign(classes_, 0.0);
        // From the class that varies most; its sign makes the order of levels the same each time.
        std::size_t first = 0;
        double most = -1;
        for (std::size_t c = 0; c < classes_; ++c) {
            double spread = 0;
            for (std::size_t g = 0; g < groups_.size(); ++g) {
                const double away = group_counts_[g * classes_ + c] / groups_[g].weight - all_[c] / total;
                spread += groups_[g].weight * away * away;
            }
            if (spread > most) most = spread, first = c;
            axis[c] = 0;
        }
        axis[first] = 1;
        for (int step = 0; step < 12; ++step) {
            std::fill(side_.begin(), side_.end(), 0.0);
            for (std::size_t g = 0; g < groups_.size(); ++g) {
                const double* counts = group_counts_.data() + g * classes_;
                double along = 0;
                for (std::size_t c = 0; c < classes_; ++c)
                    along += axis[c] * (counts[c] / groups_[g].weight - all_[c] / total);
                key_[g] = along;
                for (std::size_t c = 0; c < classes_; ++c)
                    side_[c] += along * (counts[c] - groups_[g].weight * (all_[c] / total));
            }
            double length = 0;
            for (const double x : side_) length += x * x;
            if (!(length > 0)) return;
            length = std::sqrt(length);
            for (std::size_t c = 0; c < classes_; ++c) axis[c] = side_[c] / length;
        }
    }

    // Every place between two neighbouring groups.
    void sweep(std::uint32_t j, bool nominal) {
        const std::size_t n = groups_.size();
        std::size_t found = n;
        double score = -std::numeric_limits<double>::infinity(), bar = score, whole = 0;
        double left_weight = 0, right_weight = 0;
        if constexpr (Many) {
            std::fill(side_.begin(), side_.end(), 0.0);
            std::fill(all_.begin(), all_.end(), 0.0);
            double total = 0;
            for (std::size_t g = 0; g < n; ++g) {
                total += groups_[g].weight;
                for (std::size_t c = 0; c < classes_; ++c) all_[c] += group_counts_[g * classes_ + c];
            }
            double left_squares = 0, right_squares = 0, left = 0;
            for (const double x : all_) right_squares += x * x;
            whole = right_squares / total;
            for (std::size_t i = 0; i + 1 < n; ++i) {
                const std::size_t g = nominal ? order_[i] : i;
                const double* counts = group_counts_.data() + g * classes_;
                for (std::size_t c = 0; c < classes_; ++c) {
                    const double x = counts[c];
                    left_squares += x * (2 * side_[c] + x);
                    right_squares -= x * (2 * (all_[c] - side_[c]) - x);
                    side_[c] += x;
                }
                left += groups_[g].weight;
                const double here = left_squares / left + right_squares / (total - left);
                if (here > bar)
                    score = here, bar = bar_of(here), found = i, left_weight = left,
                    right_weight = total - left;
            }
        } else {
            double total = 0, sum = 0, left = 0, left_sum = 0;
            for (const Group& group : groups_) total += group.weight, sum += group.sum;
            whole = sum * sum / total;
            for (std::size_t i = 0; i + 1 < n; ++i) {
                const Group& group = groups_[nominal ? order_[i] : i];
                left += group.weight;
                left_sum += group.sum;
                const double right = total - left, right_sum = sum - left_sum;
                const double here = left_sum * left_sum / left + right_sum * right_sum / right;
                if (here > bar)
                    score = here, bar = bar_of(here), found = i, left_weight = left, right_weight = right;
            }
        }
        if (found == n || !gains(j, score, whole, left_weight, right_weight)) return;
        if (!nominal) {
            best.below = groups_[found].code;
            best.above = groups_[found + 1].code;
            return;
        }
        best.left.clear();
        best.right.clear();
        for (std::size_t i = 0; i < n; ++i)
            (i <= found ? best.left : best.right).push_back(groups_[order_[i]].code);
    }

    // What a better split must exceed: what rounding makes of equal ones decides nothing, the first is taken.
    static double bar_of(double score) { return score + SLACK * std::abs(score); }

    // Keeps a split if it gains more over the rows it knows than the best so far, which may know others.
    bool gains(std::uint32_t j, double score, double whole, double left_weight, double right_weight) {
        taken_ = !(score - whole <= best.score + SLACK * std::abs(score));
        if (!taken_) return false;
        best.score = score - whole;
        best.column = j;
        best.left_weight = left_weight;
        best.right_weight = right_weight;
        return true;
    }

    template <class Code>
    bool look_once(const Column& column, const Code* codes, std::uint32_t j, const std::uint32_t* rows,
                   const Value<Many>* values, std::size_t n, Draw& draw) {
        if (column.nominal) return look_once_at_levels(column, codes, j, rows, values, n, draw);
        buffer_.resize(std::max(buffer_.size(), n));
        std::uint32_t low = none<Code>, high = 0;
        bool gaps = false;
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t code = codes[rows[i]];
            buffer_[i] = static_cast<std::uint16_t>(code);
            low = std::min(low, code);
            high = std::max(high, code);
        }
        if (high == none<Code>) {
            gaps = true;
            high = 0;
            for (std::size_t i = 0; i < n; ++i)
                if (buffer_[i] != none<Code>) high = std::max<std::uint32_t>(high, buffer_[i]);
        }
        if (low >= high) return false;
        const double least = column.least(low), most = column.most(high);
        const double at = least + draw.unit() * (most - least);
        // the last slot whose values all lie at or below it
        std::uint32_t cut = low, end = high;
        while (cut + 1 < end) {
            const std::uint32_t middle = (cut + end) / 2;
            (column.most(middle) <= at ? cut : end) = middle;
        }
        if constexpr (Many) {
            std::fill(side_.begin(), side_.end(), 0.0);
            std::fill(all_.begin(), all_.end(), 0.0);
            for (std::size_t i = 0; i < n; ++i) {
                if (gaps && buffer_[i] == none<Code>) continue;
                all_[values[i].label] += values[i].weight;
                if (buffer_[i] <= cut) side_[values[i].label] += values[i].weight;
            }
            judge_counts(j);
        } else {
            double left = 0, left_sum = 0, right = 0, right_sum = 0;
            if (gaps) {
                for (std::size_t i = 0; i < n; ++i) {
                    if (buffer_[i] == none<Code>) continue;
                    (buffer_[i] <= cut ? left : right) += values[i].weight;
                    (buffer_[i] <= cut ? left_sum : right_sum) += values[i].sum;
                }
            } else {
                for (std::size_t i = 0; i < n; ++i) {
                    const double here = buffer_[i] <= cut ? 1.0 : 0.0;
                    left += here * values[i].weight;
                    left_sum += here * values[i].sum;
                    right += (1.0 - here) * values[i].weight;
                    right_sum += (1.0 - here) * values[i].sum;
                }
            }
            judge_sums(j, left, left_sum, right, right_sum);
        }
        if (best.column == j && taken_) best.below = cut, best.above = cut + 1;
        return true;
    }

    // Each level met goes left or right at the toss of a coin, but not all to one side.
    template <class Code>
    bool look_once_at_levels(const Column& column, const Code* codes, std::uint32_t j,
                             const std::uint32_t* rows, const Value<Many>* values, std::size_t n,
                             Draw& draw) {
        if (!group(codes, column.slots, rows, values, n)) return false;
        const std::size_t levels = groups_.size();
        order_.resize(levels);
        const std::uint32_t alone = draw.below(static_cast<std::uint32_t>(levels));
        const std::uint32_t other = draw.below(static_cast<std::uint32_t>(levels) - 1);
        for (std::uint32_t g = 0; g < levels; ++g) order_[g] = static_cast<std::uint32_t>(draw.next() >> 63);
        order_[alone] = 1;
        order_[other + (other >= alone)] = 0;
        double left = 0, left_sum = 0, right = 0, right_sum = 0;
        std::fill(side_.begin(), side_.end(), 0.0);
        std::fill(all_.begin(), all_.end(), 0.0);
        for (std::size_t g = 0; g < levels; ++g) {
            if constexpr (Many) {
                for (std::size_t c = 0; c < classes_; ++c) {
                    all_[c] += group_counts_[g * classes_ + c];
                    if (order_[g]) side_[c] += group_counts_[g * classes_ + c];
                }
            } else {
                (order_[g] ? left : right) += groups_[g].weight;
                (order_[g] ? left_sum : right_sum) += groups_[g].sum;
            }
        }
        if constexpr (Many)
            judge_counts(j);
        else
            judge_sums(j, left, left_sum, right, right_sum);
        if (!taken_) return true;
        best.left.clear();
        best.right.clear();
        for (std::size_t g = 0; g < levels; ++g)
            (order_[g] ? best.left : best.right).push_back(groups_[g].code);
        return true;
    }

    void judge_sums(std::uint32_t j, double left, double left_sum, double right, double right_sum) {
        const double sum = left_sum + right_sum;
        gains(j, left_sum * left_sum / left + right_sum * right_sum / right, sum * sum / (left + right), left,
              right);
    }

    void judge_counts(std::uint32_t j) {
        double left = 0, right = 0, left_squares = 0, right_squares = 0, squares = 0;
        for (std::size_t c = 0; c < classes_; ++c) {
            const double other = all_[c] - side_[c];
            left += side_[c];
            right += other;
            left_squares += side_[c] * side_[c];
            right_squares += other * other;
            squares += all_[c] * all_[c];
        }
        gains(j, left_squares / left + right_squares / right, squares / (left + right), left, right);
    }

    const Table& table_;
    std::size_t classes_;
    std::vector<Pair> pairs_;
    std::vector<double> counts_, group_counts_, side_, all_, axis_, key_;
    std::vector<std::uint64_t> met_;
    std::vector<Group> groups_;
    std::vector<std::uint32_t> order_;
    std::vector<std::uint16_t> buffer_;
    bool taken_ = false;
};

}  // namespace acumen::forest
