// A tree of cluster features: rows summarised in one pass by so many subclusters, each of a weight, a mean
// and a scatter (the sum of squared distances from the mean). Plain C++20.
//
// Features add by Chan's formula, of differences between means, so that where the numbers lie does not count.
// A row goes down to the nearest mean at every node (of equally near ones the first) and joins the subcluster
// it meets if that one's radius, the root of scatter by weight, stays within the threshold; else it begins
// one. A NaN is left out of distances and then takes the value of the nearest subcluster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace acumen {

class FeatureTree {
  public:
    // `most`: at more subclusters than this the threshold is raised and they are put together; 0: never.
    FeatureTree(std::size_t d, double threshold, std::size_t branching, std::size_t most);

    void add(const double* values, const double* weight, std::size_t n);

    // Puts the subclusters of another tree, none of them wider than its threshold, into this one, in order;
    // the threshold is raised to that one first.
    void join(const double* weight, const double* mean, const double* scatter, std::size_t n,
              double threshold);

    std::size_t size() const { return entries_; }
    std::size_t width() const { return d_; }
    double threshold() const;
    std::size_t rebuilt() const { return rebuilt_; }

    // The subclusters from the first leaf to the last.
    void read(double* weight, double* mean, double* scatter) const;

  private:
    struct Node {
        bool leaf = true;
        std::size_t m = 0;
        std::vector<double> mean;  // d x room: a line for each attribute
        std::vector<double> weight, scatter;
        std::vector<std::size_t> child;
    };
    struct Feature {
        double weight = 0, scatter = 0;
        std::vector<double> mean;
    };
    struct Step {
        std::size_t node, entry;
    };

    std::size_t make(bool leaf);
    void clear();
    void insert(Feature& feature);
    std::size_t nearest(const Node& node, const double* x);
    bool joins(Node& node, std::size_t entry, const Feature& feature) const;
    void put(Node& node, std::size_t entry, const Feature& feature) const;
    void merge(Node& node, std::size_t entry, const Feature& feature) const;
    void take(const Node& node, std::size_t entry, Feature& into) const;
    void whole(const Node& node, Feature& into) const;
    std::size_t split(std::size_t node);
    double apart(const Node& node, std::size_t a, std::size_t b) const;
    double raised() const;
    void rebuild();
    void walk(std::size_t node, std::vector<Feature>& into) const;

    std::size_t d_, branching_, room_, most_, entries_ = 0, root_ = 0, rebuilt_ = 0;
    double limit_;  // the threshold squared
    std::vector<Node> nodes_;
    std::vector<double> away_;
    std::vector<Step> path_;
};

}  // namespace acumen
