#include "kernels/associations/fisher.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace acumen {

namespace {

constexpr std::int64_t TABLED = std::int64_t{1} << 20;
// A tail's terms fall ever faster: beyond this share of their sum the rest is lost in its last digit.
constexpr double NOTHING = 1e-18;

class Factorials {
  public:
    explicit Factorials(std::int64_t most)
        : logs_(static_cast<std::size_t>(std::min(most, TABLED)) + 1, 0.0) {
        long double sum = 0;
        for (std::size_t i = 1; i < logs_.size(); ++i) {
            sum += std::log(static_cast<long double>(i));
            logs_[i] = static_cast<double>(sum);
        }
    }

    // The logarithm of the number of ways to take k of n.
    double choose(std::int64_t n, std::int64_t k) const { return of(n) - of(k) - of(n - k); }

  private:
    double of(std::int64_t n) const {
        if (static_cast<std::size_t>(n) < logs_.size()) return logs_[static_cast<std::size_t>(n)];
        // Stirling's series: of numbers as large its next term is below the last digit.
        const double x = static_cast<double>(n) + 1.0;
        return (x - 0.5) * std::log(x) - x + 0.91893853320467274178 + 1.0 / (12.0 * x);
    }

    std::vector<double> logs_;
};

double first_term(const Factorials& logs, std::int64_t a, std::int64_t n, std::int64_t k,
                  std::int64_t whole) {
    return std::exp(logs.choose(k, a) + logs.choose(whole - k, n - a) - logs.choose(whole, n));
}

// The chance of `a` and everything above it, where terms fall.
double up(const Factorials& logs, std::int64_t a, std::int64_t n, std::int64_t k, std::int64_t whole) {
    double term = 1, sum = 1;
    for (std::int64_t x = a; x < std::min(n, k) && term > NOTHING * sum; ++x) {
        term *= static_cast<double>(k - x) * static_cast<double>(n - x) /
                (static_cast<double>(x + 1) * static_cast<double>(whole - k - n + x + 1));
        sum += term;
    }
    return first_term(logs, a, n, k, whole) * sum;
}

// The chance of `a` and everything below it.
double down(const Factorials& logs, std::int64_t a, std::int64_t n, std::int64_t k, std::int64_t whole) {
    double term = 1, sum = 1;
    for (std::int64_t x = a; x > std::max<std::int64_t>(0, n + k - whole) && term > NOTHING * sum; --x) {
        term *= static_cast<double>(x) * static_cast<double>(whole - k - n + x) /
                (static_cast<double>(k - x + 1) * static_cast<double>(n - x + 1));
        sum += term;
    }
    return first_term(logs, a, n, k, whole) * sum;
}

}  // namespace

void fisher_tails(std::span<const std::int64_t> right, std::span<const std::int64_t> covered,
                  std::span<const std::int64_t> head, std::span<const std::int64_t> whole, double* made) {
    std::int64_t most = 0;
    for (const std::int64_t n : whole) most = std::max(most, n);
    const Factorials logs(most);
    for (std::size_t i = 0; i < right.size(); ++i) {
        const std::int64_t a = right[i], n = covered[i], k = head[i], all = whole[i];
        if (a <= std::max<std::int64_t>(0, n + k - all))
            made[i] = 1.0;
        else if (static_cast<double>(a) * static_cast<double>(all) >
                 static_cast<double>(n) * static_cast<double>(k))
            made[i] =
                std::min(up(logs, a, n, k, all), 1.0);  // above the mean the upper tail is the shorter sum
        else
            made[i] = std::max(1.0 - down(logs, a - 1, n, k, all), 0.0);
    }
}

}  // namespace acumen
