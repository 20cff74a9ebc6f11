// The walks through an index, one query or one block of queries at a time.
#include <memory>

#include "kernels/neighbours/index.hpp"

namespace acumen {

namespace {

constexpr std::size_t QUERIES = 192;  // asked together: their products' factors stay in the second cache
constexpr double SINGLE = 1.02 / (1 << 24);

}  // namespace

// What one thread does with queries, with its own scratch.
class NearWorker {
  public:
    NearWorker(const NearIndex& index, const NearQueries& queries, double k, NearIndex::Use use)
        : index_(index),
          form_(index.form_),
          rows_(index.rows_),
          asked_(queries),
          k_(k),
          use_(std::move(use)),
          simple_(index.ones_ && !queries.own && !queries.part),
          later_(index.ones_ && k >= NearTaker::MANY) {}

    void operator()(std::size_t first, std::size_t last) {
        if (index_.way_ == NearWay::blocked && !asked_.factor) {
            blocked(first, last);
            return;
        }
        for (std::size_t i = first; i < last; ++i) one(i);
    }

  private:
    NearQuery query(std::size_t i) const {
        return {asked_.values + i * rows_.d, asked_.codes ? asked_.codes + i * rows_.q : nullptr,
                asked_.factor ? asked_.factor + i * rows_.d : nullptr,
                asked_.extra ? asked_.extra + i * rows_.n : nullptr};
    }

    // What a row weighs for a query: nothing if it is left out.
    double weight(std::size_t i, std::uint32_t row) const {
        const double w = index_.weight(row);
        if (asked_.part && asked_.part[i] == index_.part_[row]) return 0;
        if (asked_.own && asked_.own[i] == static_cast<std::int64_t>(row)) return w > 1 ? w - 1 : 0;
        return w;
    }

    bool whole(const double* values) const {
        for (std::size_t j = 0; j < rows_.d; ++j)
            if (values[j] != values[j]) return false;
        return true;
    }

    void one(std::size_t i) {
        const NearQuery q = query(i);
        taker_.begin(k_, index_.ones_);
        const bool plain = index_.plain_ && !q.factor && whole(q.values);
        if (index_.way_ == NearWay::kd && !q.factor && whole(q.values)) {
            walk_boxes(i, q, plain);
        } else if (index_.way_ == NearWay::vantage && !q.factor && knows_all(q)) {
            walk_balls(i, q);
        } else {
            if (rows_.tiles.empty() && rows_.levels.empty())
                for (std::size_t row = 0; row < rows_.n; ++row) offer(i, q, static_cast<std::uint32_t>(row));
            else
                for (std::size_t t = 0; t < rows_.n_tiles(); ++t) scan(i, q, t, plain);
        }
        use_(i, taker_.finish());
    }

    bool knows_all(const NearQuery& q) const {
        for (std::size_t j = 0; j < rows_.q; ++j)
            if (q.codes[j] == -1) return false;
        return whole(q.values);
    }

    void scan(std::size_t i, const NearQuery& q, std::size_t tile, bool plain) {
        alignas(64) double keys[NEAR_LANES];
        unsigned near = ~0U;
        if (plain)
            near = near_squares(form_, rows_, q.values, tile, taker_.reach(), keys);
        else
            near_keys(form_, rows_, q, tile, keys);
        const std::size_t count = std::min(NEAR_LANES, rows_.n - tile * NEAR_LANES);
        const std::uint32_t* order = rows_.order.data() + tile * NEAR_LANES;
        double reach = taker_.reach();
        for (std::size_t first = 0; first < count; first += NEAR_GROUP) {
            if (!(near >> (first / NEAR_GROUP) & 1)) continue;
            for (std::size_t l = first; l < std::min(count, first + NEAR_GROUP); ++l)
                if (keys[l] <= reach) {
                    // Rows lie scattered: what one weighs is looked up only where it matters.
                    taker_.offer(keys[l], order[l], simple_ ? 1.0 : weight(i, order[l]));
                    reach = taker_.reach();
                }
        }
    }

    // -- k-d tree ---

    void walk_boxes(std::size_t i, const NearQuery& q, bool plain) {
        stack_.clear();
        stack_.push_back({0, 0.0});
        while (!stack_.empty()) {
            auto [node, low] = stack_.back();
            stack_.pop_back();
            if (!(low <= taker_.reach())) continue;
            while (index_.boxes_[node].left) {
                const NearBox& box = index_.boxes_[node];
                const double a = index_.bound(q.values, box.left), b = index_.bound(q.values, box.right);
                const bool left = a <= b;
                const double other = left ? b : a;
                if (other <= taker_.reach()) stack_.push_back({left ? box.right : box.left, other});
                node = left ? box.left : box.right;
                low = left ? a : b;
                if (!(low <= taker_.reach())) break;
            }
            if (index_.boxes_[node].left || !(low <= taker_.reach())) continue;
            for (std::uint32_t t = index_.boxes_[node].first; t < index_.boxes_[node].last; ++t)
                scan(i, q, t, plain);
        }
    }

    // -- vantage points ---

    void walk_balls(std::size_t i, const NearQuery& q) {
        stack_.clear();
        stack_.push_back({0, 0.0});
        while (!stack_.empty()) {
            const auto [node, low] = stack_.back();
            stack_.pop_back();
            const double reach = form_.distance(taker_.reach());
            if (!(low <= reach)) continue;
            const NearBall& ball = index_.balls_[node];
            if (!ball.left) {
                for (std::uint32_t place = ball.first; place < ball.last; ++place)
                    offer(i, q, rows_.order[place]);
                continue;
            }
            const std::uint32_t vantage = rows_.order[ball.first];
            const double away = form_.distance(offer(i, q, vantage));
            const double room = NEAR_ROOM * (away + ball.outer_high);
            const bool far = !std::isfinite(room);  // nothing can be told of distances beyond all numbers
            const double inner = far ? 0 : away - ball.inner - room;
            const double outer = far ? 0 : std::max(ball.outer_low - away, away - ball.outer_high) - room;
            if (inner <= outer) {
                stack_.push_back({ball.right, std::max(outer, 0.0)});
                stack_.push_back({ball.left, std::max(inner, 0.0)});
            } else {
                stack_.push_back({ball.left, std::max(inner, 0.0)});
                stack_.push_back({ball.right, std::max(outer, 0.0)});
            }
        }
    }

    double offer(std::size_t i, const NearQuery& q, std::uint32_t row) {
        const double key = near_key(form_, rows_, q, row);
        taker_.offer(key, row, weight(i, row));
        return key;
    }

    // -- tiles of products ---

    struct Asking {
        std::size_t query = 0;
        double square = 0, length = 0;  // of the query in the panel's units
    };

    // Rows whose product is above this are beyond reach. With x' and y' the numbers in single precision, |x'
    // - y'| is at most reach + u (|x| + |y|), and the product wrong by at most (d + 4) u (|y|^2 + 2 |x| |y|),
    // u being 2^-24.
    float limit(const Asking& who, double reach, double longest) const {
        const NearPanel& panel = index_.panel_;
        const double far = std::sqrt(reach) * panel.scale + SINGLE * (who.length + longest);
        const double wrong =
            static_cast<double>(panel.d + 4) * SINGLE * (longest * longest + 2 * who.length * longest);
        const double top = far * far * (1 + 1e-12) - who.square + wrong + SINGLE * who.square * 1e-6 + 1e-36;
        const auto made = static_cast<float>(top);
        return std::isnan(made) ? std::numeric_limits<float>::infinity()
                                : std::nextafterf(made, std::numeric_limits<float>::infinity());
    }

    // No row of which the product is at most this is further away: the other side of `limit`.
    double reach(const Asking& who, double product) const {
        const NearPanel& panel = index_.panel_;
        const double longest = panel.furthest;
        const double wrong =
            static_cast<double>(panel.d + 4) * SINGLE * (longest * longest + 2 * who.length * longest);
        const double square = std::max(0.0, product + who.square + wrong);
        const double far = (std::sqrt(square) + SINGLE * (who.length + longest)) / panel.scale;
        return far * far * (1 + SAME_KEY) * (1 + NEAR_ROOM);
    }

    void blocked(std::size_t first, std::size_t last) {
        constexpr std::size_t T = NearPanel::TALL, W = NearPanel::WIDE;
        const NearPanel& panel = index_.panel_;
        const std::size_t d = rows_.d;
        asking_.clear();
        for (std::size_t i = first; i < last; ++i) {
            const double* x = asked_.values + i * d;
            Asking who;
            who.query = i;
            bool small = whole(x);
            for (std::size_t j = 0; small && j < d; ++j) {
                const double v = (x[j] - panel.centre[j]) * form_.factor[j] * panel.scale;
                who.square += v * v;
                small = std::fabs(v) < 1e12;
            }
            if (small)
                asking_.push_back(who);
            else
                one(i);  // too far away for single precision, or not all of it known
        }
        const std::size_t groups = (asking_.size() + T - 1) / T, tiles = (panel.n + W - 1) / W;
        turned_.assign(groups * d * T, 0.0F);
        limits_.assign(groups * T, -std::numeric_limits<float>::infinity());
        if (takers_.size() < asking_.size()) takers_.resize(asking_.size());
        if (shortlists_.size() < asking_.size()) shortlists_.resize(asking_.size());
        for (std::size_t a = 0; a < asking_.size(); ++a) {
            Asking& who = asking_[a];
            who.square = 0;
            for (std::size_t j = 0; j < d; ++j) {
                const double* x = asked_.values + who.query * d;
                const auto v = static_cast<float>((x[j] - panel.centre[j]) * form_.factor[j] * panel.scale);
                turned_[(a / T * d + j) * T + a % T] = -2 * v;
                who.square += static_cast<double>(v) * v;
            }
            who.length = std::sqrt(who.square);
            takers_[a].begin(k_, index_.ones_);
            if (later_) shortlists_[a].begin(static_cast<std::size_t>(std::ceil(k_)));
        }
        for (std::size_t tile = 0; tile < tiles; ++tile) {
            const double longest = panel.longest[tile / NearPanel::SPAN];
            if (tile % NearPanel::SPAN == 0)
                for (std::size_t a = 0; a < asking_.size(); ++a)
                    limits_[a] =
                        limit(asking_[a], later_ ? shortlists_[a].reach : takers_[a].reach(), longest);
            for (std::size_t g = 0; g < groups; ++g) {
                alignas(64) float products[T * W];
                const unsigned hit =
                    near_products(turned_.data() + g * d * T, panel.tiles.data() + tile * d * W,
                                  panel.squares.data() + tile * W, d, limits_.data() + g * T, products);
                for (std::size_t a = g * T; hit && a < std::min(asking_.size(), (g + 1) * T); ++a)
                    if (hit >> (a - g * T) & 1) {
                        if (later_)
                            shortlisted(a, tile, products + (a - g * T) * W, longest);
                        else
                            proposed(a, tile, products + (a - g * T) * W, longest);
                    }
            }
        }
        for (std::size_t a = 0; a < asking_.size(); ++a) {
            if (later_) measure(a);
            use_(asking_[a].query, takers_[a].finish());
        }
    }

    // Many neighbours are asked for, and each weighs one: the products alone say what is surely beyond the
    // k-th, and only the few rows left at the end are measured in double precision.
    void shortlisted(std::size_t a, std::size_t tile, const float* products, double longest) {
        const std::size_t count = std::min(NearPanel::WIDE, index_.panel_.n - tile * NearPanel::WIDE);
        Shortlist& list = shortlists_[a];
        for (std::size_t l = 0; l < count; ++l) {
            if (!(products[l] <= limits_[a])) continue;
            const std::uint32_t row = index_.panel_.order[tile * NearPanel::WIDE + l];
            if (!simple_ && !(weight(asking_[a].query, row) > 0)) continue;
            list.rows.push_back({products[l], row});
            if (list.rows.size() < list.most) continue;
            tighten(a);
            limits_[a] = limit(asking_[a], list.reach, longest);
        }
    }

    void tighten(std::size_t a) {
        Shortlist& list = shortlists_[a];
        const auto k = static_cast<std::size_t>(std::ceil(k_));
        if (list.rows.size() >= k) {
            const auto kth = list.rows.begin() + static_cast<std::ptrdiff_t>(k - 1);
            std::nth_element(list.rows.begin(), kth, list.rows.end(),
                             [](const Proposed& x, const Proposed& y) { return x.product < y.product; });
            list.reach = std::min(list.reach, reach(asking_[a], kth->product));
            const float most = limit(asking_[a], list.reach, index_.panel_.furthest);
            std::erase_if(list.rows, [most](const Proposed& each) { return !(each.product <= most); });
        }
        list.most = 2 * std::max(k, list.rows.size());
    }

    void measure(std::size_t a) {
        tighten(a);
        const NearQuery q = query(asking_[a].query);
        for (const Proposed& each : shortlists_[a].rows)
            takers_[a].offer(index_.plain_ ? near_square(form_, rows_, q.values, each.row)
                                           : near_key(form_, rows_, q, each.row),
                             each.row, 1.0);
    }

    void proposed(std::size_t a, std::size_t tile, const float* products, double longest) {
        const std::size_t count = std::min(NearPanel::WIDE, index_.panel_.n - tile * NearPanel::WIDE);
        const NearQuery q = query(asking_[a].query);
        const bool plain = index_.plain_;
        for (std::size_t l = 0; l < count; ++l) {
            if (!(products[l] <= limits_[a])) continue;
            const std::uint32_t row = index_.panel_.order[tile * NearPanel::WIDE + l];
            const double w = simple_ ? 1.0 : weight(asking_[a].query, row), before = takers_[a].reach();
            if (!(w > 0)) continue;
            takers_[a].offer(
                plain ? near_square(form_, rows_, q.values, row) : near_key(form_, rows_, q, row), row, w);
            if (takers_[a].reach() < before) limits_[a] = limit(asking_[a], takers_[a].reach(), longest);
        }
    }

    struct Proposed {
        float product;
        std::uint32_t row;
    };
    struct Shortlist {
        std::vector<Proposed> rows;
        std::size_t most = 0;  // so many of them make it worth while to look for the k-th
        double reach = 0;      // no row beyond this key is wanted
        void begin(std::size_t k) {
            rows.clear();
            most = 2 * k;
            reach = std::numeric_limits<double>::infinity();
        }
    };
    struct Waiting {
        std::uint32_t node;
        double low;
    };

    const NearIndex& index_;
    const NearForm& form_;
    const NearRows& rows_;
    const NearQueries& asked_;
    double k_;
    NearIndex::Use use_;
    bool simple_;  // every row weighs one, and none is left out
    bool later_;   // products make a shortlist, which is measured at the end
    NearTaker taker_;
    std::vector<Waiting> stack_;
    std::vector<Asking> asking_;
    std::vector<float> turned_, limits_;
    std::vector<NearTaker> takers_;
    std::vector<Shortlist> shortlists_;
};

bool NearIndex::search(const NearQueries& queries, double k, std::size_t threads, const Stop& stop,
                       const std::function<Use()>& make) const {
    // Few at a time where each takes long, so that Ctrl-C is heard and threads end together.
    const bool blocked = way_ == NearWay::blocked && !queries.factor;
    const std::size_t shared = std::max<std::size_t>(1, queries.n / (4 * std::max<std::size_t>(threads, 1)));
    const std::size_t step = std::min(blocked ? QUERIES : std::size_t{32}, shared);
    return for_blocks((queries.n + step - 1) / step, threads, stop, [&] {
        return [&queries, step, worker = std::make_shared<NearWorker>(*this, queries, k, make())](
                   std::size_t block) { (*worker)(block* step, std::min(queries.n, (block + 1) * step)); };
    });
}

}  // namespace acumen
