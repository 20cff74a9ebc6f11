// The tokenizer and its numbers without Python, for the sanitizers.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>

#include "kernels/text/reader.hpp"
#include "tests/claims.hpp"

namespace {

using namespace acumen;

constexpr std::size_t kAll = static_cast<std::size_t>(-1) / 2;
void numbers_are_those_of_strtod() {
    std::mt19937_64 random(1);
    char text[64];
    bool same = true;
    for (int i = 0; i < 200000; ++i) {
        double value;
        const std::uint64_t bits = random();
        std::memcpy(&value, &bits, sizeof value);
        if (!std::isfinite(value)) continue;
        const int size = std::snprintf(text, sizeof text, i % 2 ? "%.17g" : "%.15g", value);
        const double expected = std::strtod(text, nullptr);
        // On the heap and to the byte, so that reading past the end would be noticed.
        const std::string exact(text, static_cast<std::size_t>(size));
        const Number found = parse_number(exact.data(), exact.data() + exact.size(), '.');
        same = same && found.flags >= 0 && std::memcmp(&found.value, &expected, sizeof expected) == 0;
    }
    expect(same, "every double reads back");
    expect(parse_number("1e", "1e" + 2, '.').flags < 0, "an exponent needs digits");
}

void strings_get_codes_in_order_of_appearance() {
    Interner names;
    bool added;
    expect(names.find("a") == -1, "an empty interner knows nothing");
    for (int i = 0; i < 10000; ++i) names.code(std::to_string(i), true, added);
    expect(names.size() == 10000 && names.find("77") == 77 && names[77] == "77", "ten thousand strings");
    expect(names.code("77", true, added) == 77 && !added, "a string is added once");
    expect(names.code("new", false, added) == -1 && names.code("", true, added) == 10000,
           "the empty string too");
}

void columns_grow_and_turn() {
    TextTable table({}, {Mode::kAuto, Mode::kAuto}, RaggedRows::kFill, FirstRecord::kHold, true, 1, 2);
    std::string text = "a,b\n";
    for (int i = 0; i < 90000; ++i) text += std::to_string(i) + ",v" + std::to_string(i % 5) + "\n";
    constexpr std::size_t kPiece = 400000;  // enough for a second thread
    for (std::size_t at = 0; at < text.size(); at += kPiece)
        table.feed(text.data() + at, std::min(kPiece, text.size() - at), false, kAll);
    table.feed("x,1,2\n9", 7, true, kAll);
    expect(table.rows() == 90002 && table.column(0).form() == Form::kMixed, "a column of numbers turns");
    expect(table.column(0).stats().turn.line == 90002, "its line is known");
    expect(table.column(1).levels().size() == 6 && table.column(1).codes().size() == 90003, "strings stay");
    expect(table.ragged().longer == 1 && table.ragged().shorter == 1, "ragged rows are counted");
}

void a_large_cell_is_one_field() {
    TextTable table({}, {Mode::kString}, RaggedRows::kDrop, FirstRecord::kData, true, 1, 1);
    const std::string cell(3000000, 'x');
    const std::string text = "\"" + cell + "\"\n";
    for (std::size_t at = 0; at < text.size(); at += 4096)
        table.feed(text.data() + at, std::min<std::size_t>(4096, text.size() - at), false, kAll);
    table.feed(nullptr, 0, true, kAll);
    expect(table.rows() == 1 && table.column(0).levels()[0] == cell, "three megabytes in one cell");
}

}  // namespace

int main() {
    numbers_are_those_of_strtod();
    strings_get_codes_in_order_of_appearance();
    columns_grow_and_turn();
    a_large_cell_is_one_field();
    return claims::finish();
}
