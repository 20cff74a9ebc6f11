// The kernels of logistic regression without Python, for the sanitizers.
#include "kernels/linear/logistic.hpp"

#include <cmath>
#include <vector>

#include "tests/claims.hpp"

namespace {

// Rows x columns with a pattern of zeros, dense and compressed both ways.
struct Data {
    std::size_t n, d;
    std::vector<double> x;
    std::vector<std::int32_t> label;
    std::vector<std::int64_t> ends{0}, t_ends{0};
    std::vector<std::int32_t> at, t_at;
    std::vector<double> value, t_value;

    Data(std::size_t rows, std::size_t columns, std::size_t classes) : n(rows), d(columns) {
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < d; ++j)
                x.push_back((i + 2 * j) % 3 ? std::sin(static_cast<double>(7 * i + j)) : 0.0);
            label.push_back(static_cast<std::int32_t>(i % classes));
        }
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < d; ++j)
                if (x[i * d + j] != 0.0) {
                    at.push_back(static_cast<std::int32_t>(j));
                    value.push_back(x[i * d + j]);
                }
            ends.push_back(static_cast<std::int64_t>(at.size()));
        }
        for (std::size_t j = 0; j < d; ++j) {
            for (std::size_t i = 0; i < n; ++i)
                if (x[i * d + j] != 0.0) {
                    t_at.push_back(static_cast<std::int32_t>(i));
                    t_value.push_back(x[i * d + j]);
                }
            t_ends.push_back(static_cast<std::int64_t>(t_at.size()));
        }
    }
};

bool close(const std::vector<double>& a, const std::vector<double>& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
        if (std::fabs(a[i] - b[i]) > 1e-9 * (1 + std::fabs(a[i]))) return false;
    return true;
}

void check(std::size_t n, std::size_t d, std::size_t lines) {
    const Data data(n, d, lines == 1 ? 2 : lines);
    std::vector<acumen::Column> columns;
    for (std::size_t j = 0; j < d; ++j)
        columns.push_back({data.x.data() + j, static_cast<std::ptrdiff_t>(d)});
    const std::vector<double> zero(d), one(d, 1.0);
    std::vector<double> w(lines * (d + 1));
    for (std::size_t i = 0; i < w.size(); ++i) w[i] = std::cos(static_cast<double>(i));
    const acumen::Outcomes outcomes{data.label, nullptr, lines};
    std::vector<double> gradient(w.size()), hessian(w.size() * w.size()), other(w.size()),
        square(hessian.size()), scratch(n * lines);
    double loss = 0, again = 0;
    expect(acumen::logistic_dense({columns, n}, zero.data(), one.data(), outcomes, w.data(), loss,
                                  gradient.data(), hessian.data(), 3, nullptr),
           "a dense pass ends");
    const acumen::Compressed rows{data.ends, data.at, data.value},
        turned{data.t_ends, data.t_at, data.t_value};
    expect(acumen::logistic_sparse(rows, turned, outcomes, w.data(), scratch.data(), again, other.data(), 3,
                                   nullptr),
           "a sparse pass ends");
    expect(acumen::logistic_sparse_hessian(rows, d, outcomes, w.data(), square.data(), 3, nullptr),
           "a sparse matrix of second derivatives ends");
    expect(std::fabs(loss - again) <= 1e-9 * (1 + loss), "dense and sparse losses agree");
    expect(close(gradient, other), "dense and sparse gradients agree");
    expect(close(hessian, square), "dense and sparse second derivatives agree");
}

}  // namespace

int main() {
    for (const std::size_t n : {std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{5000}})
        for (const std::size_t d : {std::size_t{1}, std::size_t{7}, std::size_t{8}, std::size_t{17}})
            for (const std::size_t lines : {std::size_t{1}, std::size_t{3}, std::size_t{9}})
                check(n, d, lines);
    return claims::finish();
}
