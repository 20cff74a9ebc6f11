#include "kernels/forest_grow.hpp"

#include <cmath>
#include <map>

#include "kernels/forest_extra.hpp"
#include "kernels/forest_split.hpp"
#include "kernels/forest_walk.hpp"

namespace acumen::forest {

// -- which rows a tree has --------------------------------------------------------------------------

Bag::Bag(const Table& table, const Options& options) : table_(table), options_(options) {
    if (!options.bootstrap || table.unit || !table.weight) return;
    cumulated_.resize(table.rows);
    double sum = 0;
    for (std::size_t i = 0; i < table.rows; ++i) cumulated_[i] = sum += table.weight[i];
}

void Bag::draw(Draw& numbers, std::vector<double>& weight) {
    const std::size_t n = table_.rows;
    weight.resize(n);
    if (!options_.bootstrap) {
        for (std::size_t i = 0; i < n; ++i) weight[i] = table_.weight ? table_.weight[i] : 1.0;
        return;
    }
    const auto draws_of = [&](double whole) {
        return std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(options_.sample * whole)));
    };
    const std::size_t units = table_.unit ? table_.units : n;
    times_.assign(units, 0);
    if (cumulated_.empty()) {
        const std::size_t draws = draws_of(static_cast<double>(units));
        for (std::size_t d = 0; d < draws; ++d) ++times_[numbers.below(static_cast<std::uint32_t>(units))];
    } else {
        const double total = cumulated_.back();
        const std::size_t draws = draws_of(total);
        for (std::size_t d = 0; d < draws; ++d) {
            const double at = numbers.unit() * total;
            const auto place = std::upper_bound(cumulated_.begin(), cumulated_.end() - 1, at);
            ++times_[static_cast<std::size_t>(place - cumulated_.begin())];
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        weight[i] = times_[table_.unit ? static_cast<std::size_t>(table_.unit[i]) : i];
        if (table_.unit && table_.weight) weight[i] *= table_.weight[i];
    }
}

namespace {

// -- one tree -----------------------------------------------------------------------------------------

template <bool Many>
class Grower {
    struct Frame {
        std::uint32_t node;
        std::size_t begin, end, depth;
        std::vector<std::uint16_t> columns;  // those not known to be constant here
    };

  public:
    Grower(const Table& table, const Options& options)
        : table_(table), options_(options), search_(table), totals_(table.outputs()) {}

    Tree grow(const std::vector<double>& weight, Draw& draw) {
        Tree tree;
        rows_.clear();
        values_.clear();
        for (std::size_t i = 0; i < table_.rows; ++i) {
            if (!(weight[i] > 0)) continue;
            rows_.push_back(static_cast<std::uint32_t>(i));
            if constexpr (Many)
                values_.push_back({weight[i], static_cast<std::uint32_t>(table_.label[i])});
            else
                values_.push_back(
                    {weight[i], weight[i] * (table_.classes ? static_cast<double>(table_.label[i])
                                                            : table_.response[i])});
        }
        spare_rows_.resize(rows_.size());
        spare_values_.resize(values_.size());
        std::vector<Frame> open;
        Frame root{0, 0, rows_.size(), 0, {}};
        for (std::size_t j = 0; j < table_.columns.size(); ++j)
            root.columns.push_back(static_cast<std::uint16_t>(j));
        tree.node.emplace_back();
        tree.value.resize(table_.outputs());
        open.push_back(std::move(root));
        while (!open.empty()) {
            Frame frame = std::move(open.back());
            open.pop_back();
            const bool ends = enter(frame, tree);
            const std::uint32_t at = frame.node;
            tree.node[at].child = at;
            if (ends || !choose(frame, draw)) continue;
            const std::size_t middle = part(frame, tree);
            const auto left = static_cast<std::uint32_t>(tree.node.size() - 2);
            Frame second{left + 1, middle, frame.end, frame.depth + 1, frame.columns};
            Frame first{left, frame.begin, middle, frame.depth + 1, std::move(frame.columns)};
            open.push_back(std::move(second));
            open.push_back(std::move(first));
        }
        return tree;
    }

  private:
    // The value of a node, and whether it is a leaf.
    bool enter(const Frame& frame, Tree& tree) {
        double* value = tree.value.data() + frame.node * table_.outputs();
        double weight = 0, largest = 0;
        bool pure;
        if constexpr (Many) {
            std::fill(totals_.begin(), totals_.end(), 0.0);
            for (std::size_t i = frame.begin; i < frame.end; ++i)
                totals_[values_[i].label] += values_[i].weight;
            for (const double x : totals_) weight += x, largest = std::max(largest, x);
            for (std::size_t c = 0; c < totals_.size(); ++c) value[c] = totals_[c] / weight;
            pure = largest >= options_.purity * weight;
        } else {
            double sum = 0;
            for (std::size_t i = frame.begin; i < frame.end; ++i)
                weight += values_[i].weight, sum += values_[i].sum;
            if (table_.classes == 0) {
                value[0] = sum / weight;
                const double first = table_.response[rows_[frame.begin]];
                pure = true;
                for (std::size_t i = frame.begin; i < frame.end && pure; ++i)
                    pure = table_.response[rows_[i]] == first;
                if (pure) value[0] = first;
            } else {
                if (table_.classes == 2) value[1] = sum / weight;
                value[0] = table_.classes == 2 ? 1.0 - value[1] : 1.0;
                largest = std::max(sum, weight - sum);
                pure = table_.classes == 1 || largest >= options_.purity * weight;
            }
        }
        return pure || weight <= options_.leaf_size || frame.depth >= options_.max_depth;
    }

    // Draws columns until enough have been found by which the rows differ; the constant ones are left out
    // below.
    bool choose(Frame& frame, Draw& draw) {
        search_.begin();
        const std::uint32_t* rows = rows_.data() + frame.begin;
        const Value<Many>* values = values_.data() + frame.begin;
        const std::size_t n = frame.end - frame.begin;
        std::size_t looked = 0, size = frame.columns.size(), at = 0;
        while (at < size && looked < options_.max_attributes) {
            const std::size_t pick = at + draw.below(static_cast<std::uint32_t>(size - at));
            std::swap(frame.columns[at], frame.columns[pick]);
            const std::uint32_t j = frame.columns[at];
            const bool told = options_.extra ? search_.look_once(j, rows, values, n, draw)
                                             : search_.look(j, rows, values, n);
            if (told)
                ++looked, ++at;
            else
                frame.columns[at] = frame.columns[--size], frame.columns.resize(size);
        }
        return search_.best.found();
    }

    // Parts the rows by the best split, makes the node's test and its children, and gives where the right
    // ones begin.
    std::size_t part(const Frame& frame, Tree& tree) {
        const Split& split = search_.best;
        const Column& column = table_.columns[split.column];
        const bool lean_right = split.right_weight > split.left_weight;
        const std::uint32_t lean = lean_right ? LEAN : 0;
        const auto left = static_cast<std::uint32_t>(tree.node.size());
        tree.node.resize(left + 2);
        tree.value.resize((left + 2) * table_.outputs());
        Node& node = tree.node[frame.node];
        if (column.nominal) {
            const std::uint32_t words = (column.slots + 31) / 32;
            const auto at = static_cast<std::uint32_t>(tree.sets.size());
            tree.sets.resize(at + 2 + 2 * words, 0);
            tree.sets[at] = left | lean;
            tree.sets[at + 1] = words;
            for (const std::uint32_t level : split.left)
                tree.sets[at + 2 + (level >> 5)] |= 1u << (level & 31);
            for (const std::uint32_t level : split.right)
                tree.sets[at + 2 + words + (level >> 5)] |= 1u << (level & 31);
            node.test = split.column;
            node.child = at;
            const std::uint32_t* right = tree.sets.data() + at + 2 + words;
            goes_.assign(column.narrow ? 256 : 65536, 0);
            for (std::uint32_t code = 0; code < column.slots; ++code)
                goes_[code] = right[code >> 5] >> (code & 31) & 1;
            goes_.back() = lean_right;
            return column.narrow ? parted(frame, column.narrow, [&](std::uint32_t c) { return goes_[c]; })
                                 : parted(frame, column.wide, [&](std::uint32_t c) { return goes_[c]; });
        }
        const std::uint32_t cut = middle_of(column, split.below, split.above);
        node.test = split.column | cut << 16;
        node.child = left | lean;
        const auto by_cut = [&](auto none) {
            return [=](std::uint32_t c) -> std::uint8_t {
                return static_cast<std::uint8_t>(lean_right || c != none ? c > cut : 0);
            };
        };
        return column.narrow ? parted(frame, column.narrow, by_cut(std::uint32_t{255}))
                             : parted(frame, column.wide, by_cut(std::uint32_t{65535}));
    }

    // Of the cuts between two slots met in a node the one nearest to the middle of their values.
    static std::uint32_t middle_of(const Column& column, std::uint32_t below, std::uint32_t above) {
        if (above == below + 1) return below;
        const double middle = column.most(below) / 2 + column.least(above) / 2;
        std::uint32_t low = below, high = above - 1;  // the answer is among low .. high
        while (low < high) {
            const std::uint32_t at = (low + high) / 2;
            if (column.most(at) / 2 + column.least(at + 1) / 2 < middle)
                low = at + 1;
            else
                high = at;
        }
        if (low > below) {
            const auto value = [&](std::uint32_t at) {
                return column.most(at) / 2 + column.least(at + 1) / 2;
            };
            if (middle - value(low - 1) <= value(low) - middle) --low;
        }
        return low;
    }

    template <class Code, class Goes>
    std::size_t parted(const Frame& frame, const Code* codes, const Goes& right_of) {
        std::size_t left = frame.begin, right = 0;
        for (std::size_t i = frame.begin; i < frame.end; ++i) {
            const std::uint32_t row = rows_[i];
            const Value<Many> value = values_[i];
            const std::size_t goes_right = right_of(codes[row]);
            rows_[left] = row;
            values_[left] = value;
            spare_rows_[right] = row;
            spare_values_[right] = value;
            left += 1 - goes_right;
            right += goes_right;
        }
        std::copy_n(spare_rows_.data(), right, rows_.data() + left);
        std::copy_n(spare_values_.data(), right, values_.data() + left);
        return left;
    }

    const Table& table_;
    const Options& options_;
    Search<Many> search_;
    std::vector<double> totals_;
    std::vector<std::uint32_t> rows_, spare_rows_;
    std::vector<Value<Many>> values_, spare_values_;
    std::vector<std::uint8_t> goes_;
};

// -- rows out of bag ------------------------------------------------------------------------------------

struct Answers {
    std::vector<std::uint32_t> rows, leaves;
};

// What each column's splits are worth on rows out of bag: the change of the node's values times what these
// rows have, so that a split by chance is worth nothing on average (Li et al. 2019).
std::vector<double> gains(const Table& table, const Tree& tree, const Answers& told) {
    const std::size_t k = table.outputs(), nodes = tree.node.size();
    std::vector<double> met(nodes * k, 0.0), made(table.columns.size(), 0.0);
    double total = 0;
    for (std::size_t i = 0; i < told.rows.size(); ++i) {
        const std::uint32_t row = told.rows[i];
        const double weight = table.weight ? table.weight[row] : 1.0;
        total += weight;
        if (table.classes)
            met[told.leaves[i] * k + static_cast<std::size_t>(table.label[row])] += weight;
        else
            met[told.leaves[i]] += weight * (table.response[row] - tree.value[0]);
    }
    if (!(total > 0)) return made;
    const auto left_of = [&](std::size_t at) {
        const Node& node = tree.node[at];
        const bool nominal = table.columns[node.column()].nominal;
        return std::size_t{(nominal ? tree.sets[node.child] : node.child) & ~LEAN};
    };
    for (std::size_t at = nodes; at-- > 0;) {
        if (tree.node[at].leaf()) continue;
        const std::size_t left = left_of(at);
        double& gain = made[tree.node[at].column()];
        for (std::size_t c = 0; c < k; ++c) {
            for (const std::size_t child : {left, left + 1})
                gain += met[child * k + c] * (tree.value[child * k + c] - tree.value[at * k + c]);
            met[at * k + c] = met[left * k + c] + met[(left + 1) * k + c];
        }
    }
    for (double& gain : made) gain /= total;
    return made;
}

// Keeps the sums of rows out of bag, tree by tree in order.
class Keeper {
  public:
    Keeper(const Table& table, const Options& options, std::span<const double> prior)
        : table_(table), options_(options), prior_(prior), k_(table.outputs()) {
        if (!options.out_of_bag) return;
        made.sum.assign(table.rows * k_, 0.0);
        made.votes.assign(table.rows, 0);
        for (std::size_t i = 0; i < table.rows; ++i)
            if (table.classes && table.label[i] != 0) unvoted_wrong_ += weight(i);
    }

    // Whether the error has not fallen for so long that no further tree is wanted.
    bool enter(const Tree& tree, const Answers& told) {
        if (!options_.out_of_bag) return false;
        for (std::size_t i = 0; i < told.rows.size(); ++i) {
            const std::size_t row = told.rows[i];
            const double w = weight(row);
            if (made.votes[row]) {
                error_ -= w * wrong(row);
            } else {
                voted_ += w;
                if (table_.classes && table_.label[row] != 0) unvoted_wrong_ -= w;
            }
            for (std::size_t c = 0; c < k_; ++c)
                made.sum[row * k_ + c] += tree.value[told.leaves[i] * k_ + c];
            ++made.votes[row];
            error_ += w * wrong(row);
        }
        made.error.push_back(error_);
        made.voted.push_back(voted_);
        made.unvoted_wrong.push_back(unvoted_wrong_);
        const double share = voted_ > 0 ? error_ / voted_ : std::numeric_limits<double>::infinity();
        if (share < best_ * (1 - 1e-9)) {
            best_ = share;
            at_best_ = made.error.size();
        }
        return options_.patience && made.error.size() - at_best_ >= options_.patience;
    }

    OutOfBag made;

  private:
    double weight(std::size_t row) const { return table_.weight ? table_.weight[row] : 1.0; }
    double wrong(std::size_t row) const {
        const double* sum = made.sum.data() + row * k_;
        if (!table_.classes) {
            const double away = sum[0] / made.votes[row] - table_.response[row];
            return away * away;
        }
        std::size_t best = 0;
        for (std::size_t c = 1; c < k_; ++c)
            if (sum[c] + prior_[c] > sum[best] + prior_[best]) best = c;
        return best == static_cast<std::size_t>(table_.label[row]) ? 0.0 : 1.0;
    }

    const Table& table_;
    const Options& options_;
    std::span<const double> prior_;
    std::size_t k_, at_best_ = 0;
    double error_ = 0, voted_ = 0, unvoted_wrong_ = 0, best_ = std::numeric_limits<double>::infinity();
};

std::vector<std::uint8_t> nominal_flags(const Table& table) {
    std::vector<std::uint8_t> made(std::max<std::size_t>(table.columns.size(), 1), 0);
    for (std::size_t j = 0; j < table.columns.size(); ++j) made[j] = table.columns[j].nominal;
    return made;
}

void told_of(const Tree& tree, const std::vector<double>& weight, const CodeRows& codes,
             const std::vector<std::uint8_t>& nominal, Answers& told) {
    told.rows.clear();
    for (std::size_t i = 0; i < weight.size(); ++i)
        if (!(weight[i] > 0)) told.rows.push_back(static_cast<std::uint32_t>(i));
    told.leaves.resize(told.rows.size());
    leaves(tree.node.data(), tree.sets.empty() ? nullptr : tree.sets.data(), nominal.data(), codes,
           told.rows.data(), told.rows.size(), told.leaves.data());
}

template <bool Many>
Forest grown(const Table& table, const Options& options, std::span<const std::uint64_t> seeds,
             std::span<const double> prior, std::size_t threads, const Told& ask) {
    Forest forest;
    forest.trees.resize(seeds.size());
    const std::vector<std::uint16_t> codes =
        options.out_of_bag ? row_codes(table) : std::vector<std::uint16_t>();
    const CodeRows rows{codes.data(), table.rows, std::max<std::size_t>(table.columns.size(), 1)};
    const std::vector<std::uint8_t> nominal = nominal_flags(table);
    Keeper keeper(table, options, prior);
    std::mutex turn;
    std::map<std::size_t, Answers> waiting;  // trees that were finished before an earlier one
    std::size_t next = 0;
    std::atomic<std::size_t> wanted{seeds.size()};
    std::atomic<std::size_t> done{0};
    const Stop stop = [&] { return ask(done.load()); };
    if (ExtraGrower::suits(table, options)) {
        std::vector<std::uint8_t> there(seeds.size(), 0);
        const bool finished = for_blocks(seeds.size(), threads, stop, [&] {
            return [&, grower = ExtraGrower(table, options)](std::size_t t) mutable {
                Draw draw(seeds[t]);
                forest.trees[t] = grower.grow(draw);
                there[t] = 1;
                ++done;
            };
        });
        forest.stopped = !finished;
        forest.trees.resize(
            static_cast<std::size_t>(std::find(there.begin(), there.end(), 0) - there.begin()));
        return forest;
    }
    const bool whole = for_blocks(seeds.size(), threads, stop, [&] {
        return [&, grower = Grower<Many>(table, options), bag = Bag(table, options),
                weight = std::vector<double>()](std::size_t t) mutable {
            if (t >= wanted.load()) return;
            Draw draw(seeds[t]);
            bag.draw(draw, weight);
            Tree tree = grower.grow(weight, draw);
            Answers told;
            if (options.out_of_bag) {
                told_of(tree, weight, rows, nominal, told);
                tree.gain = gains(table, tree, told);
            }
            tree.node.shrink_to_fit();
            tree.value.shrink_to_fit();
            const std::lock_guard<std::mutex> lock(turn);
            forest.trees[t] = std::move(tree);
            waiting.emplace(t, std::move(told));
            while (!waiting.empty() && waiting.begin()->first == next && next < wanted) {
                if (keeper.enter(forest.trees[next], waiting.begin()->second)) wanted = next + 1;
                waiting.erase(waiting.begin());
                done = ++next;
            }
        };
    });
    forest.stopped = !whole;
    forest.trees.resize(next);
    forest.out_of_bag = std::move(keeper.made);
    return forest;
}

}  // namespace

std::vector<std::uint16_t> row_codes(const Table& table) {
    const std::size_t width = std::max<std::size_t>(table.columns.size(), 1);
    std::vector<std::uint16_t> made(table.rows * width, 0);
    constexpr std::size_t TILE = 256;
    for (std::size_t first = 0; first < table.rows; first += TILE) {
        const std::size_t end = std::min(table.rows, first + TILE);
        for (std::size_t j = 0; j < table.columns.size(); ++j) {
            const Column& column = table.columns[j];
            for (std::size_t i = first; i < end; ++i) {
                const std::uint16_t code =
                    column.narrow ? (column.narrow[i] == 255 ? NO_VALUE : column.narrow[i]) : column.wide[i];
                made[i * width + j] = code;
            }
        }
    }
    return made;
}

Forest grow(const Table& table, const Options& options, std::span<const std::uint64_t> seeds,
            std::span<const double> prior, std::size_t threads, const Told& told) {
    return table.classes > 2 ? grown<true>(table, options, seeds, prior, threads, told)
                             : grown<false>(table, options, seeds, prior, threads, told);
}

bool permuted(const Table& table, const Options& options, const std::vector<Tree>& trees,
              std::span<const std::uint64_t> seeds, const std::vector<std::vector<std::uint32_t>>& groups,
              std::size_t threads, const Stop& stop, double* out) {
    const std::vector<std::uint16_t> codes = row_codes(table);
    const std::size_t width = std::max<std::size_t>(table.columns.size(), 1), k = table.outputs();
    const CodeRows rows{codes.data(), table.rows, width};
    const std::vector<std::uint8_t> nominal = nominal_flags(table);
    return for_blocks(trees.size(), threads, stop, [&] {
        return [&, bag = Bag(table, options), weight = std::vector<double>(),
                moved = std::vector<std::uint16_t>(), order = std::vector<std::uint32_t>(),
                other = std::vector<std::uint32_t>()](std::size_t t) mutable {
            const Tree& tree = trees[t];
            Draw draw(seeds[t]);
            bag.draw(draw, weight);
            Answers told;
            told_of(tree, weight, rows, nominal, told);
            const std::size_t n = told.rows.size();
            const auto error = [&](const std::vector<std::uint32_t>& leaf) {
                double sum = 0, total = 0;
                for (std::size_t i = 0; i < n; ++i) {
                    const std::uint32_t row = told.rows[i];
                    const double w = table.weight ? table.weight[row] : 1.0;
                    const double* value = tree.value.data() + leaf[i] * k;
                    total += w;
                    if (table.classes) {
                        const auto best =
                            static_cast<std::int32_t>(std::max_element(value, value + k) - value);
                        sum += best == table.label[row] ? 0.0 : w;
                    } else {
                        sum += w * (value[0] - table.response[row]) * (value[0] - table.response[row]);
                    }
                }
                return total > 0 ? sum / total : 0.0;
            };
            const double plain = error(told.leaves);
            std::vector<std::uint8_t> used(width, 0);
            for (const Node& node : tree.node)
                if (!node.leaf()) used[node.column()] = 1;
            moved.resize(n * width);
            other.resize(n);
            order.resize(n);
            for (std::size_t g = 0; g < groups.size(); ++g) {
                bool asked = false;
                for (const std::uint32_t j : groups[g]) asked |= used[j] != 0;
                double& made = out[t * groups.size() + g];
                made = 0;
                if (!asked || !n) continue;
                Draw mixed(seeds[t] ^ (0x9e3779b97f4a7c15u * (g + 1)));
                for (std::uint32_t i = 0; i < n; ++i) order[i] = i;
                for (std::size_t i = n; i > 1; --i)
                    std::swap(order[i - 1], order[mixed.below(static_cast<std::uint32_t>(i))]);
                for (std::size_t i = 0; i < n; ++i) {
                    std::copy_n(rows.row(told.rows[i]), width, moved.data() + i * width);
                    const std::uint16_t* from = rows.row(told.rows[order[i]]);
                    for (const std::uint32_t j : groups[g]) moved[i * width + j] = from[j];
                }
                leaves(tree.node.data(), tree.sets.empty() ? nullptr : tree.sets.data(), nominal.data(),
                       {moved.data(), n, width}, nullptr, n, other.data());
                made = error(other) - plain;
            }
        };
    });
}

}  // namespace acumen::forest
