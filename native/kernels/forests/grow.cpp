#include "kernels/forests/grow.hpp"

#include <map>

#include "kernels/forests/bag.hpp"
#include "kernels/forests/extra.hpp"
#include "kernels/forests/tree.hpp"

namespace acumen::forest {

namespace {

template <Tally T>
Forest grown(const Table& table, const Options& options, std::span<const std::uint64_t> seeds,
             std::span<const double> prior, std::size_t threads, const Told& ask) {
    Forest forest;
    forest.trees.resize(seeds.size());
    const Asked asked(options.out_of_bag ? table : Table{});
    Keeper keeper(table, options, prior);
    std::mutex turn;
    std::map<std::size_t, Answers> waiting;  // trees that were finished before an earlier one
    std::size_t next = 0;
    std::atomic<std::size_t> wanted{seeds.size()};
    std::atomic<std::size_t> done{0};
    const bool whole = for_blocks(
        seeds.size(), threads, [&] { return ask(done.load()); },
        [&] {
            return [&, grower = Grower<T>(table, options), bag = Bag(table, options),
                    weight = std::vector<double>()](std::size_t t) mutable {
                if (t >= wanted.load()) return;
                Draw draw(seeds[t]);
                bag.draw(draw, weight);
                Tree tree = grower.grow(weight, draw);
                Answers told;
                if (options.out_of_bag) {
                    told_of(tree, weight, asked, told);
                    tree.gain = gains(table, tree, told);
                }
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

Forest grown_extra(const Table& table, const Options& options, std::span<const std::uint64_t> seeds,
                   std::size_t threads, const Told& ask) {
    Forest forest;
    forest.trees.resize(seeds.size());
    std::vector<std::uint8_t> there(seeds.size(), 0);
    std::atomic<std::size_t> done{0};
    const ExtraRows rows(table);
    const bool whole = for_blocks(
        seeds.size(), threads, [&] { return ask(done.load()); },
        [&] {
            return [&, grower = ExtraGrower(table, options, rows)](std::size_t t) mutable {
                Draw draw(seeds[t]);
                forest.trees[t] = grower.grow(draw);
                there[t] = 1;
                ++done;
            };
        });
    forest.stopped = !whole;
    forest.trees.resize(static_cast<std::size_t>(std::find(there.begin(), there.end(), 0) - there.begin()));
    return forest;
}

}  // namespace

Forest grow(const Table& table, const Options& options, std::span<const std::uint64_t> seeds,
            std::span<const double> prior, std::size_t threads, const Told& told) {
    if (ExtraGrower::suits(table, options)) return grown_extra(table, options, seeds, threads, told);
    if (table.classes > 2) return grown<Tally::classes>(table, options, seeds, prior, threads, told);
    if (table.classes && Bag::counts(table, options))
        return grown<Tally::counts>(table, options, seeds, prior, threads, told);
    return grown<Tally::sums>(table, options, seeds, prior, threads, told);
}

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
