// A split drawn at random of each column, as extra trees have it, of rows of any kind.
#pragma once

#include "kernels/forests/split.hpp"

namespace acumen::forest {

// The last slot, from `low` on and before `high`, whose values all lie at or below a number; `low` if none
// does. Halved without a branch: nobody could foresee it.
inline std::uint32_t slot_below(const Column& column, std::uint32_t low, std::uint32_t high, double number) {
    if (column.high.empty())  // slots are their own values
        return std::max(low, std::min(high - 1, static_cast<std::uint32_t>(number)));
    const double* most = column.high.data();
    for (std::uint32_t n = high - low; n > 1;) {
        const std::uint32_t half = n / 2, middle = low + half;
        low = most[middle] <= number ? middle : low;
        n -= half;
    }
    return low;
}

template <Tally T>
class DrawnSearch {
    static constexpr bool MANY = T == Tally::classes;

  public:
    explicit DrawnSearch(const Table& table)
        : table_(table), groups_(table), left_(MANY ? table.classes : 0), right_(MANY ? table.classes : 0) {}

    // Looks at column j by one cut, uniform between the least and the largest number; false where known
    // values do not differ.
    bool look(std::uint32_t j, const std::uint32_t* rows, const Value<T>* values, std::size_t n, Draw& draw,
              Best& best) {
        const Column& column = table_.columns[j];
        if (column.nominal) return look_at_levels(column, j, rows, values, n, draw, best);
        return column.narrow ? look_at(column, column.narrow, j, rows, values, n, draw, best)
                             : look_at(column, column.wide, j, rows, values, n, draw, best);
    }

  private:
    template <class Code>
    bool look_at(const Column& column, const Code* codes, std::uint32_t j, const std::uint32_t* rows,
                 const Value<T>* values, std::size_t n, Draw& draw, Best& best) {
        buffer_.resize(std::max(buffer_.size(), n));
        std::uint32_t low = NO_CODE<Code>, high = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t code = codes[rows[i]];
            buffer_[i] = static_cast<std::uint16_t>(code);
            low = std::min(low, code);
            high = std::max(high, code);
        }
        const bool gaps = high == NO_CODE<Code>;
        if (gaps) {
            high = 0;
            for (std::size_t i = 0; i < n; ++i)
                if (buffer_[i] != NO_CODE<Code>) high = std::max<std::uint32_t>(high, buffer_[i]);
        }
        if (low >= high) return false;
        const double least = column.least(low), most = column.most(high);
        const std::uint32_t cut = slot_below(column, low, high, least + draw.unit() * (most - least));
        begin();
        for (std::size_t i = 0; i < n; ++i) {
            if (gaps && buffer_[i] == NO_CODE<Code>) continue;
            add(buffer_[i] > cut, values[i]);
        }
        if (judged(j, best)) best.below = cut, best.above = cut + 1;
        return true;
    }

    // Each level met goes left or right at the toss of a coin, but not all to one side.
    bool look_at_levels(const Column& column, std::uint32_t j, const std::uint32_t* rows,
                        const Value<T>* values, std::size_t n, Draw& draw, Best& best) {
        if (!groups_.fill(column, rows, values, n)) return false;
        const auto levels = static_cast<std::uint32_t>(groups_.each.size());
        buffer_.resize(std::max<std::size_t>(buffer_.size(), levels));
        const std::uint32_t alone = draw.below(levels), other = draw.below(levels - 1);
        for (std::uint32_t g = 0; g < levels; ++g)
            buffer_[g] = static_cast<std::uint16_t>(1 - (draw.next() >> 63));
        buffer_[alone] = 0;
        buffer_[other + (other >= alone)] = 1;
        begin();
        for (std::size_t g = 0; g < levels; ++g) {
            const Group& group = groups_.each[g];
            side_[buffer_[g]].weight += group.weight;
            side_[buffer_[g]].sum += group.sum;
            if constexpr (MANY)
                for (std::size_t c = 0; c < table_.classes; ++c)
                    (buffer_[g] ? right_ : left_)[c] += groups_.counts[g * table_.classes + c];
        }
        if (!judged(j, best)) return true;
        best.left.clear();
        best.right.clear();
        for (std::size_t g = 0; g < levels; ++g)
            (buffer_[g] ? best.right : best.left).push_back(groups_.each[g].code);
        return true;
    }

    void begin() {
        side_[0] = side_[1] = {};
        std::fill(left_.begin(), left_.end(), 0.0);
        std::fill(right_.begin(), right_.end(), 0.0);
    }

    void add(bool right, const Value<T>& value) {
        if constexpr (MANY) {
            side_[right].weight += value.own_weight;
            (right ? right_ : left_)[value.label] += value.own_weight;
        } else {
            side_[right].weight += value.weight();
            side_[right].sum += value.sum();
        }
    }

    bool judged(std::uint32_t j, Best& best) {
        const Side &a = side_[0], &b = side_[1];
        if constexpr (MANY) {
            double left = 0, right = 0, whole = 0;
            for (std::size_t c = 0; c < table_.classes; ++c) {
                left += left_[c] * left_[c];
                right += right_[c] * right_[c];
                whole += (left_[c] + right_[c]) * (left_[c] + right_[c]);
            }
            return best.takes(j, left / a.weight + right / b.weight, whole / (a.weight + b.weight), a.weight,
                              b.weight);
        } else {
            const double sum = a.sum + b.sum;
            return best.takes(j, a.sum * a.sum / a.weight + b.sum * b.sum / b.weight,
                              sum * sum / (a.weight + b.weight), a.weight, b.weight);
        }
    }

    struct Side {
        double weight = 0, sum = 0;
    };

    const Table& table_;
    Groups<T> groups_;
    Side side_[2];
    std::vector<double> left_, right_;
    std::vector<std::uint16_t> buffer_;
};

}  // namespace acumen::forest
