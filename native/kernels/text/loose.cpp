// The scanner of text whose fields stand apart by blanks, by commas with blanks around them, or both: files
// laid out by eye, and the data section of ARFF with its comments, sparse rows and instance weights.
#include <string_view>

#include "kernels/numbers/numbers.hpp"
#include "kernels/text/scan.hpp"

namespace acumen {

LooseScanner::LooseScanner(const TextDialect& dialect) : dialect_(dialect) {
    const auto mean = [this](char c, std::uint8_t meaning) {
        meaning_[static_cast<unsigned char>(c)] |= meaning;
    };
    mean('\n', kBreak);
    mean('\r', kBreak);
    mean(' ', kBlank);
    mean('\t', kBlank);
    if (dialect.delimiter) mean(dialect.delimiter, kDelimiter);
    if (dialect.arff) mean('}', kBrace);
    if (dialect.arff && dialect.comment) mean(dialect.comment, kComment);
    for (const char quote : dialect.quotes) mean(quote, kQuote);
}

void LooseScanner::attach(const char* piece, std::size_t begin, std::size_t stop, bool final) {
    text = piece;
    end = stop;
    last = final;
    position = begin;
}

// One field at p, which it moves behind it.
Outcome LooseScanner::token(std::size_t& p, Field& field, bool in_braces) {
    const unsigned stops = kBreak | kBlank | kDelimiter | (in_braces ? kBrace : 0);
    const std::size_t begin = p;
    if (p < end && is(p, kQuote)) {
        const char quote = text[p];
        std::uint32_t flags = kQuoted;
        std::uint64_t inside = 0;
        for (++p;; ++p) {
            if (p >= end) return last ? fail(TextFault::kUnclosedQuote, breaks) : Outcome::kMore;
            const char c = text[p];
            if (c == '\n' || c == '\r') {
                if (dialect_.arff) return fail(TextFault::kUnclosedQuote, breaks);
                inside += c == '\r' || text[p - 1] != '\r';
            } else if (c == '\\' && dialect_.escapes) {
                flags |= kEscaped;
                // A backslash hides no line break: the quote ends with the line all the same.
                if (p + 1 < end && text[p + 1] != '\n' && text[p + 1] != '\r') ++p;
            } else if (c == quote) {
                if (p + 1 >= end && !last) return Outcome::kMore;
                if (!dialect_.doubled || p + 1 >= end || text[p + 1] != quote) break;
                flags |= kEscaped;
                ++p;
            }
        }
        field = Field::of(begin + 1, p - begin - 1, flags);
        ++p;
        if (p >= end && !last) return Outcome::kMore;
        if (p < end && !is(p, stops | kComment)) return fail(TextFault::kAfterQuote, breaks + inside);
        breaks += inside;
        return Outcome::kRecord;
    }
    // A comment begins where a field could; inside a bare field its mark is a character like any other: 50%.
    if (!ends(p))
        while (p < end && !is(p, stops)) ++p;
    if (p >= end && !last) return Outcome::kMore;
    field = Field::of(begin, p - begin, 0);
    return Outcome::kRecord;
}

// Passes what may follow the last field: a comment, then the line's end.
Outcome LooseScanner::finish(std::size_t p) {
    while (p < end && text[p] != '\n' && text[p] != '\r') ++p;
    return end_line(p) ? Outcome::kRecord : Outcome::kMore;
}

Outcome LooseScanner::read_weight(std::size_t p) {
    std::size_t from = skip_blanks(p + 1), to = from;
    while (!ends(to) && text[to] != '}') ++to;
    if (to >= end && !last) return Outcome::kMore;
    if (to >= end || text[to] != '}') return fail(TextFault::kWeight, breaks);
    const std::size_t after = skip_blanks(to + 1);
    while (to > from && (text[to - 1] == ' ' || text[to - 1] == '\t')) --to;
    const Number number = parse_number(text + from, text + to, '.');
    if (number.flags < 0 || (number.flags & (kInfinite | kNotANumber)) || number.value < 0)
        return fail(TextFault::kWeight, breaks);
    if (after >= end && !last) return Outcome::kMore;
    if (!ends(after)) return fail(TextFault::kWeight, breaks);
    weight = number.value;
    return finish(after);
}

Outcome LooseScanner::dense(std::size_t p, Field* out, std::size_t capacity) {
    for (;;) {
        if (dialect_.arff && count && p < end && text[p] == '{') return read_weight(p);
        if (const Outcome o = token(p, count < capacity ? out[count] : spare_, false); o != Outcome::kRecord)
            return o;
        ++count;
        p = skip_blanks(p);
        if (p < end && dialect_.delimiter && text[p] == dialect_.delimiter) {
            p = skip_blanks(p + 1);
            // A comma behind the last field ends the row; before it, an empty field follows.
            if (ends(p) && count < capacity) continue;
        }
        if (ends(p)) return finish(p);
    }
}

Outcome LooseScanner::sparse(std::size_t p, Field* out, std::size_t capacity) {
    for (std::size_t i = 0; i < capacity; ++i) out[i] = Field::of(0, 0, kAbsent);
    std::size_t least = 0;
    for (p = skip_blanks(p + 1); p >= end || text[p] != '}';) {
        if (p >= end && !last) return Outcome::kMore;
        std::size_t index = 0;
        const std::size_t from = p;
        for (; p < end && detail::is_digit(text[p]) && index <= capacity; ++p)
            index = index * 10 + static_cast<std::size_t>(text[p] - '0');
        const std::size_t value = skip_blanks(p);
        if (value >= end && !last) return Outcome::kMore;
        if (p == from || value == p || index >= capacity || index < least || ends(value) ||
            text[value] == '}')
            return fail(TextFault::kSparse, breaks);
        p = value;
        if (const Outcome o = token(p, out[index], true); o != Outcome::kRecord) return o;
        least = index + 1;
        p = skip_blanks(p);
        if (p < end && dialect_.delimiter && text[p] == dialect_.delimiter) p = skip_blanks(p + 1);
    }
    count = capacity;
    p = skip_blanks(p + 1);
    if (p < end && dialect_.delimiter && text[p] == dialect_.delimiter) p = skip_blanks(p + 1);
    if (p >= end && !last) return Outcome::kMore;
    if (p < end && text[p] == '{') return read_weight(p);
    return ends(p) ? finish(p) : fail(TextFault::kSparse, breaks);
}

Outcome LooseScanner::next(Field* out, std::size_t capacity) {
    count = 0;
    breaks = 0;
    weight = 1;
    if (position >= end) return Outcome::kMore;
    if (dialect_.comment && text[position] == dialect_.comment) return skip_line(position);
    const std::size_t p = skip_blanks(position);
    if (ends(p)) {
        const bool comment = p < end && text[p] != '\n' && text[p] != '\r';
        const Outcome outcome = finish(p);
        return outcome == Outcome::kMore ? outcome : comment ? Outcome::kComment : Outcome::kBlank;
    }
    return dialect_.arff && text[p] == '{' ? sparse(p, out, capacity) : dense(p, out, capacity);
}

namespace {

void append_utf8(std::string& made, std::uint32_t code) {
    if (code < 0x80) {
        made += static_cast<char>(code);
    } else if (code < 0x800) {
        made += static_cast<char>(0xC0 | code >> 6);
        made += static_cast<char>(0x80 | (code & 63));
    } else if (code < 0x10000) {
        made += static_cast<char>(0xE0 | code >> 12);
        made += static_cast<char>(0x80 | (code >> 6 & 63));
        made += static_cast<char>(0x80 | (code & 63));
    } else {
        made += static_cast<char>(0xF0 | code >> 18);
        made += static_cast<char>(0x80 | (code >> 12 & 63));
        made += static_cast<char>(0x80 | (code >> 6 & 63));
        made += static_cast<char>(0x80 | (code & 63));
    }
}

// Four hexadecimal digits at p, or -1.
int four_hex(const char* p, const char* end) {
    if (end - p < 4) return -1;
    int value = 0;
    for (int i = 0; i < 4; ++i) {
        const char c = p[i];
        const int digit = c >= '0' && c <= '9'                 ? c - '0'
                          : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                               : -1;
        if (digit < 0) return -1;
        value = value * 16 + digit;
    }
    return value;
}

// The character behind a backslash at p - 1; moves p behind it.
void unescape(const char*& p, const char* end, std::string& made) {
    constexpr std::string_view kLetters = "ntrbfav", kMeant = "\n\t\r\b\f\a\v";
    const char c = *p++;
    if (const std::size_t at = kLetters.find(c); at != std::string_view::npos) {
        made += kMeant[at];
    } else if (const int code = c == 'u' ? four_hex(p, end) : -1; code > 0) {
        p += 4;
        auto whole = static_cast<std::uint32_t>(code);
        if (whole >= 0xD800 && whole < 0xE000) {  // half of a pair; alone it is no character
            const int low =
                whole < 0xDC00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u' ? four_hex(p + 2, end) : -1;
            const bool pair = low >= 0xDC00 && low < 0xE000;
            whole =
                pair ? 0x10000 + ((whole - 0xD800) << 10) + static_cast<std::uint32_t>(low - 0xDC00) : 0xFFFD;
            if (pair) p += 6;
        }
        append_utf8(made, whole);
    } else {
        made += c;
    }
}

}  // namespace

void append_unescaped(const char* text, Field field, const TextDialect& dialect, std::string& made) {
    const char* p = text + field.begin;
    const char* const end = p + field.size();
    const char quote = p[-1];
    while (p < end) {
        const char* run = p;
        while (p < end && !(dialect.escapes && *p == '\\') && !(dialect.doubled && *p == quote)) ++p;
        made.append(run, p);
        if (p >= end) break;
        if (*p == '\\' && dialect.escapes && p + 1 < end) {
            unescape(++p, end, made);
        } else {
            made += *p;
            p += *p == quote ? 2 : 1;  // of a doubled quote, one
        }
    }
}

std::string_view field_text(const char* text, Field field, const TextDialect& dialect, std::string& scratch) {
    if (!(field.flags() & kEscaped)) return {text + field.begin, field.size()};
    scratch.clear();
    append_unescaped(text, field, dialect, scratch);
    return scratch;
}

}  // namespace acumen
