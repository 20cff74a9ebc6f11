#include "kernels/clusters/dense_rows.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace acumen {

namespace {

constexpr double INF = std::numeric_limits<double>::infinity();
constexpr std::uint32_t NOBODY = 0xFFFFFFFFU;
constexpr std::size_t STEP = 4;  // tiles a thread takes at once

class Dense {
  public:
    Dense(const NearIndex& index, const double* extra, double eps, double enough)
        : index_(index),
          form_(index.form()),
          rows_(index.rows()),
          extra_(extra),
          enough_(enough),
          plain_(near_plain(index.form(), index.rows())),
          boxed_(index.way() == NearWay::kd) {
        limit_ = form_.key(eps);
        limit_ += limit_ * SAME_KEY;
        ones_ = index.ones();
        asking_.resize(rows_.n * rows_.q);
        for (std::size_t i = 0; i < asking_.size(); ++i) {
            const auto missing = static_cast<std::int32_t>(form_.levels[i % rows_.q]);
            asking_[i] = rows_.codes[i] == missing ? -1 : rows_.codes[i];
        }
    }

    DenseGroups run(std::size_t threads, const Stop& stop) {
        const std::size_t n = rows_.n;
        made_.core.assign(n, 0);
        made_.group.assign(n, -1);
        made_.whole =
            over_tiles(threads, stop, false, [this](std::size_t place, Near& near) { count(place, near); });
        if (!made_.whole) return std::move(made_);
        join(stop);
        if (!made_.whole) return std::move(made_);
        // Groups by their first core, until borders are known.
        made_.whole =
            over_tiles(threads, stop, true, [this](std::size_t place, Near& near) { border(place, near); });
        if (made_.whole) number();
        return std::move(made_);
    }

  private:
    // A leaf, which is one tile, and the rows (bits) of the tile that asks that may have one of its within
    // reach.
    struct Leaf {
        double low = 0;
        std::uint32_t node = 0, tile = 0;
        std::uint64_t asking = 0;
    };

    // Leaves that may have a row within reach of one of a tile's, the nearer first; found when first asked
    // for.
    struct Near {
        std::size_t tile = 0;
        bool cored = false, found = false;
        std::vector<Leaf> leaves;
    };

    // Rows tile by tile: the tree is gone down once for all rows of one. `cored`: to where a core is.
    template <typename Each>
    bool over_tiles(std::size_t threads, const Stop& stop, bool cored, const Each& each) {
        return for_blocks((rows_.n_tiles() + STEP - 1) / STEP, threads, stop, [&] {
            return [&, near = Near()](std::size_t block) mutable {
                for (std::size_t t = block * STEP; t < std::min(rows_.n_tiles(), (block + 1) * STEP); ++t) {
                    near.tile = t, near.cored = cored, near.found = false;
                    const std::size_t last = std::min(rows_.n, (t + 1) * NEAR_LANES);
                    for (std::size_t place = t * NEAR_LANES; place < last; ++place) each(place, near);
                }
            };
        });
    }

    // `enter(node)`: whether a box is looked into at all.
    template <typename Enter>
    void look_for(Near& near, const Enter& enter) const {
        near.found = true;
        near.leaves.clear();
        if (!boxed_) {
            for (std::uint32_t tile = 0; tile < rows_.n_tiles(); ++tile)
                near.leaves.push_back({0, 0, tile, ~std::uint64_t{0}});
            return;
        }
        std::uint32_t own = 0;
        while (index_.boxes()[own].left) {
            const NearBox& box = index_.boxes()[own];
            own = near.tile < index_.boxes()[box.left].last ? box.left : box.right;
        }
        std::uint32_t stack[128];
        std::size_t top = 0;
        stack[top++] = 0;
        while (top) {
            const std::uint32_t node = stack[--top];
            const double low = index_.bound_between(own, node);
            if (!(low <= limit_) || (near.cored && box_empty_[node]) || !enter(node)) continue;
            const NearBox& box = index_.boxes()[node];
            if (box.left) {
                stack[top++] = box.right;
                stack[top++] = box.left;
                continue;
            }
            const std::uint64_t asking = plain_ ? index_.reached(near.tile, node, limit_) : ~std::uint64_t{0};
            if (asking) near.leaves.push_back({node == own ? -1.0 : low, node, box.first, asking});
        }
        std::sort(near.leaves.begin(), near.leaves.end(), [](const Leaf& a, const Leaf& b) {
            return a.low != b.low ? a.low < b.low : a.node < b.node;
        });
    }

    // Calls visit(tile) for the tiles that may have a row within `limit()` of the place's; visit says whether
    // to go on.
    template <typename Limit, typename Visit>
    void over_leaves(const NearQuery& asked, std::size_t place, Near& near, const Limit& limit,
                     const Visit& visit) const {
        if (!near.found) look_for(near, [](std::uint32_t) { return true; });
        const std::size_t lane = place % NEAR_LANES;
        for (const Leaf& leaf : near.leaves) {
            if (!(leaf.asking >> lane & 1)) continue;
            // What is known of the reach at first need not be asked again while it is the reach.
            const double least = limit();
            if (boxed_ && !(plain_ && least == limit_) && !(index_.bound(asked.values, leaf.node) <= least))
                continue;
            if (!visit(leaf.tile)) return;
        }
    }

    NearQuery query(std::size_t row) const {
        return {rows_.values + row * rows_.d, rows_.q ? asking_.data() + row * rows_.q : nullptr, nullptr,
                extra_ ? extra_ + row * rows_.n : nullptr};
    }

    // Bit g: some of the g-th NEAR_GROUP rows of the tile may be within `limit`.
    unsigned keys_of(const NearQuery& asked, std::size_t tile, double limit, double* keys) const {
        if (plain_) return near_squares(form_, rows_, asked.values, tile, limit, keys);
        near_keys(form_, rows_, asked, tile, keys);
        return ~0U;
    }

    // -- cores ---

    void count(std::size_t place, Near& leaves) {
        const std::uint32_t row = rows_.order[place];
        if (!(index_.weight(row) > 0)) return;  // a row that is not there
        const NearQuery asked = query(row);
        const std::size_t own = place / NEAR_LANES;
        double total = 0;
        bool known = false;  // whether the row itself was counted: one that knows nothing is far from itself
        alignas(64) double keys[NEAR_LANES];
        if (plain_ && ones_) {
            // Every row knows itself here, so that those within reach need only be counted.
            over_leaves(
                asked, place, leaves, [this] { return limit_; },
                [&](std::size_t tile) {
                    total += static_cast<double>(near_count(form_, rows_, asked.values, tile, limit_));
                    return total < enough_;
                });
            made_.core[row] = total >= enough_;
            return;
        }
        const auto add = [&](std::size_t tile) {
            const unsigned near = keys_of(asked, tile, limit_, keys);
            const std::uint32_t* order = rows_.order.data() + tile * NEAR_LANES;
            const std::size_t count = std::min(NEAR_LANES, rows_.n - tile * NEAR_LANES);
            for (std::size_t first = 0; first < count; first += NEAR_GROUP) {
                if (!(near >> (first / NEAR_GROUP) & 1)) continue;
                for (std::size_t l = first; l < std::min(count, first + NEAR_GROUP); ++l) {
                    if (!(keys[l] <= limit_)) continue;
                    total += ones_ ? 1.0 : index_.weight(order[l]);
                    known = known || order[l] == row;
                }
            }
            return total < enough_;
        };
        if (add(own))
            over_leaves(
                asked, place, leaves, [this] { return limit_; },
                [&](std::size_t tile) { return tile == own || add(tile); });
        if (!known) total += index_.weight(row);
        made_.core[row] = total >= enough_;
    }

    // -- groups ---

    std::uint32_t root(std::uint32_t x) {
        while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
        return x;
    }

    void unite(std::uint32_t a, std::uint32_t b) {
        a = root(a), b = root(b);
        if (a < b)
            parent_[b] = a;  // the first row stands for all
        else
            parent_[a] = b;
    }

    // Whether all cores of a tile belong together, which stays so once it is; `like_` then has one of them.
    bool alike(std::size_t tile) {
        if (like_[tile] != NOBODY) return true;
        std::uint32_t first = NOBODY;
        for (std::size_t p = tile * NEAR_LANES; p < std::min(rows_.n, (tile + 1) * NEAR_LANES); ++p) {
            const std::uint32_t row = rows_.order[p];
            if (!made_.core[row]) continue;
            const std::uint32_t own = root(row);
            if (first == NOBODY)
                first = own;
            else if (own != first)
                return false;
        }
        like_[tile] = first;
        if (first == NOBODY) empty_[tile] = 1;
        return true;
    }

    bool box_alike(std::uint32_t node) {
        if (box_like_[node] != NOBODY || box_empty_[node]) return true;
        const NearBox& box = index_.boxes()[node];
        if (!box.left) {
            std::uint32_t first = NOBODY;
            for (std::size_t tile = box.first; tile < box.last; ++tile) {
                if (empty_[tile]) continue;
                if (like_[tile] == NOBODY) return false;
                if (first != NOBODY && root(first) != root(like_[tile])) return false;
                first = like_[tile];
            }
            box_like_[node] = first;
            box_empty_[node] = first == NOBODY;
            return true;
        }
        for (const std::uint32_t part : {box.left, box.right})
            if (box_like_[part] == NOBODY && !box_empty_[part]) return false;
        const std::uint32_t a = box_like_[box.left], b = box_like_[box.right];
        if (a != NOBODY && b != NOBODY && root(a) != root(b)) return false;
        box_like_[node] = a != NOBODY ? a : b;
        box_empty_[node] = box_like_[node] == NOBODY;
        return true;
    }

    // Whether two are known to belong together; NOBODY belongs to nobody.
    bool joined(std::uint32_t a, std::uint32_t b) { return a != NOBODY && b != NOBODY && root(a) == root(b); }

    // Cores of two tiles that are within reach of one another belong together.
    void join_tiles(std::size_t own, const Leaf& leaf) {
        alignas(64) double keys[NEAR_LANES];
        const std::size_t tile = leaf.tile;
        const std::uint32_t* order = rows_.order.data() + tile * NEAR_LANES;
        const std::size_t count = std::min(NEAR_LANES, rows_.n - tile * NEAR_LANES);
        for (std::uint64_t asking = leaf.asking; asking; asking &= asking - 1) {
            const std::size_t place = own * NEAR_LANES + static_cast<std::size_t>(std::countr_zero(asking));
            if (place >= rows_.n) return;
            if (joined(like_[own], like_[tile])) return;
            const std::uint32_t row = rows_.order[place];
            if (!made_.core[row] || joined(row, like_[tile])) continue;
            const unsigned near = keys_of(query(row), tile, limit_, keys);
            bool some = false;
            for (std::size_t first = 0; first < count; first += NEAR_GROUP) {
                if (!(near >> (first / NEAR_GROUP) & 1)) continue;
                for (std::size_t l = first; l < std::min(count, first + NEAR_GROUP); ++l)
                    if (keys[l] <= limit_ && made_.core[order[l]]) unite(row, order[l]), some = true;
            }
            if (some) alike(tile), alike(own);
        }
    }

    void join(const Stop& stop) {
        const std::size_t n = rows_.n;
        parent_.resize(n);
        std::iota(parent_.begin(), parent_.end(), 0U);
        like_.assign(rows_.n_tiles(), NOBODY);
        empty_.assign(rows_.n_tiles(), 0);
        for (std::size_t tile = 0; tile < rows_.n_tiles(); ++tile) alike(tile);
        box_like_.assign(index_.boxes().size(), NOBODY);
        box_empty_.assign(index_.boxes().size(), 0);
        for (std::size_t node = index_.boxes().size(); node-- > 0;)
            box_alike(static_cast<std::uint32_t>(node));
        Near near;
        near.cored = true;
        for (std::size_t own = 0; own < rows_.n_tiles(); ++own) {
            if (own % 64 == 0 && stop && stop()) {
                made_.whole = false;
                return;
            }
            if (empty_[own]) continue;
            near.tile = own;
            look_for(near, [&](std::uint32_t node) {
                // Pairs are looked at once, by the earlier of the two; those of boxes alike not at all.
                return index_.boxes()[node].last > own &&
                       !(box_alike(node) && joined(like_[own], box_like_[node]));
            });
            for (const Leaf& leaf : near.leaves)
                if (leaf.tile >= own && !empty_[leaf.tile]) join_tiles(own, leaf);
        }
        for (std::size_t row = 0; row < n; ++row)
            if (made_.core[row])
                made_.group[row] = static_cast<std::int32_t>(root(static_cast<std::uint32_t>(row)));
    }

    // -- the rows beside them ---

    bool comes_first(std::uint32_t a, std::uint32_t b) const {
        for (std::size_t j = 0; j < rows_.d; ++j) {
            const double x = rows_.values[a * rows_.d + j], y = rows_.values[b * rows_.d + j];
            if (x != y && !(x != x && y != y)) return x < y || y != y;
        }
        for (std::size_t j = 0; j < rows_.q; ++j) {
            const std::int32_t x = rows_.codes[a * rows_.q + j], y = rows_.codes[b * rows_.q + j];
            if (x != y) return x < y;
        }
        return a < b;
    }

    void border(std::size_t place, Near& leaves) {
        const std::uint32_t row = rows_.order[place];
        if (made_.core[row]) return;
        const NearQuery asked = query(row);
        // Cores no further than the nearest, but for rounding; the first of them by its values.
        double least = limit_;
        std::vector<NearFound> near;
        alignas(64) double keys[NEAR_LANES];
        over_leaves(
            asked, place, leaves, [&] { return least + least * SAME_KEY; },
            [&](std::size_t tile) {
                if (empty_[tile]) return true;
                const unsigned within = keys_of(asked, tile, least + least * SAME_KEY, keys);
                const std::uint32_t* order = rows_.order.data() + tile * NEAR_LANES;
                const std::size_t count = std::min(NEAR_LANES, rows_.n - tile * NEAR_LANES);
                for (std::size_t first = 0; first < count; first += NEAR_GROUP) {
                    if (!(within >> (first / NEAR_GROUP) & 1)) continue;
                    for (std::size_t l = first; l < std::min(count, first + NEAR_GROUP); ++l) {
                        if (!(keys[l] <= least + least * SAME_KEY) || !made_.core[order[l]]) continue;
                        near.push_back({keys[l], order[l]});
                        least = std::min(least, keys[l]);
                    }
                }
                return true;
            });
        std::uint32_t found = NOBODY;
        for (const NearFound& each : near)
            if (each.key <= least + least * SAME_KEY && (found == NOBODY || comes_first(each.row, found)))
                found = each.row;
        if (found != NOBODY) made_.group[row] = made_.group[found];
    }

    void number() {
        // Parents are needed no more: their place takes the new numbers.
        std::vector<std::uint32_t>& name = parent_;
        name.assign(rows_.n, NOBODY);
        std::int32_t next = 0;
        for (std::int32_t& group : made_.group) {
            if (group < 0) continue;
            std::uint32_t& own = name[static_cast<std::size_t>(group)];
            if (own == NOBODY) own = static_cast<std::uint32_t>(next++);
            group = static_cast<std::int32_t>(own);
        }
        made_.groups = static_cast<std::size_t>(next);
    }

    const NearIndex& index_;
    const NearForm& form_;
    const NearRows& rows_;
    const double* extra_;
    double enough_, limit_ = INF;
    bool plain_, boxed_, ones_ = false;
    std::vector<std::int32_t> asking_;
    DenseGroups made_;
    std::vector<std::uint32_t> parent_, like_, box_like_;
    std::vector<std::uint8_t> empty_, box_empty_;
};

}  // namespace

DenseGroups dense_rows(const NearIndex& index, const double* extra, double eps, double enough,
                       std::size_t threads, const Stop& stop) {
    return Dense(index, extra, eps, enough).run(threads, stop);
}

}  // namespace acumen
