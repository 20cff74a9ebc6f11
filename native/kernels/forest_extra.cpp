#include "kernels/forest_extra.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

namespace acumen::forest {

namespace {

using Half = std::uint8_t __attribute__((vector_size(16)));
constexpr std::size_t LANES = 32, MOST = 255;

Half half(const std::uint8_t* from) {
    Half made;
    std::memcpy(&made, from, sizeof made);
    return made;
}

Half least(Half a, Half b) { return a < b ? a : b; }
Half largest(Half a, Half b) { return a > b ? a : b; }
Half at_or_below(Half x, Half cut) { return reinterpret_cast<Half>(x <= cut); }

void add(std::uint32_t* sums, Half low, Half high) {
    for (std::size_t j = 0; j < 16; ++j) sums[j] += low[j], sums[16 + j] += high[j];
}

}  // namespace

bool ExtraGrower::suits(const Table& table, const Options& options) {
    if (!options.extra || options.bootstrap || table.weight || !table.classes || table.classes > 256 ||
        table.columns.empty() || table.columns.size() > WIDTH)
        return false;
    for (const Column& column : table.columns) {
        if (!column.narrow || column.nominal) return false;
        if (std::find(column.narrow, column.narrow + table.rows, std::uint8_t{255}) !=
            column.narrow + table.rows)
            return false;
    }
    return true;
}

ExtraGrower::ExtraGrower(const Table& table, const Options& options)
    : table_(table),
      options_(options),
      whole_(table.rows),
      totals_(table.classes),
      below_(table.classes * LANES) {
    for (std::size_t i = 0; i < table.rows; ++i) {
        std::fill_n(whole_[i].code, WIDTH, std::uint8_t{0});
        for (std::size_t j = 0; j < table.columns.size(); ++j) whole_[i].code[j] = table.columns[j].narrow[i];
        whole_[i].label = static_cast<std::uint8_t>(table.label[i]);
    }
}

void ExtraGrower::count(const Record* rows, std::size_t n, const std::uint8_t* cuts) {
    std::fill(below_.begin(), below_.end(), 0u);
    const Half first = half(cuts), second = half(cuts + 16);
    if (table_.classes <= 2) {
        for (std::size_t begin = 0; begin < n; begin += MOST) {
            Half all0{}, all1{}, one0{}, one1{};
            for (std::size_t i = begin; i < std::min(n, begin + MOST); ++i) {
                const auto side = static_cast<std::uint8_t>(0 - rows[i].label);
                const Half low = at_or_below(half(rows[i].code), first);
                const Half high = at_or_below(half(rows[i].code + 16), second);
                all0 -= low;
                all1 -= high;
                one0 -= low & side;
                one1 -= high & side;
            }
            add(below_.data(), all0, all1);
            if (table_.classes == 2) add(below_.data() + LANES, one0, one1);
        }
        if (table_.classes == 2)
            for (std::size_t j = 0; j < LANES; ++j) below_[j] -= below_[LANES + j];
        return;
    }
    std::vector<Half> sums(2 * table_.classes, Half{});
    for (std::size_t begin = 0; begin < n; begin += MOST) {
        for (std::size_t i = begin; i < std::min(n, begin + MOST); ++i) {
            sums[2 * rows[i].label] -= at_or_below(half(rows[i].code), first);
            sums[2 * rows[i].label + 1] -= at_or_below(half(rows[i].code + 16), second);
        }
        for (std::size_t c = 0; c < table_.classes; ++c) {
            add(below_.data() + c * LANES, sums[2 * c], sums[2 * c + 1]);
            sums[2 * c] = sums[2 * c + 1] = Half{};
        }
    }
}

Tree ExtraGrower::grow(Draw& draw) {
    struct Frame {
        std::uint32_t node;
        std::size_t begin, end, depth;
        std::array<std::uint8_t, WIDTH> columns;  // those not known to be constant here come first
        std::size_t size;
    };
    const std::size_t k = table_.classes, columns = table_.columns.size();
    rows_ = whole_;
    spare_.resize(rows_.size());
    Tree tree;
    tree.node.emplace_back();
    tree.value.resize(k);
    for (const Record& row : rows_) tree.value[row.label] += 1.0;
    for (double& share : tree.value) share /= static_cast<double>(rows_.size());
    Frame root{0, 0, rows_.size(), 0, {}, columns};
    std::iota(root.columns.begin(), root.columns.end(), std::uint8_t{0});
    std::vector<Frame> open{root};
    while (!open.empty()) {
        Frame frame = open.back();
        open.pop_back();
        Record* rows = rows_.data() + frame.begin;
        const std::size_t n = frame.end - frame.begin;
        tree.node[frame.node].child = frame.node;
        const double* shares = tree.value.data() + frame.node * k;
        for (std::size_t c = 0; c < k; ++c) totals_[c] = std::rint(shares[c] * static_cast<double>(n));
        const double weight = static_cast<double>(n),
                     most = *std::max_element(totals_.begin(), totals_.end());
        if (most >= options_.purity * weight || weight <= options_.leaf_size ||
            frame.depth >= options_.max_depth)
            continue;
        Half low0 = half(rows[0].code), low1 = half(rows[0].code + 16), high0 = low0, high1 = low1;
        for (std::size_t i = 1; i < n; ++i) {
            const Half a = half(rows[i].code), b = half(rows[i].code + 16);
            low0 = least(low0, a);
            low1 = least(low1, b);
            high0 = largest(high0, a);
            high1 = largest(high1, b);
        }
        std::uint8_t low[LANES], high[LANES], cuts[LANES] = {};
        std::memcpy(low, &low0, 16);
        std::memcpy(low + 16, &low1, 16);
        std::memcpy(high, &high0, 16);
        std::memcpy(high + 16, &high1, 16);
        // the draws are those of the general way, so that a row of weight 2 is a row met twice
        cuts_.clear();
        std::size_t at = 0;
        while (at < frame.size && at < options_.max_attributes) {
            std::swap(frame.columns[at],
                      frame.columns[at + draw.below(static_cast<std::uint32_t>(frame.size - at))]);
            const std::uint32_t j = frame.columns[at];
            if (low[j] == high[j]) {
                frame.columns[at] = frame.columns[--frame.size];
                continue;
            }
            ++at;
            const Column& column = table_.columns[j];
            const double from = column.least(low[j]), to = column.most(high[j]);
            const double value = from + draw.unit() * (to - from);
            std::uint32_t cut = low[j], end = high[j];
            while (cut + 1 < end) {
                const std::uint32_t middle = (cut + end) / 2;
                (column.most(middle) <= value ? cut : end) = middle;
            }
            cuts[j] = static_cast<std::uint8_t>(cut);
            cuts_.push_back({j, cut});
        }
        if (cuts_.empty()) continue;
        count(rows, n, cuts);
        double squares = 0;
        for (const double total : totals_) squares += total * total;
        double best = -std::numeric_limits<double>::infinity();
        Cut chosen{};
        bool lean_right = false;
        for (const Cut& each : cuts_) {
            double left = 0, left_squares = 0, right_squares = 0;
            for (std::size_t c = 0; c < k; ++c) {
                const double here = below_[c * LANES + each.column], there = totals_[c] - here;
                left += here;
                left_squares += here * here;
                right_squares += there * there;
            }
            const double score = left_squares / left + right_squares / (weight - left);
            const double gain = score - squares / weight;
            if (gain > best + 1e-11 * score) {
                best = gain;
                chosen = each;
                lean_right = weight - left > left;
            }
        }
        std::size_t left = 0, right = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const Record row = rows[i];
            const std::size_t side = row.code[chosen.column] > chosen.cut;
            rows[left] = row;
            spare_[right] = row;
            left += 1 - side;
            right += side;
        }
        std::copy_n(spare_.data(), right, rows + left);
        const auto child = static_cast<std::uint32_t>(tree.node.size());
        tree.node.resize(child + 2);
        tree.value.resize((child + 2) * k);
        for (std::size_t c = 0; c < k; ++c) {
            const double here = below_[c * LANES + chosen.column];
            tree.value[child * k + c] = here / static_cast<double>(left);
            tree.value[(child + 1) * k + c] = (totals_[c] - here) / static_cast<double>(right);
        }
        tree.node[frame.node] = {chosen.column | chosen.cut << 16, child | (lean_right ? LEAN : 0)};
        open.push_back(
            {child + 1, frame.begin + left, frame.end, frame.depth + 1, frame.columns, frame.size});
        open.push_back({child, frame.begin, frame.begin + left, frame.depth + 1, frame.columns, frame.size});
    }
    return tree;
}

}  // namespace acumen::forest
