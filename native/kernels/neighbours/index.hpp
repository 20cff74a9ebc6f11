// Searches for the nearest rows: all of them looked at, tiles of products, a k-d tree, a vantage-point tree.
//
// Whatever the way, the rows found are the same to the bit: every way but the first only leaves out rows that
// a bound with room for rounding shows to be too far, and every row that is left has its key from near_key.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "kernels/common/parallel.hpp"
#include "kernels/neighbours/rows.hpp"

namespace acumen {

struct NearFound {
    double key;
    std::uint32_t row;
};

// Rows may be offered in any order, each once. What is left does not depend on the order: the k-th key, k
// being counted in weight, and every row whose key is no larger, keys within SAME_KEY of it taken as equal.
class NearTaker {
  public:
    // From so many rows on, those that have fallen behind are thrown out.
    static constexpr std::size_t FEW = 256, MANY = 16;

    // `ones`: every row offered weighs one. Then, of many, they are put in order now and then, not each as it
    // comes.
    void begin(double k, bool ones) {
        k_ = k;
        many_ = ones && k >= MANY ? static_cast<std::size_t>(std::ceil(k)) : 0;
        total_ = 0;
        limit_ = reach_ = std::numeric_limits<double>::infinity();
        heap_.clear();
        found_.clear();
        most_ = many_ ? 2 * many_ : FEW;
    }

    // No row beyond this is wanted any more.
    double reach() const { return reach_; }

    bool offer(double key, std::uint32_t row, double weight) {
        if (!(key <= reach_) || !(weight > 0)) return false;
        found_.push_back({key, row});
        if (many_) {
            if (found_.size() >= most_) gather();
            return true;
        }
        if (key < limit_ || total_ < k_) {
            heap_.push_back({key, weight});
            std::push_heap(heap_.begin(), heap_.end(), before);
            total_ += weight;
            while (total_ - heap_.front().weight >= k_) {
                total_ -= heap_.front().weight;
                std::pop_heap(heap_.begin(), heap_.end(), before);
                heap_.pop_back();
            }
            if (total_ >= k_) {
                limit_ = heap_.front().key;
                reach_ = limit_ + limit_ * SAME_KEY;
            }
        }
        if (found_.size() >= most_) {
            shed();
            most_ = std::max(FEW, 2 * found_.size());
        }
        return true;
    }

    // The rows, nearest first, of equal keys the first row first.
    std::vector<NearFound>& finish() {
        if (many_)
            gather();
        else
            shed();
        std::sort(found_.begin(), found_.end(), [](const NearFound& a, const NearFound& b) {
            return a.key != b.key ? a.key < b.key : a.row < b.row;
        });
        return found_;
    }

  private:
    struct Held {
        double key, weight;
    };
    static bool before(const Held& a, const Held& b) { return a.key < b.key; }

    void gather() {
        if (found_.size() >= many_) {
            const auto kth = found_.begin() + static_cast<std::ptrdiff_t>(many_ - 1);
            std::nth_element(found_.begin(), kth, found_.end(),
                             [](const NearFound& a, const NearFound& b) { return a.key < b.key; });
            limit_ = kth->key;
            reach_ = limit_ + limit_ * SAME_KEY;
            shed();
        }
        most_ = 2 * std::max(many_, found_.size());
    }

    void shed() {
        std::erase_if(found_, [this](const NearFound& f) { return !(f.key <= reach_); });
    }

    double k_ = 1, total_ = 0, limit_ = 0, reach_ = 0;
    std::size_t most_ = FEW, many_ = 0;
    std::vector<Held> heap_;
    std::vector<NearFound> found_;
};

enum class NearWay : std::uint8_t { brute, blocked, kd, vantage };

// What a bound in double precision may be wrong by, and more.
inline constexpr double NEAR_ROOM = 1e-10;

// Rows that ask. `own` is the training row each one is (-1: none), of which a weight of one, or all there is,
// is left out; rows of the same `part` are left out altogether. Empty: nothing is.
struct NearQueries {
    std::size_t n = 0;
    const double* values = nullptr;       // n x d
    const std::int32_t* codes = nullptr;  // n x q
    const double* factor = nullptr;       // n x d, or none
    const double* extra = nullptr;        // n x rows, or none
    const std::int64_t* own = nullptr;
    const std::int32_t* part = nullptr;
};

// Products in single precision, which only propose; see neighbours/tiles.cpp.
struct NearPanel {
    static constexpr std::size_t WIDE = 16, TALL = 6, SPAN = 64;
    std::size_t n = 0, d = 0;
    double scale = 1;                  // a power of two by which all is multiplied
    std::vector<double> centre;        // taken off first
    std::vector<std::uint32_t> order;  // the row at each place
    std::vector<float> tiles;          // tile x d x WIDE
    std::vector<float> squares;        // tile x WIDE: squared lengths; infinite beyond the last row
    std::vector<double> longest;       // of each SPAN tiles
    double furthest = 0;               // of all
};

void lay_panel(const NearForm& form, const NearRows& rows, NearPanel& panel, std::size_t threads);

// products[t][l] = squares - 2 x.y for TALL queries (turned: d x TALL, multiplied by -2) and WIDE rows; true
// (bit t) if one of query t's is at most its limit.
unsigned near_products(const float* turned, const float* tile, const float* squares, std::size_t d,
                       const float* limits, float* products);

struct NearBox {                        // a node of the k-d tree; leaves are tiles
    std::uint32_t first = 0, last = 0;  // tiles
    std::uint32_t left = 0, right = 0;  // nodes, 0: none
};

struct NearBall {                       // a node of the vantage-point tree over the places of `order`
    std::uint32_t first = 0, last = 0;  // places; the vantage row is the first of them
    std::uint32_t left = 0, right = 0;
    double inner = 0, outer_low = 0,
           outer_high = 0;  // distances: the inner rows' largest, the outer rows' ends
};

class NearIndex {
  public:
    NearIndex(NearForm form, NearRows rows, std::vector<double> weight, std::vector<std::int32_t> part,
              NearWay way, std::size_t threads, const Stop& stop = {});

    bool finished() const { return finished_; }  // false when `stop` ended the making of it: not to be asked
    const NearForm& form() const { return form_; }
    const NearRows& rows() const { return rows_; }
    double weight(std::size_t row) const { return weight_.empty() ? 1.0 : weight_[row]; }
    bool ones() const { return ones_; }  // every row weighs one
    std::vector<double> weights() const {
        return weight_.empty() ? std::vector<double>(rows_.n, 1.0) : weight_;
    }
    NearWay way() const { return way_; }
    // The k-d tree: its nodes, and a key that no row of one has a smaller one than.
    const std::vector<NearBox>& boxes() const { return boxes_; }
    double bound(const double* values, std::uint32_t node) const;
    double bound_between(std::uint32_t a, std::uint32_t b) const;  // the same of all rows of another
    // Where near_plain holds: bit l: the l-th row of the tile may have a row of the box within the key
    // `limit`.
    std::uint64_t reached(std::size_t tile, std::uint32_t node, double limit) const;
    bool parts() const { return !part_.empty() || !rows_.n; }

    // What is done with the rows found for one query: nearest first. Called from several threads, once for
    // each query.
    using Use = std::function<void(std::size_t query, std::vector<NearFound>& found)>;

    // False when `stop` ended it early. `threads` workers; each makes its own Use.
    bool search(const NearQueries& queries, double k, std::size_t threads, const Stop& stop,
                const std::function<Use()>& make) const;

  private:
    friend class NearWorker;
    bool grow_boxes(std::size_t threads, const Stop& stop);
    bool grow_balls(const Stop& stop);

    NearForm form_;
    NearRows rows_;
    std::vector<double> weight_;      // of each row; empty: ones
    std::vector<std::int32_t> part_;  // of each row; empty: none
    NearWay way_;
    bool plain_ = false, ones_ = false, finished_ = true;
    NearPanel panel_;
    std::vector<NearBox> boxes_;
    std::vector<double> box_low_, box_high_;  // node x d
    std::vector<NearBall> balls_;
};

}  // namespace acumen
