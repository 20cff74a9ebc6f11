#include "kernels/forests/purity.hpp"

#include <algorithm>

#include "kernels/common/clones.hpp"

namespace acumen::forest {

namespace {

// The purities of places first to last - 1, rounded up to whole packs, and the largest of them.
ACUMEN_CLONES double find_purities(const std::int32_t* weight, const std::int32_t* ones, std::size_t n,
                                   double all, double sum, double* out) {
    double most[PACK];
    std::fill_n(most, PACK, 0.0);
    for (std::size_t first = 0; first < n; first += PACK)
        for (std::size_t i = 0; i < PACK; ++i) {
            const double a = weight[first + i], x = ones[first + i], b = all - a, y = sum - x;
            const double purity = (x * x * b + y * y * a) / (a * b);
            out[first + i] = purity;
            most[i] = most[i] < purity ? purity : most[i];
        }
    return *std::max_element(most, most + PACK);
}

}  // namespace

void Places::grow() {
    const std::size_t room = std::max<std::size_t>(512, 2 * code.size());
    code.resize(room);
    weight.resize(room);
    ones.resize(room);
    purity.resize(room);
}

std::size_t purest(Places& places, double weight, double ones, double slack) {
    const std::size_t n = places.size - 1;
    for (std::size_t i = places.size; i < places.size + PACK; ++i) {
        places.weight[i] = places.weight[places.size - 1];  // what fills the last pack
        places.ones[i] = places.ones[places.size - 1];
    }
    const double most = find_purities(places.weight.data() + 1, places.ones.data() + 1, n, weight, ones,
                                      places.purity.data() + 1);
    const double bar = most - slack * most;
    std::size_t at = 1;
    while (places.purity[at] < bar) ++at;
    return at;
}

}  // namespace acumen::forest
