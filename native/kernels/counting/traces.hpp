// What is remembered of rows, and what is suspicious in them, in one glance each.
//
//   trace            a hash of each row, added up column by column, and the range of each number
//   suspect_*        which columns may be constant, identifiers or leaks: a sample refutes the others
//   count_strange    values outside those ranges, and codes nobody knows
//
// Hashes of columns are added, so that the order in which columns pass does not matter.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "kernels/common/clones.hpp"
#include "kernels/common/columns.hpp"
#include "kernels/common/parallel.hpp"

namespace acumen {

// The finaliser of splitmix64 (Steele, Lea, Flood 2014): every bit of x moves every bit of the answer.
inline std::uint64_t scrambled(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

// Odd and different for each column.
inline std::uint64_t column_factor(std::uint64_t place) { return scrambled(place + 1) | 1; }

// One number's share of its row's hash; zero has one sign, and a missing number one pattern. Folding brings
// the bits of short numbers, which are all at the top, to where a product of 64 bits keeps them.
inline std::uint64_t number_hash(double value, std::uint64_t factor) {
    const double plain = value != value ? std::numeric_limits<double>::quiet_NaN() : value + 0.0;
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(plain);
    return (bits ^ (bits >> 32)) * factor;
}

// Eight at a time, each with a range of its own, so that no value waits for the one before it.
ACUMEN_CLONES inline void trace_run(const double* ACUMEN_RESTRICT values, std::size_t n, std::uint64_t factor,
                                    double* ACUMEN_RESTRICT low, double* ACUMEN_RESTRICT high,
                                    std::uint64_t* ACUMEN_RESTRICT hashes) {
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (std::size_t k = 0; k < 8; ++k) {
            const double value = values[i + k];
            hashes[i + k] += number_hash(value, factor);
            low[k] = value < low[k] ? value : low[k];
            high[k] = value > high[k] ? value : high[k];
        }
    for (; i < n; ++i) {
        hashes[i] += number_hash(values[i], factor);
        low[0] = values[i] < low[0] ? values[i] : low[0];
        high[0] = values[i] > high[0] ? values[i] : high[0];
    }
}

// The same of rows whose numbers lie side by side: a row as it is, each column with its factor and range.
ACUMEN_CLONES inline void trace_rows(const double* ACUMEN_RESTRICT row, std::ptrdiff_t stride, std::size_t n,
                                     std::size_t width, const std::uint64_t* ACUMEN_RESTRICT factor,
                                     double* ACUMEN_RESTRICT low, double* ACUMEN_RESTRICT high,
                                     std::uint64_t* ACUMEN_RESTRICT hashes) {
    for (std::size_t i = 0; i < n; ++i, row += stride) {
        std::uint64_t hash = 0;
        for (std::size_t j = 0; j < width; ++j) {
            const double value = row[j];
            hash += number_hash(value, factor[j]);
            low[j] = value < low[j] ? value : low[j];
            high[j] = value > high[j] ? value : high[j];
        }
        hashes[i] += hash;
    }
}

// The range of the finite values of a column that has infinite ones too, and how many these are.
inline std::int64_t finite_range(const Column& column, std::size_t rows, double& low, double& high) {
    std::int64_t infinite = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        const double value = column[i];
        if (std::isinf(value)) {
            ++infinite;
        } else {
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
    }
    return infinite;
}

// What is known of some rows so far: hashes, one a row, and of each column of numbers its finite range and
// how many values are infinite. `keys[j][code + 2]` is the share of a code in the hash; one outside counts as
// unknown, the first.
struct Traced {
    Columns numbers;
    std::span<const CodeColumn> codes;
    std::span<const std::span<const std::uint64_t>> keys;
    std::size_t rows;
    double* low;
    double* high;
    std::int64_t* infinite;
    std::uint64_t* hashes;
};

// Rows that pass by all columns together: few enough that a table whose rows lie side by side stays in cache
// from one column to the next.
constexpr std::size_t TRACED_ROWS = 256, TRACED_BLOCKS = 16;

// A column's values in a block: where they are, or copied out of their rows.
inline const double* run_of(const Column& column, std::size_t start, std::size_t n, double* copied) {
    if (column.stride == 1) return column.data + start;
    for (std::size_t i = 0; i < n; ++i) copied[i] = column[start + i];
    return copied;
}

// Calls work(own, start, n) for blocks of rows over threads; `own` is a copy of `empty` that no other thread
// touches. Gives all copies: what is made of them must not depend on who did which block.
template <typename Own, typename Work>
std::deque<Own> by_blocks(std::size_t rows, std::size_t threads, const Own& empty, const Work& work) {
    constexpr std::size_t MANY = TRACED_ROWS * TRACED_BLOCKS;
    std::deque<Own> owned;
    std::mutex guard;
    for_blocks((rows + MANY - 1) / MANY, threads, {}, [&] {
        const std::lock_guard<std::mutex> lock(guard);
        return [&, own = &owned.emplace_back(empty)](std::size_t block) {
            const std::size_t end = std::min(rows, (block + 1) * MANY);
            for (std::size_t start = block * MANY; start < end; start += TRACED_ROWS)
                work(*own, start, std::min(TRACED_ROWS, end - start));
        };
    });
    return owned;
}

inline void trace(const Traced& all, std::uint64_t first_place, std::size_t threads = 1) {
    constexpr double INF = std::numeric_limits<double>::infinity();
    const std::size_t width = all.numbers.size();
    const bool side_by_side = width > 1 && all.numbers.side_by_side(0, width);
    const std::size_t lanes = side_by_side ? 1 : 8;  // ranges of a column, joined at the end
    struct Ranges {
        std::vector<double> low, high;
    };
    std::vector<std::uint64_t> factor(width);
    for (std::size_t j = 0; j < width; ++j) factor[j] = column_factor(first_place + j);
    const auto work = [&](Ranges& own, std::size_t start, std::size_t n) {
        std::array<double, TRACED_ROWS> copied;
        if (side_by_side) {
            const Column& first = all.numbers.columns[0];
            trace_rows(first.data + static_cast<std::ptrdiff_t>(start) * first.stride, first.stride, n, width,
                       factor.data(), own.low.data(), own.high.data(), all.hashes + start);
        } else {
            for (std::size_t j = 0; j < width; ++j)
                trace_run(run_of(all.numbers.columns[j], start, n, copied.data()), n, factor[j],
                          own.low.data() + j * lanes, own.high.data() + j * lanes, all.hashes + start);
        }
        for (std::size_t j = 0; j < all.codes.size(); ++j) {
            const CodeColumn& codes = all.codes[j];
            const auto keys = all.keys[j];
            for (std::size_t i = start; i < start + n; ++i) {
                const auto place = static_cast<std::uint64_t>(static_cast<std::int64_t>(codes[i]) + 2);
                all.hashes[i] += keys[place < keys.size() ? place : 0];
            }
        }
    };
    const Ranges empty{std::vector<double>(width * lanes, INF), std::vector<double>(width * lanes, -INF)};
    const auto owned = by_blocks(all.rows, threads, empty, work);
    for (std::size_t j = 0; j < width; ++j) {
        double lowest = INF, highest = -INF;
        for (const Ranges& own : owned)
            for (std::size_t k = j * lanes; k < (j + 1) * lanes; ++k) {
                lowest = std::min(lowest, own.low[k]);
                highest = std::max(highest, own.high[k]);
            }
        if (lowest == -INF || highest == INF) {
            lowest = INF;
            highest = -INF;
            all.infinite[j] += finite_range(all.numbers.columns[j], all.rows, lowest, highest);
        }
        all.low[j] = std::min(all.low[j], lowest);
        all.high[j] = std::max(all.high[j], highest);
    }
}

// The hashes that begin with so many zero bits, at least `level`, that at most `most` different ones are
// left: the least such number, and these hashes in order.
inline std::pair<unsigned, std::vector<std::uint64_t>> sample_hashes(std::span<const std::uint64_t> hashes,
                                                                     unsigned level, std::size_t most) {
    const auto below = [&hashes](unsigned zeros) {
        std::vector<std::uint64_t> kept;
        for (const std::uint64_t hash : hashes)
            if (zeros == 0 || hash >> (64 - zeros) == 0) kept.push_back(hash);
        std::sort(kept.begin(), kept.end());
        kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
        return kept;
    };
    unsigned zeros = level;
    for (std::size_t left = hashes.size(); left > most && zeros < 60; left /= 2) ++zeros;
    auto kept = below(zeros);
    while (zeros > level) {
        auto more = below(zeros - 1);
        if (more.size() > most) break;
        kept = std::move(more);
        --zeros;
    }
    while (kept.size() > most) {
        ++zeros;
        std::erase_if(kept, [zeros](std::uint64_t hash) { return hash >> (64 - zeros) != 0; });
    }
    return {zeros, std::move(kept)};
}

// -- suspicion ---------------------------------------------------------------------------------------------

enum Suspicion : std::uint8_t { SAME = 1, IDENTIFIER = 2, LEAK = 4, LONELY = 8 };

// What every row of a sample leaves possible: each of the three holds of all rows only if it holds of any
// few.
struct Sample {
    std::size_t rows, step;
    Sample(std::size_t n, std::size_t most) : rows(std::min(n, most)), step(rows ? n / rows : 1) {}
};

inline std::uint8_t suspect_numbers(const Column& values, std::size_t n, std::span<const std::int32_t> labels,
                                    std::size_t classes, std::size_t most, std::uint8_t possible) {
    const Sample sample(n, most);
    std::vector<std::pair<double, std::int32_t>> seen;
    seen.reserve(sample.rows);
    std::int32_t of_known = -1, of_missing = -1;  // the class of all such rows, -2 where there are several
    const auto meets = [](std::int32_t& all, std::int32_t label) {
        all = all == -1 || all == label ? label : -2;
    };
    bool whole = true;
    for (std::size_t s = 0; s < sample.rows; ++s) {
        const std::size_t i = s * sample.step;
        const double value = values[i];
        const std::int32_t label = labels.empty() ? -1 : labels[i];
        if (label >= 0) meets(value != value ? of_missing : of_known, label);
        if (value != value) {
            whole = false;  // an identifier has no gaps
            continue;
        }
        whole = whole && value == std::floor(value) && std::abs(value) < 1e300;
        seen.emplace_back(value, label);
    }
    std::sort(seen.begin(), seen.end());
    bool varied = false, repeated = false, torn = false;
    std::size_t changes = 0, repeats = 0;
    std::int32_t before = -1;
    for (std::size_t s = 0; s < seen.size(); ++s) {
        const auto [value, label] = seen[s];
        const bool same = s > 0 && seen[s - 1].first == value;
        varied = varied || (s > 0 && !same);
        repeated = repeated || same;
        repeats += same;
        if (label < 0) continue;
        torn = torn || (same && before >= 0 && before != label);
        changes += before >= 0 && before != label;
        before = label;
    }
    std::uint8_t left = possible;
    if (varied) left &= ~SAME;
    // Some rows may be of the same thing; how many is looked at where all rows are.
    if (10 * repeats > seen.size() || !whole) left &= ~IDENTIFIER;
    // Neither intervals of one class each (two a class at most) nor few values of one class, nor being
    // missing.
    const bool by_intervals = !torn && changes < 2 * classes;
    const bool by_values = !torn && repeated;
    const bool by_absence = of_known != -2 && of_missing != -2;
    if (!by_intervals && !by_values && !by_absence) left &= ~LEAK;
    return left;
}

inline std::uint8_t suspect_codes(const CodeColumn& codes, std::size_t n,
                                  std::span<const std::int32_t> labels, std::size_t levels) {
    std::uint8_t left = SAME | LEAK;
    std::vector<std::int32_t> class_of(levels, -1);
    std::int32_t first = -1, of_known = -1, of_missing = -1;
    const auto meets = [](std::int32_t& all, std::int32_t label) {
        all = all == -1 || all == label ? label : -2;
    };
    bool pure = true;
    for (std::size_t i = 0; i < n; ++i) {
        const std::int32_t code = codes[i], label = labels.empty() ? -1 : labels[i];
        if (label >= 0) meets(code < 0 ? of_missing : of_known, label);
        if (code >= 0 && static_cast<std::size_t>(code) < levels) {
            if (first < 0) first = code;
            if (code != first) left &= ~SAME;
            if (label >= 0) {
                auto& known = class_of[static_cast<std::size_t>(code)];
                pure = pure && (known < 0 || known == label);
                known = label;
            }
        }
        if (!pure && (of_known == -2 || of_missing == -2)) left &= ~LEAK;
        if (!left) return 0;
    }
    return left;
}

// Whether some level occurs in one row only; over as soon as all levels have been met twice.
inline bool has_lonely(const CodeColumn& codes, std::size_t n, std::size_t levels) {
    std::vector<std::uint8_t> seen(levels, 0);  // none, one, more
    std::size_t left = levels;
    for (std::size_t i = 0; i < n && left; ++i) {
        const std::int32_t code = codes[i];
        if (code < 0 || static_cast<std::size_t>(code) >= levels) continue;
        auto& times = seen[static_cast<std::size_t>(code)];
        if (times < 2 && ++times == 2) --left;
    }
    return std::find(seen.begin(), seen.end(), 1) != seen.end();
}

// Rows whose numbers lie side by side, each column with its range and count.
ACUMEN_CLONES inline void count_rows_outside(const double* ACUMEN_RESTRICT row, std::ptrdiff_t stride,
                                             std::size_t n, std::size_t width,
                                             const double* ACUMEN_RESTRICT low,
                                             const double* ACUMEN_RESTRICT high,
                                             std::int64_t* ACUMEN_RESTRICT counts) {
    for (std::size_t i = 0; i < n; ++i, row += stride)
        for (std::size_t j = 0; j < width; ++j)
            counts[j] += static_cast<std::int64_t>((row[j] < low[j]) | (row[j] > high[j]));
}

// Of each column of numbers how many lie outside its range (none, where no range is known and it is turned
// round), and of each column of codes how many are unknown.
inline void count_strange(const Columns& numbers, const double* low, const double* high,
                          std::span<const CodeColumn> codes, std::size_t rows, std::int64_t* outside,
                          std::int64_t* unknown, std::size_t threads = 1) {
    const std::size_t width = numbers.size();
    const bool side_by_side = width > 1 && numbers.side_by_side(0, width);
    const auto work = [&](std::vector<std::int64_t>& counts, std::size_t start, std::size_t n) {
        std::array<double, TRACED_ROWS> copied;
        if (side_by_side) {
            const Column& first = numbers.columns[0];
            count_rows_outside(first.data + static_cast<std::ptrdiff_t>(start) * first.stride, first.stride,
                               n, width, low, high, counts.data());
        }
        for (std::size_t j = 0; j < width && !side_by_side; ++j) {
            const double* run = run_of(numbers.columns[j], start, n, copied.data());
            std::int64_t count = 0;
            for (std::size_t i = 0; i < n; ++i) count += (run[i] < low[j]) | (run[i] > high[j]);
            counts[j] += count;
        }
        for (std::size_t j = 0; j < codes.size(); ++j)
            for (std::size_t i = start; i < start + n; ++i) counts[width + j] += codes[j][i] == -2;
    };
    const auto owned = by_blocks(rows, threads, std::vector<std::int64_t>(width + codes.size(), 0), work);
    std::fill_n(outside, width, 0);
    std::fill_n(unknown, codes.size(), 0);
    for (const auto& counts : owned) {
        for (std::size_t j = 0; j < width; ++j)
            if (low[j] <= high[j]) outside[j] += counts[j];
        for (std::size_t j = 0; j < codes.size(); ++j) unknown[j] += counts[width + j];
    }
}

// How often each code occurs: unknown, missing, then each level; one outside counts as unknown.
inline void count_codes(const CodeColumn& codes, std::size_t rows, std::span<std::int64_t> counts) {
    for (std::size_t i = 0; i < rows; ++i) {
        const auto place = static_cast<std::uint64_t>(static_cast<std::int64_t>(codes[i]) + 2);
        ++counts[place < counts.size() ? place : 0];
    }
}

}  // namespace acumen
