// One tree from the rows in its bag: nodes are opened depth first, rows parted in place.
#pragma once

#include <new>

#include "kernels/forests/cut.hpp"
#include "kernels/forests/split.hpp"

namespace acumen::forest {

// Of the cuts between two slots met in a node the one nearest to the middle of their values.
std::uint32_t middle_of(const Column& column, std::uint32_t below, std::uint32_t above);

// The words of a node's set of levels, appended: lean and left child, their number, and a bit for each level
// that goes left, then for each that goes right.
void append_set(std::vector<std::uint32_t>& sets, std::uint32_t child, std::uint32_t slots,
                const Split& split);

template <Tally T>
class Grower {
    struct Frame {
        std::uint32_t node;
        std::size_t begin, end, depth;
        std::size_t columns, width;  // where in the pool the columns not known to be constant lie
    };

  public:
    Grower(const Table& table, const Options& options)
        : table_(table), options_(options), search_(table), drawn_(table), totals_(table.outputs()) {}

    Tree grow(const std::vector<double>& weight, Draw& draw) {
        Tree& tree =
            tree_;  // grows where the last one did, whose memory is there already, and is then copied
        fill(weight);
        tree.node.assign(1, {});
        tree.value.resize(table_.outputs());
        tree.sets.clear();
        tree.gain.assign(table_.columns.size(), 0.0);
        pool_.resize(table_.columns.size());
        for (std::size_t j = 0; j < pool_.size(); ++j) pool_[j] = static_cast<std::uint16_t>(j);
        open_.assign(1, Frame{0, 0, rows_.size(), 0, 0, pool_.size()});
        double all = 0;
        while (!open_.empty()) {
            Frame frame = open_.back();
            open_.pop_back();
            const bool ends = enter(frame, tree);
            tree.node[frame.node].child = frame.node;
            if (frame.node == 0) all = weight_;
            if (ends || !choose(frame, draw)) continue;
            tree.gain[search_.best.column] += search_.best.score;
            const std::size_t middle = part(frame, tree), width = frame.width;
            const auto left = static_cast<std::uint32_t>(tree.node.size() - 2);
            // the right child keeps the columns' place, the left one, which is opened first, has a copy
            // behind
            pool_.resize(frame.columns + 2 * width);
            std::copy_n(pool_.begin() + static_cast<std::ptrdiff_t>(frame.columns), width,
                        pool_.begin() + static_cast<std::ptrdiff_t>(frame.columns + width));
            open_.push_back({left + 1, middle, frame.end, frame.depth + 1, frame.columns, width});
            open_.push_back({left, frame.begin, middle, frame.depth + 1, frame.columns + width, width});
        }
        // Of two classes only one is counted, and the shares of both change by as much.
        const double times = T != Tally::classes && table_.classes ? 2.0 : 1.0;
        for (double& gain : tree.gain) gain *= times / all;
        return tree;
    }

  private:
    void fill(const std::vector<double>& weight) {
        rows_.clear();
        values_.clear();
        for (std::size_t i = 0; i < table_.rows; ++i) {
            if (!(weight[i] > 0)) continue;
            rows_.push_back(static_cast<std::uint32_t>(i));
            if constexpr (T == Tally::sums)
                values_.push_back(Value<T>::of(
                    weight[i], table_.classes ? static_cast<double>(table_.label[i]) : table_.response[i]));
            else
                values_.push_back(Value<T>::of(weight[i], static_cast<std::size_t>(table_.label[i])));
        }
        spare_rows_.resize(rows_.size());
        spare_values_.resize(values_.size());
    }

    // The value of a node, and whether it is a leaf.
    bool enter(const Frame& frame, Tree& tree) {
        double* value = tree.value.data() + frame.node * table_.outputs();
        double weight = 0;
        bool pure;
        whole_ = {};
        if constexpr (T == Tally::classes) {
            double largest = 0;
            std::fill(totals_.begin(), totals_.end(), 0.0);
            for (std::size_t i = frame.begin; i < frame.end; ++i)
                totals_[values_[i].label] += values_[i].own_weight;
            for (const double x : totals_) weight += x, largest = std::max(largest, x);
            for (std::size_t c = 0; c < totals_.size(); ++c) value[c] = totals_[c] / weight;
            pure = largest >= options_.purity * weight;
        } else {
            for (std::size_t i = frame.begin; i < frame.end; ++i) whole_.add(values_[i]);
            weight = whole_.weight();
            const double sum = whole_.sum();
            if (table_.classes == 0) {
                value[0] = sum / weight;
                const double first = table_.response[rows_[frame.begin]];
                pure = true;
                for (std::size_t i = frame.begin; i < frame.end && pure; ++i)
                    pure = table_.response[rows_[i]] == first;
                if (pure) value[0] = first;
            } else {
                if (table_.classes == 2) value[1] = sum / weight;
                value[0] = table_.classes == 2 ? 1.0 - value[1] : 1.0;
                pure = table_.classes == 1 || std::max(sum, weight - sum) >= options_.purity * weight;
            }
        }
        weight_ = weight;
        return pure || weight <= options_.leaf_size || frame.depth >= options_.max_depth;
    }

    // Draws columns until enough have been found by which the rows differ; the constant ones are left out
    // below.
    bool choose(Frame& frame, Draw& draw) {
        search_.begin(whole_);
        std::uint16_t* columns = pool_.data() + frame.columns;
        const std::uint32_t* rows = rows_.data() + frame.begin;
        const Value<T>* values = values_.data() + frame.begin;
        const std::size_t n = frame.end - frame.begin;
        std::size_t at = 0;
        while (at < frame.width && at < options_.max_attributes) {
            const std::size_t pick = at + draw.below(static_cast<std::uint32_t>(frame.width - at));
            std::swap(columns[at], columns[pick]);
            const std::uint32_t j = columns[at];
            const bool told = options_.extra ? drawn_.look(j, rows, values, n, draw, search_.best)
                                             : search_.look(j, rows, values, n);
            if (told)
                ++at;
            else
                columns[at] = columns[--frame.width];
        }
        return search_.best.found();
    }

    // Parts the rows by the best split, makes the node's test and its children, and gives where the right
    // ones begin.
    std::size_t part(const Frame& frame, Tree& tree) {
        const Split& split = search_.best;
        const Column& column = table_.columns[split.column];
        const bool lean_right = split.right_weight > split.left_weight;
        const std::uint32_t lean = lean_right ? LEAN : 0;
        const auto left = static_cast<std::uint32_t>(tree.node.size());
        tree.node.resize(left + 2);
        tree.value.resize((left + 2) * table_.outputs());
        Node& node = tree.node[frame.node];
        if (column.nominal) {
            node.test = split.column;
            node.child = static_cast<std::uint32_t>(tree.sets.size());
            append_set(tree.sets, left | lean, column.slots, split);
            if (tree.sets.size() > options_.most_words) throw std::bad_alloc();
            goes_.assign(column.narrow ? 256 : 65536, 0);
            for (const std::uint32_t level : split.right) goes_[level] = 1;
            goes_.back() = lean_right;
            const auto by_set = [&](std::uint32_t c) { return goes_[c]; };
            return column.narrow ? parted(frame, column.narrow, by_set) : parted(frame, column.wide, by_set);
        }
        const std::uint32_t cut = middle_of(column, split.below, split.above);
        node.test = split.column | cut << 16;
        node.child = left | lean;
        const auto by_cut = [&](std::uint32_t none) {
            return [=](std::uint32_t c) -> std::uint8_t { return c > cut && (lean_right || c != none); };
        };
        return column.narrow ? parted(frame, column.narrow, by_cut(255))
                             : parted(frame, column.wide, by_cut(65535));
    }

    template <class Code, class Goes>
    std::size_t parted(const Frame& frame, const Code* codes, const Goes& right_of) {
        std::size_t left = frame.begin, right = 0;
        for (std::size_t i = frame.begin; i < frame.end; ++i) {
            const std::uint32_t row = rows_[i];
            const Value<T> value = values_[i];
            const std::size_t goes_right = right_of(codes[row]);
            rows_[left] = row;
            values_[left] = value;
            spare_rows_[right] = row;
            spare_values_[right] = value;
            left += 1 - goes_right;
            right += goes_right;
        }
        std::copy_n(spare_rows_.data(), right, rows_.data() + left);
        std::copy_n(spare_values_.data(), right, values_.data() + left);
        return left;
    }

    const Table& table_;
    const Options& options_;
    Search<T> search_;
    DrawnSearch<T> drawn_;
    std::vector<double> totals_;
    Value<T> whole_{};
    double weight_ = 0;  // of the node that was entered last
    Tree tree_;
    std::vector<Frame> open_;
    std::vector<std::uint16_t> pool_;
    std::vector<std::uint32_t> rows_, spare_rows_;
    std::vector<Value<T>> values_, spare_values_;
    std::vector<std::uint8_t> goes_;
};

}  // namespace acumen::forest
