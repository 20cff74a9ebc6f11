#include "kernels/text/words.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

namespace acumen {
namespace {

// For each byte what it is in a word, lower-cased; 0 for a byte that ends words.
constexpr std::array<unsigned char, 256> make_letters() {
    std::array<unsigned char, 256> letters{};
    for (int c = '0'; c <= '9'; ++c) letters[c] = static_cast<unsigned char>(c);
    for (int c = 'a'; c <= 'z'; ++c) letters[c] = static_cast<unsigned char>(c);
    for (int c = 'A'; c <= 'Z'; ++c) letters[c] = static_cast<unsigned char>(c - 'A' + 'a');
    for (int c = 0x80; c <= 0xff; ++c) letters[c] = static_cast<unsigned char>(c);
    letters['_'] = '_';
    return letters;
}
constexpr auto letters = make_letters();

template <typename Each>
void each_word(std::string_view text, std::string& scratch, Each&& each) {
    const auto* p = reinterpret_cast<const unsigned char*>(text.data());
    const auto* const end = p + text.size();
    while (p != end) {
        if (!letters[*p]) {
            ++p;
            continue;
        }
        scratch.clear();
        for (; p != end && letters[*p]; ++p) scratch.push_back(static_cast<char>(letters[*p]));
        each(std::string_view(scratch));
    }
}

}  // namespace

WordIndex::WordIndex() : slots_(1024, Slot{0, absent}) {}

std::size_t WordIndex::slot_of(std::string_view sought, std::size_t hash) const noexcept {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    // Half the slots are free, so the walk ends.
    while (slots_[at].number != absent && (slots_[at].hash != hash || word(slots_[at].number) != sought))
        at = (at + 1) & mask;
    return at;
}

std::size_t WordIndex::find(std::string_view sought) const noexcept {
    return slots_[slot_of(sought, std::hash<std::string_view>{}(sought))].number;
}

std::size_t WordIndex::add(std::string_view word) {
    const std::size_t hash = std::hash<std::string_view>{}(word);
    std::size_t at = slot_of(word, hash);
    if (slots_[at].number != absent) return slots_[at].number;
    if (2 * (size() + 1) > slots_.size()) {
        grow();
        at = slot_of(word, hash);
    }
    arena_.append(word);
    ends_.push_back(arena_.size());
    slots_[at] = {hash, size() - 1};
    return size() - 1;
}

void WordIndex::grow() {
    std::vector<Slot> old(slots_.size() * 2, Slot{0, absent});
    old.swap(slots_);
    const std::size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
        if (slot.number == absent) continue;
        std::size_t at = slot.hash & mask;
        while (slots_[at].number != absent) at = (at + 1) & mask;
        slots_[at] = slot;
    }
}

std::vector<std::size_t> WordIndex::sorted() const {
    std::vector<std::size_t> order(size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) { return word(a) < word(b); });
    return order;
}

void count_words(std::span<const std::string_view> texts, std::span<const double> weights, WordIndex& index,
                 std::vector<double>& totals) {
    std::string scratch;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const double weight = weights.empty() ? 1.0 : weights[i];
        if (weight == 0.0) continue;
        each_word(texts[i], scratch, [&](std::string_view word) {
            const std::size_t number = index.add(word);
            if (number == totals.size()) totals.push_back(0.0);
            totals[number] += weight;
        });
    }
}

WordRows word_rows(std::span<const std::string_view> texts, const WordIndex& vocabulary) {
    WordRows rows;
    rows.ends.reserve(texts.size() + 1);
    rows.ends.push_back(0);
    std::string scratch;
    std::vector<double> counts(vocabulary.size(), 0.0);  // of the text at hand; zero again after it
    std::vector<std::int32_t> seen;
    for (const std::string_view text : texts) {
        seen.clear();
        each_word(text, scratch, [&](std::string_view word) {
            const std::size_t number = vocabulary.find(word);
            if (number == WordIndex::absent) return;
            if (counts[number] == 0.0) seen.push_back(static_cast<std::int32_t>(number));
            counts[number] += 1.0;
        });
        std::sort(seen.begin(), seen.end());
        for (const std::int32_t number : seen) {
            rows.words.push_back(number);
            rows.counts.push_back(counts[static_cast<std::size_t>(number)]);
            counts[static_cast<std::size_t>(number)] = 0.0;
        }
        rows.ends.push_back(static_cast<std::int64_t>(rows.words.size()));
    }
    return rows;
}

}  // namespace acumen
