// Lanes run over classes. What bounds it: a word's line of the table is fetched from somewhere in the second
// or third cache for every word of every document.
#include "kernels/densities/word_logs.hpp"

#include "kernels/common/clones.hpp"

#if defined(__GNUC__)
#define ACUMEN_INLINE inline __attribute__((always_inline))
#else
#define ACUMEN_INLINE inline
#endif

namespace acumen {

namespace {

constexpr std::size_t BLOCK = 1024;  // documents a thread takes at a time

template <typename Index>
struct Scoring {
    const Sparse<Index, double>& matrix;
    std::size_t classes;
    const double* table;
    bool presence;
    double* total;
};

// The words of row i: each(line of the table, times) is called for those that count.
template <typename Index, typename Each>
ACUMEN_INLINE void for_words(const Scoring<Index>& s, std::size_t i, const Each& each) {
    const auto end =
        std::min<std::size_t>(static_cast<std::size_t>(s.matrix.starts[i + 1]), s.matrix.indices.size());
    for (auto j = static_cast<std::size_t>(s.matrix.starts[i]); j < end; ++j) {
        const auto word = static_cast<std::size_t>(s.matrix.indices[j]);
        const double value = s.matrix.values[j];
        if (word >= s.matrix.width || !(value > 0 && value <= std::numeric_limits<double>::max())) continue;
        each(s.table + word * s.classes, s.presence ? 1.0 : value);
    }
}

// A few classes: their sums stay in registers.
template <std::size_t Classes, typename Index>
ACUMEN_INLINE void add_rows_of(const Scoring<Index>& s, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
        double* total = s.total + i * Classes;
        double sum[Classes];
        for (std::size_t c = 0; c < Classes; ++c) sum[c] = total[c];
        for_words(s, i, [&](const double* add, double times) {
            for (std::size_t c = 0; c < Classes; ++c) sum[c] += times * add[c];
        });
        for (std::size_t c = 0; c < Classes; ++c) total[c] = sum[c];
    }
}

// Inlined in each of its clones, which a template cannot have itself.
template <typename Index>
ACUMEN_INLINE void add_rows(const Scoring<Index>& s, std::size_t first, std::size_t last) {
    switch (s.classes) {
        case 2:
            return add_rows_of<2>(s, first, last);
        case 3:
            return add_rows_of<3>(s, first, last);
        case 4:
            return add_rows_of<4>(s, first, last);
        case 5:
            return add_rows_of<5>(s, first, last);
        case 6:
            return add_rows_of<6>(s, first, last);
        default:
            break;
    }
    for (std::size_t i = first; i < last; ++i) {
        double* ACUMEN_RESTRICT total = s.total + i * s.classes;
        for_words(s, i, [&](const double* ACUMEN_RESTRICT add, double times) {
            for (std::size_t c = 0; c < s.classes; ++c) total[c] += times * add[c];
        });
    }
}

ACUMEN_CLONES void add_narrow(const Scoring<std::int32_t>& s, std::size_t first, std::size_t last) {
    add_rows(s, first, last);
}

ACUMEN_CLONES void add_wide(const Scoring<std::int64_t>& s, std::size_t first, std::size_t last) {
    add_rows(s, first, last);
}

template <typename Index, typename Add>
bool over_blocks(const Scoring<Index>& scoring, Add add, std::size_t threads, const Stop& stop) {
    const std::size_t rows = scoring.matrix.starts.size() - 1;
    return for_blocks((rows + BLOCK - 1) / BLOCK, threads, stop, [&] {
        return [&](std::size_t block) { add(scoring, block * BLOCK, std::min(rows, (block + 1) * BLOCK)); };
    });
}

}  // namespace

bool add_word_logs(const Sparse<std::int32_t, double>& matrix, std::size_t classes, const double* table,
                   bool presence, double* total, std::size_t threads, const Stop& stop) {
    return over_blocks(Scoring<std::int32_t>{matrix, classes, table, presence, total}, add_narrow, threads,
                       stop);
}

bool add_word_logs(const Sparse<std::int64_t, double>& matrix, std::size_t classes, const double* table,
                   bool presence, double* total, std::size_t threads, const Stop& stop) {
    return over_blocks(Scoring<std::int64_t>{matrix, classes, table, presence, total}, add_wide, threads,
                       stop);
}

}  // namespace acumen
