// The kernels of support vector machines on awkward sizes, for the sanitizers; answers are looked at roughly.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "kernels/linear/row_sums.hpp"
#include "kernels/svm/dual_ascent.hpp"
#include "kernels/svm/kernel_sums.hpp"
#include "kernels/svm/sgd.hpp"
#include "kernels/svm/single_machine.hpp"
#include "kernels/svm/smo.hpp"
#include "kernels/svm/smo_many.hpp"
#include "tests/claims.hpp"

namespace {

acumen::Random random_numbers{7};
double uniform() { return static_cast<double>(random_numbers.next() >> 11) * 0x1p-53 - 0.5; }

template <typename T>
void sums(std::size_t n, std::size_t m, std::size_t width) {
    std::vector<T> x(n * width), y(m * width), xx(n), yy(m);
    for (T& v : x) v = static_cast<T>(uniform());
    for (T& v : y) v = static_cast<T>(uniform());
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < width; ++k) xx[i] += x[i * width + k] * x[i * width + k];
    for (std::size_t j = 0; j < m; ++j)
        for (std::size_t k = 0; k < width; ++k) yy[j] += y[j * width + k] * y[j * width + k];
    using enum acumen::KernelKind;
    for (const auto kind : {linear, polynomial, rbf, sigmoid}) {
        const acumen::KernelFunction k{kind, 0.5, 1.0, 3};
        const acumen::KernelRows<T> rows{n, width, x.data(), xx.data()},
            others{m, width, y.data(), yy.data()};
        std::vector<double> coefficients(m * 2, 1.0), total(n * 2, 0.0), again(n, 0.0), ones(m, 1.0);
        expect(acumen::add_kernel_sums(k, rows, others, coefficients.data(), 2, total.data(), 2, nullptr),
               "sums");
        std::vector<T> kept(m * n);
        std::vector<T*> lines(m);
        for (std::size_t j = 0; j < m; ++j) lines[j] = kept.data() + j * n;
        expect(acumen::kernel_rows(k, rows, others, lines.data(), 2, nullptr), "lines");
        const std::vector<const T*> sources(lines.begin(), lines.end());
        expect(acumen::add_kept_rows(sources.data(), ones.data(), m, n, again.data(), 2, nullptr), "kept");
        for (std::size_t i = 0; i < n; ++i)
            expect(std::fabs(again[i] - total[2 * i]) <= 1e-9 * (1 + std::fabs(again[i])),
                   "sums are of the lines");
    }
}

void machines(std::size_t n, std::size_t width, bool balanced) {
    std::vector<double> x(n * width), z(n), low(n), high(n), b(n), ridge(n), squares(n), ends(n),
        cost(n, 1.0);
    std::vector<std::int32_t> labels(n);
    for (double& v : x) v = uniform();
    for (std::size_t i = 0; i < n; ++i) {
        z[i] = i % 2 ? 1 : -1;
        low[i] = z[i] > 0 ? 0 : -1;
        high[i] = z[i] > 0 ? 1 : 0;
        labels[i] = static_cast<std::int32_t>(i % 3);
        ends[i] = static_cast<double>(i + 1);
        for (std::size_t k = 0; k < width; ++k) squares[i] += x[i * width + k] * x[i * width + k];
    }
    const std::size_t stride = (n + 7) / 8 * 8;
    std::vector<double> kernel(n * stride), gradient(n);
    for (std::size_t i = 0; i < n; ++i) {
        gradient[i] = -z[i];
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t k = 0; k < width; ++k)
                kernel[i * stride + j] += x[i * width + k] * x[j * width + k];
    }
    acumen::HeldLines<double> lines(kernel.data(), stride);
    const acumen::BoxProblem<double> box{n,        &lines,          low.data(), high.data(),
                                         b.data(), gradient.data(), 0.0,        balanced};
    expect(acumen::smo(box, 1e-3, 100000, nullptr).violation <= 1e-3, "smo ends");
    // The same machine twice, its lines made as they are asked for.
    std::vector<double> twice_low(low), twice_high(high), none(2 * n), twice(2 * n), slope(2 * n);
    twice_low.insert(twice_low.end(), low.begin(), low.end());
    twice_high.insert(twice_high.end(), high.begin(), high.end());
    std::vector<std::int64_t> ends_of{0, static_cast<std::int64_t>(n), static_cast<std::int64_t>(2 * n)},
        members(2 * n), steps(2);
    for (std::size_t i = 0; i < 2 * n; ++i) {
        members[i] = static_cast<std::int64_t>(i % n);
        slope[i] = -z[i % n];
    }
    const acumen::ManyMachines many{{acumen::KernelKind::linear, 1, 0, 1},
                                    {n, width, x.data(), squares.data()},
                                    0.0,
                                    2,
                                    ends_of.data(),
                                    members.data(),
                                    twice_low.data(),
                                    twice_high.data(),
                                    none.data(),
                                    twice.data(),
                                    slope.data(),
                                    balanced};
    expect(acumen::smo_many(many, 1e-3, 1e-3, 100000, steps.data(), 2, nullptr), "many machines end");
    for (std::size_t i = 0; i < n; ++i) {
        expect(twice[i] == twice[n + i], "equal machines are solved alike");
        expect(std::fabs(slope[i] - gradient[i]) < 1e-2, "many machines agree with one");
    }
    const acumen::DenseRows dense{n, width, x.data()};
    std::vector<std::int64_t> starts(n + 1);
    std::vector<std::int32_t> columns(n * width);
    for (std::size_t i = 0; i < n; ++i) {
        starts[i + 1] = starts[i] + static_cast<std::int64_t>(width);
        for (std::size_t k = 0; k < width; ++k) columns[i * width + k] = static_cast<std::int32_t>(k);
    }
    const acumen::SparseRows sparse{n, width, starts.data(), columns.data(), x.data()};
    std::vector<double> one(n), other(n), w(width + 1), v(width + 1), pulls(n), shift(3);
    const acumen::AscentProblem first{z.data(), low.data(), high.data(), ridge.data(), squares.data(),
                                      0.0,      1.0,        one.data(),  w.data()};
    const acumen::AscentProblem second{z.data(), low.data(), high.data(),  ridge.data(), squares.data(),
                                       0.0,      1.0,        other.data(), v.data()};
    acumen::dual_ascent(dense, first, 1e-6, 3000, 1, nullptr);
    acumen::dual_ascent(sparse, second, 1e-6, 3000, 1, nullptr);
    for (std::size_t k = 0; k <= width; ++k) expect(std::fabs(w[k] - v[k]) < 1e-3, "dense and sparse agree");
    std::vector<std::int64_t> which;
    for (std::size_t i = 0; i < n; i += 2) which.push_back(static_cast<std::int64_t>(i));
    std::vector<double> shares(which.size()), again(which.size()), sum(width + 1), same(width + 1);
    for (const std::size_t threads : {1U, 3U}) {
        acumen::row_products(dense, which, 1.0, w.data(), shares.data(), threads, nullptr);
        acumen::row_products(sparse, which, 1.0, w.data(), again.data(), threads, nullptr);
        for (std::size_t s = 0; s < which.size(); ++s)
            expect(std::fabs(shares[s] - again[s]) < 1e-9, "dense and sparse products agree");
        acumen::row_sum(sparse, which, 1.0, shares.data(), sum.data(), threads, nullptr);
        std::vector<double> ones(which.size(), 1.0);
        acumen::row_curvature(sparse, which, 1.0, ones.data(), w.data(), same.data(), threads, nullptr);
        for (std::size_t k = 0; k <= width; ++k)
            expect(std::fabs(sum[k] - same[k]) < 1e-9, "curvature is a sum of products");
    }
    const acumen::DescentProblem descent{z.data(), ends.data(), 0.0, 1.0, 0.0, false, false};
    expect(acumen::descend(dense, descent, 2000, 1, 0.0, w.data(), pulls.data(), nullptr),
           "descent of dense rows");
    expect(acumen::descend(sparse, descent, 2000, 1, 0.0, v.data(), pulls.data(), nullptr),
           "descent of sparse rows");
    std::vector<double> a(n * 3), weights((width + 1) * 3);
    const acumen::SingleProblem single{3,   labels.data(), cost.data(),   squares.data(), shift.data(),
                                       1.0, a.data(),      weights.data()};
    acumen::single_machine(dense, single, 1e-3, 200, 1, nullptr);
    acumen::single_machine(sparse, single, 1e-3, 200, 2, nullptr);
}

}  // namespace

int main() {
    for (const std::size_t n : {1U, 63U, 64U, 65U, 130U})
        for (const std::size_t m : {1U, 3U, 4U, 31U, 33U, 70U})
            for (const std::size_t width : {1U, 5U}) sums<float>(n, m, width), sums<double>(n, m, width);
    for (const std::size_t n : {2U, 7U, 8U, 9U, 40U})
        for (const std::size_t width : {1U, 3U, 9U}) machines(n, width, true), machines(n, width, false);
    return claims::finish();
}
