#include "kernels/forests/extra.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "kernels/common/clones.hpp"
#include "kernels/forests/cut.hpp"

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

// How many of at most MOST rows are at or below the cut of each column.
ACUMEN_CLONES void count_few_below(const Record* rows, std::size_t n, const std::uint8_t* cuts,
                                   std::uint8_t* counts) {
    Lanes cut, sum{};
    std::memcpy(&cut, cuts, WIDTH);
    for (std::size_t i = 0; i < n; ++i) {
        Lanes row;
        std::memcpy(&row, rows[i].code, WIDTH);
        sum -= reinterpret_cast<Lanes>(row <= cut);
    }
    std::memcpy(counts, &sum, WIDTH);
}

// The same of any number of rows.
void count_below(const Record* rows, std::size_t n, const std::uint8_t* cuts, std::uint32_t* counts) {
    std::uint8_t some[WIDTH];
    std::fill_n(counts, WIDTH, 0u);
    for (std::size_t begin = 0; begin < n; begin += MOST) {
        count_few_below(rows + begin, std::min(n - begin, MOST), cuts, some);
        for (std::size_t j = 0; j < WIDTH; ++j) counts[j] += some[j];
    }
}

// Rows go to `to`, those above the cut from its end on backwards; how many the others are.
ACUMEN_CLONES std::size_t part(const Record* rows, std::size_t n, Record* to, std::size_t column,
                               std::uint8_t cut) {
    std::size_t left = 0, right = n - 1;
    for (std::size_t i = 0; i < n; ++i) {
        Lanes row;
        std::memcpy(&row, rows[i].code, WIDTH);
        const std::size_t above = rows[i].code[column] > cut;
        std::memcpy(to[left].code, &row, WIDTH);
        std::memcpy(to[right].code, &row, WIDTH);
        left += 1 - above;
        right -= above;
    }
    return left;
}

}  // namespace

SlotFinder::SlotFinder(const Column& column) : column_(column) {
    if (column.high.empty()) return;
    const double least = column.low.front(), rate = CELLS / (column.high.back() - least);
    if (!(rate > 0 && rate < std::numeric_limits<double>::infinity())) return;
    const auto slots = static_cast<std::uint32_t>(column.high.size());
    for (std::size_t cell = 0; cell <= CELLS; ++cell)
        at_[cell] =
            static_cast<std::uint8_t>(slot_below(column, 0, slots, least + static_cast<double>(cell) / rate));
    least_ = least;
    rate_ = rate;
}

std::uint32_t SlotFinder::below(std::uint32_t low, std::uint32_t high, double number) const {
    constexpr std::uint32_t FAR = 8;
    const auto cell = static_cast<std::size_t>(std::clamp((number - least_) * rate_, 1.0, CELLS - 2.0));
    std::uint32_t at = std::min(std::max<std::uint32_t>(low, at_[cell - 1]), high - 1);
    if (rate_ == 0 || at_[cell + 2] > at + FAR) return slot_below(column_, low, high, number);
    while (at + 1 < high && column_.high[at + 1] <= number) ++at;
    return at;
}

ExtraRows::ExtraRows(const Table& table)
    : record(table.rows), of_class(table.classes, 0), slots(table.columns.begin(), table.columns.end()) {
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
      totals_(table.classes),
      below_(table.classes * WIDTH) {}

bool ExtraGrower::is_leaf(double weight, double most, std::size_t depth) const {
    return most >= options_.purity * weight || weight <= options_.leaf_size || depth >= options_.max_depth;
}

Tree ExtraGrower::grow(Draw& draw) {
    const std::size_t k = table_.classes, n = whole_.record.size();
    rows_[0] = whole_.record;
    rows_[1].resize(n);
    tree_.node.assign(1, {});
    tree_.value.resize(k);
    tree_.gain.assign(table_.columns.size(), 0.0);
    std::size_t most = 0;
    for (std::size_t c = 0; c < k; ++c) {
        tree_.value[c] = static_cast<double>(whole_.of_class[c]) / static_cast<double>(n);
        most = std::max(most, whole_.of_class[c]);
    }
    if (!is_leaf(static_cast<double>(n), static_cast<double>(most), 0)) {
        Frame root{
            0,     0, static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(table_.columns.size()), 0, 0,
            false, {}};
        std::iota(root.columns.begin(), root.columns.end(), std::uint8_t{0});
        open_.assign(1, root);
    }
    while (!open_.empty()) {
        Frame frame = open_.back();
        open_.pop_back();
        const Record* rows = rows_[frame.home].data() + frame.begin;
        draw_cuts(frame, rows, draw);
        if (!asked_) continue;
        count(frame, rows);
        const Cut chosen = best_cut(frame);
        tree_.gain[chosen.column] += chosen.gain;
        const std::size_t left =
            part(rows, frame.end - frame.begin, rows_[1 - frame.home].data() + frame.begin, chosen.column,
                 static_cast<std::uint8_t>(chosen.cut));
        open_children(frame, chosen, left);
    }
    for (double& gain : tree_.gain) gain /= static_cast<double>(n);
    return {{tree_.node.begin(), tree_.node.end()}, {tree_.value.begin(), tree_.value.end()}, {}, tree_.gain};
}

// How many rows of each class there are, and are at or below the cuts.
void ExtraGrower::count(const Frame& frame, const Record* rows) {
    const std::size_t k = table_.classes;
    const double size = frame.end - frame.begin;
    const double* share = tree_.value.data() + frame.node * k;
    for (std::size_t i = 0; i < k; ++i) {
        const std::size_t c = frame.turned ? k - 1 - i : i;
        const auto n = static_cast<std::size_t>(share[c] * size + 0.5);
        std::uint32_t* below = below_.data() + c * WIDTH;
        totals_[c] = n;
        if (n <= MOST) {
            std::uint8_t few[WIDTH];
            count_few_below(rows, n, cuts_, few);
            for (std::size_t at = 0; at < asked_; ++at) below[frame.columns[at]] = few[frame.columns[at]];
        } else {
            count_below(rows, n, cuts_, below);
        }
        rows += n;
    }
}

// Of columns drawn until enough have been found by which the rows differ, a cut of each. The draws are those
// of the general way, so that a row of weight 2 is a row met twice.
void ExtraGrower::draw_cuts(Frame& frame, const Record* rows, Draw& draw) {
    std::uint8_t low[WIDTH], high[WIDTH];
    find_ends(rows, frame.end - frame.begin, low, high);
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
        cuts_[j] = static_cast<std::uint8_t>(whole_.slots[j].below(low[j], high[j], number));
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
            chosen = {j, cuts_[j], weight - left > left, gain};
        }
    }
    return chosen;
}

void ExtraGrower::open_children(const Frame& frame, const Cut& chosen, std::size_t left) {
    const std::size_t k = totals_.size(), right = frame.end - frame.begin - left;
    const auto child = static_cast<std::uint32_t>(tree_.node.size());
    tree_.node.resize(child + 2);
    tree_.node[child].child = child;
    tree_.node[child + 1].child = child + 1;
    tree_.node[frame.node] = {chosen.column | chosen.cut << 16, child | (chosen.lean_right ? LEAN : 0)};
    tree_.value.resize((child + 2) * k);
    std::size_t most[2] = {0, 0};
    for (std::size_t c = 0; c < k; ++c) {
        const std::size_t here = below_[c * WIDTH + chosen.column], there = totals_[c] - here;
        tree_.value[child * k + c] = static_cast<double>(here) / static_cast<double>(left);
        tree_.value[(child + 1) * k + c] = static_cast<double>(there) / static_cast<double>(right);
        most[0] = std::max(most[0], here);
        most[1] = std::max(most[1], there);
    }
    const std::uint32_t depth = frame.depth + 1;
    const auto home = static_cast<std::uint8_t>(1 - frame.home);
    const auto middle = static_cast<std::uint32_t>(frame.begin + left);
    if (!is_leaf(static_cast<double>(right), static_cast<double>(most[1]), depth))
        open_.push_back(
            {child + 1, middle, frame.end, frame.width, depth, home, !frame.turned, frame.columns});
    if (!is_leaf(static_cast<double>(left), static_cast<double>(most[0]), depth))
        open_.push_back({child, frame.begin, middle, frame.width, depth, home, frame.turned, frame.columns});
}

}  // namespace acumen::forest
