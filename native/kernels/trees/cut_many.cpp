// Any number of classes, any measure: class counts of both sides, and the sums that measures are made of, are
// kept up to date row by row.
#include "kernels/trees/cut.hpp"

namespace acumen::tree {

namespace {

// Both sides' class counts, as measures see them, and the sum of their values.
class Sides {
  public:
    Sides(const CutAsked& asked, CutScratch& scratch)
        : asked_(asked), made_of_(made_of(asked.measure)), left_(scratch.left), right_(scratch.right) {
        left_.assign(asked.classes, 0.0);
        right_.assign(asked.total, asked.total + asked.classes);
        if (asked.factors)
            for (std::size_t c = 0; c < asked.classes; ++c) right_[c] *= asked.factors[c];
        for (const double x : right_) {
            right_weight_ += x;
            inertias_[1] += x * x;
            logs_[1] += xlogx(x);
        }
        whole_ = !asked.weight && !asked.factors && asked.logs ? asked.logs->value.size() : 0;
    }

    void move(std::size_t c, double w) {
        if (asked_.factors) w *= asked_.factors[c];
        double &l = left_[c], &r = right_[c];
        if (made_of_ == MadeOf::squares) {
            inertias_[0] += w * (2 * l + w);
            inertias_[1] += w * (w - 2 * r);
        } else if (made_of_ == MadeOf::logs) {
            logs_[0] += log(l + w) - log(l);
            logs_[1] += log(r - w) - log(r);
        }
        l += w;
        r -= w;
        left_weight_ += w;
        right_weight_ -= w;
    }

    double value() const {
        switch (made_of_) {
            case MadeOf::squares:
                return inertias_[0] / left_weight_ + inertias_[1] / right_weight_;
            case MadeOf::logs:
                return logs_[0] - log(left_weight_) + logs_[1] - log(right_weight_);
            default:
                return branch_value(asked_.measure, left_.data(), asked_.classes, asked_.shares) +
                       branch_value(asked_.measure, right_.data(), asked_.classes, asked_.shares);
        }
    }

  private:
    double log(double x) const {
        const auto i = static_cast<std::size_t>(x);
        return i < whole_ ? asked_.logs->value[i] : xlogx(x);
    }

    const CutAsked& asked_;
    const MadeOf made_of_;
    std::vector<double>&left_, &right_;
    double left_weight_ = 0, right_weight_ = 0, inertias_[2] = {}, logs_[2] = {};
    std::size_t whole_ = 0;
};

}  // namespace

template <class Entry>
Cut best_cut_of_many(const Entry* list, std::uint32_t n, const CutAsked& asked, CutScratch& scratch) {
    Sides sides(asked, scratch);
    Cut cut;
    double all = 0, sum = 0, best = 0, scale = 0;
    for (std::size_t c = 0; c < asked.classes; ++c) {
        all += asked.total[c];
        scale += asked.total[c] * (asked.factors ? asked.factors[c] : 1.0);
    }
    const unsigned mask = (1u << asked.bits) - 1u;
    for (std::uint32_t i = 0; i + 1 < n; ++i) {
        const double w = asked.weight ? asked.weight[list[i].word >> asked.bits] : 1.0;
        sides.move(list[i].word & mask, w);
        sum += w;
        if (list[i].rank == list[i + 1].rank || sum < asked.least || all - sum < asked.least) continue;
        ++cut.tries;
        const double value = sides.value();
        if (cut.at && !better(value, best, scale)) continue;
        best = value;
        cut.at = i + 1;
    }
    if (!cut.at) return cut;
    scratch.best.assign(asked.classes, 0.0);
    for (std::uint32_t i = 0; i < cut.at; ++i)
        scratch.best[list[i].word & mask] += asked.weight ? asked.weight[list[i].word >> asked.bits] : 1.0;
    scratch.left.assign(asked.total, asked.total + asked.classes);
    if (asked.factors)
        for (std::size_t c = 0; c < asked.classes; ++c) scratch.left[c] *= asked.factors[c];
    cut.rise = best - branch_value(asked.measure, scratch.left.data(), asked.classes, asked.shares);
    return cut;
}

template Cut best_cut_of_many(const Wide*, std::uint32_t, const CutAsked&, CutScratch&);
template Cut best_cut_of_many(const Narrow*, std::uint32_t, const CutAsked&, CutScratch&);

}  // namespace acumen::tree
