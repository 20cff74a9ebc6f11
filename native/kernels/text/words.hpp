// Words of texts: cut, lower-cased and counted. Plain C++20, no Python.
//
// A word is a maximal run of ASCII letters, digits and '_' and of bytes of 0x80 and above; ASCII letters
// are lower-cased here. Which other characters make up words is Unicode's affair and settled by the caller,
// who turns those that do not into blanks and lower-cases the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace acumen {

// Distinct words, numbered in the order they were added: open addressing over one arena of bytes.
class WordIndex {
  public:
    static constexpr std::size_t absent = static_cast<std::size_t>(-1);

    WordIndex();

    // The word's number; a new word gets the next one.
    std::size_t add(std::string_view word);
    // The word's number, or `absent`.
    std::size_t find(std::string_view word) const noexcept;

    // The numbers in the order of their words' bytes, which is that of their code points.
    std::vector<std::size_t> sorted() const;

    std::size_t size() const noexcept { return ends_.size(); }
    std::string_view word(std::size_t number) const noexcept {
        const std::size_t start = number ? ends_[number - 1] : 0;
        return {arena_.data() + start, ends_[number] - start};
    }

  private:
    struct Slot {
        std::size_t hash;
        std::size_t number;
    };

    std::size_t slot_of(std::string_view word, std::size_t hash) const noexcept;
    void grow();

    std::vector<Slot> slots_;  // a power of two of them, at most half in use
    std::vector<std::size_t> ends_;
    std::string arena_;
};

// Adds to `totals` the weight of every occurrence of every word; `totals` grows with `index`.
// Empty `weights` mean that every text weighs one; a text of weight 0 is not read.
void count_words(std::span<const std::string_view> texts, std::span<const double> weights, WordIndex& index,
                 std::vector<double>& totals);

// A CSR matrix: how often each word of `vocabulary` occurs in each text, columns ascending within a row.
struct WordRows {
    std::vector<std::int64_t> ends;
    std::vector<std::int32_t> words;
    std::vector<double> counts;
};
WordRows word_rows(std::span<const std::string_view> texts, const WordIndex& vocabulary);

}  // namespace acumen
