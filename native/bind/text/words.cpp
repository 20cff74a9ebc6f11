// Checks, releases the GIL, calls. The texts' UTF-8 is borrowed from the list's strings, which the caller
// keeps alive for the length of the call.
#include "kernels/text/words.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <limits>

#include "bind/arrays.hpp"

void bind_words(nb::module_& m) {
    m.def(
        "count_words",
        [](const std::vector<std::string_view>& texts, FloatsIn weights) {
            if (weights.size() && weights.size() != texts.size())
                throw nb::value_error("count_words: texts and weights differ in length");
            acumen::WordIndex index;
            std::vector<double> found, totals;
            std::vector<std::string> words;
            {
                nb::gil_scoped_release unlocked;
                acumen::count_words(texts, span_of(weights), index, found);
                for (const std::size_t number : index.sorted()) {
                    words.emplace_back(index.word(number));
                    totals.push_back(found[number]);
                }
            }
            return std::pair(std::move(words), to_numpy(std::move(totals)));
        },
        "texts"_a, "weights"_a.noconvert(),
        "The distinct words in order, and for each the summed weight of its occurrences.");
    m.def(
        "word_rows",
        [](const std::vector<std::string_view>& texts, const std::vector<std::string_view>& vocabulary) {
            if (vocabulary.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
                throw nb::value_error("word_rows: a vocabulary holds at most 2^31 - 1 words");
            acumen::WordRows rows;
            {
                nb::gil_scoped_release unlocked;
                acumen::WordIndex index;
                for (const std::string_view word : vocabulary) index.add(word);
                if (index.size() == vocabulary.size()) rows = acumen::word_rows(texts, index);
            }
            if (rows.ends.empty()) throw nb::value_error("word_rows: a word occurs twice in the vocabulary");
            return std::tuple(to_numpy(std::move(rows.ends)), to_numpy(std::move(rows.words)),
                              to_numpy(std::move(rows.counts)));
        },
        "texts"_a, "vocabulary"_a, "Word counts of each text as CSR: row ends, words' numbers, counts.");
}
