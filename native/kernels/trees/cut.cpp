// Two classes: cuts that can be best are gathered, then scored side by side. A cut between two rows of one
// class, neither of which shares its value, is never best under a concave measure (Fayyad and Irani 1992),
// except at the ends of what is allowed. Everything else is in trees/cut_many.cpp.
//
// What bounds it: reading the entries, a clock cycle or two each; then a division, or logarithms, for each
// cut that can be best, of which pure nodes have few.
#include "kernels/trees/cut.hpp"

#include <cmath>
#include <cstring>

#include "kernels/common/clones.hpp"
#include "kernels/trees/bits.hpp"
#include "kernels/trees/logs.hpp"

namespace acumen::tree {

void LogTable::fill(std::size_t size) {
    value.resize(size);
    for (std::size_t i = 0; i < size; ++i) value[i] = xlogx(static_cast<double>(i));
}

namespace {

constexpr std::uint32_t BLOCK = 512;  // entries gathered at a time; buffers have room for a pack more
constexpr std::uint32_t ROOM = BLOCK + PACK;

typedef std::int32_t Whole __attribute__((vector_size(32)));  // as many as in a Pack

// score = (l N - n N1)^2 / (n (N - n)), with n the weight left of the cut and l that of class 1: the decrease
// of Gini's index times N^2 / 2. Gives the largest. There is room up to a whole pack.
ACUMEN_CLONES double gini_scores(const double* left, const double* ones, std::size_t n, double all,
                                 double all_ones, double* score) {
    Pack top = Pack{} - 1.0;
    for (std::size_t i = 0; i < n; i += PACK) {
        Pack w, l;
        std::memcpy(&w, left + i, sizeof w);
        std::memcpy(&l, ones + i, sizeof l);
        const Pack away = l * all - w * all_ones;
        const Pack s = away * away / (w * (all - w));
        std::memcpy(score + i, &s, sizeof s);
        top = s > top ? s : top;
    }
    double most = top[0];
    for (std::size_t i = 1; i < PACK; ++i) most = top[i] > most ? top[i] : most;
    return most;
}

ACUMEN_CLONES double gini_scores(const std::int32_t* left, const std::int32_t* ones, std::size_t n,
                                 double all, double all_ones, double* score) {
    Pack top = Pack{} - 1.0;
    for (std::size_t i = 0; i < n; i += PACK) {
        Whole whole_w, whole_l;
        std::memcpy(&whole_w, left + i, sizeof whole_w);
        std::memcpy(&whole_l, ones + i, sizeof whole_l);
        const Pack w = __builtin_convertvector(whole_w, Pack), l = __builtin_convertvector(whole_l, Pack);
        const Pack away = l * all - w * all_ones;
        const Pack s = away * away / (w * (all - w));
        std::memcpy(score + i, &s, sizeof s);
        top = s > top ? s : top;
    }
    double most = top[0];
    for (std::size_t i = 1; i < PACK; ++i) most = top[i] > most ? top[i] : most;
    return most;
}

// The same for the entropy: the sum of both sides' values.
ACUMEN_CLONES double gain_scores(const double* left, const double* ones, std::size_t n, double all,
                                 double all_ones, double* score) {
    double most = -1e300;
    for (std::size_t i = 0; i < n; i += PACK) {
        Pack w, l;
        std::memcpy(&w, left + i, sizeof w);
        std::memcpy(&l, ones + i, sizeof l);
        const Pack r = all - w, m = all_ones - l;
        Pack s = {};
        add_xlogx(l, 1.0, s);
        add_xlogx(w - l, 1.0, s);
        add_xlogx(w, -1.0, s);
        add_xlogx(m, 1.0, s);
        add_xlogx(r - m, 1.0, s);
        add_xlogx(r, -1.0, s);
        std::memcpy(score + i, &s, sizeof s);
        for (std::size_t k = 0; k < PACK; ++k) most = s[k] > most ? s[k] : most;
    }
    return most;
}

ACUMEN_CLONES double gain_scores(const std::int32_t* left, const std::int32_t* ones, std::size_t n,
                                 double all, double all_ones, double* score) {
    double weight[PACK], class_one[PACK], most = -1e300;
    for (std::size_t i = 0; i < n; i += PACK) {
        for (std::size_t k = 0; k < PACK; ++k) {
            weight[k] = left[i + k];
            class_one[k] = ones[i + k];
        }
        const double found = gain_scores(weight, class_one, PACK, all, all_ones, score + i);
        most = found > most ? found : most;
    }
    return most;
}

// Whole weights: logarithms from the table.
double gain_scores(const std::int32_t* left, const std::int32_t* ones, std::size_t n, std::size_t all,
                   std::size_t all_ones, const double* logs, double* score) {
    double most = -1e300;
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t w = static_cast<std::size_t>(left[i]), l = static_cast<std::size_t>(ones[i]);
        const std::size_t r = all - w, m = all_ones - l;
        score[i] = logs[l] + logs[w - l] - logs[w] + logs[m] + logs[r - m] - logs[r];
        most = score[i] > most ? score[i] : most;
    }
    return most;
}

// What is best so far; blocks come in order, so that of equal cuts the first stays.
struct Best {
    double score = 0, ones = 0, weight = 0;
    std::uint32_t at = 0;

    // Of the n candidates of a block, whose largest score is `most`; the caller says what stands at the one
    // taken.
    template <class Take>
    void see(const double* scores, std::size_t n, double most, double scale, const Take& take) {
        if (at && !better(most, score, scale)) return;
        const double enough = most - std::max(EQUAL * std::abs(most), TINY * scale);
        std::size_t i = 0;
        while (i + 1 < n && scores[i] < enough) ++i;
        score = most;
        take(i);
    }
};

// gini's score is gain N^2 / 2, the entropy's is the sum of both sides' values.
Cut finish(const Best& best, const CutAsked& asked, double all, Cut cut, CutScratch& scratch) {
    if (!best.at) return cut;
    cut.at = best.at;
    cut.rise = made_of(asked.measure) == MadeOf::squares
                   ? 2 * best.score / all
                   : best.score - branch_value(asked.measure, asked.total, 2, asked.shares);
    scratch.best.assign({best.weight - best.ones, best.ones});
    return cut;
}

// Whole weights: entries as bits, whether a value differs from the next, and its class. Cuts after the
// entries from `first` to `last` are allowed. `gathered` writes, for the cuts marked in the words from
// `begin` to `end`, how many entries are left of each, what these weigh and what class 1 weighs among them;
// gives how many.
template <class Entry, class Gathered>
Cut by_bits(const Entry* list, std::uint32_t n, std::uint32_t first, std::uint32_t last,
            const CutAsked& asked, CutScratch& scratch, const Gathered& gathered) {
    Cut cut;
    const std::size_t words = (n + 63) / 64;
    scratch.differs.resize(words + 1);
    scratch.second.resize(words + 1);
    scratch.may_be.resize(words);
    entry_bits(list, n, scratch.differs.data(), scratch.second.data());
    cut.tries =
        cuts_to_score(scratch.differs.data(), scratch.second.data(), n, first, last, scratch.may_be.data());
    if (!cut.tries) return cut;
    const bool gini = made_of(asked.measure) == MadeOf::squares;
    const double all = asked.total[0] + asked.total[1], all_ones = asked.total[1];
    const bool table = !gini && all < static_cast<double>(asked.logs->value.size());
    const double scale = gini ? all * all / 2 : all;
    scratch.score.resize(ROOM);
    double* score = scratch.score.data();
    Best best;
    for (std::size_t w = 0; w < words; w += BLOCK / 64) {
        const std::size_t end = std::min<std::size_t>(w + BLOCK / 64, words);
        std::int32_t *at = nullptr, *left = nullptr, *ones = nullptr;
        const std::size_t k = gathered(w, end, at, left, ones);
        if (!k) continue;
        double most;
        if (table) {
            most = gain_scores(left, ones, k, static_cast<std::size_t>(all),
                               static_cast<std::size_t>(all_ones), asked.logs->value.data(), score);
        } else {
            for (std::size_t pad = k; pad % PACK; ++pad) {
                left[pad] = left[k - 1];
                ones[pad] = ones[k - 1];
            }
            most = gini ? gini_scores(left, ones, k, all, all_ones, score)
                        : gain_scores(left, ones, k, all, all_ones, score);
        }
        best.see(score, k, most, scale, [&](std::size_t c) {
            best.at = static_cast<std::uint32_t>(at[c]);
            best.weight = left[c];
            best.ones = ones[c];
        });
    }
    return finish(best, asked, all, cut, scratch);
}

// Rows that all weigh one: what is left of a cut weighs as much as it has entries.
template <class Entry>
Cut two_classes_unit(const Entry* list, std::uint32_t n, const CutAsked& asked, CutScratch& scratch) {
    const double wanted = std::max(1.0, std::ceil(asked.least));
    if (2 * wanted > n) return {};
    const auto least = static_cast<std::uint32_t>(wanted);
    scratch.at.resize(ROOM);
    scratch.whole_ones.resize(ROOM);
    std::int32_t before = 0;  // of class 1, in the words already seen
    return by_bits(
        list, n, least - 1, n - least - 1, asked, scratch,
        [&](std::size_t begin, std::size_t end, std::int32_t*& at, std::int32_t*& left, std::int32_t*& ones) {
            at = left = scratch.at.data();
            ones = scratch.whole_ones.data();
            return gather(scratch.may_be.data(), scratch.second.data(), begin, end, before, at, ones);
        });
}

// Rows of whole weights, as many draws of a row give: both sums are kept up by one addition an entry.
template <class Entry>
Cut two_classes_whole(const Entry* list, std::uint32_t n, const CutAsked& asked, CutScratch& scratch) {
    const std::uint64_t* tally = asked.tally;
    const auto of = [&](std::uint32_t i) { return tally[list[i].word >> asked.bits]; };
    std::uint32_t first = 0, last = n - 2;
    for (double sum = 0; first < n; ++first)
        if ((sum += static_cast<std::uint32_t>(of(first))) >= asked.least) break;
    double right = static_cast<std::uint32_t>(of(n - 1));
    while (right < asked.least && last > 0) right += static_cast<std::uint32_t>(of(last--));
    if (right < asked.least || first > last) return {};
    scratch.at.resize(ROOM);
    scratch.whole_left.resize(ROOM);
    scratch.whole_ones.resize(ROOM);
    std::uint64_t sum = 0;
    return by_bits(
        list, n, first, last, asked, scratch,
        [&](std::size_t begin, std::size_t end, std::int32_t*& at, std::int32_t*& left, std::int32_t*& ones) {
            at = scratch.at.data();
            left = scratch.whole_left.data();
            ones = scratch.whole_ones.data();
            std::uint64_t sums[BLOCK];
            const auto start = static_cast<std::uint32_t>(begin * 64);
            const std::uint32_t stop = std::min(static_cast<std::uint32_t>(end * 64), n);
            for (std::uint32_t i = start; i < stop; ++i) sums[i - start] = sum += of(i);
            std::size_t k = 0;
            for (std::size_t w = begin; w < end; ++w)
                for (std::uint64_t marked = scratch.may_be[w]; marked; marked &= marked - 1) {
                    const auto i = static_cast<std::uint32_t>(w * 64) +
                                   static_cast<std::uint32_t>(__builtin_ctzll(marked));
                    const std::uint64_t here = sums[i - start];
                    at[k] = static_cast<std::int32_t>(i + 1);
                    left[k] = static_cast<std::int32_t>(here & UINT32_MAX);
                    ones[k++] = static_cast<std::int32_t>(here >> 32);
                }
            return k;
        });
}

template <class Entry>
Cut two_classes(const Entry* list, std::uint32_t n, const CutAsked& asked, CutScratch& scratch) {
    const bool gini = made_of(asked.measure) == MadeOf::squares;
    const double all = asked.total[0] + asked.total[1], all_ones = asked.total[1];
    scratch.at.resize(ROOM);
    scratch.weight.resize(ROOM);
    scratch.ones.resize(ROOM);
    scratch.score.resize(ROOM);
    std::int32_t* at = scratch.at.data();
    double *weight = scratch.weight.data(), *ones = scratch.ones.data(), *score = scratch.score.data();
    const double* weights = asked.weight;
    const double scale = gini ? all * all / 2 : all;
    Best best;
    Cut cut;
    double sum = 0, sum_ones = 0;
    bool before = true, here = list[0].rank != list[1].rank;
    std::uint32_t latest = 0;  // the latest cut allowed, kept in case it is the last
    double latest_weight = 0, latest_ones = 0;
    for (std::uint32_t i = 0; i + 1 < n;) {
        const std::uint32_t end = std::min(i + BLOCK, n - 1);
        std::size_t k = 0;
        for (; i < end; ++i) {
            const bool next = i + 2 >= n || list[i + 1].rank != list[i + 2].rank;
            const unsigned label = list[i].word & 1u;
            const bool plain = before & next & (label == (list[i + 1].word & 1u));
            const double w = weights[list[i].word >> asked.bits];
            sum += w;
            sum_ones += label ? w : 0.0;
            at[k] = static_cast<std::int32_t>(i + 1);
            weight[k] = sum;
            ones[k] = sum_ones;
            const bool allowed = here & (sum >= asked.least) & (all - sum >= asked.least);
            k += allowed & (!plain | !cut.tries);
            cut.tries += allowed;
            if (allowed) {
                latest = i + 1;
                latest_weight = sum;
                latest_ones = sum_ones;
            }
            before = here;
            here = next;
        }
        if (i + 1 == n && latest && (!k || at[k - 1] != static_cast<std::int32_t>(latest))) {
            at[k] = static_cast<std::int32_t>(latest);  // there is room for a pack more than a block
            weight[k] = latest_weight;
            ones[k++] = latest_ones;
        }
        if (!k) continue;
        for (std::size_t pad = k; pad % PACK; ++pad) {
            weight[pad] = weight[k - 1];
            ones[pad] = ones[k - 1];
        }
        const double most = gini ? gini_scores(weight, ones, k, all, all_ones, score)
                                 : gain_scores(weight, ones, k, all, all_ones, score);
        best.see(score, k, most, scale, [&](std::size_t c) {
            best.at = static_cast<std::uint32_t>(at[c]);
            best.weight = weight[c];
            best.ones = ones[c];
        });
    }
    return finish(best, asked, all, cut, scratch);
}

}  // namespace

template <class Entry>
Cut best_cut(const Entry* list, std::uint32_t n, const CutAsked& asked, CutScratch& scratch) {
    if (n < 2 || list[0].rank == list[n - 1].rank) return {};
    if (asked.classes == 2 && !asked.factors && made_of(asked.measure) != MadeOf::counts)
        return asked.tally    ? two_classes_whole(list, n, asked, scratch)
               : asked.weight ? two_classes(list, n, asked, scratch)
                              : two_classes_unit(list, n, asked, scratch);
    return best_cut_of_many(list, n, asked, scratch);
}

template Cut best_cut(const Wide*, std::uint32_t, const CutAsked&, CutScratch&);
template Cut best_cut(const Narrow*, std::uint32_t, const CutAsked&, CutScratch&);

}  // namespace acumen::tree
