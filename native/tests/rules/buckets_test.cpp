// The kernel of 1R's buckets without Python, for the sanitizers.
#include "kernels/rules/buckets.hpp"

#include "tests/claims.hpp"

namespace {

using Starts = std::vector<std::int64_t>;

}  // namespace

int main() {
    const std::vector<double> none, one = {1.0, 0.0};
    expect(acumen::bucket_starts(none, 2, 1.0).empty(), "no values, no buckets");
    expect(acumen::bucket_starts(none, 0, 1.0).empty(), "no classes, no buckets");
    expect(acumen::bucket_starts(one, 2, 1.0) == Starts{0}, "one value, one bucket");
    const std::vector<double> turns = {1, 0, 1, 0, 0, 1, 0, 1};
    expect(acumen::bucket_starts(turns, 2, 2.0) == Starts({0, 2}), "closed when the class changes");
    expect(acumen::bucket_starts(turns, 2, 3.0) == Starts{0}, "too light to be closed");
    const std::vector<double> tied = {2, 0, 1, 1, 0, 2};
    expect(acumen::bucket_starts(tied, 2, 1.0) == Starts({0, 2}), "a tie of the next value goes on");
    return claims::finish();
}
