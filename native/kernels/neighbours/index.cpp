// The making of an index: its k-d tree, its vantage points, and the bounds that searches ask it for.
#include "kernels/neighbours/index.hpp"

#include <atomic>
#include <numeric>
#include <system_error>
#include <thread>

namespace acumen {

namespace {

constexpr std::size_t SELDOM = 1 << 16;  // rows gone through between two questions whether to stop

}  // namespace

NearIndex::NearIndex(NearForm form, NearRows rows, std::vector<double> weight, std::vector<std::int32_t> part,
                     NearWay way, std::size_t threads, const Stop& stop)
    : form_(std::move(form)),
      rows_(std::move(rows)),
      weight_(std::move(weight)),
      part_(std::move(part)),
      way_(way) {
    form_.settle();
    ones_ = std::all_of(weight_.begin(), weight_.end(), [](double w) { return w == 1; });
    if (ones_) weight_ = {};
    rows_.order.resize(rows_.n);
    std::iota(rows_.order.begin(), rows_.order.end(), 0U);
    if (way_ == NearWay::kd) finished_ = grow_boxes(threads, stop);
    if (way_ == NearWay::vantage) finished_ = grow_balls(stop);
    if (!finished_) return;
    if (way_ == NearWay::blocked)
        lay_panel(form_, rows_, panel_, threads);  // tiles in double precision would only double the memory
    else
        rows_.lay(form_);
    plain_ = near_plain(form_, rows_);
}

// What boxes that are `gap(j)` apart in attribute j make: a key no larger than that of any two rows.
template <typename Gap>
static double bound_of(const NearForm& form, std::size_t d, const Gap& gap) {
    double sum = 0;
    for (std::size_t j = 0; j < d; ++j) {
        const double apart = gap(j);
        const double away = (apart > 0 ? apart : 0) * form.factor[j];
        switch (form.rule) {
            case NearRule::squared:
                sum += away * away * form.weight[j];
                break;
            case NearRule::largest:
                sum = std::max(sum, away * form.weight[j]);
                break;
            case NearRule::power:
                sum += std::pow(away, form.power) * form.weight[j];
                break;
            default:
                sum += (form.capped && away > 1 ? 1 : away) * form.weight[j];
        }
    }
    if (form.share) sum /= form.whole;
    return sum * (1 - NEAR_ROOM);
}

double NearIndex::bound(const double* values, std::uint32_t node) const {
    const double* low = box_low_.data() + node * rows_.d;
    const double* high = box_high_.data() + node * rows_.d;
    return bound_of(form_, rows_.d, [&](std::size_t j) {
        const double below = low[j] - values[j], above = values[j] - high[j];
        return below > above ? below : above;
    });
}

double NearIndex::bound_between(std::uint32_t a, std::uint32_t b) const {
    const std::size_t d = rows_.d, x = a * d, y = b * d;
    return bound_of(form_, d, [&](std::size_t j) {
        const double below = box_low_[y + j] - box_high_[x + j], above = box_low_[x + j] - box_high_[y + j];
        return below > above ? below : above;
    });
}

std::uint64_t NearIndex::reached(std::size_t tile, std::uint32_t node, double limit) const {
    return near_reached(form_, rows_, tile, box_low_.data() + node * rows_.d,
                        box_high_.data() + node * rows_.d, limit / (1 - NEAR_ROOM) * (1 + NEAR_ROOM));
}

// Nodes are cut at whole tiles, in the middle of the attribute that spreads furthest.
bool NearIndex::grow_boxes(std::size_t threads, const Stop& stop) {
    const std::size_t d = rows_.d, tiles = rows_.n_tiles();
    if (!tiles) return true;
    std::size_t levels = 1;
    while ((std::size_t{1} << (levels - 1)) < tiles) ++levels;
    const std::size_t most = std::size_t{1} << levels;
    boxes_.assign(1, {});
    boxes_[0].last = static_cast<std::uint32_t>(tiles);
    boxes_.reserve(most);
    for (std::size_t node = 0; node < boxes_.size(); ++node) {  // the shape follows from the number of tiles
        const NearBox box = boxes_[node];
        if (box.last - box.first < 2) continue;
        const std::uint32_t middle = (box.first + box.last) / 2;
        boxes_[node].left = static_cast<std::uint32_t>(boxes_.size());
        boxes_.push_back({box.first, middle, 0, 0});
        boxes_[node].right = static_cast<std::uint32_t>(boxes_.size());
        boxes_.push_back({middle, box.last, 0, 0});
    }
    box_low_.resize(boxes_.size() * d);
    box_high_.resize(boxes_.size() * d);
    // One for all nodes, made last and gone before the tiles are laid, which then lie in its place.
    std::vector<std::pair<double, std::uint32_t>> sorted(rows_.n);
    std::atomic<bool> stopped = false;
    const auto caller = std::this_thread::get_id();  // the one that may ask
    const std::function<void(std::uint32_t, std::size_t)> grow = [&](std::uint32_t node, std::size_t share) {
        const NearBox& box = boxes_[node];
        const std::size_t first = box.first * NEAR_LANES, last = std::min(rows_.n, box.last * NEAR_LANES);
        if (last - first > SELDOM && std::this_thread::get_id() == caller && stop && stop()) stopped = true;
        if (stopped) return;
        double* low = box_low_.data() + node * d;
        double* high = box_high_.data() + node * d;
        std::fill_n(low, d, std::numeric_limits<double>::infinity());
        std::fill_n(high, d, -std::numeric_limits<double>::infinity());
        for (std::size_t place = first; place < last; ++place) {
            const double* x = rows_.values + rows_.order[place] * d;
            for (std::size_t j = 0; j < d; ++j) {
                low[j] = x[j] < low[j] ? x[j] : low[j];
                high[j] = x[j] > high[j] ? x[j] : high[j];
            }
        }
        if (!box.left) return;
        std::size_t widest = 0;
        for (std::size_t j = 1; j < d; ++j)
            if ((high[j] - low[j]) * form_.factor[j] > (high[widest] - low[widest]) * form_.factor[widest])
                widest = j;
        for (std::size_t place = first; place < last; ++place)
            sorted[place] = {rows_.values[rows_.order[place] * d + widest], rows_.order[place]};
        const std::size_t middle = boxes_[box.left].last * NEAR_LANES;
        std::nth_element(sorted.data() + first, sorted.data() + middle, sorted.data() + last);
        for (std::size_t place = first; place < last; ++place) rows_.order[place] = sorted[place].second;
        if (share > 1 && last - first > 4096) {
            std::jthread other;
            try {
                other = std::jthread(grow, box.left, share / 2);
            } catch (const std::system_error&) {  // no thread to be had: this one does both
                grow(box.left, 1);
            }
            grow(box.right, share - share / 2);
        } else {
            grow(box.left, 1);
            grow(box.right, 1);
        }
    };
    grow(0, threads);
    return !stopped;
}

// The vantage row of a node is its first; half of the others are within the median distance of it.
bool NearIndex::grow_balls(const Stop& stop) {
    constexpr std::size_t LEAF = 32;
    const std::size_t d = rows_.d, q = rows_.q;
    std::vector<std::pair<double, std::uint32_t>> away;
    std::size_t since = 0;
    balls_.assign(1, {});
    balls_[0].last = static_cast<std::uint32_t>(rows_.n);
    for (std::size_t node = 0; node < balls_.size(); ++node) {
        const NearBall ball = balls_[node];
        if (ball.last - ball.first <= LEAF) continue;
        const std::uint32_t vantage = rows_.order[ball.first];
        const NearQuery query{rows_.values + vantage * d, q ? rows_.codes + vantage * q : nullptr, nullptr,
                              nullptr};
        away.clear();
        for (std::uint32_t place = ball.first + 1; place < ball.last; ++place) {
            away.emplace_back(form_.distance(near_key(form_, rows_, query, rows_.order[place])),
                              rows_.order[place]);
            if (++since % SELDOM == 0 && stop && stop()) return false;
        }
        const std::size_t half = away.size() / 2;
        std::nth_element(away.begin(), away.begin() + static_cast<std::ptrdiff_t>(half), away.end());
        NearBall made = ball;
        made.outer_low = away[half].first;
        made.inner = 0;
        made.outer_high = 0;
        for (std::size_t i = 0; i < away.size(); ++i) {
            rows_.order[ball.first + 1 + i] = away[i].second;
            if (i < half) made.inner = std::max(made.inner, away[i].first);
            made.outer_high = std::max(made.outer_high, away[i].first);
        }
        made.left = static_cast<std::uint32_t>(balls_.size());
        made.right = made.left + 1;
        const auto cut = static_cast<std::uint32_t>(ball.first + 1 + half);
        balls_[node] = made;
        balls_.push_back({ball.first + 1, cut, 0, 0, 0, 0, 0});
        balls_.push_back({cut, ball.last, 0, 0, 0, 0, 0});
    }
    return true;
}

}  // namespace acumen
