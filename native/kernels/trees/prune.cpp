// What bounds it: the wait for a node and a value at each step of a row that is tried in another branch. Rows
// of the branch to be raised stay where they are, and no row is tried once it is certain that raising is no
// use.
#include "kernels/trees/prune.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace acumen {

namespace {

constexpr std::size_t POLL = 1 << 14;
constexpr double SAVING = 0.1;  // C4.5: a subtree must save this many errors to stay
constexpr std::uint32_t END = 0xffffffffU;

// A row, or a share of one, that lies on a leaf; a leaf's pieces are a chain.
struct Piece {
    double weight;
    std::uint32_t row, next;
};

class Pruner {
  public:
    Pruner(const TreeArrays& tree, const TreeRows& rows, std::span<const double> regret, std::size_t classes,
           double cf, bool raising, const Stop& stop, double* counts, Raised& made)
        : tree_(tree),
          rows_(rows),
          regret_(regret),
          k_(classes),
          cf_(cf),
          z2_(deviate_squared(cf)),
          raising_(raising),
          stop_(stop),
          counts_(counts),
          made_(made),
          nodes_(quick_nodes(tree)),
          errors_(tree.nodes, 0.0),
          head_(tree.nodes, END),
          tail_(tree.nodes, END),
          slot_(tree.nodes, -1),
          grown_(tree.nodes) {
        for (std::size_t node = 0; node < tree.nodes; ++node) grown_[node] = weight_of(node);
    }

    bool run(std::size_t threads) {
        if (raising_ && !lay_out(threads)) return false;
        std::vector<std::pair<std::size_t, std::int32_t>> open{{0, 0}};
        while (!open.empty()) {
            auto& [node, child] = open.back();
            if (child < nodes_[node].branches) {
                open.emplace_back(static_cast<std::size_t>(nodes_[node].first + child++), 0);
                continue;
            }
            const std::size_t done = node;
            open.pop_back();
            if (decide(done)) open.emplace_back(done, 0);  // it is another subtree now, with more rows: again
            if (stopped_) return false;
        }
        for (const Quick& node : nodes_) {
            made_.first.push_back(node.first);
            made_.branches.push_back(node.branches);
            made_.place.push_back(node.place);
        }
        return true;
    }

  private:
    double row_weight(std::size_t row) const { return rows_.weights.empty() ? 1.0 : rows_.weights[row]; }

    // Lays all rows on their leaves. Pieces of one leaf lie together and leaves as they follow in the tree,
    // so that a subtree's rows are read in one go.
    bool lay_out(std::size_t threads) {
        std::vector<std::int32_t> leaf;
        if (!leaves_of(tree_, rows_, threads, stop_, leaf)) return false;
        std::vector<std::uint32_t> place(tree_.nodes, 0);
        std::vector<std::size_t> shared;
        for (std::size_t row = 0; row < leaf.size(); ++row) {
            if (!(row_weight(row) > 0)) continue;
            if (leaf[row] < 0)
                shared.push_back(row);
            else
                ++place[static_cast<std::size_t>(leaf[row])];
        }
        std::uint32_t next = 0;
        each_leaf(0, [&](std::size_t at) {
            const std::uint32_t size = place[at];
            place[at] = next;
            if (size) {
                head_[at] = next;
                tail_[at] = next + size - 1;
            }
            next += size;
            return true;
        });
        pieces_.resize(next);
        for (std::size_t row = 0; row < leaf.size(); ++row) {
            if (leaf[row] < 0 || !(row_weight(row) > 0)) continue;
            const auto at = static_cast<std::size_t>(leaf[row]);
            const std::uint32_t p = place[at]++;
            pieces_[p] = {row_weight(row), static_cast<std::uint32_t>(row), p == tail_[at] ? END : p + 1};
        }
        for (const std::size_t row : shared) {
            drop(0, row, row_weight(row), false);
            if (asked()) return false;
        }
        return true;
    }

    bool asked() {
        if (++polled_ % POLL == 0 && stop_ && stop_()) stopped_ = true;
        return stopped_;
    }

    double weight_of(std::size_t node) const {
        double sum = 0;
        for (std::size_t c = 0; c < k_; ++c) sum += counts_[node * k_ + c];
        return sum;
    }

    // The estimated errors of a leaf with these class weights.
    double estimate(const double* counts) const {
        double cases = 0;
        for (std::size_t c = 0; c < k_; ++c) cases += counts[c];
        double least = cases;
        if (regret_.empty()) {
            least = cases - *std::max_element(counts, counts + k_);
        } else {
            for (std::size_t d = 0; d < k_; ++d) {
                double sum = 0;
                for (std::size_t c = 0; c < k_; ++c) sum += regret_[d * k_ + c] * counts[c];
                least = std::min(least, sum);
            }
        }
        return least + extra_errors(cases, least, cf_, z2_);
    }

    // Follows a row from a node to the leaves it falls on and calls land(leaf, weight) on each; `pass` sees
    // inner nodes below the start.
    template <typename Land, typename Pass>
    void follow(std::size_t node, std::size_t row, double weight, const Land& land, const Pass& pass) {
        steps_.clear();
        std::size_t at = node;
        for (;;) {
            while (nodes_[at].branches) {
                const std::int32_t branch = branch_of(tree_, nodes_[at], rows_.columns, row);
                if (branch < 0) break;
                at = static_cast<std::size_t>(nodes_[at].first + branch);
                pass(at, weight);
            }
            if (nodes_[at].branches)
                share_out(at, weight);
            else
                land(at, weight);
            if (steps_.empty()) return;
            at = steps_.back().node;
            weight = steps_.back().weight;
            steps_.pop_back();
            pass(at, weight);
        }
    }

    // Puts the children of a node where no branch fits a row behind `steps_`, each with its share. Shares are
    // those of the tree as it was grown: a branch that is raised a second time keeps the rows that lie in it
    // as they lie.
    void share_out(std::size_t node, double weight) {
        const auto first = static_cast<std::size_t>(nodes_[node].first);
        double total = 0;
        for (std::int32_t b = 0; b < nodes_[node].branches; ++b)
            total += grown_[first + static_cast<std::size_t>(b)];
        for (std::int32_t b = nodes_[node].branches - 1; b >= 0; --b) {
            const std::size_t child = first + static_cast<std::size_t>(b);
            const double share = grown_[child] / total;
            if (share > 0) steps_.push_back({child, weight * share});
        }
    }

    // Lays a row on the leaves below a node; with `counting` its weight is added on the way below that node.
    void drop(std::size_t node, std::size_t row, double weight, bool counting) {
        const auto label = static_cast<std::size_t>(rows_.labels[row]);
        landed_.clear();
        follow(
            node, row, weight, [&](std::size_t leaf, double w) { landed_.push_back({leaf, w}); },
            [](std::size_t, double) {});
        if (counting) {
            follow(
                node, row, weight, [](std::size_t, double) {},
                [&](std::size_t at, double w) { passed_.push_back({at * k_ + label, w}); });
        }
        for (const Step& at : landed_) {
            const auto made = static_cast<std::uint32_t>(pieces_.size());
            pieces_.push_back({at.weight, static_cast<std::uint32_t>(row), head_[at.node]});
            if (head_[at.node] == END) tail_[at.node] = made;
            head_[at.node] = made;
        }
    }

    // Visits the leaves below a node until a visit says no; whether none did.
    template <typename Visit>
    bool each_leaf(std::size_t node, const Visit& visit) {
        std::vector<std::size_t> open{node};
        while (!open.empty()) {
            const std::size_t at = open.back();
            open.pop_back();
            if (nodes_[at].branches == 0 && !visit(at)) return false;
            for (std::int32_t b = nodes_[at].branches - 1; b >= 0; --b)
                open.push_back(static_cast<std::size_t>(nodes_[at].first + b));
        }
        return true;
    }

    // Whether the node was replaced by its heaviest branch and must be looked at again.
    bool decide(std::size_t node) {
        const double as_leaf = estimate(counts_ + node * k_);
        if (nodes_[node].branches == 0) {
            errors_[node] = as_leaf;
            return false;
        }
        double as_tree = 0, most = -1;
        std::size_t big = 0;
        for (std::int32_t b = 0; b < nodes_[node].branches; ++b) {
            const auto child = static_cast<std::size_t>(nodes_[node].first + b);
            as_tree += errors_[child];
            if (const double weight = weight_of(child); weight > most) {
                most = weight;
                big = child;
            }
        }
        // A branch that is a leaf would with all rows be the leaf this node would be.
        const bool leaf_below = !raising_ || nodes_[big].branches == 0;
        const double as_branch = leaf_below ? as_leaf : with_rows_of(node, big, as_tree + SAVING);
        if (stopped_) return false;
        if (as_leaf <= as_branch + SAVING && as_leaf <= as_tree + SAVING) {
            if (raising_) gather(node);
            nodes_[node].branches = 0;
            nodes_[node].first = -1;
            errors_[node] = as_leaf;
            return false;
        }
        if (!leaf_below && as_branch <= as_tree + SAVING) {
            replace(node, big);
            return true;
        }
        errors_[node] = as_tree;
        return false;
    }

    // The estimated errors of a branch if it had all rows of its parent; or, as every row can only add to
    // them, some number beyond `enough` as soon as they are. Then it will not be raised, and a leaf is no
    // worse than it.
    double with_rows_of(std::size_t node, std::size_t big, double enough) {
        touched_.clear();
        extra_.clear();
        now_.clear();
        double errors = errors_[big];
        for_others(node, big, [&](const Piece& piece) {
            const auto label = static_cast<std::size_t>(rows_.labels[piece.row]);
            follow(
                big, piece.row, piece.weight,
                [&](std::size_t leaf, double w) {
                    if (slot_[leaf] < 0) {
                        slot_[leaf] = static_cast<std::int32_t>(touched_.size());
                        touched_.push_back(leaf);
                        extra_.insert(extra_.end(), counts_ + leaf * k_, counts_ + (leaf + 1) * k_);
                        now_.push_back(errors_[leaf]);
                    }
                    const auto slot = static_cast<std::size_t>(slot_[leaf]);
                    extra_[slot * k_ + label] += w;
                    const double then = estimate(extra_.data() + slot * k_);
                    errors += then - now_[slot];
                    now_[slot] = then;
                },
                [](std::size_t, double) {});
            return errors <= enough + 1e-6;
        });
        for (const std::size_t leaf : touched_) slot_[leaf] = -1;
        if (errors > enough + 1e-6) return errors;
        errors = errors_[big];
        for (std::size_t t = 0; t < touched_.size(); ++t) errors += now_[t] - errors_[touched_[t]];
        return errors;
    }

    // Visits the pieces that lie below a node, but not below its branch `big`, until a visit says no.
    template <typename Visit>
    void for_others(std::size_t node, std::size_t big, const Visit& visit) {
        for (std::int32_t b = 0; b < nodes_[node].branches; ++b) {
            const auto child = static_cast<std::size_t>(nodes_[node].first + b);
            if (child == big) continue;
            const bool whole = each_leaf(child, [&](std::size_t leaf) {
                for (std::uint32_t p = head_[leaf]; p != END && !asked(); p = pieces_[p].next) {
                    const Piece piece = pieces_[p];  // visit may make pieces
                    if (!visit(piece)) return false;
                }
                return true;
            });
            if (!whole) return;
        }
    }

    void replace(std::size_t node, std::size_t big) {
        passed_.clear();
        for_others(node, big, [&](const Piece& piece) {
            drop(big, piece.row, piece.weight, true);
            return true;
        });
        for (const Step& at : passed_) counts_[at.node] += at.weight;
        passed_.clear();
        nodes_[node] = nodes_[big];
    }

    // Chains all pieces below a node to the node itself.
    void gather(std::size_t node) {
        std::uint32_t head = END, tail = END;
        each_leaf(node, [&](std::size_t leaf) {
            if (head_[leaf] == END) return true;
            if (head == END)
                head = head_[leaf];
            else
                pieces_[tail].next = head_[leaf];
            tail = tail_[leaf];
            head_[leaf] = END;
            return true;
        });
        head_[node] = head;
        tail_[node] = tail;
    }

    const TreeArrays& tree_;
    const TreeRows& rows_;
    std::span<const double> regret_;
    std::size_t k_;
    double cf_, z2_;
    bool raising_;
    const Stop& stop_;
    double* counts_;
    Raised& made_;
    std::vector<Quick> nodes_;
    std::vector<double> errors_;
    std::vector<Piece> pieces_;
    std::vector<std::uint32_t> head_, tail_;
    std::vector<std::int32_t> slot_;
    std::vector<double> grown_;  // the weight of each node before anything was raised
    std::vector<std::size_t> touched_;
    std::vector<double> extra_, now_;
    std::vector<Step> steps_, landed_, passed_;
    std::size_t polled_ = 0;
    bool stopped_ = false;
};

}  // namespace

bool raise_subtrees(const TreeArrays& tree, const TreeRows& rows, std::span<const double> regret,
                    std::size_t classes, double cf, bool raising, std::size_t threads, const Stop& stop,
                    double* counts, Raised& made) {
    return Pruner(tree, rows, regret, classes, cf, raising, stop, counts, made).run(threads);
}

}  // namespace acumen
