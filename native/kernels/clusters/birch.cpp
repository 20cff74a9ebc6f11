#include "kernels/clusters/birch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/common/clones.hpp"

namespace acumen {

namespace {

constexpr double INF = std::numeric_limits<double>::infinity();

// away[e] = the squared distance of x to the mean of each entry, over what x knows.
ACUMEN_CLONES
void squares_to(const double* ACUMEN_RESTRICT mean, std::size_t room, std::size_t d,
                const double* ACUMEN_RESTRICT x, double* ACUMEN_RESTRICT away) {
    for (std::size_t e = 0; e < room; ++e) away[e] = 0;
    for (std::size_t j = 0; j < d; ++j) {
        const double own = x[j];
        if (own != own) continue;
        const double* line = mean + j * room;
        for (std::size_t e = 0; e < room; ++e) {
            const double by = line[e] - own;
            away[e] += by * by;
        }
    }
}

}  // namespace

FeatureTree::FeatureTree(std::size_t d, double threshold, std::size_t branching, std::size_t most)
    : d_(d),
      branching_(branching),
      room_((branching + 8) / 8 * 8),
      most_(most),
      limit_(threshold * threshold),
      away_(room_) {
    clear();
}

double FeatureTree::threshold() const { return std::sqrt(limit_); }

void FeatureTree::clear() {
    nodes_.clear();
    entries_ = 0;
    root_ = make(true);
}

std::size_t FeatureTree::make(bool leaf) {
    Node node;
    node.leaf = leaf;
    node.mean.assign(d_ * room_, 0.0);
    node.weight.assign(room_, 0.0);
    node.scatter.assign(room_, 0.0);
    if (!leaf) node.child.assign(room_, 0);
    nodes_.push_back(std::move(node));
    return nodes_.size() - 1;
}

void FeatureTree::add(const double* values, const double* weight, std::size_t n) {
    Feature row;
    row.mean.resize(d_);
    for (std::size_t i = 0; i < n; ++i) {
        row.weight = weight ? weight[i] : 1.0;
        row.scatter = 0;
        bool known = false;
        for (std::size_t j = 0; j < d_; ++j) {
            row.mean[j] = values[i * d_ + j];
            known |= row.mean[j] == row.mean[j];
        }
        if (!known || !(row.weight > 0)) continue;
        insert(row);
        while (most_ && entries_ > most_) rebuild();
    }
}

void FeatureTree::join(const double* weight, const double* mean, const double* scatter, std::size_t n,
                       double threshold) {
    limit_ = std::max(limit_, threshold * threshold);
    Feature one;
    for (std::size_t i = 0; i < n; ++i) {
        one.weight = weight[i];
        one.scatter = scatter[i];
        one.mean.assign(mean + i * d_, mean + (i + 1) * d_);
        insert(one);
        while (most_ && entries_ > most_) rebuild();
    }
}

std::size_t FeatureTree::nearest(const Node& node, const double* x) {
    squares_to(node.mean.data(), room_, d_, x, away_.data());
    std::size_t best = 0;
    for (std::size_t e = 1; e < node.m; ++e)
        if (away_[e] < away_[best]) best = e;
    return best;
}

void FeatureTree::take(const Node& node, std::size_t entry, Feature& into) const {
    into.weight = node.weight[entry];
    into.scatter = node.scatter[entry];
    into.mean.resize(d_);
    for (std::size_t j = 0; j < d_; ++j) into.mean[j] = node.mean[j * room_ + entry];
}

void FeatureTree::put(Node& node, std::size_t entry, const Feature& feature) const {
    node.weight[entry] = feature.weight;
    node.scatter[entry] = feature.scatter;
    for (std::size_t j = 0; j < d_; ++j) node.mean[j * room_ + entry] = feature.mean[j];
}

void FeatureTree::merge(Node& node, std::size_t entry, const Feature& feature) const {
    const double own = node.weight[entry], all = own + feature.weight, share = feature.weight / all;
    double square = 0;
    for (std::size_t j = 0; j < d_; ++j) {
        double& mean = node.mean[j * room_ + entry];
        const double by = feature.mean[j] - mean;
        square += by * by;
        mean += by * share;
    }
    node.weight[entry] = all;
    node.scatter[entry] += feature.scatter + square * own * share;
}

bool FeatureTree::joins(Node& node, std::size_t entry, const Feature& feature) const {
    const double own = node.weight[entry], all = own + feature.weight;
    double square = 0;
    for (std::size_t j = 0; j < d_; ++j) {
        const double by = feature.mean[j] - node.mean[j * room_ + entry];
        square += by * by;
    }
    const double scatter = node.scatter[entry] + feature.scatter + square * own * (feature.weight / all);
    return scatter <= limit_ * all;
}

void FeatureTree::whole(const Node& node, Feature& into) const {
    Node sum;
    sum.mean.assign(d_ * room_, 0.0);
    sum.weight.assign(1, 0.0);
    sum.scatter.assign(1, 0.0);
    Feature each;
    for (std::size_t e = 0; e < node.m; ++e) {
        take(node, e, each);
        if (e)
            merge(sum, 0, each);
        else
            put(sum, 0, each);
    }
    take(sum, 0, into);
}

double FeatureTree::apart(const Node& node, std::size_t a, std::size_t b) const {
    double square = 0;
    for (std::size_t j = 0; j < d_; ++j) {
        const double by = node.mean[j * room_ + a] - node.mean[j * room_ + b];
        square += by * by;
    }
    return square;
}

// The two entries farthest from each other part; every other one goes with the nearer of them.
std::size_t FeatureTree::split(std::size_t at) {
    const std::size_t made = make(nodes_[at].leaf);
    Node& node = nodes_[at];
    Node& other = nodes_[made];
    std::size_t one = 0, two = 1;
    double most = -1;
    for (std::size_t a = 0; a < node.m; ++a)
        for (std::size_t b = a + 1; b < node.m; ++b)
            if (const double by = apart(node, a, b); by > most) most = by, one = a, two = b;
    std::vector<char> goes(node.m);
    for (std::size_t e = 0; e < node.m; ++e)
        goes[e] = e == two || (e != one && apart(node, e, two) < apart(node, e, one));
    Feature each;
    std::size_t kept = 0;
    const std::size_t m = node.m;
    for (std::size_t e = 0; e < m; ++e) {
        take(node, e, each);
        Node& to = goes[e] ? other : node;
        const std::size_t place = goes[e] ? other.m++ : kept++;
        put(to, place, each);
        if (!node.leaf) to.child[place] = node.child[e];
    }
    node.m = kept;
    return made;
}

void FeatureTree::insert(Feature& feature) {
    path_.clear();
    std::size_t at = root_;
    for (;;) {
        const Node& node = nodes_[at];
        const std::size_t entry = node.m ? nearest(node, feature.mean.data()) : 0;
        path_.push_back({at, entry});
        if (node.leaf) break;
        at = node.child[entry];
    }
    const Step last = path_.back();
    for (std::size_t j = 0; j < d_; ++j)
        if (feature.mean[j] != feature.mean[j])
            feature.mean[j] = nodes_[last.node].m ? nodes_[last.node].mean[j * room_ + last.entry] : 0.0;
    Node& leaf = nodes_[last.node];
    bool parted = false;
    std::size_t made = 0;
    if (leaf.m && joins(leaf, last.entry, feature)) {
        merge(leaf, last.entry, feature);
    } else {
        put(leaf, leaf.m++, feature);
        ++entries_;
        if (leaf.m > branching_) parted = true, made = split(last.node);
    }
    Feature sum;
    for (std::size_t step = path_.size() - 1; step-- > 0;) {
        const Step here = path_[step];
        if (!parted) {
            merge(nodes_[here.node], here.entry, feature);
            continue;
        }
        Node& node = nodes_[here.node];
        whole(nodes_[node.child[here.entry]], sum);
        put(node, here.entry, sum);
        whole(nodes_[made], sum);
        put(node, node.m, sum);
        node.child[node.m++] = made;
        parted = node.m > branching_;
        if (parted) made = split(here.node);
    }
    if (!parted) return;
    const std::size_t old = root_;
    root_ = make(false);
    Node& top = nodes_[root_];
    for (const std::size_t child : {old, made}) {
        whole(nodes_[child], sum);
        put(top, top.m, sum);
        top.child[top.m++] = child;
    }
}

// The squared threshold at which the nearest two subclusters of half the leaves would be one.
double FeatureTree::raised() const {
    std::vector<double> radii;
    for (const Node& node : nodes_) {
        if (!node.leaf || node.m < 2) continue;
        double least = INF;
        for (std::size_t a = 0; a < node.m; ++a)
            for (std::size_t b = a + 1; b < node.m; ++b) {
                const double all = node.weight[a] + node.weight[b];
                const double square = apart(node, a, b) * node.weight[a] * (node.weight[b] / all);
                least = std::min(least, (node.scatter[a] + node.scatter[b] + square) / all);
            }
        radii.push_back(least);
    }
    double found = 0;
    if (!radii.empty()) {
        const auto middle = radii.begin() + static_cast<std::ptrdiff_t>(radii.size() / 2);
        std::nth_element(radii.begin(), middle, radii.end());
        found = *middle;
    } else {  // leaves of one subcluster each: as far as the nearest two nodes
        std::vector<Feature> all;
        walk(root_, all);
        found = INF;
        for (std::size_t a = 1; a < all.size(); ++a) {
            double square = 0;
            for (std::size_t j = 0; j < d_; ++j) {
                const double by = all[a].mean[j] - all[a - 1].mean[j];
                square += by * by;
            }
            found = std::min(found, square);
        }
    }
    return std::max({found, 1.5 * limit_, std::numeric_limits<double>::min()});
}

void FeatureTree::rebuild() {
    std::vector<Feature> all;
    do {
        limit_ = raised();
        ++rebuilt_;
        all.clear();
        walk(root_, all);
        clear();
        for (Feature& each : all) insert(each);
    } while (entries_ > most_ - most_ / 4);
}

void FeatureTree::walk(std::size_t at, std::vector<Feature>& into) const {
    const Node& node = nodes_[at];
    for (std::size_t e = 0; e < node.m; ++e) {
        if (!node.leaf) {
            walk(node.child[e], into);
            continue;
        }
        into.emplace_back();
        take(node, e, into.back());
    }
}

void FeatureTree::read(double* weight, double* mean, double* scatter) const {
    std::vector<Feature> all;
    walk(root_, all);
    for (std::size_t e = 0; e < all.size(); ++e) {
        weight[e] = all[e].weight;
        scatter[e] = all[e].scatter;
        std::copy(all[e].mean.begin(), all[e].mean.end(), mean + e * d_);
    }
}

}  // namespace acumen
