#include "kernels/clusters/medoids.hpp"

#include <atomic>
#include <numeric>

namespace acumen {

namespace {

constexpr double INF = std::numeric_limits<double>::infinity();
constexpr double SINGLE = 1.0 / (1 << 24);
// A swap must gain more than this part of the whole: no rounding decides, and the search ends.
constexpr double LEAST = 1e-12;
constexpr std::size_t MOST = 512;  // candidates judged together
constexpr std::size_t LATE = 8;    // so many together make it worth while to lay out rows in single precision
constexpr double ROOM = 1e-9;

std::uint64_t mixed(std::uint64_t x) {  // splitmix64, of which each number has its own
    x += 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
}

std::size_t below(std::uint64_t drawn, std::size_t count) {
    return static_cast<std::size_t>((drawn >> 11) % count);
}

struct Candidate {
    std::uint32_t row = 0;
    std::int64_t slot = -1;  // the medoid to give up; -1: whichever is best
};

struct Judged {
    double change = INF;
    std::size_t slot = 0;
};

class Swapping {
  public:
    Swapping(const RowDistances& rows, const std::vector<double>& weight, const MedoidSearch& how)
        : rows_(rows), weight_(weight), how_(how), n_(rows.n()), k_(how.medoids.size()) {
        found_.medoids = how.medoids;
        total_ = std::accumulate(weight.begin(), weight.end(), 0.0);
        ones_ = std::all_of(weight.begin(), weight.end(), [](double w) { return w == 1; });
        is_medoid_.assign(n_, 0);
        for (const std::uint32_t medoid : found_.medoids) is_medoid_[medoid] = 1;
        row_.resize(n_);
        if (how.drawn) {
            running_.resize(n_);
            std::partial_sum(weight.begin(), weight.end(), running_.begin());
        }
        assign();
    }

    MedoidsFound run(const Stop& stop) {
        const std::size_t patience = how_.patience ? how_.patience : n_;
        found_.losses.push_back(found_.loss);
        std::size_t at = 0, idle = 0, batch = 1;
        while (idle < patience && found_.loss > 0) {
            std::size_t size = std::min(batch, patience - idle);
            if (how_.most) size = std::min(size, how_.most - at);
            if (!size) {
                found_.settled = false;
                break;
            }
            if (!judge(at, size, stop)) {
                found_.whole = false;
                return std::move(found_);
            }
            const std::size_t first = first_;
            if (first < size) {
                swap(candidate(at + first).row, judged_[first].slot);
                at += first + 1;
                idle = 0;
                batch = 1;
            } else {
                at += size;
                idle += size;
                batch = std::min(2 * batch, MOST);
            }
        }
        found_.tried = at;
        assign();  // afresh: what was added up swap by swap has drifted
        found_.losses.back() = found_.loss;
        found_.nearest.assign(nearest_.begin(), nearest_.end());
        return std::move(found_);
    }

  private:
    Candidate candidate(std::size_t at) const {
        if (!how_.drawn) return {static_cast<std::uint32_t>(at % n_), -1};
        // By places in the running sum of weights: a row of weight 2 is drawn as two rows are.
        const std::uint64_t drawn = mixed(how_.seed + mixed(at));
        const double place = static_cast<double>(drawn >> 11) * 0x1p-53 * running_.back();
        const auto found = std::upper_bound(running_.begin(), running_.end(), place) - running_.begin();
        const auto row =
            static_cast<std::uint32_t>(std::min<std::ptrdiff_t>(found, static_cast<std::ptrdiff_t>(n_) - 1));
        return {row, static_cast<std::int64_t>(below(mixed(drawn), k_))};
    }

    // Nearest and second nearest medoid of every row.
    void assign() {
        near_.assign(n_, INF);
        second_.assign(n_, INF);
        nearest_.assign(n_, 0);
        runner_.assign(n_, 0);
        for (std::size_t s = 0; s < k_; ++s) {
            rows_.from(found_.medoids[s], row_.data());
            for (std::size_t i = 0; i < n_; ++i) {
                if (row_[i] < near_[i] || s == 0) {
                    second_[i] = near_[i], runner_[i] = nearest_[i];
                    near_[i] = row_[i], nearest_[i] = static_cast<std::uint32_t>(s);
                } else if (row_[i] < second_[i] || s == 1) {
                    second_[i] = row_[i], runner_[i] = static_cast<std::uint32_t>(s);
                }
            }
        }
        settle();
    }

    // The loss, and what giving up each medoid would cost.
    void settle() {
        removal_.assign(k_, 0.0);
        found_.loss = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            found_.loss += weight_[i] * near_[i];
            if (k_ > 1) removal_[nearest_[i]] += weight_[i] * (second_[i] - near_[i]);
        }
        laid_ = false;
    }

    void look_for_second(std::size_t i) {
        second_[i] = INF;
        for (std::size_t s = 0; s < k_; ++s) {
            if (s == nearest_[i]) continue;
            const double away = rows_.between(found_.medoids[s], i);
            if (away < second_[i]) second_[i] = away, runner_[i] = static_cast<std::uint32_t>(s);
        }
    }

    void swap(std::uint32_t row, std::size_t slot) {
        is_medoid_[found_.medoids[slot]] = 0;
        is_medoid_[row] = 1;
        found_.medoids[slot] = row;
        const auto own = static_cast<std::uint32_t>(slot);
        rows_.from(row, row_.data());
        for (std::size_t i = 0; i < n_; ++i) {
            const double away = row_[i];
            if (nearest_[i] == own) {
                if (away < second_[i]) {
                    near_[i] = away;
                } else {
                    near_[i] = second_[i], nearest_[i] = runner_[i];
                    look_for_second(i);
                }
            } else if (away < near_[i]) {
                second_[i] = near_[i], runner_[i] = nearest_[i];
                near_[i] = away, nearest_[i] = own;
            } else if (runner_[i] == own) {
                if (away < second_[i])
                    second_[i] = away;
                else
                    look_for_second(i);
            } else if (away < second_[i]) {
                second_[i] = away, runner_[i] = own;
            }
        }
        settle();
        found_.losses.push_back(found_.loss);
    }

    bool idle(const Candidate& who) const { return is_medoid_[who.row] || !(weight_[who.row] > 0); }

    Judged best(const Candidate& who, double gain, const std::vector<double>& loss) const {
        std::size_t slot = 0;
        if (who.slot >= 0)
            slot = static_cast<std::size_t>(who.slot);
        else
            for (std::size_t s = 1; s < k_; ++s)
                if (loss[s] < loss[slot]) slot = s;
        return {gain + loss[slot], slot};
    }

    Judged exactly(const Candidate& who, std::vector<double>& away, std::vector<double>& loss) const {
        rows_.from(who.row, away.data());
        loss = removal_;
        double gain = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            const double far = away[i];
            if (!(far < second_[i])) continue;
            if (far < near_[i]) {
                gain += weight_[i] * (far - near_[i]);
                loss[nearest_[i]] += weight_[i] * (near_[i] - second_[i]);
            } else {
                loss[nearest_[i]] += weight_[i] * (far - second_[i]);
            }
        }
        return best(who, gain, loss);
    }

    // Judges candidates from `at` on; first_ is the first of them that is an improvement.
    bool judge(std::size_t at, std::size_t size, const Stop& stop) {
        constexpr std::size_t T = MedoidScreen::TALL;
        const bool single = size >= LATE && singles();
        if (single && !laid_) lay();
        judged_.assign(size, {});
        first_ = size;
        std::atomic<std::size_t> first{size};
        const double wanted = -LEAST * found_.loss;
        const std::size_t step = single ? T : 1, threads = size < LATE ? 1 : how_.threads;
        const auto improves = [&](std::size_t c) {
            std::size_t seen = first.load(std::memory_order_relaxed);
            while (c < seen && !first.compare_exchange_weak(seen, c)) {
            }
        };
        const bool whole = for_blocks((size + step - 1) / step, threads, stop, [&] {
            auto away = std::make_shared<std::vector<double>>(n_);
            auto loss = std::make_shared<std::vector<double>>(k_);
            auto scratch = std::make_shared<Scratch>();
            return [&, away, loss, scratch](std::size_t block) {
                const std::size_t begin = block * step, end = std::min(size, begin + step);
                if (begin > first.load(std::memory_order_relaxed)) return;
                bool open[T] = {true, true, true, true};
                if (single) screened(at + begin, end - begin, wanted, *scratch, open);
                for (std::size_t c = begin; c < end; ++c) {
                    const Candidate who = candidate(at + c);
                    if (!open[c - begin] || idle(who) || c > first.load(std::memory_order_relaxed)) continue;
                    judged_[c] = exactly(who, *away, *loss);
                    // What giving a medoid up costs is rounded too: where it is much, and little is left, a
                    // swap for an equal row must be no improvement, or two such rows would take turns for
                    // ever.
                    if (judged_[c].change < wanted - LEAST * removal_[judged_[c].slot]) improves(c);
                }
            };
        });
        first_ = first;
        return whole;
    }

    // -- single precision ---

    struct Scratch {
        std::vector<float> turned;
        std::vector<double> rest, loss;
    };

    bool singles() {
        if (tested_) return usable_;
        tested_ = true;
        if (!rows_.plain() || n_ < 64) return false;
        const NearRows& rows = rows_.rows();
        const std::size_t d = rows.d;
        screen_.d = d;
        screen_.centre.assign(d, 0.0);
        for (std::size_t i = 0; i < n_; ++i)
            for (std::size_t j = 0; j < d; ++j)
                screen_.centre[j] += rows.values[i * d + j] / static_cast<double>(n_);
        double furthest = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            double square = 0;
            for (std::size_t j = 0; j < d; ++j) {
                const double v = (rows.values[i * d + j] - screen_.centre[j]) * rows_.form().factor[j];
                square += v * v;
            }
            furthest = std::max(furthest, std::sqrt(square));
        }
        if (!(furthest > 1e-290) || !(furthest < 1e290)) return false;
        screen_.scale = std::ldexp(1.0, -std::ilogb(furthest));
        longest_ = furthest * screen_.scale;
        singles_.resize(n_ * d);
        for (std::size_t i = 0; i < n_; ++i)
            for (std::size_t j = 0; j < d; ++j)
                singles_[i * d + j] = static_cast<float>((rows.values[i * d + j] - screen_.centre[j]) *
                                                         rows_.form().factor[j] * screen_.scale);
        usable_ = true;
        return true;
    }

    // Each medoid's rows in tiles, those first that the furthest candidates can still take over.
    void lay() {
        constexpr std::size_t W = MedoidScreen::WIDE;
        const std::size_t d = screen_.d;
        const double to_single = screen_.scale / rows_.form().unit;
        std::vector<std::vector<std::pair<double, std::uint32_t>>> members(k_);
        for (std::size_t i = 0; i < n_; ++i)
            if (weight_[i] > 0)
                members[nearest_[i]].push_back({-(near_[i] + second_[i]), static_cast<std::uint32_t>(i)});
        screen_.first.assign(k_ + 1, 0);
        for (std::size_t s = 0; s < k_; ++s)
            screen_.first[s + 1] = screen_.first[s] + (members[s].size() + W - 1) / W;
        const std::size_t tiles = screen_.first[k_];
        screen_.tiles.assign(tiles * d * W, 0.0F);
        screen_.near.assign(tiles * W, 0.0F);
        screen_.second.assign(tiles * W, 0.0F);
        screen_.weight.assign(ones_ ? 0 : tiles * W, 0.0F);
        screen_.reach.assign(tiles, 0.0);
        for (std::size_t s = 0; s < k_; ++s) {
            std::sort(members[s].begin(), members[s].end());
            for (std::size_t m = 0; m < members[s].size(); ++m) {
                const auto [reach, row] = members[s][m];
                const std::size_t tile = screen_.first[s] + m / W, lane = m % W;
                if (!lane) screen_.reach[tile] = -reach * (1 + ROOM);
                for (std::size_t j = 0; j < d; ++j)
                    screen_.tiles[(tile * d + j) * W + lane] = singles_[row * d + j];
                screen_.near[tile * W + lane] = static_cast<float>(near_[row] * to_single);
                screen_.second[tile * W + lane] = static_cast<float>(second_[row] * to_single);
                if (!ones_) screen_.weight[tile * W + lane] = static_cast<float>(weight_[row]);
            }
        }
        laid_ = true;
    }

    // open[c]: whether the candidate may be an improvement. Each of the two sums is wrong by at most (d + 64)
    // u times the longest row and the weight of all: distances by (d + 8) u, what they are compared with and
    // the differences by 10 u, the sums of 16 such, each at most twice the longest, by 32 u.
    void screened(std::size_t at, std::size_t count, double wanted, Scratch& scratch, bool* open) const {
        constexpr std::size_t T = MedoidScreen::TALL;
        const std::size_t d = screen_.d;
        const double to_single = screen_.scale / rows_.form().unit;
        const double wrong = 2 * static_cast<double>(d + 64) * SINGLE * longest_ * total_;
        Candidate who[T];
        for (std::size_t c = 0; c < T; ++c) who[c] = candidate(at + std::min(c, count - 1));
        scratch.turned.resize(d * T);
        scratch.rest.resize(k_ * T);
        scratch.loss.resize(k_);
        for (std::size_t c = 0; c < T; ++c)
            for (std::size_t j = 0; j < d; ++j) scratch.turned[j * T + c] = singles_[who[c].row * d + j];
        double gain[T] = {};
        for (std::size_t s = 0; s < k_; ++s) {
            double away[T];
            for (std::size_t c = 0; c < T; ++c) away[c] = rows_.between(found_.medoids[s], who[c].row);
            double* rest = scratch.rest.data() + s * T;
            std::fill_n(rest, T, 0.0);
            screen_medoid(screen_, s, scratch.turned.data(), away, gain, rest);
        }
        for (std::size_t c = 0; c < count; ++c) {
            for (std::size_t s = 0; s < k_; ++s)
                scratch.loss[s] = removal_[s] * to_single + scratch.rest[s * T + c];
            const Judged judged = best(who[c], gain[c], scratch.loss);
            open[c] = !(judged.change - wrong > wanted * to_single);
        }
    }

    const RowDistances& rows_;
    const std::vector<double>& weight_;
    const MedoidSearch& how_;
    std::size_t n_, k_;
    MedoidsFound found_;
    double total_ = 0, longest_ = 0;
    bool ones_ = false, tested_ = false, usable_ = false, laid_ = false;
    std::vector<double> near_, second_, removal_, row_, running_;
    std::vector<std::uint32_t> nearest_, runner_;
    std::vector<std::uint8_t> is_medoid_;
    std::vector<Judged> judged_;
    std::size_t first_ = 0;
    std::vector<float> singles_;
    MedoidScreen screen_;
};

// One medoid: the row of the least sum. Of metrics, a row whose sum is known bounds all others' from below by
// the triangle inequality (Newling and Fleuret 2017), so that few sums are made.
MedoidsFound one_medoid(const RowDistances& rows, const std::vector<double>& weight, const MedoidSearch& how,
                        const Stop& stop) {
    const std::size_t n = rows.n();
    const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
    MedoidsFound found;
    found.medoids = how.medoids;
    std::vector<double> away(n), least(n, 0.0);
    const auto sum_of = [&](std::size_t row) {
        rows.from(row, away.data());
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += weight[i] * away[i];
        if (rows.plain())
            for (std::size_t i = 0; i < n; ++i)
                least[i] = std::max(least[i], std::fabs(total * away[i] - sum) * (1 - ROOM));
        return sum;
    };
    found.loss = sum_of(how.medoids[0]);
    found.losses.push_back(found.loss);
    for (std::size_t row = 0; row < n; ++row) {
        if (how.most && row >= how.most) {
            found.settled = false;
            break;
        }
        ++found.tried;
        if (!(weight[row] > 0) || row == found.medoids[0] || least[row] >= found.loss) continue;
        const double sum = sum_of(row);
        if (sum < found.loss * (1 - LEAST)) {
            found.loss = sum;
            found.losses.push_back(sum);
            found.medoids[0] = static_cast<std::uint32_t>(row);
        }
        if (stop && stop()) {
            found.whole = false;
            break;
        }
    }
    found.nearest.assign(n, 0);
    return found;
}

}  // namespace

std::vector<std::uint32_t> start_medoids(const RowDistances& rows, const std::vector<double>& weight,
                                         const std::vector<double>& drawn) {
    const std::size_t n = rows.n();
    std::vector<double> chance(weight), away(n), near(n, INF);
    std::vector<std::uint32_t> made;
    for (const double share : drawn) {
        const double total = std::accumulate(chance.begin(), chance.end(), 0.0);
        if (!(total > 0)) break;  // all others are equal to one taken
        double left = share * total;
        std::size_t row = n;
        for (std::size_t i = 0; i < n; ++i) {
            if (!(chance[i] > 0)) continue;
            row = i;  // the last one, should rounding leave something over
            left -= chance[i];
            if (left < 0) break;
        }
        made.push_back(static_cast<std::uint32_t>(row));
        rows.from(row, away.data());
        for (std::size_t i = 0; i < n; ++i) {
            near[i] = std::min(near[i], away[i]);
            chance[i] = weight[i] * near[i];
        }
    }
    return made;
}

MedoidsFound search_medoids(const RowDistances& rows, const std::vector<double>& weight,
                            const MedoidSearch& how, const Stop& stop) {
    if (how.medoids.size() == 1) return one_medoid(rows, weight, how, stop);
    return Swapping(rows, weight, how).run(stop);
}

}  // namespace acumen
