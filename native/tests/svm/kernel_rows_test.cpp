// The fused RBF kernel without Python, for the sanitizers.
#include "kernels/svm/kernel_rows.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/common/exp.hpp"
#include "tests/claims.hpp"

namespace {

constexpr double INF = std::numeric_limits<double>::infinity();

}  // namespace

int main() {
    double worst = 0, worst_single = 0;
    for (double x = 0; x < 746; x += 0.0137) {
        const double exact = std::exp(-x), ulp = std::nextafter(exact, INF) - exact;
        worst = std::max(worst, std::fabs(acumen::exp_below_zero(-x) - exact) / ulp);
        const auto narrow = static_cast<float>(x);
        const float wide = std::exp(-narrow);
        const float step = std::nextafterf(wide, 2.0F) - wide;
        worst_single =
            std::max<double>(worst_single, std::fabs(acumen::exp_below_zero(-narrow) - wide) / step);
    }
    expect(worst <= 2, "exp is exact to two units");
    expect(worst_single <= 2, "exp in single precision is exact to two units");
    expect(acumen::exp_below_zero(0.0) == 1 && acumen::exp_below_zero(-INF) == 0, "the ends");
    expect(std::isnan(acumen::exp_below_zero(std::nan(""))), "NaN stays NaN");

    for (const std::size_t columns : {1U, 7U, 8U, 300U})
        for (const std::size_t threads : {1U, 3U}) {
            const std::size_t rows = 401;
            std::vector<double> products(rows * columns, 0.25), norms(rows), others(columns);
            for (std::size_t i = 0; i < rows; ++i) norms[i] = 0.01 * static_cast<double>(i);
            for (std::size_t j = 0; j < columns; ++j) others[j] = 0.1 * static_cast<double>(j);
            std::vector<float> single(products.size());
            expect(acumen::rbf_of_products(products.data(), single.data(), rows, columns, norms.data(),
                                           others.data(), 0.5, threads, {}),
                   "it is not stopped");
            expect(acumen::rbf_of_products(products.data(), rows, columns, norms.data(), others.data(), 0.5,
                                           threads, {}),
                   "it is not stopped");
            bool near = true;
            for (std::size_t i = 0; i < rows; ++i)
                for (std::size_t j = 0; j < columns; ++j) {
                    const double exact = std::exp(-0.5 * std::max(0.0, norms[i] + others[j] - 0.5));
                    near = near && std::fabs(products[i * columns + j] - exact) < 1e-15;
                    near = near && std::fabs(single[i * columns + j] - exact) < 1e-6;
                }
            expect(near, "every pair is exp(-gamma |x - y|^2)");
        }
    double nothing = 0;
    expect(acumen::rbf_of_products(&nothing, 0, 5, &nothing, &nothing, 1.0, 2, {}), "no rows");
    std::vector<double> many(1 << 18), ones(1 << 9);
    expect(!acumen::rbf_of_products(many.data(), 1 << 9, 1 << 9, ones.data(), ones.data(), 1.0, 1,
                                    [] { return true; }),
           "it can be stopped");
    return claims::finish();
}
