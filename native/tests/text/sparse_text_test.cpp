// svmlight and basket text under sanitizers: made-up text, cut anywhere, reads as it does in one piece.
#include "kernels/text/sparse_text.hpp"

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "tests/claims.hpp"

using namespace acumen;

namespace {

template <typename Reader>
Reader fed(Reader reader, const std::string& text, std::size_t step) {
    for (std::size_t at = 0; at < text.size(); at += step)
        reader.feed(std::string_view(text).substr(at, step), false);
    reader.feed({}, true);
    return reader;
}

void by_hand() {
    const SvmReader svm = fed(SvmReader(100, 50), "1 qid:2 1:.5 3:2 # x\r\n\n-1\n", 3);
    expect(svm.fault == SparseFault::kNone, "svmlight without fault");
    expect(svm.labels == std::vector<double>{1, -1} && svm.values == std::vector<double>{.5, 2},
           "svmlight values");
    expect(svm.rows.starts == std::vector<std::int64_t>{0, 2, 2} && svm.rows.lines[1] == 3, "svmlight rows");
    expect(fed(SvmReader(5, 50), "1 1:1 2:1\n", 100).fault == SparseFault::kTooLong, "a long line");
    expect(fed(SvmReader(5, 50), "1 1:1 2:1", 1).fault == SparseFault::kTooLong, "a long line in pieces");
    expect(fed(SvmReader(100, 50), "1 51:1\n", 4).fault == SparseFault::kPosition, "a high position");
    expect(fed(SvmReader(100, 50), "1 99999999999999999999999:1\n", 4).fault == SparseFault::kPosition,
           "a huge one");

    const BasketReader baskets =
        fed(BasketReader({',', '"', '#', LabelPlace::kLast}, 100), "b,a,b,x\n#c\n\"a\"\"c\",y\nz\n", 2);
    expect(baskets.items.strings().size() == 3 && baskets.items.find("a\"c") == 2, "items");
    expect(baskets.rows.starts == std::vector<std::int64_t>{0, 2, 3, 3} && baskets.repeated == 1, "baskets");
    expect(baskets.labels == std::vector<std::int32_t>{0, 1, 2} && baskets.comments == 1, "labels");
    expect(fed(BasketReader({',', '"', 0, LabelPlace::kNone}, 100), "\"a", 1).fault == SparseFault::kQuote,
           "a quote");
}

void any_text_in_any_pieces() {
    std::mt19937 random(7);
    const std::string letters = "01.5e-:#, \t\"qidab\n\r\0+";
    for (int round = 0; round < 4000; ++round) {
        std::string text(random() % 60, ' ');
        for (char& c : text) c = letters[random() % letters.size()];
        const std::size_t step = 1 + random() % 9;
        const SvmReader one = fed(SvmReader(40, 1000), text, 1000),
                        other = fed(SvmReader(40, 1000), text, step);
        expect(one.fault == other.fault && one.fault_line == other.fault_line, "svmlight faults alike");
        expect(one.labels == other.labels && one.rows.positions == other.rows.positions,
               "svmlight reads alike");
        for (const char delimiter : {',', '\0'}) {
            const BasketShape shape{delimiter, '"', '#', static_cast<LabelPlace>(random() % 3)};
            const BasketReader a = fed(BasketReader(shape, 40), text, 1000),
                               b = fed(BasketReader(shape, 40), text, step);
            expect(a.fault == b.fault && a.fault_line == b.fault_line, "baskets fault alike");
            expect(a.rows.positions == b.rows.positions && a.labels == b.labels, "baskets read alike");
            expect(a.rows.starts.size() == a.rows.lines.size() + 1, "every row has a line");
        }
    }
}

void many_items() {
    BasketReader reader({' ', 0, 0, LabelPlace::kNone}, 1 << 20);
    for (int i = 0; i < 20000; ++i) reader.feed("item" + std::to_string(i % 5000) + "\n", false);
    expect(reader.items.strings().size() == 5000 && reader.items.find("item4999") == 4999, "many items");
}

}  // namespace

int main() {
    by_hand();
    any_text_in_any_pieces();
    many_items();
    return claims::finish();
}
