#include "kernels/neighbours/votes.hpp"

namespace acumen {

namespace {

// Votes of one query, its neighbours coming nearest first; reused from query to query.
class Ballot {
  public:
    Ballot(const NearIndex& index, const NearQueries& queries, NearSay say, const NearTargets& targets)
        : index_(index),
          asked_(queries),
          say_(say),
          targets_(targets),
          votes_(std::max<std::size_t>(targets.classes, 1)),
          far_(votes_.size()),
          mass_(votes_.size()) {}

    // The neighbours of a query, with what each weighs there.
    void begin(std::size_t query, const std::vector<NearFound>& found) {
        query_ = query;
        found_ = &found;
        distance_.resize(found.size());
        weight_.resize(found.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            distance_[i] = index_.form().distance(found[i].key);
            double w = index_.weight(found[i].row);
            if (asked_.own && asked_.own[query] == static_cast<std::int64_t>(found[i].row)) w -= 1;
            weight_[i] = w;
        }
        clear();
        next_ = 0;
        reached_ = 0;
        kth_ = 0;
    }

    // Go on to the neighbours that vote for k; k never falls.
    void to(double k) {
        const auto& found = *found_;
        const std::size_t before = next_;
        double key = next_ ? found[kth_].key : 0;
        while (next_ < found.size() && (reached_ < k || found[next_].key <= key + key * SAME_KEY)) {
            if (reached_ < k) kth_ = next_, key = found[next_].key;
            reached_ += weight_[next_];
            ++next_;
        }
        if (next_ == before) return;
        if (say_ == NearSay::kernel) {
            clear();
            for (std::size_t i = 0; i < next_; ++i) add(i);
        } else {
            for (std::size_t i = before; i < next_; ++i) add(i);
        }
    }

    std::span<const double> votes() const { return votes_; }
    double mean() const { return mass_[0] > 0 ? votes_[0] / mass_[0] : 0; }
    double within() const { return reached_; }
    double reach() const {
        return found_->empty() ? std::numeric_limits<double>::infinity() : distance_[kth_];
    }

    // Most votes; of equal ones the smaller mean distance, then the class of more rows, then the first.
    std::int32_t winner() const {
        std::size_t best = 0;
        for (std::size_t c = 1; c < targets_.classes; ++c)
            if (beats(c, best)) best = c;
        return static_cast<std::int32_t>(best);
    }

  private:
    void clear() {
        std::fill(votes_.begin(), votes_.end(), 0.0);
        std::fill(far_.begin(), far_.end(), 0.0);
        std::fill(mass_.begin(), mass_.end(), 0.0);
    }

    double say(std::size_t i) const {
        if (say_ == NearSay::uniform) return weight_[i];
        const double away = distance_[i];
        if (say_ == NearSay::kernel) {
            const double far = distance_[kth_];
            const double share = far > 0 && away != far ? away / far : far > 0 ? 1 : 0;
            return weight_[i] * std::exp(-2 * share * share);
        }
        // In units of the nearest: shares of votes are what counts, and no reciprocal overflows.
        const double nearest = distance_[0];
        if (nearest == 0) return away == 0 ? weight_[i] : 0;
        return away == nearest ? weight_[i] : weight_[i] * (nearest / away);
    }

    void add(std::size_t i) {
        const double own = say(i);
        if (targets_.classes) {
            if (!(own > 0)) return;  // who has no vote does not break ties either
            const auto c = static_cast<std::size_t>(targets_.labels[(*found_)[i].row]);
            votes_[c] += own;
            far_[c] += weight_[i] * distance_[i];
            mass_[c] += weight_[i];
        } else {
            votes_[0] += own * targets_.numbers[(*found_)[i].row];
            mass_[0] += own;
        }
    }

    static int compared(double a, double b) {  // 0 where rounding alone could tell them apart
        const double most = std::max(std::fabs(a), std::fabs(b));
        if (a == b || (std::isfinite(most) && std::fabs(a - b) <= SAME_KEY * most)) return 0;
        return a < b ? -1 : 1;
    }

    double size(std::size_t c) const {
        double total = targets_.totals[c];
        if (asked_.own && asked_.own[query_] >= 0) {
            const auto row = static_cast<std::size_t>(asked_.own[query_]);
            if (static_cast<std::size_t>(targets_.labels[row]) == c)
                total -= asked_.part ? index_.weight(row) : std::min(1.0, index_.weight(row));
        }
        return total;
    }

    bool beats(std::size_t a, std::size_t b) const {
        if (const int votes = compared(votes_[a], votes_[b])) return votes > 0;
        if (!(mass_[a] > 0) || !(mass_[b] > 0)) return mass_[a] > 0 && !(mass_[b] > 0);
        if (const int far = compared(far_[a] / mass_[a], far_[b] / mass_[b])) return far < 0;
        return compared(size(a), size(b)) > 0;
    }

    const NearIndex& index_;
    const NearQueries& asked_;
    NearSay say_;
    const NearTargets& targets_;
    std::vector<double> votes_, far_, mass_;
    std::vector<double> distance_, weight_;
    const std::vector<NearFound>* found_ = nullptr;
    std::size_t query_ = 0, next_ = 0, kth_ = 0;
    double reached_ = 0;
};

}  // namespace

bool near_votes(const NearIndex& index, const NearQueries& queries, double k, NearSay say,
                const NearTargets& targets, double* votes, std::int32_t* winner, double* reach,
                double* within, std::size_t threads, const Stop& stop) {
    return index.search(queries, k, threads, stop, [&] {
        auto ballot = std::make_shared<Ballot>(index, queries, say, targets);
        return [=, &targets](std::size_t i, std::vector<NearFound>& found) {
            ballot->begin(i, found);
            ballot->to(k);
            if (targets.classes) {
                std::copy(ballot->votes().begin(), ballot->votes().end(), votes + i * targets.classes);
                winner[i] = ballot->winner();
            } else {
                votes[i] = ballot->mean();
            }
            if (reach) reach[i] = ballot->reach();
            if (within) within[i] = ballot->within();
        };
    });
}

bool near_curve(const NearIndex& index, const NearQueries& queries, std::size_t max_k, NearSay say,
                const NearTargets& targets, const std::int32_t* truth_labels, const double* truth_numbers,
                const double* query_weight, double* sums, double* squares, std::size_t threads,
                const Stop& stop) {
    constexpr std::size_t BLOCK = 1024;  // queries whose errors are added before they join the sums
    std::vector<double> errors(std::min(queries.n, BLOCK) * max_k);
    for (std::size_t first = 0; first < queries.n; first += BLOCK) {
        const std::size_t last = std::min(queries.n, first + BLOCK);
        NearQueries some = queries;
        some.n = last - first;
        some.values += first * index.rows().d;
        if (some.codes) some.codes += first * index.rows().q;
        if (some.factor) some.factor += first * index.rows().d;
        if (some.extra) some.extra += first * index.rows().n;
        if (some.own) some.own += first;
        if (some.part) some.part += first;
        const bool whole = index.search(some, static_cast<double>(max_k), threads, stop, [&] {
            auto ballot = std::make_shared<Ballot>(index, some, say, targets);
            return [&, ballot](std::size_t i, std::vector<NearFound>& found) {
                ballot->begin(i, found);
                for (std::size_t k = 1; k <= max_k; ++k) {
                    ballot->to(static_cast<double>(k));
                    double& error = errors[i * max_k + k - 1];
                    if (targets.classes) {
                        error = ballot->winner() == truth_labels[first + i] ? 0 : 1;
                    } else {
                        const double away = ballot->mean() - truth_numbers[first + i];
                        error = away * away;
                    }
                }
            };
        });
        if (!whole) return false;
        for (std::size_t i = first; i < last; ++i)
            for (std::size_t k = 0; k < max_k; ++k) {
                const double error = errors[(i - first) * max_k + k];
                sums[k] += query_weight[i] * error;
                squares[k] += query_weight[i] * error * error;
            }
    }
    return true;
}

bool near_lists(const NearIndex& index, const NearQueries& queries, double k,
                std::vector<std::vector<NearFound>>& lists, std::size_t threads, const Stop& stop) {
    lists.assign(queries.n, {});
    return index.search(queries, k, threads, stop, [&] {
        return [&](std::size_t i, std::vector<NearFound>& found) { lists[i] = found; };
    });
}

bool all_distances(const NearIndex& index, const NearQueries& queries, double* made, std::size_t threads,
                   const Stop& stop) {
    const NearRows& rows = index.rows();
    return for_blocks(queries.n, threads, stop, [&] {
        return [&](std::size_t i) {
            const NearQuery query{queries.values + i * rows.d, rows.q ? queries.codes + i * rows.q : nullptr,
                                  queries.factor ? queries.factor + i * rows.d : nullptr,
                                  queries.extra ? queries.extra + i * rows.n : nullptr};
            alignas(64) double keys[NEAR_LANES];
            for (std::size_t tile = 0; tile < rows.n_tiles(); ++tile) {
                near_keys(index.form(), rows, query, tile, keys);
                const std::size_t first = tile * NEAR_LANES, last = std::min(rows.n, first + NEAR_LANES);
                for (std::size_t place = first; place < last; ++place)
                    made[i * rows.n + rows.order[place]] = index.form().distance(keys[place - first]);
            }
        };
    });
}

}  // namespace acumen
