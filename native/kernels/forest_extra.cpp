#include "kernels/forest_extra.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "kernels/clones.hpp"
#include "kernels/forest_cut.hpp"

namespace acumen::forest {

namespace {

constexpr std::size_t WIDTH = Record::WIDTH;
// Counts in bytes hold so many rows.
constexpr std::size_t MOST = 255;
using Lanes = std::uint8_t __attribute__((vector_size(WIDTH)));

// The least and the largest code of each column.
ACUMEN_CLONES void find_ends(const Record* rows, std::size_t n, std::uint8_t* low, std::uint8_t* high) {
    Lanes least, largest;
    std::memcpy(&least, rows[0].code, WIDTH);
    largest = least;
    for (std::size_t i = 1; i < n; ++i) {
        Lanes row;
        std::memcpy(&row, rows[i].code, WIDTH);
        least = row < least ? row : least;
        largest = row > largest ? row : largest;
    }
    std::memcpy(low, &least, WIDTH);
    std::memcpy(high, &largest, WIDTH);
}

// How many rows are at or below the cut of each column.
ACUMEN_CLONES void count_below(const Record* rows, std::size_t n, const std::uint8_t* cuts,
                               std::uint32_t* counts) {
    Lanes cut;
    std::memcpy(&cut, cuts, WIDTH);
    for (std::size_t begin = 0; begin == 0 || begin < n; begin += MOST) {
        const std::size_t end = std::min(n, begin + MOST);
        Lanes sum{};
        for (std::size_t i = begin; i < end; ++i) {
            Lanes row;
            std::memcpy(&row, rows[i].code, WIDTH);
            sum -= reinterpret_cast<Lanes>(row <= cut);
        }
        std::uint8_t bytes[WIDTH];
        std::memcpy(bytes, &sum, WIDTH);
        if (begin == 0)
            for (std::size_t j = 0; j < WIDTH; ++j) counts[j] = bytes[j];
        else
            for (std::size_t j = 0; j < WIDTH; ++j) counts[j] += bytes[j];
    }
}

// Rows above the cut behind the others, either in their order; how many these others are.
ACUMEN_CLONES std::size_t part(Record* rows, std::size_t n, Record* spare, std::size_t column,
                               std::uint8_t cut) {
    std::size_t left = 0, right = 0;
    for (std::size_t i = 0; i < n; ++i) {
        Lanes row;
        std::memcpy(&row, rows[i].code, WIDTH);
        const std::size_t side = rows[i].code[column] > cut;
        std::memcpy(rows[left].code, &row, WIDTH);
        std::memcpy(spare[right].code, &row, WIDTH);
        left += 1 - side;
        right += side;
    }
    for (std::size_t i = 0; i < right; ++i) {
        Lanes row;
        std::memcpy(&row, spare[i].code, WIDTH);
        std::memcpy(rows[left + i].code, &row, WIDTH);
    }
    return left;
}

}  // namespace

ExtraRows::ExtraRows(const Table& table) : record(table.rows), of_class(table.classes, 0) {
    for (std::size_t i = 0; i < table.rows; ++i) ++of_class[static_cast<std::size_t>(table.label[i])];
    std::vector<std::size_t> next(table.classes, 0);
    std::exclusive_scan(of_class.begin(), of_class.end(), next.begin(), std::size_t{0});
    for (std::size_t i = 0; i < table.rows; ++i) {
        Record& made = record[next[static_cast<std::size_t>(table.label[i])]++];
        std::fill_n(made.code, WIDTH, std::uint8_t{0});
        for (std::size_t j = 0; j < table.columns.size(); ++j) made.code[j] = table.columns[j].narrow[i];
    }
}

bool ExtraGrower::suits(const Table& table, const Options& options) {
    if (!options.extra || options.bootstrap || table.weight || !table.classes || table.columns.empty() ||
        table.columns.size() > WIDTH)
        return false;
    for (const Column& column : table.columns) {
        if (!column.narrow || column.nominal) return false;
        if (std::find(column.narrow, column.narrow + table.rows, std::uint8_t{255}) !=
            column.narrow + table.rows)
            return false;
    }
    return true;
}

ExtraGrower::ExtraGrower(const Table& table, const Options& options, const ExtraRows& whole)
    : table_(table),
      options_(options),
      whole_(whole),
      spare_(table.rows),
      totals_(table.classes),
      below_(table.classes * WIDTH) {}

bool ExtraGrower::is_leaf(double weight, double most, std::size_t depth) const {
    return most >= options_.purity * weight || weight <= options_.leaf_size || depth >= options_.max_depth;
}

Tree ExtraGrower::grow(Draw& draw) {
    const std::size_t k = table_.classes, n = whole_.record.size();
    rows_ = whole_.record;
    Tree tree;
    tree.node.emplace_back();
    tree.value.resize(k);
    std::size_t most = 0;
    for (std::size_t c = 0; c < k; ++c) {
        tree.value[c] = static_cast<double>(whole_.of_class[c]) / static_cast<double>(n);
        most = std::max(most, whole_.of_class[c]);
    }
    if (is_leaf(static_cast<double>(n), static_cast<double>(most), 0)) return tree;
    Frame root{0, 0, static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(table_.columns.size()), 0, {}};
    std::iota(root.columns.begin(), root.columns.end(), std::uint8_t{0});
    open_.assign(1, root);
    while (!open_.empty()) {
        Frame frame = open_.back();
        open_.pop_back();
        draw_cuts(frame, draw);
        if (!asked_) continue;
        const double size = frame.end - frame.begin;
        const Record* at = rows_.data() + frame.begin;
        for (std::size_t c = 0; c < k; ++c) {
            totals_[c] = static_cast<std::size_t>(tree.value[frame.node * k + c] * size + 0.5);
            count_below(at, totals_[c], cuts_, below_.data() + c * WIDTH);
            at += totals_[c];
        }
        const Cut chosen = best_cut(frame);
        const std::size_t left = part(rows_.data() + frame.begin, frame.end - frame.begin, spare_.data(),
                                      chosen.column, static_cast<std::uint8_t>(chosen.cut));
        open_children(frame, chosen, left, tree);
    }
    return tree;
}

// Of columns drawn until enough have been found by which the rows differ, a cut of each. The draws are those
// of the general way, so that a row of weight 2 is a row met twice.
void ExtraGrower::draw_cuts(Frame& frame, Draw& draw) {
    std::uint8_t low[WIDTH], high[WIDTH];
    find_ends(rows_.data() + frame.begin, frame.end - frame.begin, low, high);
    std::size_t at = 0;
    while (at < frame.width && at < options_.max_attributes) {
        std::swap(frame.columns[at],
                  frame.columns[at + draw.below(static_cast<std::uint32_t>(frame.width - at))]);
        const std::uint8_t j = frame.columns[at];
        if (low[j] == high[j]) {
            frame.columns[at] = frame.columns[--frame.width];
            continue;
        }
        const Column& column = table_.columns[j];
        const double from = column.least(low[j]), to = column.most(high[j]);
        const double number = from + draw.unit() * (to - from);
        cuts_[j] = static_cast<std::uint8_t>(slot_below(column, low[j], high[j], number));
        ++at;
    }
    asked_ = at;
}

ExtraGrower::Cut ExtraGrower::best_cut(const Frame& frame) {
    const double weight = frame.end - frame.begin;
    double squares = 0, best = -std::numeric_limits<double>::infinity();
    for (const std::size_t total : totals_)
        squares += static_cast<double>(total) * static_cast<double>(total);
    Cut chosen;
    for (std::size_t at = 0; at < asked_; ++at) {
        const std::uint8_t j = frame.columns[at];
        double left = 0, left_squares = 0, right_squares = 0;
        for (std::size_t c = 0; c < totals_.size(); ++c) {
            const double here = below_[c * WIDTH + j], there = static_cast<double>(totals_[c]) - here;
            left += here;
            left_squares += here * here;
            right_squares += there * there;
        }
        const double score = left_squares / left + right_squares / (weight - left);
        const double gain = score - squares / weight;
        if (gain > best + Best::SLACK * score) {
            best = gain;
            chosen = {j, cuts_[j], weight - left > left};
        }
    }
    return chosen;
}

void ExtraGrower::open_children(const Frame& frame, const Cut& chosen, std::size_t left, Tree& tree) {
    const std::size_t k = totals_.size(), right = frame.end - frame.begin - left;
    const auto child = static_cast<std::uint32_t>(tree.node.size());
    tree.node.resize(child + 2);
    tree.node[child].child = child;
    tree.node[child + 1].child = child + 1;
    tree.node[frame.node] = {chosen.column | chosen.cut << 16, child | (chosen.lean_right ? LEAN : 0)};
    tree.value.resize((child + 2) * k);
    std::size_t most[2] = {0, 0};
    for (std::size_t c = 0; c < k; ++c) {
        const std::size_t here = below_[c * WIDTH + chosen.column], there = totals_[c] - here;
        tree.value[child * k + c] = static_cast<double>(here) / static_cast<double>(left);
        tree.value[(child + 1) * k + c] = static_cast<double>(there) / static_cast<double>(right);
        most[0] = std::max(most[0], here);
        most[1] = std::max(most[1], there);
    }
    const auto middle = static_cast<std::uint32_t>(frame.begin + left);
    if (!is_leaf(static_cast<double>(right), static_cast<double>(most[1]), frame.depth + 1))
        open_.push_back({child + 1, middle, frame.end, frame.width, frame.depth + 1, frame.columns});
    if (!is_leaf(static_cast<double>(left), static_cast<double>(most[0]), frame.depth + 1))
        open_.push_back({child, frame.begin, middle, frame.width, frame.depth + 1, frame.columns});
}

}  // namespace acumen::forest
