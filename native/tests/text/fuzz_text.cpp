// Mutated inputs through the tokenizer: no input may crash it, and neither the cut of the chunks nor taking
// the rows out in parts may change what it says.
//
//   fuzz_text [seed [count]]     a few seconds by default; 200,000 and more by hand, under sanitizers
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "kernels/text/reader.hpp"

namespace {

using namespace acumen;

const char* const kSamples[] = {
    "a,b,c\n1,x,2020-01-01\n2,\"y \"\"z\"\"\",2020-01-02T10:00\n,NA,\n",
    "a;b\r\n1,5;\"x\r\ny\"\r\n-2;007\r\n",
    "x\ty\tz\r1e400\tinf\tnan\r12345678901234567890\t0.1\t\"NA\"\r",
    "# comment\n  1   2.5 3\n4 \"5 5\" 6\n\n#,,\n",
    "caf\xc3\xa9,\xe2\x82\xac,\xf0\x9f\x8c\xb7\n1,2,3\n\n1,2\n1,2,3,4\n",
    "1, 'b c' , \"it\\'s \\u00e9\" % rest\n2\ta\t? , {3.5}\n{0 4, 2 'x'}, {2}\n{}\n% x\n",
    "{1 b, 2 \\x}\n'a\\\\b',?,\"\\ud83c\\udf37\"\n,,\n1,2,3,\n",
    "\xef\xbb\xbf\"\",\"\",\"\"\n\"\n\",\"\r\",\"\r\n\"\n",
    "0.30000000000000004,-1.7976931348623157e308,4.9e-324\n.5,5.,+5\n1_0,0x1,1e\n",
};

const char* const kTokens[] = {
    "\"",         "\"\"",        ",", "\n",  "\r\n", "\r",  "'",    "\\",   "%",
    "#",          "{",           "}", "?",   "NA",   "1e",  "-",    ".",    "inf",
    " ",          "\t",          ";", "1,5", "007",  "\\u", "\xff", "\xc3", "99999999999999999999",
    "2020-02-30", "\xed\xa0\x80"};

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t n) { return n ? random() % n : 0; }

std::string mutated(Random& random) {
    std::string text = kSamples[below(random, std::size(kSamples))];
    for (std::size_t times = below(random, 6); times; --times) {
        const std::size_t at = below(random, text.size() + 1);
        switch (below(random, 6)) {
            case 0:
                text.insert(at, kTokens[below(random, std::size(kTokens))]);
                break;
            case 1:
                text.erase(at, 1 + below(random, 4));
                break;
            case 2:
                if (at < text.size()) text[at] = static_cast<char>(random());
                break;
            case 3:
                text.insert(at, text.substr(below(random, text.size() + 1), below(random, 40)));
                break;
            case 4:
                text += kSamples[below(random, std::size(kSamples))];
                break;
            default:
                text.insert(at, below(random, 200), "x,\"\n 1"[below(random, 7)]);
        }
    }
    return text;
}

struct Setting {
    TextDialect dialect;
    std::vector<Mode> modes;
    RaggedRows ragged;
    FirstRecord first;
    bool store;
};

Setting any_setting(Random& random) {
    Setting made;
    TextDialect& d = made.dialect;
    d.missing = {"", "NA", "?", "NaN"};
    if (below(random, 3) == 0) d.missing_always = {"-", "x", "1"};
    if (below(random, 3) == 0) d.missing_perhaps = {"b", "-", "inf"};
    switch (below(random, 4)) {
        case 0:
            d.arff = d.blanks = d.escapes = true;
            d.doubled = false;
            d.quotes = "'\"";
            d.comment = '%';
            break;
        case 1:
            d.blanks = true;
            d.delimiter = 0;
            break;
        default:
            d.delimiter = ",;\t\0"[below(random, 4)];
            d.comment = below(random, 3) ? '\0' : '#';
            d.loose_comment = !d.comment && below(random, 2);
            if (below(random, 5) == 0) d.quotes.clear();
    }
    d.decimal = "\0.,"[below(random, 3)];
    for (std::size_t n = 1 + below(random, 4); n; --n)
        made.modes.push_back(static_cast<Mode>(below(random, 3) ? 1 : below(random, 8)));
    made.ragged = below(random, 2) ? RaggedRows::kDrop : RaggedRows::kFill;
    made.first = static_cast<FirstRecord>(below(random, 3));
    made.store = below(random, 4) != 0;
    return made;
}

// Everything a table says, as bytes that can be compared.
class Digest {
  public:
    void add(std::uint64_t value) { text_.append(reinterpret_cast<const char*>(&value), sizeof value); }
    void add(std::string_view value) {
        add(value.size());
        text_ += value;
    }
    void add(const Sighting& seen) {
        add(seen.line);
        add(seen.value);
    }
    bool operator==(const Digest&) const = default;

  private:
    std::string text_;
};

void set_levels(TextTable& table) {
    for (std::size_t c = 0; c < table.columns(); ++c)
        if (table.column(c).mode() == Mode::kFixed) table.column(c).set_levels({"x", "b c", "1", "?"});
}

void add_rows(Digest& digest, TextTable& table, std::size_t c, std::size_t skip) {
    Column& column = table.column(c);
    if (column.mode() == Mode::kSkip || column.form() == Form::kMixed || !table.rows()) return;
    if (column.form() == Form::kString) {
        for (std::size_t i = skip; i < skip + table.rows(); ++i) {
            const std::int32_t code = column.codes()[i];
            if (code < 0)
                digest.add(static_cast<std::uint64_t>(code));
            else
                digest.add(column.levels()[static_cast<std::size_t>(code)]);
        }
        return;
    }
    for (std::size_t i = skip; i < skip + table.rows(); ++i) {
        std::uint64_t bits;
        std::memcpy(&bits, &column.values()[i], sizeof bits);
        digest.add(bits);
    }
}

Digest whole(const std::string& text, const Setting& setting, const std::vector<std::size_t>& cuts,
             bool settle) {
    TextTable table(setting.dialect, setting.modes, setting.ragged, setting.first, setting.store, 1, 1);
    set_levels(table);
    std::size_t at = 0;
    for (const std::size_t cut : cuts) {
        table.feed(text.data() + at, cut - at, false, static_cast<std::size_t>(-1) / 2);
        at = cut;
    }
    table.feed(text.data() + at, text.size() - at, true, static_cast<std::size_t>(-1) / 2);
    table.settle(settle);
    Digest digest;
    digest.add(table.rows());
    digest.add(static_cast<std::uint64_t>(table.fault().what));
    digest.add(table.fault().line);
    digest.add(table.blank_lines());
    digest.add(table.comment_lines());
    digest.add(table.ragged().shorter);
    digest.add(table.ragged().longer);
    for (const auto& [cell, quoted] : table.first_cells()) digest.add(cell + (quoted ? "q" : "b"));
    for (std::size_t c = 0; c < table.columns(); ++c) {
        const ColumnStats& stats = table.column(c).stats();
        digest.add(static_cast<std::uint64_t>(table.column(c).form()));
        for (const std::uint64_t n : {stats.missing, stats.quoted_missing, stats.infinite, stats.unknown,
                                      stats.with_blank, stats.distinct_numbers, stats.distinct_dates})
            digest.add(n);
        for (const Sighting* seen :
             {&stats.turn, &stats.first_infinite, &stats.first_other, &stats.first_big})
            digest.add(*seen);
        if (setting.store) add_rows(digest, table, c, table.slot());
    }
    return digest;
}

// The rows of one column, taken out `limit` at a time.
Digest in_parts(const std::string& text, const Setting& setting, std::size_t c, std::size_t limit) {
    TextTable table(setting.dialect, setting.modes, setting.ragged, setting.first, true, 1, 1);
    set_levels(table);
    Digest digest;
    table.feed(text.data(), text.size(), true, limit);
    while (table.full()) {
        add_rows(digest, table, c, 0);
        table.column(c).values().clear_memory();
        table.column(c).codes().clear_memory();
        table.clear();
        table.feed(nullptr, 0, true, limit);
    }
    add_rows(digest, table, c, 0);
    return digest;
}

std::vector<std::size_t> any_cuts(Random& random, std::size_t size) {
    std::vector<std::size_t> cuts;
    for (std::size_t at = below(random, 9); at < size; at += 1 + below(random, 1 + below(random, 60)))
        cuts.push_back(at);
    return cuts;
}

bool holds(Random& random) {
    const std::string text = mutated(random);
    Setting setting = any_setting(random);
    const bool settle = below(random, 2);
    if (whole(text, setting, {}, settle) != whole(text, setting, any_cuts(random, text.size()), settle))
        return false;
    Fault fault;
    sample_records(text.data(), text.size(), setting.dialect, below(random, 2), 20, below(random, 2), fault);
    // A column whose form is settled beforehand gives the same rows whole and in parts.
    for (Mode& mode : setting.modes) mode = below(random, 2) ? Mode::kString : Mode::kFixed;
    if (setting.first == FirstRecord::kHold) setting.first = FirstRecord::kSkip;
    const std::size_t column = below(random, setting.modes.size());
    return in_parts(text, setting, column, 1 + below(random, 5)) == in_parts(text, setting, column, 1000000);
}

}  // namespace

int main(int argc, char** argv) {
    const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
    const std::uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 5000;
    for (std::uint64_t i = 0; i < count; ++i) {
        Random random(seed * 1000003 + i);
        if (!holds(random)) {
            std::fprintf(stderr, "fuzz_text: input %llu of seed %llu depends on how it was cut\n",
                         static_cast<unsigned long long>(i), static_cast<unsigned long long>(seed));
            return 1;
        }
    }
    std::printf("fuzz_text: %llu mutated inputs of seed %llu\n", static_cast<unsigned long long>(count),
                static_cast<unsigned long long>(seed));
    return 0;
}
