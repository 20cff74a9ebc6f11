// The nearest rows as they are found: all whose key is not beyond that at which their weight reaches k.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/neighbour_rows.hpp"

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

}  // namespace acumen
