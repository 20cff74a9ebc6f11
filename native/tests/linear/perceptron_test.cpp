// The perceptron's epochs without Python, for the sanitizers.
#include "kernels/linear/perceptron.hpp"

#include <vector>

#include "tests/claims.hpp"

namespace {

using Numbers = std::vector<double>;

// AND with the extra component 1, as dense and as compressed rows.
const Numbers DENSE = {0, 0, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1};
const Numbers VALUES = {1, 1, 1, 1, 1, 1, 1, 1};
const std::vector<std::int64_t> STARTS = {0, 1, 3, 5, 8};
const std::vector<std::int32_t> PLACES = {2, 1, 2, 0, 2, 0, 1, 2};
const std::vector<std::int32_t> LABELS = {0, 0, 0, 1};
const std::vector<std::int64_t> ORDER = {0, 1, 2, 3};

}  // namespace

int main() {
    const acumen::PerceptronRows dense{4, 3, DENSE.data(), nullptr, nullptr};
    const acumen::PerceptronRows sparse{4, 3, VALUES.data(), STARTS.data(), PLACES.data()};
    for (const auto& rows : {dense, sparse}) {
        Numbers weights(3, 1.0), lag(3);
        double step = 0;
        std::size_t moves = 0, epochs = 0, moved = 1;
        for (; moved; ++epochs)
            moves += moved =
                acumen::perceptron_epoch(rows, LABELS, ORDER, {}, 1, weights.data(), lag.data(), step);
        expect(weights == Numbers({3, 2, -4}) && epochs == 9 && moves == 19, "AND from ones");
        expect(step == 36, "every row of every epoch is a step");
    }
    Numbers kernel(16), alpha(4), products(4), weights(3);
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 4; ++j)
            for (std::size_t c = 0; c < 3; ++c) kernel[i * 4 + j] += DENSE[i * 3 + c] * DENSE[j * 3 + c];
    double step = 0, other = 0;
    for (int epoch = 0; epoch < 9; ++epoch) {
        const auto dual = acumen::kernel_perceptron_epoch(kernel.data(), 4, LABELS, ORDER, {}, 1,
                                                          alpha.data(), products.data(), nullptr, step);
        const auto primal =
            acumen::perceptron_epoch(dense, LABELS, ORDER, {}, 1, weights.data(), nullptr, other);
        expect(dual == primal, "the dual moves as the primal does");
    }
    expect(weights == Numbers({3, 2, -4}), "AND from zeros");

    // Three classes, one a row of the unit matrix: from zeros each row is a tie, right for the first alone.
    const Numbers unit = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const std::vector<std::int32_t> three = {0, 1, 2};
    const acumen::PerceptronRows rows{3, 3, unit.data(), nullptr, nullptr};
    const std::vector<std::int64_t> order = {0, 1, 2};
    for (const bool right : {false, true}) {
        Numbers vectors(9);
        double steps = 0;
        const acumen::PerceptronRule rule{0.5, right, nullptr};
        const auto moves =
            acumen::perceptron_epoch(rows, three, order, rule, 3, vectors.data(), nullptr, steps);
        expect(moves == (right ? 2U : 3U), "a tie is right for the class that comes first, or for none");
        expect(vectors[4] == 0.5 && vectors[8] == 0.5, "the own vector is moved towards the row");
    }
    return claims::finish();
}
