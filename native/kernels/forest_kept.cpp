#include "kernels/forest_bag.hpp"
#include "kernels/forest_grow.hpp"

namespace acumen::forest {

Kept kept(const Table& table, const Options& options, std::span<const double> prior,
          const std::vector<Tree>& trees, std::span<const std::uint64_t> seeds, OutOfBag&& before,
          const Stop& stop) {
    const Asked asked(table);
    Keeper keeper(table, options, prior, std::move(before));
    Bag bag(table, options);
    std::vector<double> weight;
    Answers told;
    Kept made;
    for (std::size_t t = 0; t < trees.size() && !made.enough; ++t) {
        if (stop && stop()) {
            made.stopped = true;
            break;
        }
        Draw draw(seeds[t]);
        bag.draw(draw, weight);
        told_of(trees[t], weight, asked, told);
        made.enough = keeper.enter(trees[t], told);
    }
    made.out_of_bag = std::move(keeper.made);
    return made;
}

}  // namespace acumen::forest
