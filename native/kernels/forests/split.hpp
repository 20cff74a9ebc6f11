// The best split of a node's rows by one column after another.
//
//     Split    a column, and a cut or two sets of levels
//     Best     the best split so far
//     Search   looks at every cut of a column; forests/cut.hpp at one that is drawn
#pragma once

#include <algorithm>
#include <limits>

#include "kernels/forests/groups.hpp"
#include "kernels/forests/levels.hpp"
#include "kernels/forests/purity.hpp"

namespace acumen::forest {

struct Split {
    double score =
        -std::numeric_limits<double>::infinity();  // gain in weight times purity, over rows of known value
    std::uint32_t column = 0;
    std::uint32_t below = 0, above = 0;  // neighbouring slots met in the node, between which the cut falls
    std::vector<std::uint32_t> left, right;  // levels of a nominal column
    double left_weight = 0, right_weight = 0;

    bool found() const { return score > -std::numeric_limits<double>::infinity(); }
};

struct Best : Split {
    // What rounding makes of equal splits decides nothing, the first is taken.
    static constexpr double SLACK = 1e-11;

    void clear() {
        score = -std::numeric_limits<double>::infinity();
        column = 0;
    }

    // Takes a split if it gains more over the rows it knows than the best so far, which may know others.
    bool takes(std::uint32_t j, double purity, double whole, double left, double right) {
        if (purity - whole <= score + SLACK * std::abs(purity)) return false;
        score = purity - whole;
        column = j;
        left_weight = left;
        right_weight = right;
        return true;
    }
};

template <Tally T>
class Search {
  public:
    explicit Search(const Table& table)
        : table_(table),
          classes_(T == Tally::classes ? table.classes : 1),
          groups_(table),
          levels_(classes_),
          side_(classes_),
          all_(classes_) {}

    // `whole` is what all rows of the node add up to, which only counts are asked for.
    void begin(const Value<T>& whole = {}) {
        best.clear();
        whole_ = whole;
    }

    // Looks at column j; false where its known values do not differ, or all rows of known value are of one
    // class: a cut then gains nothing, and each would shed a few rows only of a node that others keep open.
    bool look(std::uint32_t j, const std::uint32_t* rows, const Value<T>* values, std::size_t n) {
        const Column& column = table_.columns[j];
        if constexpr (T == Tally::counts) {
            if (!column.nominal)
                return column.narrow ? sweep_slots(j, column.narrow, column.slots, rows, values, n)
                                     : sweep_slots(j, column.wide, column.slots, rows, values, n);
        }
        return groups_.fill(column, rows, values, n) && sweep_groups(j, column.nominal);
    }

    // The same of sums of weights over all rows, one a slot for each class, `stride` apart.
    bool look_at_sums(std::uint32_t j, const double* sums, std::size_t stride) {
        const Column& column = table_.columns[j];
        return groups_.fill_from_classes(column.slots, table_.classes, sums, stride) &&
               sweep_groups(j, column.nominal);
    }

    Best best;

  private:
    static constexpr double SLACK = Best::SLACK;
    // Of two classes, whether all weight is of one of them.
    static bool of_one_class(double ones, double weight) { return ones <= 0 || ones >= weight; }
    static double bar_of(double score) { return score + SLACK * std::abs(score); }

    // Every place between two neighbouring codes as they come out of their slots.
    template <class Code>
    bool sweep_slots(std::uint32_t j, const Code* codes, std::uint32_t slots, const std::uint32_t* rows,
                     const Value<T>* values, std::size_t n) {
        if (n <= Groups<T>::FEW) return sweep_few(j, codes, slots, rows, values, n);
        Value<T> left{};
        double weight = 0, ones = 0;
        places_.clear();
        groups_.visit(
            codes, slots, rows, values, n,
            [&](const Value<T>& absent) {
                weight = whole_.weight() - absent.weight();
                ones = whole_.sum() - absent.sum();
            },
            [&](std::uint32_t code, const Value<T>& value) {
                places_.push(code, left.both);
                left.add(value);
            });
        if (places_.size < 2 || of_one_class(ones, weight)) return false;
        const std::size_t at = purest(places_, weight, ones, SLACK);
        const double before = places_.weight[at];
        if (best.takes(j, places_.purity[at], ones * ones / weight, before, weight - before)) {
            best.below = places_.code[at - 1];
            best.above = places_.code[at];
        }
        return true;
    }

    // The same of few rows: the purity of two sides is compared as a fraction, without a division.
    template <class Code>
    bool sweep_few(std::uint32_t j, const Code* codes, std::uint32_t slots, const std::uint32_t* rows,
                   const Value<T>* values, std::size_t n) {
        Value<T> left{};
        double weight = 0, ones = 0, above = -1, below = 1, bar = -1, left_weight = 0;
        std::uint32_t last = 0, found = 0, next = 0;
        std::size_t met = 0;
        groups_.visit(
            codes, slots, rows, values, n,
            [&](const Value<T>& absent) {
                weight = whole_.weight() - absent.weight();
                ones = whole_.sum() - absent.sum();
            },
            [&](std::uint32_t code, const Value<T>& value) {
                if (met++) {
                    const double a = left.weight(), b = weight - a, x = left.sum(), y = ones - x;
                    const double over = x * x * b + y * y * a, under = a * b;
                    if (over * below > bar * under) {
                        above = over;
                        below = under;
                        bar = over * (1 + SLACK);
                        left_weight = a;
                        found = last;
                        next = code;
                    }
                }
                left.add(value);
                last = code;
            });
        if (met < 2 || of_one_class(ones, weight)) return false;
        if (best.takes(j, above / below, ones * ones / weight, left_weight, weight - left_weight)) {
            best.below = found;
            best.above = next;
        }
        return true;
    }

    // Every place between two neighbouring groups.
    bool sweep_groups(std::uint32_t j, bool nominal) {
        if (nominal) levels_.sort(groups_);
        const std::vector<Group>& each = groups_.each;
        const auto place = [&](std::size_t i) { return nominal ? levels_.order[i] : i; };
        const std::size_t found = T == Tally::classes ? cut_of_classes(j, place) : cut_of_sums(j, place);
        if (found == each.size()) return !one_class_;
        if (!nominal) {
            best.below = each[found].code;
            best.above = each[found + 1].code;
            return true;
        }
        best.left.clear();
        best.right.clear();
        for (std::size_t i = 0; i < each.size(); ++i)
            (i <= found ? best.left : best.right).push_back(each[place(i)].code);
        return true;
    }

    // The last group on the left of the best cut, if it was taken; else the number of groups.
    template <class Place>
    std::size_t cut_of_sums(std::uint32_t j, const Place& place) {
        const std::vector<Group>& each = groups_.each;
        std::size_t found = each.size();
        double score = 0, bar = -std::numeric_limits<double>::infinity();
        double total = 0, sum = 0, left = 0, left_sum = 0, left_weight = 0;
        for (const Group& group : each) total += group.weight, sum += group.sum;
        one_class_ = table_.classes && of_one_class(sum, total);
        if (one_class_) return found;
        for (std::size_t i = 0; i + 1 < each.size(); ++i) {
            const Group& group = each[place(i)];
            left += group.weight;
            left_sum += group.sum;
            const double right = total - left, right_sum = sum - left_sum;
            const double here = left_sum * left_sum / left + right_sum * right_sum / right;
            if (here > bar) score = here, bar = bar_of(here), found = i, left_weight = left;
        }
        if (found == each.size()) return found;
        return best.takes(j, score, sum * sum / total, left_weight, total - left_weight) ? found
                                                                                         : each.size();
    }

    template <class Place>
    std::size_t cut_of_classes(std::uint32_t j, const Place& place) {
        const std::vector<Group>& each = groups_.each;
        std::size_t found = each.size();
        double score = 0, bar = -std::numeric_limits<double>::infinity();
        double total = 0, left = 0, left_weight = 0, left_squares = 0, right_squares = 0;
        std::fill(side_.begin(), side_.end(), 0.0);
        std::fill(all_.begin(), all_.end(), 0.0);
        for (std::size_t g = 0; g < each.size(); ++g) {
            total += each[g].weight;
            for (std::size_t c = 0; c < classes_; ++c) all_[c] += groups_.counts[g * classes_ + c];
        }
        for (const double x : all_) right_squares += x * x;
        const double whole = right_squares / total;
        one_class_ = std::count(all_.begin(), all_.end(), 0.0) + 1 >= static_cast<std::ptrdiff_t>(classes_);
        if (one_class_) return found;
        for (std::size_t i = 0; i + 1 < each.size(); ++i) {
            const std::size_t g = place(i);
            const double* counts = groups_.counts.data() + g * classes_;
            for (std::size_t c = 0; c < classes_; ++c) {
                const double x = counts[c];
                left_squares += x * (2 * side_[c] + x);
                right_squares -= x * (2 * (all_[c] - side_[c]) - x);
                side_[c] += x;
            }
            left += each[g].weight;
            const double here = left_squares / left + right_squares / (total - left);
            if (here > bar) score = here, bar = bar_of(here), found = i, left_weight = left;
        }
        if (found == each.size()) return found;
        return best.takes(j, score, whole, left_weight, total - left_weight) ? found : each.size();
    }

    const Table& table_;
    std::size_t classes_;
    Groups<T> groups_;
    LevelOrder levels_;
    std::vector<double> side_, all_;
    Places places_;
    Value<T> whole_{};
    bool one_class_ = false;  // whether the known rows of the column that was looked at last are
};

}  // namespace acumen::forest
