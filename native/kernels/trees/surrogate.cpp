#include "kernels/trees/surrogate.hpp"

#include <algorithm>
#include <cmath>

namespace acumen::tree {

namespace {

bool more(double one, double other) { return one > other + std::max(EQUAL * std::abs(one), TINY); }

// The best cut, either way round; its worth stays 0 where there is none.
template <class Entry, class Side>
void best_of_numbers(const Rules& rules, const Space<Entry>& space, Segment segment, std::size_t j,
                     const Side* side, StandIn& best) {
    const Entry* list = space.list(j) + segment.begin;
    double all[2] = {0, 0};
    for (std::uint32_t i = 0; i < segment.size(); ++i) {
        const std::size_t instance = list[i].word >> space.bits;
        if (side[instance] < 2) all[side[instance]] += space.weight_of(instance);
    }
    const double larger = std::max(all[0], all[1]);
    double low[2] = {0, 0};
    std::size_t before = SIZE_MAX, cut_before = 0, cut_after = 0;
    for (std::uint32_t i = 0; i < segment.size(); ++i) {
        const std::size_t instance = list[i].word >> space.bits;
        if (side[instance] >= 2) continue;
        if (before != SIZE_MAX && list[before].rank != list[i].rank) {
            const double straight = low[0] + all[1] - low[1] - larger;
            const double turned = low[1] + all[0] - low[0] - larger;
            const double worth = more(turned, straight) ? turned : straight;
            if (more(worth, best.worth)) {
                best.worth = worth;
                best.turned = more(turned, straight);
                cut_before = before;
                cut_after = i;
            }
        }
        before = i;
        low[side[instance]] += space.weight_of(instance);
    }
    if (!(best.worth > EQUAL * larger)) {
        best.worth = 0;
        return;
    }
    const auto value = [&](std::size_t i) {
        return rules.table.numbers[j][space.row_of(list[i].word >> space.bits)];
    };
    best.cut = midpoint(value(cut_before), value(cut_after));
}

template <class Entry, class Side>
void best_of_codes(const Space<Entry>& space, const Place& place, std::size_t q, const Side* side,
                   StandIn& best) {
    const auto levels = static_cast<std::size_t>(space.table->levels[q]);
    const CodeColumn column = space.code_column(q);
    const bool by_row = space.codes.empty();
    std::vector<double> met(2 * levels, 0.0);
    for (std::uint32_t i = place.all.begin; i < place.all.end; ++i) {
        const std::size_t instance = space.order[i] >> space.bits;
        const auto code = static_cast<std::uint32_t>(column[by_row ? space.row_of(instance) : instance]);
        if (code < levels && side[instance] < 2) met[2 * code + side[instance]] += space.weight_of(instance);
    }
    double all[2] = {0, 0}, agree = 0;
    best.branch.assign(levels, -1);
    for (std::size_t t = 0; t < levels; ++t) {
        const double zero = met[2 * t], one = met[2 * t + 1];
        if (zero + one > 0) best.branch[t] = one > zero;
        all[0] += zero;
        all[1] += one;
        agree += std::max(zero, one);
    }
    const double larger = std::max(all[0], all[1]);
    best.worth = agree - larger > EQUAL * larger ? agree - larger : 0.0;
}

}  // namespace

template <class Entry, class Side>
bool find_surrogates(const Rules& rules, const Space<Entry>& space, const Place& place, std::size_t input,
                     const Side* side, std::size_t threads, const Stop& stop, std::vector<StandIn>& found) {
    std::vector<StandIn> tried(rules.table.inputs());
    const auto look = [&](std::size_t other) {
        if (other == input) return;
        tried[other].input = other;
        const std::int32_t kind = rules.kind[other];
        if (kind >= 0)
            best_of_numbers(rules, space, place.list(static_cast<std::size_t>(kind)),
                            static_cast<std::size_t>(kind), side, tried[other]);
        else
            best_of_codes(space, place, static_cast<std::size_t>(-1 - kind), side, tried[other]);
    };
    if (threads > 1) {
        if (!for_blocks(tried.size(), threads, stop, [&] { return look; })) return false;
    } else {
        for (std::size_t other = 0; other < tried.size(); ++other) look(other);
    }
    found.clear();
    while (found.size() < MOST_SURROGATES) {
        std::size_t best = tried.size();
        for (std::size_t i = 0; i < tried.size(); ++i)
            if (tried[i].worth > 0 && (best == tried.size() || more(tried[i].worth, tried[best].worth)))
                best = i;
        if (best == tried.size()) break;
        found.push_back(tried[best]);
        tried[best].worth = 0;
    }
    return true;
}

template <class Entry>
std::size_t side_by(const StandIn& test, const Rules& rules, const Space<Entry>& space,
                    std::size_t instance) {
    const std::int32_t kind = rules.kind[test.input];
    if (kind >= 0) {
        const double value = rules.table.numbers[static_cast<std::size_t>(kind)][space.row_of(instance)];
        return std::isnan(value) ? 2 : static_cast<std::size_t>((value > test.cut) != test.turned);
    }
    const CodeColumn column = space.code_column(static_cast<std::size_t>(-1 - kind));
    const auto code =
        static_cast<std::uint32_t>(column[space.codes.empty() ? space.row_of(instance) : instance]);
    return code < test.branch.size() && test.branch[code] >= 0 ? static_cast<std::size_t>(test.branch[code])
                                                               : 2;
}

#define ACUMEN_STAND_INS(ENTRY)                                                                           \
    template bool find_surrogates(const Rules&, const Space<ENTRY>&, const Place&, std::size_t,           \
                                  const std::uint8_t*, std::size_t, const Stop&, std::vector<StandIn>&);  \
    template bool find_surrogates(const Rules&, const Space<ENTRY>&, const Place&, std::size_t,           \
                                  const std::uint32_t*, std::size_t, const Stop&, std::vector<StandIn>&); \
    template std::size_t side_by(const StandIn&, const Rules&, const Space<ENTRY>&, std::size_t);
ACUMEN_STAND_INS(Wide)
ACUMEN_STAND_INS(Narrow)
#undef ACUMEN_STAND_INS

}  // namespace acumen::tree
