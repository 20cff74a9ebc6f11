#include "kernels/boosting/stumps.hpp"

#include <cmath>

#include "kernels/boosting/stump_rows.hpp"
#include "kernels/forests/tree.hpp"

namespace acumen::forest {

namespace {

// Scores nearer than this are equal, and the first is taken: what rounding makes of equal splits decides
// nothing.
constexpr double SLACK = Best::SLACK;

// The last code that goes left at the middle between two slots.
std::uint32_t cut_between(const Column& column, std::uint32_t below, std::uint32_t above) {
    const double middle = column.most(below) / 2 + column.least(above) / 2;
    std::uint32_t cut = below;
    while (cut + 1 < above && column.most(cut + 1) <= middle) ++cut;
    return cut;
}

template <Tally T>
class Booster {
  public:
    Booster(const Table& table, const BoostOptions& options, std::size_t threads,
            const std::function<bool(std::size_t)>& told)
        : table_(table),
          options_(options),
          threads_(threads),
          told_(told),
          draw_(options.seed),
          classes_(table.classes),
          rows_(table),
          said_(table.rows * classes_, 0.0),
          splits_(table.columns.size()) {}

    Boosted run() {
        Boosted made;
        const double k = static_cast<double>(classes_);
        const double limit = options_.samme ? 1.0 - 1.0 / std::max(k, 2.0) : 0.5;
        for (std::size_t round = 0; round < options_.rounds; ++round) {
            Tree stump;
            double error = 1;
            std::int32_t drawn = 0;
            do {
                if (options_.resample) resample();
                if (!find(options_.resample ? counts_ : rows_.weight, round, stump)) {
                    made.stopped = true;
                    return made;
                }
                error = judge(stump);
                ++drawn;
            } while (options_.resample && error >= limit - SLACK &&
                     drawn <= static_cast<std::int32_t>(options_.retries));
            const bool useless = error >= limit - SLACK;
            if (useless && round) {
                made.end = 2;
                break;
            }
            const double kept = std::max(error, LEAST_ERROR);
            double vote =
                std::log((1 - kept) / kept) + (options_.samme && classes_ > 1 ? std::log(k - 1) : 0.0);
            if (useless) vote = 1;  // the first is kept whatever it is
            settle(stump, vote);
            made.error.push_back(error);
            made.vote.push_back(vote);
            made.drawn.push_back(drawn);
            made.combined.push_back(combined(vote));
            made.stumps.push_back(std::move(stump));
            if (useless || error <= SLACK) {
                made.end = useless ? 2 : 1;
                break;
            }
            reweigh(error);
            if (told_ && told_(round + 1)) {
                made.stopped = true;
                break;
            }
        }
        return made;
    }

  private:
    // As many rows as there are, drawn by their weights, in the order of the table.
    void resample() {
        const std::size_t n = table_.rows;
        cumulated_.resize(n);
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) cumulated_[i] = sum += rows_.weight[rows_.place(i)];
        counts_.assign(n, 0.0);
        for (std::size_t d = 0; d < n; ++d) {
            const auto at = std::upper_bound(cumulated_.begin(), cumulated_.end() - 1, draw_.unit() * sum);
            counts_[rows_.place(static_cast<std::size_t>(at - cumulated_.begin()))] += 1.0;
        }
    }

    // The best split of all columns; the first of equally good ones. False when it was stopped.
    bool find(const std::vector<double>& weight, std::size_t round, Tree& stump) {
        std::size_t stride = 1;
        for (const Column& column : table_.columns) stride = std::max<std::size_t>(stride, column.slots);
        const Stop stop = [&] { return told_ && told_(round); };
        const bool whole = for_blocks(splits_.size(), threads_, stop, [&] {
            return [&, search = Search<T>(table_), sums = std::vector<double>()](std::size_t j) mutable {
                search.begin();
                rows_.sums_by_code(j, weight, stride, sums);
                search.look_at_sums(static_cast<std::uint32_t>(j), sums.data(), stride);
                splits_[j] = search.best;
            };
        });
        if (!whole) return false;
        const Split* best = nullptr;
        for (const Split& split : splits_)
            if (split.found() && (!best || split.score > best->score + SLACK)) best = &split;
        plant(best, stump);
        return true;
    }

    void plant(const Split* split, Tree& stump) {
        stump = {};
        stump.node.resize(split ? 3 : 1);
        for (std::uint32_t at = 0; at < stump.node.size(); ++at) stump.node[at].child = at;
        if (!split) {
            std::fill(rows_.side.begin(), rows_.side.end(), std::uint8_t{0});
            return;
        }
        const Column& column = table_.columns[split->column];
        const bool lean_right = split->right_weight > split->left_weight;
        const std::uint32_t child = 1 | (lean_right ? LEAN : 0);
        std::vector<std::uint8_t> right(column.narrow ? 256 : 65536, lean_right);
        if (column.nominal) {
            append_set(stump.sets, child, column.slots, *split);
            for (const std::uint32_t level : split->left) right[level] = 0;
            for (const std::uint32_t level : split->right) right[level] = 1;
            stump.node[0] = {split->column, 0};
        } else {
            const std::uint32_t cut = cut_between(column, split->below, split->above);
            stump.node[0] = {split->column | cut << 16, child};
            for (std::uint32_t code = 0; code < column.slots; ++code) right[code] = code > cut;
        }
        rows_.part(split->column, right);
    }

    // The class of each side, by the rows the stump was found from, and its error on all rows as they weigh
    // now.
    double judge(const Tree& stump) {
        rows_.sums_by_side(options_.resample ? counts_ : rows_.weight, sums_);
        for (std::size_t s = 0; s < 2; ++s) {
            answer_[s] = 0;
            for (std::size_t c = 1; c < classes_; ++c) {
                const double most = sums_[2 * answer_[s] + s];
                if (sums_[2 * c + s] > most + SLACK * most) answer_[s] = c;
            }
        }
        if (stump.node.size() == 1) answer_[1] = answer_[0];
        if (options_.resample) rows_.sums_by_side(rows_.weight, sums_);
        double wrong = 0, total = 0;
        for (std::size_t c = 0; c < classes_; ++c)
            for (std::size_t s = 0; s < 2; ++s) {
                total += sums_[2 * c + s];
                if (answer_[s] != c) wrong += sums_[2 * c + s];
            }
        return wrong / total;
    }

    // The votes of leaves, and of the root what they come to on average.
    void settle(Tree& stump, double vote) {
        stump.value.assign(stump.node.size() * classes_, 0.0);
        if (stump.node.size() == 1) {
            stump.value[answer_[0]] = vote;
            return;
        }
        rows_.sums_by_side(rows_.start, sums_);
        double right = 0, total = 0;
        for (std::size_t c = 0; c < classes_; ++c)
            right += sums_[2 * c + 1], total += sums_[2 * c] + sums_[2 * c + 1];
        stump.value[answer_[0]] += vote * (1 - right / total);
        stump.value[answer_[1]] += vote * (right / total);
        stump.value[classes_ + answer_[0]] = vote;
        stump.value[2 * classes_ + answer_[1]] = vote;
    }

    // The training error of all stumps so far, by the weights that rows had at first.
    double combined(double vote) {
        double wrong = 0, total = 0;
        for (std::size_t own = 0; own < classes_; ++own)
            for (std::size_t i = rows_.begin(own); i < rows_.end(own); ++i) {
                double* sum = said_.data() + i * classes_;
                sum[answer_[rows_.side[i]]] += vote;
                std::size_t best = 0;
                for (std::size_t c = 1; c < classes_; ++c)
                    if (sum[c] > sum[best]) best = c;
                total += rows_.start[i];
                wrong += best != own ? rows_.start[i] : 0.0;
            }
        return wrong / total;
    }

    // Freund and Schapire's update, already divided by the sum it would have.
    void reweigh(double error) {
        const double k = options_.samme ? static_cast<double>(classes_) : 2.0;
        const double right = 1 / (k * (1 - error)), wrong = (k - 1) / (k * error);
        for (std::size_t c = 0; c < classes_; ++c)
            rows_.reweigh(c, answer_[0] == c ? right : wrong, answer_[1] == c ? right : wrong);
    }

    const Table& table_;
    const BoostOptions& options_;
    std::size_t threads_;
    const std::function<bool(std::size_t)>& told_;
    Draw draw_;
    std::size_t classes_;
    BoostRows rows_;
    std::vector<double> counts_, cumulated_, sums_, said_;
    std::vector<Split> splits_;
    std::size_t answer_[2] = {0, 0};
};

}  // namespace

Boosted boost(const Table& table, const BoostOptions& options, std::size_t threads,
              const std::function<bool(std::size_t)>& told) {
    return table.classes > 2 ? Booster<Tally::classes>(table, options, threads, told).run()
                             : Booster<Tally::sums>(table, options, threads, told).run();
}

}  // namespace acumen::forest
