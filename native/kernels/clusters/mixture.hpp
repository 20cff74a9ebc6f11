// A mixture of normal densities over one block of rows: what each component's share of the rows adds up to,
// and the log-likelihood, in one pass that keeps no share. Plain C++20.
//
// Rows are row-major; those with a NaN are left out (the caller marginalises them). A density is given by its
// mean and the inverse W of its covariance's triangular factor: |W (x - mean)|^2 is the squared distance.
// Sums are of differences from the means that are given, so that where the numbers lie does not count.
#pragma once

#include <cstddef>

namespace acumen {

struct MixtureRows {
    const double* values = nullptr;  // n x d
    const double* weight = nullptr;  // n; none: ones
    std::size_t n = 0, d = 0;
};

struct MixtureParts {
    const double* constant = nullptr;  // k: log share + log det W - d / 2 log 2 pi
    const double* mean = nullptr;      // k x d
    const double* factor = nullptr;    // k x d x d, lower triangles; k x d where they are diagonal
    std::size_t k = 0;
    bool diagonal = false;
};

struct MixtureSums {
    double* weight = nullptr;  // k
    double* first = nullptr;   // k x d: of differences from the mean
    double* second = nullptr;  // k x d x d, lower triangles (k x d where diagonal): of their products
};

// Adds to the sums, which the caller has cleared; the sum of weight times log density over complete rows.
double mixture_pass(const MixtureRows& rows, const MixtureParts& parts, const MixtureSums& sums);

// out[i][c] = log share + log density of component c at row i; NaN where the row has a gap.
void mixture_logs(const MixtureRows& rows, const MixtureParts& parts, double* out);

inline constexpr std::size_t MIXTURE_TILE = 64;  // rows at a time, turned to d x 64

// The next multiple of four: lines of a turned tile, those beyond d zero.
inline constexpr std::size_t mixture_lines(std::size_t d) { return (d + 3) / 4 * 4; }

// score[i] = -|W (x_i - mean)|^2 / 2 of a turned tile. `away` (mixture_lines(d) lines) is filled with x -
// mean.
void mixture_scores(const double* turned, const double* mean, const double* factor, std::size_t d,
                    bool diagonal, double* away, double* score);

// Adds share, share * away and share * away * away' to sums of eight lanes each: 1 + d + lines * lines of
// them, of which the second kind needs only the lower triangle (the diagonal: d of them).
void mixture_sums(const double* turned, const double* mean, const double* share, std::size_t d, bool diagonal,
                  double* away, double* shared, double* lanes);

}  // namespace acumen
