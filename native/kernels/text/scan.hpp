// From bytes to fields. Two scanners with one face: attach them to a piece of text, ask for records.
//
//   StrictScanner   one delimiter between fields, quotes doubled inside quotes: csv, tsv and the like
//   LooseScanner    runs of blanks, or commas with blanks: files laid out by eye, and ARFF's data section
//
// Neither allocates. A record that is not complete in the text at hand is left for later (Outcome::kMore),
// so what comes out cannot depend on how the source was cut. Text must be followed by kPadding bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace acumen {

inline constexpr std::size_t kPadding = 64;
// Longer records are refused: a quote that is never closed would otherwise take all memory.
inline constexpr std::size_t kLongestRecord = (std::size_t{1} << 28) - 1;

struct TextDialect {
    char delimiter = ',';        // 0: one field a line
    bool blanks = false;         // runs of blanks and tabs separate fields too
    std::string quotes = "\"";   // each may open a field, which it must then close
    bool doubled = true;         // a doubled quote inside quotes stands for one
    bool escapes = false;        // backslashes inside quotes: \n \t \' \" \\ \% \uXXXX ...
    bool arff = false;           // a comment may begin anywhere, {weights}, {sparse rows}, no break in quotes
    char comment = 0;            // lines that begin with it are skipped
    bool loose_comment = false;  // so are lines that begin with # and have another number of fields
    char decimal = 0;            // '.', ',' or 0: either, found out for each column
    bool verbatim = false;       // unquoted fields keep the blanks around them
    std::vector<std::string> missing;          // unquoted tokens that stand for a missing value
    std::vector<std::string> missing_always;   // tokens that do so quoted or not
    std::vector<std::string> missing_perhaps;  // unquoted ones that may: the column decides
};

enum FieldFlag : std::uint32_t {
    kQuoted = 1,   // a value even if it looks like a missing token
    kEscaped = 2,  // holds doubled quotes or backslashes still
    kAbsent = 4,   // left out of a sparse row: zero, or the first level
    kVoid = 8,     // the row was too short for it: missing
};

struct Field {
    std::uint32_t begin;
    std::uint32_t size_and_flags;

    static Field of(std::size_t begin, std::size_t size, std::uint32_t flags) {
        return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(size) | flags << 28};
    }
    std::uint32_t size() const { return size_and_flags & kLongestRecord; }
    std::uint32_t flags() const { return size_and_flags >> 28; }
};

enum class Outcome { kRecord, kBlank, kComment, kMore, kError };

enum class TextFault {
    kNone,
    kUnclosedQuote,  // line: where it was opened
    kAfterQuote,     // text between a closing quote and the delimiter
    kNul,            // a NUL byte
    kEncoding,       // not UTF-8
    kTooLong,        // a record beyond kLongestRecord
    kWeight,         // ARFF: something else than {number} behind the fields
    kSparse,         // ARFF: a sparse row that is not {index value, ...} with rising indices
};

// What both scanners know of the record they were asked for last.
struct ScannerState {
    const char* text = nullptr;
    std::size_t end = 0;
    bool last = false;         // nothing follows `end`
    std::size_t position = 0;  // where the next record begins
    std::size_t count = 0;     // fields found, also those beyond the capacity given
    std::uint64_t breaks = 0;  // line breaks used up
    TextFault fault = TextFault::kNone;
    std::uint64_t fault_breaks = 0;  // line breaks between the record's start and the fault
    double weight = 1;

    char at(std::size_t i) const { return i < end ? text[i] : '\0'; }
    Outcome fail(TextFault what, std::uint64_t after) {
        fault = what;
        fault_breaks = after;
        return Outcome::kError;
    }
    // Moves behind the line break at `stop` (or to the end); false if more text is needed to tell.
    bool end_line(std::size_t stop);
    // Moves behind the physical line that begins at `from`.
    Outcome skip_line(std::size_t from);
};

class StrictScanner : public ScannerState {
  public:
    explicit StrictScanner(const TextDialect& dialect);
    void attach(const char* text, std::size_t begin, std::size_t end, bool last);
    // Writes the record's first `capacity` fields.
    Outcome next(Field* out, std::size_t capacity);
    Outcome skip(std::size_t from);

  private:
    std::uint64_t mask_at(std::size_t block) const;
    std::size_t next_mark();
    Outcome close_quote(std::size_t open, std::size_t& close, std::uint32_t& flags);

    char delimiter_, quote_, comment_;
    bool doubled_, verbatim_;
    std::size_t block_ = 0;    // marks are looked for in blocks of 64 bytes
    std::uint64_t marks_ = 0;  // delimiters and line breaks of the block not yet passed
};

class LooseScanner : public ScannerState {
  public:
    explicit LooseScanner(const TextDialect& dialect);
    void attach(const char* text, std::size_t begin, std::size_t end, bool last);
    Outcome next(Field* out, std::size_t capacity);
    Outcome skip(std::size_t from) { return skip_line(from); }

  private:
    // What a byte can mean; looked up rather than compared with each mark in turn.
    enum Meaning : std::uint8_t {
        kBreak = 1,
        kBlank = 2,
        kDelimiter = 4,
        kBrace = 8,
        kQuote = 16,
        kComment = 32
    };
    bool is(std::size_t p, unsigned meaning) const {
        return meaning_[static_cast<unsigned char>(text[p])] & meaning;
    }
    bool ends(std::size_t p) const { return p >= end || is(p, kBreak | kComment); }
    std::size_t skip_blanks(std::size_t p) const {
        while (p < end && is(p, kBlank)) ++p;
        return p;
    }
    Outcome token(std::size_t& p, Field& field, bool in_braces);
    Outcome finish(std::size_t p);
    Outcome dense(std::size_t p, Field* out, std::size_t capacity);
    Outcome sparse(std::size_t p, Field* out, std::size_t capacity);
    Outcome read_weight(std::size_t p);

    const TextDialect& dialect_;
    Field spare_{};
    std::array<std::uint8_t, 256> meaning_{};
};

// Appends the text of an escaped field, its doubled quotes and backslashes resolved.
void append_unescaped(const char* text, Field field, const TextDialect& dialect, std::string& made);
// The field's text, unescaped into `scratch` where it has to be.
std::string_view field_text(const char* text, Field field, const TextDialect& dialect, std::string& scratch);

}  // namespace acumen
