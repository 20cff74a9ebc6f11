// The word kernel without Python, for the sanitizers.
#include "kernels/text/words.hpp"

#include <random>
#include <string>

#include "tests/claims.hpp"

namespace {

void words_are_cut_and_lowered() {
    acumen::WordIndex index;
    std::vector<double> totals;
    const std::vector<std::string_view> texts = {"Don't STOP stop", "", "a_1 \xc3\xa9t\xc3\xa9", "gone"};
    const std::vector<double> weights = {1.0, 1.0, 2.0, 0.0};
    acumen::count_words(texts, weights, index, totals);
    expect(index.size() == 5 && totals.size() == 5, "five words");
    expect(index.find("stop") == 2 && totals[2] == 2.0, "stop occurs twice");
    expect(index.find("\xc3\xa9t\xc3\xa9") == 4 && totals[4] == 2.0, "weights count");
    expect(index.find("gone") == acumen::WordIndex::absent, "weight 0 is not read");
    expect(index.find("") == acumen::WordIndex::absent, "nothing is no word");
}

void rows_are_sorted_and_whole() {
    acumen::WordIndex vocabulary;
    for (const char* word : {"b", "a"}) vocabulary.add(word);
    const std::vector<std::string_view> texts = {"a b a c", "", "c", "b"};
    const auto rows = acumen::word_rows(texts, vocabulary);
    expect(rows.ends == std::vector<std::int64_t>{0, 2, 2, 2, 3}, "row ends");
    expect(rows.words == std::vector<std::int32_t>{0, 1, 0}, "columns ascend");
    expect(rows.counts == std::vector<double>{1.0, 2.0, 1.0}, "counts");
}

void any_bytes_are_read() {
    std::mt19937 random(1);
    acumen::WordIndex index;
    std::vector<double> totals;
    for (int i = 0; i < 20'000; ++i) {
        std::string text(random() % 40, ' ');
        for (char& c : text) c = static_cast<char>(random());
        const std::vector<std::string_view> texts = {text};
        acumen::count_words(texts, {}, index, totals);
        const auto rows = acumen::word_rows(texts, index);
        double found = 0;
        for (const double count : rows.counts) found += count;
        expect(rows.words.size() <= found && found <= static_cast<double>(text.size()),
               "counts fit the text");
        if (index.size() > 5'000) index = {}, totals.clear();
    }
    expect(index.sorted().size() == index.size(), "every word is listed once");
}

}  // namespace

int main() {
    words_are_cut_and_lowered();
    rows_are_sorted_and_whole();
    any_bytes_are_read();
    return claims::finish();
}
