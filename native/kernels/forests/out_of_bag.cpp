#include "kernels/forests/out_of_bag.hpp"

#include <algorithm>
#include <limits>

namespace acumen::forest {

Asked::Asked(const Table& table)
    : nominal(std::max<std::size_t>(table.columns.size(), 1), 0), rows(table.rows), width(nominal.size()) {
    codes.resize(rows * width, 0);
    bool gaps = false;
    constexpr std::size_t TILE = 256;
    for (std::size_t first = 0; first < rows; first += TILE) {
        const std::size_t end = std::min(rows, first + TILE);
        for (std::size_t j = 0; j < table.columns.size(); ++j) {
            const Column& column = table.columns[j];
            for (std::size_t i = first; i < end; ++i) {
                const std::uint16_t code =
                    column.narrow ? (column.narrow[i] == 255 ? NO_VALUE : column.narrow[i]) : column.wide[i];
                gaps |= code == NO_VALUE;
                codes[i * width + j] = code;
            }
        }
    }
    for (std::size_t j = 0; j < table.columns.size(); ++j) nominal[j] = table.columns[j].nominal;
    whole = !gaps;
}

void told_of(const Tree& tree, const std::vector<double>& weight, const Asked& asked, Answers& told) {
    told.rows.resize(weight.size());
    std::size_t n = 0;
    for (std::size_t i = 0; i < weight.size(); ++i) {
        told.rows[n] = static_cast<std::uint32_t>(i);
        n += !(weight[i] > 0);
    }
    told.rows.resize(n);
    told.leaves.resize(n);
    leaves(tree, asked.nominal.data(), asked.all(), told.rows.data(), n, told.leaves.data(), asked.whole);
}

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

Keeper::Keeper(const Table& table, const Options& options, std::span<const double> prior)
    : table_(table),
      options_(options),
      prior_(prior),
      k_(table.outputs()),
      best_(std::numeric_limits<double>::infinity()) {
    if (!options.out_of_bag) return;
    made.sum.assign(table.rows * k_, 0.0);
    made.votes.assign(table.rows, 0);
    for (std::size_t i = 0; i < table.rows; ++i)
        if (table.classes && table.label[i] != 0) unvoted_wrong_ += weight(i);
}

Keeper::Keeper(const Table& table, const Options& options, std::span<const double> prior, OutOfBag&& before)
    : Keeper(table, options, prior) {
    if (before.error.empty()) return;
    made = std::move(before);
    for (std::size_t t = 0; t < made.error.size(); ++t) {
        error_ = made.error[t];
        voted_ = made.voted[t];
        judge(t + 1);
    }
    unvoted_wrong_ = made.unvoted_wrong.back();
}

bool Keeper::enter(const Tree& tree, const Answers& told) {
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
        for (std::size_t c = 0; c < k_; ++c) made.sum[row * k_ + c] += tree.value[told.leaves[i] * k_ + c];
        ++made.votes[row];
        error_ += w * wrong(row);
    }
    made.error.push_back(error_);
    made.voted.push_back(voted_);
    made.unvoted_wrong.push_back(unvoted_wrong_);
    return judge(made.error.size());
}

bool Keeper::judge(std::size_t trees) {
    const double share = voted_ > 0 ? error_ / voted_ : std::numeric_limits<double>::infinity();
    if (share < best_ * (1 - 1e-9)) {
        best_ = share;
        at_best_ = trees;
    }
    return options_.patience && trees - at_best_ >= options_.patience;
}

double Keeper::wrong(std::size_t row) const {
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

}  // namespace acumen::forest
