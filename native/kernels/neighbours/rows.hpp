// Rows between which distances are asked, and the one formula all of them come from.
//
// A distance here is a sum (or the largest) of what each attribute adds, over the attributes that both rows
// know: numbers by a function of their difference, levels by a weight where they differ or by a table. What
// orders rows is the `key`; the distance itself is a monotone function of it, taken last and for few rows
// only.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace acumen {

inline constexpr std::size_t NEAR_LANES = 64;  // rows of a tile, which lie column by column
inline constexpr std::size_t NEAR_GROUP = 16;  // of them looked at together

// Two keys that differ by less than this part of the larger are one: no rounding decides between rows.
inline constexpr double SAME_KEY = 1e-12;

enum class NearRule : std::uint8_t { squared, absolute, largest, power };

// How a key becomes a distance.
enum class NearRoot : std::uint8_t { itself, square_root, power_root, half, odds };

struct NearForm {
    NearRule rule = NearRule::squared;
    NearRoot root = NearRoot::square_root;
    double power = 2;            // of NearRule::power
    double unit = 1;             // the distance is unit times the root of the key
    bool share = false;          // the sum over the weight of what is known; else blown up by all over known
    bool capped = false;         // no number adds more than its weight
    std::vector<double> factor;  // of each number: its difference is multiplied by this first
    std::vector<double> weight;  // of each number: what it adds is multiplied by this, and what it counts
    // Levels: `differ` is what another level adds, NaN where `table` says it: lines x (levels + 1), the last
    // column for a missing level; NaN in a table: the pair is as if missing;
    // below 0: the pair is known and left out of both sums, and where nothing else is known the rows are
    // equal.
    std::vector<double> differ;
    std::vector<double> count;  // what each nominal attribute counts
    std::vector<std::vector<double>> table;
    std::vector<std::size_t> levels;
    double extra_count = 0;  // of what is added from outside (words), 0: nothing is

    std::size_t numbers() const { return factor.size(); }
    std::size_t nominal() const { return differ.size(); }
    double whole = 0;  // what all attributes count together; `settle` sums it
    void settle();
    double distance(double key) const;
    double key(double distance) const;  // the other way round
};

// Training rows: matrices by row as they came (borrowed: they must outlive what is made of them), and the
// same in tiles of NEAR_LANES rows, column by column, in the order that `order` says. Places beyond the last
// row hold NaN and missing levels.
struct NearRows {
    std::size_t n = 0, d = 0, q = 0;
    const double* values = nullptr;       // n x d, NaN where missing
    const std::int32_t* codes = nullptr;  // n x q; the number of levels where missing
    std::vector<std::uint32_t> order;     // the row at each place
    std::vector<double> tiles;            // tile x d x NEAR_LANES
    std::vector<std::int32_t> levels;     // tile x q x NEAR_LANES
    std::vector<std::uint8_t> gaps;       // tile x (d + q): whether a value is missing there
    bool complete = true;                 // no value is missing

    std::size_t n_tiles() const { return (n + NEAR_LANES - 1) / NEAR_LANES; }
    void lay(const NearForm& form);  // fills what is derived from values, codes and order
};

// One row that asks.
struct NearQuery {
    const double* values = nullptr;       // d
    const std::int32_t* codes = nullptr;  // q: the level, or the table's line; -1 where missing
    const double* factor = nullptr;       // d: in place of the form's, where given
    const double* extra = nullptr;        // n: what is added from outside, NaN where unknown
};

// keys[i] of the rows of a tile; infinity where nothing is known of both, NaN beyond the last row.
void near_keys(const NearForm& form, const NearRows& rows, const NearQuery& query, std::size_t tile,
               double* keys);

// The same where `near_plain` holds and the query knows all its values: in one loop over the columns. Bit g
// of what it returns is set if one of the g-th NEAR_GROUP rows may be within reach.
bool near_plain(const NearForm& form, const NearRows& rows);
unsigned near_squares(const NearForm& form, const NearRows& rows, const double* values, std::size_t tile,
                      double reach, double* keys);
// How many rows of the tile are within reach.
std::size_t near_count(const NearForm& form, const NearRows& rows, const double* values, std::size_t tile,
                       double reach);
// The same places: bit l: the l-th row of the tile may be within `reach` of the box between `low` and `high`.
std::uint64_t near_reached(const NearForm& form, const NearRows& rows, std::size_t tile, const double* low,
                           const double* high, double reach);
double near_square(const NearForm& form, const NearRows& rows, const double* values, std::size_t row);

// The key of one row, to the bit what near_keys gives.
double near_key(const NearForm& form, const NearRows& rows, const NearQuery& query, std::size_t row);

}  // namespace acumen
