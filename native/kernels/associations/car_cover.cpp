#include <algorithm>
#include <bit>

#include "kernels/associations/cars.hpp"
#include "kernels/common/bit_rows.hpp"

namespace acumen::cars {

Cover::Cover(const std::int32_t* items, std::size_t n, std::size_t attributes, std::size_t n_items,
             std::span<const std::int32_t> label, std::span<const std::int64_t> weight, std::size_t classes)
    : n_items_(n_items), classes_(classes), class_words_(classes + 1, 0), place_(n, -1) {
    std::vector<std::size_t> size(classes, 0);
    for (const std::int32_t c : label)
        if (c >= 0) ++size[static_cast<std::size_t>(c)];
    for (std::size_t c = 0; c < classes; ++c) class_words_[c + 1] = class_words_[c] + words_of(size[c]);
    words_ = class_words_[classes];
    bits_.assign(n_items * words_, 0);
    all_.assign(words_, 0);
    if (!weight.empty()) weights_.assign(words_ * 64, 0);
    std::vector<std::size_t> next(classes);
    for (std::size_t c = 0; c < classes; ++c) next[c] = class_words_[c] * 64;
    for (std::size_t i = 0; i < n; ++i) {
        if (label[i] < 0) continue;
        const std::size_t at = next[static_cast<std::size_t>(label[i])]++;
        const std::uint64_t bit = std::uint64_t{1} << (at % 64);
        place_[i] = static_cast<std::int64_t>(at);
        all_[at / 64] |= bit;
        if (!weight.empty()) weights_[at] = weight[i];
        for (std::size_t a = 0; a < attributes; ++a)
            if (const std::int32_t item = items[i * attributes + a]; item >= 0)
                bits_[static_cast<std::size_t>(item) * words_ + at / 64] |= bit;
    }
}

std::vector<std::uint64_t> Cover::start_bits(std::span<const std::int32_t> parts,
                                             std::int32_t without) const {
    std::vector<std::uint64_t> left = all_;
    for (std::size_t row = 0; row < parts.size(); ++row)
        if (const std::int64_t at = place_[row]; parts[row] == without && at >= 0)
            left[static_cast<std::size_t>(at) / 64] &= ~(std::uint64_t{1} << (at % 64));
    return left;
}

std::int64_t Cover::weight_of(std::uint64_t bits, std::size_t word) const {
    if (weights_.empty()) return std::popcount(bits);
    std::int64_t sum = 0;
    for (; bits; bits &= bits - 1)
        sum += weights_[word * 64 + static_cast<std::size_t>(std::countr_zero(bits))];
    return sum;
}

std::vector<std::int64_t> Cover::totals(const std::vector<std::uint64_t>& left) const {
    std::vector<std::int64_t> made(classes_, 0);
    for (std::size_t c = 0; c < classes_; ++c)
        for (std::size_t w = class_words_[c]; w < class_words_[c + 1]; ++w) made[c] += weight_of(left[w], w);
    return made;
}

// Whether some row of the rule's class that is left fulfils its body.
bool Cover::right(std::span<const std::int32_t> body, std::int32_t head,
                  const std::vector<std::uint64_t>& left) const {
    const auto c = static_cast<std::size_t>(head);
    for (std::size_t w = class_words_[c]; w < class_words_[c + 1]; ++w) {
        std::uint64_t here = left[w];
        for (std::size_t j = 0; here && j < body.size(); ++j)
            here &= bits_[static_cast<std::size_t>(body[j]) * words_ + w];
        if (here) return true;
    }
    return false;
}

// Keeps a rule: the rows it covers are no longer left.
void Cover::take(std::span<const std::int32_t> body, std::vector<std::uint64_t>& left, std::int32_t rule,
                 std::vector<std::int64_t>& rest, List& into) const {
    into.kept.push_back(rule);
    for (std::size_t c = 0; c < classes_; ++c) {
        std::int64_t sum = 0;
        for (std::size_t w = class_words_[c]; w < class_words_[c + 1]; ++w) {
            std::uint64_t here = left[w];
            for (std::size_t j = 0; here && j < body.size(); ++j)
                here &= bits_[static_cast<std::size_t>(body[j]) * words_ + w];
            if (!here) continue;
            sum += weight_of(here, w);
            left[w] &= ~here;
        }
        rest[c] -= sum;
        into.covered.push_back(sum);
    }
    into.left.insert(into.left.end(), rest.begin(), rest.end());
}

namespace {

std::span<const std::int32_t> body_of(const Ordered& rules, std::size_t r) {
    const auto first = static_cast<std::size_t>(rules.starts[r]);
    return rules.items.subspan(first, static_cast<std::size_t>(rules.starts[r + 1]) - first);
}

}  // namespace

Cover::List Cover::m1(const Ordered& rules, std::span<const std::int32_t> parts, std::int32_t without) const {
    List made;
    std::vector<std::uint64_t> left = start_bits(parts, without);
    std::vector<std::int64_t> rest = totals(left);
    for (std::size_t r = 0; r < rules.head.size(); ++r) {
        if (!rest[static_cast<std::size_t>(rules.head[r])]) continue;  // nothing left to get right
        const auto body = body_of(rules, r);
        if (right(body, rules.head[r], left)) take(body, left, static_cast<std::int32_t>(r), rest, made);
    }
    return made;
}

Cover::List Cover::m2(const Ordered& rules, std::span<const std::int32_t> parts, std::int32_t without) const {
    // Stage one: rows wait, class by class, for the first rule that gets them right; only words of the rule's
    // own class are looked at. Those rules are Liu's U.
    std::vector<std::uint64_t> waiting = start_bits(parts, without);
    std::vector<std::size_t> useful;
    for (std::size_t r = 0; r < rules.head.size(); ++r) {
        const auto c = static_cast<std::size_t>(rules.head[r]);
        const auto body = body_of(rules, r);
        bool any = false;
        for (std::size_t w = class_words_[c]; w < class_words_[c + 1]; ++w) {
            std::uint64_t here = waiting[w];
            for (std::size_t j = 0; here && j < body.size(); ++j)
                here &= bits_[static_cast<std::size_t>(body[j]) * words_ + w];
            waiting[w] &= ~here;
            any |= here != 0;
        }
        if (any) useful.push_back(r);
    }
    // The last stage over all of U. As published it runs over part of it, and loses rules whose rows an
    // earlier, wrong rule was expected to cover but in the end does not.
    List made;
    std::vector<std::uint64_t> left = start_bits(parts, without);
    std::vector<std::int64_t> rest = totals(left);
    for (const std::size_t r : useful)
        if (right(body_of(rules, r), rules.head[r], left))
            take(body_of(rules, r), left, static_cast<std::int32_t>(r), rest, made);
    return made;
}

std::vector<Cover::List> Cover::lists(std::span<const Ordered> rules, std::span<const std::int32_t> parts,
                                      bool second, std::size_t threads) const {
    std::vector<List> made(rules.size());
    for_blocks(rules.size(), threads, {}, [&] {
        return [&](std::size_t part) {
            const auto without = static_cast<std::int32_t>(part);
            made[part] = second ? m2(rules[part], parts, without) : m1(rules[part], parts, without);
        };
    });
    return made;
}

}  // namespace acumen::cars
