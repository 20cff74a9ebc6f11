#include "kernels/boosting/split.hpp"

#include <algorithm>

namespace acumen::boosting {

namespace {

// Gains nearer than this share are equal, and the first is taken: rounding of equal splits decides nothing.
constexpr double SLACK = 1e-10;
constexpr double LEAST_CURVATURE = 1e-3;

// The last code that goes left at the middle between two slots.
std::uint32_t cut_between(const forest::Column& column, std::uint32_t below, std::uint32_t above) {
    const double middle = column.most(below) / 2 + column.least(above) / 2;
    std::uint32_t cut = below;
    while (cut + 1 < above && column.most(cut + 1) <= middle) ++cut;
    return cut;
}

// By how much the loss of rows of a sum falls when they are told `value` (more than this where they are told
// the best).
double lowered(double slope, double curvature, double value) {
    return -(2 * slope * value + curvature * value * value);
}

struct Best {
    double gain = 0;
    std::size_t at = 0;
    bool none_right = false;
    Cell left;
};

class Search {
  public:
    Search(const Finder& finder, const Cell& whole, const Bounds& bounds, double l2, int sign)
        : finder_(finder), units_(finder.units), whole_(whole), bounds_(bounds), l2_(l2), sign_(sign) {
        g_ = units_.slope_of(whole);
        h_ = units_.curvature_of(whole);
        // A split is worth its gain over leaving the node as it is.
        const double value = finder.value(whole, bounds, finder.options.l2);
        parent_ = lowered(g_, h_ + finder.options.l2, value);
        free_ = sign == 0 && bounds.low == -std::numeric_limits<double>::infinity() &&
                bounds.high == std::numeric_limits<double>::infinity();
    }

    void look(const Cell& left, std::size_t at, bool none_right, Best& best) const {
        const double least = finder_.options.leaf_size;
        const Cell right = whole_ - left;
        if (units_.weight_of(left) < least || units_.weight_of(right) < least) return;
        const double gl = units_.slope_of(left), hl = units_.curvature_of(left);
        const double gr = g_ - gl, hr = h_ - hl;
        if (hl < LEAST_CURVATURE || hr < LEAST_CURVATURE) return;
        double gain;
        if (free_) {
            const double a = hl + l2_, b = hr + l2_;
            gain = (gl * gl * b + gr * gr * a) / (a * b) - parent_;
        } else {
            const double vl = finder_.value(left, bounds_, l2_), vr = finder_.value(right, bounds_, l2_);
            if (sign_ * (vr - vl) < 0) return;
            gain = lowered(gl, hl + l2_, vl) + lowered(gr, hr + l2_, vr) - parent_;
        }
        if (gain > best.gain * (1 + SLACK) && gain > 1e-9 * (1 + parent_))
            best = {gain, at, none_right, left};
    }

  private:
    const Finder& finder_;
    const Units& units_;
    Cell whole_;
    const Bounds& bounds_;
    double l2_, g_ = 0, h_ = 0, parent_ = 0;
    int sign_;
    bool free_ = false;
};

bool empty(const Cell& cell, int shift) { return (cell.rest >> shift) == 0; }

// A level of fewer rows is not told from others of so few: what one row says of its level is what the row is.
constexpr double FEW = 2;
// The best cut of numbers gains some 4.5 times the noise where there is nothing to be learned, since it is
// the best of many; that of levels in the order of what they say 2 / pi for each level, which is as much for
// seven.
constexpr double FREE_LEVELS = 7;
constexpr std::size_t NOWHERE = std::numeric_limits<std::size_t>::max();

// The share of what levels seem to say that is no accident. Levels of few rows differ even where nothing is
// to be learned, and once they are put in an order by it a cut between them seems to say much: a column of
// names tells all rows apart. How much they differ is compared with how much they would by chance, as James
// and Stein do.
class Trust {
  public:
    Trust(const Units& units, const Cell& whole, double l2)
        : units_(units), middle_(units.slope_of(whole) / (units.curvature_of(whole) + l2)), l2_(l2) {}

    void meet(const Cell& level) {
        const double h = units_.curvature_of(level), apart = units_.slope_of(level) - h * middle_;
        differ_ += apart * apart / (h + l2_);
        chance_ += units_.noise * h / (h + l2_);
        levels_ += 1;
    }
    double share() const {
        if (levels_ <= FREE_LEVELS) return 1;
        const double chance = chance_ * (levels_ - FREE_LEVELS) / levels_;
        return differ_ > chance ? 1 - chance / differ_ : 0;
    }

  private:
    const Units& units_;
    double middle_, l2_, differ_ = 0, chance_ = 0, levels_ = 0;
};

// Levels in the order of what they say, those of few rows as one.
class Levels {
  public:
    Levels(const Finder& finder, const forest::Column& column, const Cell* histogram, std::size_t none,
           Trust& trust)
        : histogram_(histogram) {
        const Units& units = finder.units;
        const double few = std::min(FEW, finder.options.leaf_size);
        const auto meet = [&](std::uint32_t code, const Cell& sum) {
            order_.emplace_back(units.slope_of(sum) / (units.curvature_of(sum) + finder.options.level_l2),
                                code);
            trust.meet(sum);
        };
        for (std::uint32_t s = 0; s < column.slots; ++s) {
            if (empty(histogram[s], units.shift)) continue;
            if (units.weight_of(histogram[s]) >= few) {
                meet(s, histogram[s]);
            } else {
                rare_.push_back(s);
                rare_sum_ += histogram[s];
            }
        }
        if (none != NOWHERE) meet(static_cast<std::uint32_t>(none), histogram[none]);
        if (!rare_.empty()) meet(RARE, rare_sum_);
        std::sort(order_.begin(), order_.end());
    }

    std::size_t size() const { return order_.size(); }
    const Cell& sum(std::size_t at) const {
        return order_[at].second == RARE ? rare_sum_ : histogram_[order_[at].second];
    }
    std::span<const std::uint32_t> codes(std::size_t at) const {
        if (order_[at].second == RARE) return rare_;
        return {&order_[at].second, 1};
    }

  private:
    static constexpr std::uint32_t RARE = std::numeric_limits<std::uint32_t>::max();

    const Cell* histogram_;
    std::vector<std::pair<double, std::uint32_t>> order_;
    std::vector<std::uint32_t> rare_;
    Cell rare_sum_;
};

}  // namespace

Split Finder::best(const forest::Column& column, std::uint32_t place, const Cell* histogram, std::size_t none,
                   const Cell& whole, const Bounds& bounds, int sign) const {
    Split made;
    const Cell missing = histogram[none];
    const bool gaps = !empty(missing, units.shift);
    if (column.nominal) {
        // Levels in the order of what they say are split best by a cut in it, as if they were numbers
        // (Fisher 1958); those of few rows say little, which a larger l2 allows for.
        const double l2 = options.l2 + options.level_l2;
        Trust trust(units, whole, l2);
        const Levels levels(*this, column, histogram, gaps ? none : NOWHERE, trust);
        const double trusted = trust.share();
        if (trusted <= 0) return made;
        const Search search(*this, whole, bounds, l2, 0);
        Best best;
        Cell left;
        for (std::size_t at = 0; at + 1 < levels.size(); ++at) {
            left += levels.sum(at);
            search.look(left, at, false, best);
        }
        if (best.gain <= 0) return made;
        made.sum_left = best.left;
        const Cell right = whole - best.left;
        made.none_right = units.weight_of(right) > units.weight_of(best.left);
        for (std::size_t at = 0; at < levels.size(); ++at)
            for (const std::uint32_t s : levels.codes(at))
                if (s == none)
                    made.none_right = at > best.at;
                else
                    (at <= best.at ? made.left : made.right).push_back(s);
        std::sort(made.left.begin(), made.left.end());
        std::sort(made.right.begin(), made.right.end());
        made.value_left = value(best.left, bounds, l2);
        made.value_right = value(right, bounds, l2);
        made.gain = best.gain * trusted;
        made.column = place;
        return made;
    }
    const Search search(*this, whole, bounds, options.l2, sign);
    const Cell known = whole - missing;
    Best best;
    Cell left;
    for (std::uint32_t s = 0; s + 1 < column.slots; ++s) {
        if (empty(histogram[s], units.shift)) continue;
        left += histogram[s];
        if (empty(known - left, units.shift)) break;
        search.look(left, s, true, best);
        if (gaps) search.look(left + missing, s, false, best);
    }
    if (best.gain <= 0) return made;
    auto above = static_cast<std::uint32_t>(best.at + 1);
    while (empty(histogram[above], units.shift)) ++above;
    made.cut = cut_between(column, static_cast<std::uint32_t>(best.at), above);
    made.sum_left = best.left;
    const Cell right = whole - best.left;
    made.none_right = gaps ? best.none_right : units.weight_of(right) > units.weight_of(best.left);
    made.value_left = value(best.left, bounds, options.l2);
    made.value_right = value(right, bounds, options.l2);
    made.gain = best.gain;
    made.column = place;
    return made;
}

}  // namespace acumen::boosting
