#include "kernels/boost.hpp"

#include <cmath>

#include "kernels/forest_split.hpp"

namespace acumen::forest {

namespace {

// Weights sum to 1 and are kept on this grid, so that sums of them are exact in any order.
constexpr double GRID = 0x1p44;
// Scores nearer than this are equal, and the first is taken: what rounding makes of equal splits decides
// nothing.
constexpr double SLACK = 1e-11;

double on_grid(double weight) { return weight > 0 ? std::max(std::rint(weight * GRID), 1.0) / GRID : 0.0; }

// The last code that goes left at the middle between two slots.
std::uint32_t cut_between(const Column& column, std::uint32_t below, std::uint32_t above) {
    const double middle = column.most(below) / 2 + column.least(above) / 2;
    std::uint32_t cut = below;
    while (cut + 1 < above && column.most(cut + 1) <= middle) ++cut;
    return cut;
}

template <bool Many>
class Booster {
  public:
    Booster(const Table& table, const BoostOptions& options, std::size_t threads, const Stop& stop)
        : table_(table),
          options_(options),
          threads_(threads),
          stop_(stop),
          draw_(options.seed),
          classes_(table.classes),
          weight_(table.rows),
          rows_(table.rows),
          values_(table.rows),
          side_(table.rows),
          said_(table.rows * classes_, 0.0),
          splits_(table.columns.size()),
          told_(table.columns.size()) {
        double total = 0;
        for (std::size_t i = 0; i < table.rows; ++i) total += table.weight ? table.weight[i] : 1.0;
        for (std::size_t i = 0; i < table.rows; ++i) {
            weight_[i] = on_grid((table.weight ? table.weight[i] : 1.0) / total);
            rows_[i] = static_cast<std::uint32_t>(i);
        }
        start_ = weight_;
    }

    Boosted run() {
        Boosted made;
        for (std::size_t round = 0; round < options_.rounds; ++round) {
            Tree stump;
            double error = 1;
            const double limit =
                options_.samme ? 1.0 - 1.0 / static_cast<double>(std::max<std::size_t>(classes_, 2)) : 0.5;
            std::int32_t drawn = 0;
            do {
                if (options_.resample) resample();
                if (!find(options_.resample ? counts_ : weight_, stump)) {
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
            const double kept = std::max(error, LEAST_ERROR), k = static_cast<double>(classes_);
            double vote =
                std::log((1 - kept) / kept) + (options_.samme && classes_ > 1 ? std::log(k - 1) : 0.0);
            if (useless) vote = 1;  // the first is kept whatever it is
            settle(stump, vote);
            made.error.push_back(error);
            made.vote.push_back(vote);
            made.drawn.push_back(drawn);
            made.combined.push_back(combined(stump));
            made.stumps.push_back(std::move(stump));
            if (useless || error <= SLACK) {
                made.end = useless ? 2 : 1;
                break;
            }
            reweigh(error);
            if (stop_ && stop_()) {
                made.stopped = true;
                break;
            }
        }
        return made;
    }

  private:
    void resample() {
        const std::size_t n = table_.rows;
        cumulated_.resize(n);
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) cumulated_[i] = sum += weight_[i];
        counts_.assign(n, 0.0);
        for (std::size_t d = 0; d < n; ++d) {
            const auto at = std::upper_bound(cumulated_.begin(), cumulated_.end() - 1, draw_.unit() * sum);
            counts_[static_cast<std::size_t>(at - cumulated_.begin())] += 1.0;
        }
    }

    // The best split of all columns; the first of equally good ones. False when it was stopped.
    bool find(const std::vector<double>& weight, Tree& stump) {
        for (std::size_t i = 0; i < table_.rows; ++i) {
            const auto label = static_cast<std::uint32_t>(table_.label[i]);
            if constexpr (Many)
                values_[i] = {weight[i], label};
            else
                values_[i] = {weight[i], label ? weight[i] : 0.0};
        }
        const bool whole = for_blocks(table_.columns.size(), threads_, stop_, [&] {
            return [&, search = Search<Many>(table_)](std::size_t j) mutable {
                search.begin();
                told_[j] =
                    search.look(static_cast<std::uint32_t>(j), rows_.data(), values_.data(), table_.rows);
                splits_[j] = std::move(search.best);
            };
        });
        if (!whole) return false;
        const Split* best = nullptr;
        for (std::size_t j = 0; j < splits_.size(); ++j)
            if (told_[j] && splits_[j].found() && (!best || splits_[j].score > best->score + SLACK))
                best = &splits_[j];
        plant(best, stump);
        return true;
    }

    void plant(const Split* split, Tree& stump) {
        stump = {};
        stump.node.resize(split ? 3 : 1);
        for (std::uint32_t at = 0; at < stump.node.size(); ++at) stump.node[at].child = at;
        std::fill(side_.begin(), side_.end(), 0);
        if (!split) return;
        const Column& column = table_.columns[split->column];
        const bool lean_right = split->right_weight > split->left_weight;
        const std::uint32_t child = 1 | (lean_right ? LEAN : 0);
        std::vector<std::uint8_t> right(column.narrow ? 256 : 65536, lean_right);
        if (column.nominal) {
            const std::uint32_t words = (column.slots + 31) / 32;
            stump.sets.assign(2 + 2 * words, 0);
            stump.sets[0] = child;
            stump.sets[1] = words;
            for (const std::uint32_t level : split->left)
                stump.sets[2 + (level >> 5)] |= 1u << (level & 31), right[level] = 0;
            for (const std::uint32_t level : split->right)
                stump.sets[2 + words + (level >> 5)] |= 1u << (level & 31), right[level] = 1;
            stump.node[0] = {split->column, 0};
        } else {
            const std::uint32_t cut = cut_between(column, split->below, split->above);
            stump.node[0] = {split->column | cut << 16, child};
            for (std::uint32_t code = 0; code < column.slots; ++code) right[code] = code > cut;
        }
        for (std::size_t i = 0; i < table_.rows; ++i)
            side_[i] = right[column.narrow ? column.narrow[i] : column.wide[i]];
    }

    // The class of each side, by the rows the stump was found from, and its error on all rows as they weigh
    // now.
    double judge(const Tree& stump) {
        std::vector<double> counts(2 * classes_, 0.0);
        const std::vector<double>& weight = options_.resample ? counts_ : weight_;
        for (std::size_t i = 0; i < table_.rows; ++i)
            counts[side_[i] * classes_ + static_cast<std::size_t>(table_.label[i])] += weight[i];
        for (std::size_t s = 0; s < 2; ++s) {
            const double* line = counts.data() + s * classes_;
            answer_[s] = 0;
            for (std::size_t c = 1; c < classes_; ++c)
                if (line[c] > line[answer_[s]] + SLACK * line[answer_[s]]) answer_[s] = c;
        }
        if (stump.node.size() == 1) answer_[1] = answer_[0];
        double wrong = 0, total = 0;
        for (std::size_t i = 0; i < table_.rows; ++i) {
            total += weight_[i];
            if (answer_[side_[i]] != static_cast<std::size_t>(table_.label[i])) wrong += weight_[i];
        }
        return wrong / total;
    }

    void settle(Tree& stump, double vote) {
        stump.value.assign(stump.node.size() * classes_, 0.0);
        if (stump.node.size() == 1) {
            stump.value[answer_[0]] = vote;
            return;
        }
        double right = 0, total = 0;
        for (std::size_t i = 0; i < table_.rows; ++i) {
            total += start_[i];
            if (side_[i]) right += start_[i];
        }
        stump.value[answer_[0]] += vote * (1 - right / total);
        stump.value[answer_[1]] += vote * (right / total);
        stump.value[classes_ + answer_[0]] = vote;
        stump.value[2 * classes_ + answer_[1]] = vote;
    }

    double combined(const Tree& stump) {
        const std::size_t leaf[2] = {stump.node.size() == 1 ? std::size_t{0} : std::size_t{1}, 2};
        double wrong = 0, total = 0;
        for (std::size_t i = 0; i < table_.rows; ++i) {
            double* sum = said_.data() + i * classes_;
            sum[answer_[side_[i]]] += stump.value[leaf[side_[i]] * classes_ + answer_[side_[i]]];
            std::size_t best = 0;
            for (std::size_t c = 1; c < classes_; ++c)
                if (sum[c] > sum[best]) best = c;
            total += start_[i];
            if (best != static_cast<std::size_t>(table_.label[i])) wrong += start_[i];
        }
        return wrong / total;
    }

    // Freund and Schapire's update, already divided by the sum it would have.
    void reweigh(double error) {
        const double k = options_.samme ? static_cast<double>(classes_) : 2.0;
        const double right = 1 / (k * (1 - error)), wrong = (k - 1) / (k * error);
        for (std::size_t i = 0; i < table_.rows; ++i)
            weight_[i] =
                on_grid(weight_[i] *
                        (answer_[side_[i]] == static_cast<std::size_t>(table_.label[i]) ? right : wrong));
    }

    const Table& table_;
    const BoostOptions& options_;
    std::size_t threads_;
    const Stop& stop_;
    Draw draw_;
    std::size_t classes_;
    std::vector<double> weight_, start_, counts_, cumulated_;
    std::vector<std::uint32_t> rows_;
    std::vector<Value<Many>> values_;
    std::vector<std::uint8_t> side_;
    std::vector<double> said_;
    std::vector<Split> splits_;
    std::vector<std::uint8_t> told_;
    std::size_t answer_[2] = {0, 0};
};

}  // namespace

Boosted boost(const Table& table, const BoostOptions& options, std::size_t threads, const Stop& stop) {
    return table.classes > 2 ? Booster<true>(table, options, threads, stop).run()
                             : Booster<false>(table, options, threads, stop).run();
}

}  // namespace acumen::forest
