// Triangular factors and the lasso without Python, for the sanitizers.
#include "kernels/linear/triangle.hpp"

#include <cmath>
#include <vector>

#include "kernels/linear/lasso.hpp"
#include "tests/claims.hpp"

namespace {

using Numbers = std::vector<double>;

bool near(double a, double b) { return std::abs(a - b) <= 1e-12 * (1.0 + std::abs(b)); }

// Some numbers without pattern.
Numbers made(std::size_t n) {
    Numbers values(n);
    unsigned state = 7;
    for (double& value : values) {
        state = state * 1664525u + 1013904223u;
        value = static_cast<double>(state >> 8) / (1 << 24) - 0.5;
    }
    return values;
}

void factors(std::size_t m, std::size_t p) {
    const Numbers columns = made(m * p);
    Numbers used = columns, r(p * p, -1.0);
    acumen::triangular(used.data(), m, p, r.data());
    bool upper = true, inner = true;
    for (std::size_t i = 0; i < p; ++i)
        for (std::size_t j = 0; j < p; ++j) {
            upper &= j >= i || r[i * p + j] == 0.0;
            double got = 0.0, wanted = 0.0;
            for (std::size_t k = 0; k < p; ++k) got += r[k * p + i] * r[k * p + j];
            for (std::size_t k = 0; k < m; ++k) wanted += columns[i * m + k] * columns[j * m + k];
            inner &= near(got, wanted);
        }
    expect(upper, "the factor is triangular");
    expect(inner, "the factor has the columns' inner products");
    if (m < p) return;
    Numbers gram(p * p), again(p * p), rows(m * p);
    for (std::size_t i = 0; i < p; ++i)
        for (std::size_t j = 0; j < p; ++j)
            for (std::size_t k = 0; k < m; ++k) gram[i * p + j] += columns[i * m + k] * columns[j * m + k];
    expect(acumen::cholesky(gram.data(), p, again.data()), "it is positive definite");
    bool same = true;
    for (std::size_t i = 0; i < p * p; ++i) same &= std::abs(again[i] - r[i]) < 1e-9;
    expect(same, "both ways give one factor");
    for (std::size_t k = 0; k < m; ++k)
        for (std::size_t j = 0; j < p; ++j) rows[k * p + j] = columns[j * m + k];
    Numbers q = rows;
    acumen::divide_rows(q.data(), m, p, r.data());
    bool back = true;
    for (std::size_t k = 0; k < m; ++k)
        for (std::size_t j = 0; j < p; ++j) {
            double value = 0.0;
            for (std::size_t i = 0; i <= j; ++i) value += q[k * p + i] * r[i * p + j];
            back &= std::abs(value - rows[k * p + j]) < 1e-11;
        }
    expect(back, "divided rows times the factor are the rows");
    Numbers product(p * p);
    acumen::multiply_triangles(r.data(), r.data(), p, product.data());
    expect(near(product[0], r[0] * r[0]), "the first pivot of a product");
}

void lasso(bool given) {
    const std::size_t m = 9, p = 5, n = 3;
    const Numbers x = made(m * p);
    Numbers product(p), gram(p * p);
    Numbers y(m);
    for (std::size_t k = 0; k < m; ++k) y[k] = 2.0 * x[k] - x[m + k];
    double total = 0.0;
    for (const double value : y) total += value * value;
    for (std::size_t i = 0; i < p; ++i)
        for (std::size_t k = 0; k < m; ++k) {
            product[i] += x[i * m + k] * y[k];
            for (std::size_t j = 0; j < p; ++j) gram[i * p + j] += x[i * m + k] * x[j * m + k];
        }
    const double penalties[n] = {1e3, 1e-2, 0.0};
    Numbers found(n * p);
    std::vector<acumen::LassoPoint> points(n);
    const acumen::LassoProblem problem{
        given ? nullptr : x.data(), given ? gram.data() : nullptr, product.data(), m, p, total};
    expect(acumen::lasso_path(problem, penalties, n, {1e-14, 100000}, {}, found.data(), points.data()),
           "nobody stopped it");
    bool none = true;
    for (std::size_t j = 0; j < p; ++j) none &= found[j] == 0.0;
    expect(none, "a strong penalty leaves nothing");
    expect(std::abs(found[2 * p] - 2.0) < 1e-5 && std::abs(found[2 * p + 1] + 1.0) < 1e-5,
           "without a penalty the truth comes out");
    expect(!acumen::lasso_path(
               problem, penalties + 2, 1, {0.0, 100000}, [] { return true; }, found.data(), points.data()) ||
               points[0].sweeps < 16,
           "it can be stopped");
}

}  // namespace

int main() {
    for (const std::size_t p : {1, 2, 4, 5, 9})
        for (const std::size_t m : {1, 3, 8, 17, 40}) factors(m, p);
    Numbers indefinite = {1, 2, 2, 1}, factor(4);
    expect(!acumen::cholesky(indefinite.data(), 2, factor.data()), "an indefinite matrix is refused");
    lasso(true);
    lasso(false);
    return claims::finish();
}
