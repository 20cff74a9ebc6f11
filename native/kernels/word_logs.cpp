// Lanes run over classes. What bounds it: a word's line of the table is fetched from somewhere in the second
// or third cache for every word of every document.
#include "kernels/word_logs.hpp"

#include "kernels/clones.hpp"

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

// Inlined in each of its clones, which a template cannot have itself.
template <typename Index>
ACUMEN_INLINE void add_rows(const Scoring<Index>& s, std::size_t first, std::size_t last) {
    const std::size_t entries = s.matrix.indices.size(), classes = s.classes;
    for (std::size_t i = first; i < last; ++i) {
        double* ACUMEN_RESTRICT sum = s.total + i * classes;
        const auto end = std::min<std::size_t>(static_cast<std::size_t>(s.matrix.starts[i + 1]), entries);
        for (auto j = static_cast<std::size_t>(s.matrix.starts[i]); j < end; ++j) {
            const auto word = static_cast<std::size_t>(s.matrix.indices[j]);
            const double value = s.matrix.values[j];
            if (word >= s.matrix.width || !(value > 0 && value <= std::numeric_limits<double>::max()))
                continue;
            const double times = s.presence ? 1.0 : value;
            const double* ACUMEN_RESTRICT add = s.table + word * classes;
            for (std::size_t c = 0; c < classes; ++c) sum[c] += times * add[c];
        }
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
