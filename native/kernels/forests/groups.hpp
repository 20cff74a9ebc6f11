// The rows of a node by their code in one column, ascending: as many groups as there are different codes.
//
//     Tally    what a row adds to a sum. counts: how often it is in the bag, of two classes (or one); sums: a
//              weight, and the weight times a number (two classes are the numbers 0 and 1, for which least
//              squares and Gini's index choose alike); classes: a weight and one of several classes
//     Groups   counts rows into slots, and gives the slots that were met
//
// A node of few rows is sorted; of more, counted into slots, with a mark for each slot met where rows are not
// many more than slots. Either way only slots that were met are looked at and cleared again.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "kernels/forests/marks.hpp"
#include "kernels/forests/types.hpp"

namespace acumen::forest {

enum class Tally { counts, sums, classes };

template <Tally>
struct Value;

// Whole numbers below 2^32 in the halves of one word, so that one addition serves both: how often the row is
// there, and in the high half the same if it is of the second class.
template <>
struct Value<Tally::counts> {
    std::uint64_t both = 0;

    static Value of(double times, std::size_t label) {
        const auto whole = static_cast<std::uint64_t>(times);
        return {whole | (label ? whole << 32 : 0)};
    }
    double weight() const { return static_cast<double>(both & 0xffffffffu); }
    double sum() const { return static_cast<double>(both >> 32); }
    void add(const Value& other) { both += other.both; }
    bool empty() const { return !both; }
};

template <>
struct Value<Tally::sums> {
    double own_weight = 0, own_sum = 0;

    static Value of(double weight, double number) { return {weight, weight * number}; }
    double weight() const { return own_weight; }
    double sum() const { return own_sum; }
    void add(const Value& other) { own_weight += other.own_weight, own_sum += other.own_sum; }
    bool empty() const { return !(own_weight > 0); }
};

template <>
struct Value<Tally::classes> {
    double own_weight = 0;
    std::uint32_t label = 0;

    static Value of(double weight, std::size_t label) { return {weight, static_cast<std::uint32_t>(label)}; }
    double weight() const { return own_weight; }
};

template <class Code>
inline constexpr std::uint32_t NO_CODE = static_cast<Code>(~Code{0});

// Of several classes the counts of each group lie apart, and `sum` is unused.
struct Group {
    std::uint32_t code;
    double weight, sum;
};

template <Tally T>
class Groups {
    static constexpr bool MANY = T == Tally::classes;

  public:
    // So few rows are sorted.
    static constexpr std::size_t FEW = MANY ? 40 : 12;

    explicit Groups(const Table& table) : classes_(MANY ? table.classes : 1) {
        std::size_t slots = 257;
        for (const Column& column : table.columns) slots = std::max<std::size_t>(slots, column.slots + 1);
        if (slots > 257) slots = 65536;
        if constexpr (MANY)
            class_slots_.assign(slots * classes_, 0.0);
        else
            slots_.assign(slots, {});
        met_.assign((slots + 63) / 64, 0);
    }

    std::vector<Group> each;
    std::vector<double> counts;  // groups x classes, of several classes

    // Fills `each`; false where known values do not differ.
    bool fill(const Column& column, const std::uint32_t* rows, const Value<T>* values, std::size_t n) {
        each.clear();
        counts.clear();
        column.narrow ? fill_from(column.narrow, column.slots, rows, values, n)
                      : fill_from(column.wide, column.slots, rows, values, n);
        return each.size() > 1;
    }

    // From sums that were made elsewhere: for each class, `stride` apart, one a slot.
    bool fill_from_classes(std::uint32_t slots, std::size_t classes, const double* sums, std::size_t stride) {
        each.clear();
        counts.clear();
        for (std::uint32_t code = 0; code < slots; ++code) {
            double weight = 0;
            for (std::size_t c = 0; c < classes; ++c) weight += sums[c * stride + code];
            if (!(weight > 0)) continue;
            each.push_back({code, weight, classes > 1 ? sums[stride + code] : 0.0});
            if constexpr (MANY)
                for (std::size_t c = 0; c < classes; ++c) counts.push_back(sums[c * stride + code]);
        }
        return each.size() > 1;
    }

    // Calls take(code, value) for each code that is met, ascending, after begin(value of rows without one).
    template <class Code, class Begin, class Take>
    void visit(const Code* codes, std::uint32_t slots, const std::uint32_t* rows, const Value<T>* values,
               std::size_t n, const Begin& begin, const Take& take)
        requires(!MANY)
    {
        if (n <= FEW) {
            std::uint32_t key[FEW];
            Value<T> absent{};
            const std::size_t known =
                sort_few(codes, rows, n, key, [&](std::size_t i) { absent.add(values[i]); });
            begin(absent);
            for (std::size_t i = 0; i < known;) {
                const std::uint32_t code = key[i] >> 8;
                Value<T> made{};
                for (; i < known && key[i] >> 8 == code; ++i) made.add(values[key[i] & 255]);
                take(code, made);
            }
            return;
        }
        const auto out = [&](std::uint32_t code) {
            const Value<T> value = slots_[code];
            slots_[code] = {};
            return value;
        };
        if (n >= CROWDED * slots) {
            for (std::size_t i = 0; i < n; ++i) slots_[codes[rows[i]]].add(values[i]);
            begin(out(NO_CODE<Code>));
            for (std::uint32_t code = 0; code < slots; ++code)
                if (!slots_[code].empty()) take(code, out(code));
            return;
        }
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t code = codes[rows[i]];
            slots_[code].add(values[i]);
            mark<Code>(code);
        }
        begin(out(NO_CODE<Code>));
        visit_met<Code>(slots, [&](std::uint32_t code) { take(code, out(code)); });
    }

  private:
    // Of so many rows a slot nearly all are met, and marking them is not worth it.
    static constexpr std::size_t CROWDED = 4;

    template <class Code>
    void mark(std::uint32_t code) {
        if constexpr (sizeof(Code) == 1)
            marks_.set(code);
        else
            met_[code >> 6] |= std::uint64_t{1} << (code & 63);
    }

    // Places of known rows with their codes, ascending, by insertion; `absent` is told the others.
    template <class Code, class Absent>
    std::size_t sort_few(const Code* codes, const std::uint32_t* rows, std::size_t n, std::uint32_t* key,
                         const Absent& absent) {
        std::size_t known = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t code = codes[rows[i]];
            if (code == NO_CODE<Code>) {
                absent(i);
                continue;
            }
            const std::uint32_t word = code << 8 | static_cast<std::uint32_t>(i);
            std::size_t at = known++;
            for (; at && key[at - 1] > word; --at) key[at] = key[at - 1];
            key[at] = word;
        }
        return known;
    }

    template <class Code, class Take>
    void visit_met(std::uint32_t slots, const Take& take) {
        if constexpr (sizeof(Code) == 1) {
            marks_.visit([&](std::uint32_t code) {
                if (code != NO_CODE<Code>) take(code);
            });
        } else {
            met_[NO_CODE<Code> >> 6] &= ~(std::uint64_t{1} << (NO_CODE<Code> & 63));
            const std::size_t words = (slots + 63) / 64;
            for (std::size_t word = 0; word < words; ++word) {
                std::uint64_t bits = met_[word];
                met_[word] = 0;
                for (; bits; bits &= bits - 1)
                    take(static_cast<std::uint32_t>(word * 64 +
                                                    static_cast<std::size_t>(std::countr_zero(bits))));
            }
        }
    }

    template <class Code>
    void fill_from(const Code* codes, std::uint32_t slots, const std::uint32_t* rows, const Value<T>* values,
                   std::size_t n) {
        if constexpr (MANY) {
            fill_classes(codes, slots, rows, values, n);
        } else {
            visit(
                codes, slots, rows, values, n, [](const Value<T>&) {},
                [&](std::uint32_t code, const Value<T>& value) {
                    each.push_back({code, value.weight(), value.sum()});
                });
        }
    }

    template <class Code>
    void fill_classes(const Code* codes, std::uint32_t slots, const std::uint32_t* rows,
                      const Value<T>* values, std::size_t n) {
        if (n <= FEW) {
            std::uint32_t key[FEW];
            const std::size_t known = sort_few(codes, rows, n, key, [](std::size_t) {});
            for (std::size_t i = 0; i < known;) {
                const std::uint32_t code = key[i] >> 8;
                const std::size_t at = counts.size();
                counts.resize(at + classes_, 0.0);
                double weight = 0;
                for (; i < known && key[i] >> 8 == code; ++i) {
                    const Value<T>& value = values[key[i] & 255];
                    weight += value.own_weight;
                    counts[at + value.label] += value.own_weight;
                }
                each.push_back({code, weight, 0});
            }
            return;
        }
        const auto take = [&](std::uint32_t code) {
            double weight = 0;
            double* from = class_slots_.data() + code * classes_;
            for (std::size_t c = 0; c < classes_; ++c) weight += from[c];
            if (!(weight > 0)) return;
            each.push_back({code, weight, 0});
            counts.insert(counts.end(), from, from + classes_);
            std::fill_n(from, classes_, 0.0);
        };
        const bool crowded = n >= CROWDED * slots;
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t code = codes[rows[i]];
            class_slots_[code * classes_ + values[i].label] += values[i].own_weight;
            if (!crowded) mark<Code>(code);
        }
        std::fill_n(class_slots_.data() + NO_CODE<Code> * classes_, classes_, 0.0);
        if (crowded)
            for (std::uint32_t code = 0; code < slots; ++code) take(code);
        else
            visit_met<Code>(slots, take);
    }

    std::size_t classes_;
    std::vector<Value<T>> slots_;
    std::vector<double> class_slots_;
    Marks marks_;
    std::vector<std::uint64_t> met_;  // a bit for each code of two bytes
};

}  // namespace acumen::forest
