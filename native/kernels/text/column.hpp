// One column of a text file as it grows: numbers, dates or strings, and what was odd about them.
//
// A column that nobody asked for (kAuto) is what all of its values allow: numbers with a point, numbers
// with a comma, ISO dates, else strings. Numbers are stored as they come. When a later value shows that
// the column is of strings after all, its form becomes kMixed: what was stored is thrown away, and the
// caller reads the source once more with this column as kString.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/numbers/numbers.hpp"
#include "kernels/text/scan.hpp"
#include "kernels/text/store.hpp"

namespace acumen {

enum class Mode : std::uint8_t {
    kSkip,     // not looked at
    kAuto,     // found out
    kNumeric,  // numbers or dates, because the caller says so; 007 is seven
    kDot,      // numbers with a decimal point only
    kComma,    // numbers with a decimal comma only
    kDate,     // dates only
    kString,   // strings as codes of levels that grow
    kFixed,    // codes of levels given beforehand; -2 for any other
};

enum class Form : std::uint8_t {
    kEmpty,  // no value yet
    kNumber,
    kDate,
    kString,
    kMixed,  // numbers or dates at first, then something that is neither
};

// Why a column of numbers became kMixed.
enum class Why : std::uint8_t { kNothing, kText, kLeadingZero, kBigInteger, kBothMarks };

// Beyond these, distinct strings are no longer told apart when nothing is stored.
inline constexpr std::size_t kManyDistinct = 2'000'000;
inline constexpr std::size_t kManyBytes = std::size_t{64} << 20;

// A value and the physical line of its record (0: there is none).
struct Sighting {
    std::uint64_t line = 0;
    std::string value;
};

struct ColumnStats {
    std::uint64_t missing = 0;
    std::uint64_t empty = 0;           // unquoted empty fields, counted while the column has no number
    std::uint64_t quoted_missing = 0;  // quoted missing tokens among numbers
    std::uint64_t infinite = 0, not_a_number = 0;
    std::uint64_t unknown = 0;                               // kFixed: values that are no level
    std::uint64_t with_blank = 0;                            // distinct strings that hold a blank
    std::uint64_t distinct_numbers = 0, distinct_dates = 0;  // strings that look like numbers or dates
    int flags = 0;                                           // every NumberFlag seen
    bool comma = false;                                      // a decimal comma was seen
    // No mark was seen that cannot stand between thousands.
    bool thousands() const { return !(flags & kUngrouped); }
    bool capped = false;  // kManyDistinct or kManyBytes was passed
    Why why = Why::kNothing;
    Sighting turn;  // kMixed: the value that turned it; kNumeric, kDot, kFixed ...: the first failure
    Sighting first_infinite, first_quoted_missing, first_big, first_zero;
    Sighting first_other;             // the first string that is neither number nor date
    std::uint64_t maybe_missing = 0;  // tokens that stand for a missing value where the column is not of them
    Sighting first_maybe;
    bool timed = false;                   // a date came with a time
    Sighting first_zoned, first_unzoned;  // the first time with a zone, and without
};

// Fields of complete records, row by row, and where they lie.
struct Batch {
    const char* text = nullptr;
    std::vector<Field> fields;
    std::vector<std::uint64_t> lines;
    std::vector<double> weights;
    std::size_t rows = 0, columns = 0;
    std::size_t stored = 0;  // rows that came before, counting a slot left for the first record
};

// The tokens that stand for a missing value, quick to rule out by a field's first byte.
class MissingTokens {
  public:
    explicit MissingTokens(const TextDialect& dialect);
    bool unquoted(std::string_view text) const {
        return text.empty() ? empty_ : maybe(text[0]) && (among(plain_, text) || among(always_, text));
    }
    bool quoted(std::string_view text) const {
        return text.empty() ? empty_always_ : maybe(text[0]) && among(always_, text);
    }
    // Whether a token that is missing only unquoted was quoted here.
    bool spelled(std::string_view text) const { return text.empty() ? empty_ : among(plain_, text); }
    // Where an unquoted text stands among the tokens that may or may not be missing; -1 if it does not.
    std::ptrdiff_t perhaps(std::string_view text) const {
        if (text.empty() || !perhaps_first_[static_cast<unsigned char>(text[0])]) return -1;
        for (std::size_t i = 0; i < perhaps_.size(); ++i)
            if (std::string_view(perhaps_[i]).substr(1) == text) return static_cast<std::ptrdiff_t>(i);
        return -1;
    }
    // Such a token behind a NUL, which no text holds: so that it is told from the same word in quotes.
    std::string_view marked(std::ptrdiff_t i) const { return perhaps_[static_cast<std::size_t>(i)]; }
    const bool* first_bytes() const { return first_; }
    bool maybe(char first) const { return first_[static_cast<unsigned char>(first)]; }

  private:
    static bool among(const std::vector<std::string>& tokens, std::string_view text);
    const std::vector<std::string>& plain_;
    const std::vector<std::string>& always_;
    std::vector<std::string> perhaps_;
    bool first_[256] = {}, perhaps_first_[256] = {};
    bool empty_ = false, empty_always_ = false;
};

class Column {
  public:
    Column(Mode mode, const TextDialect& dialect, const MissingTokens& tokens, bool store);

    // Takes this column of a batch.
    void take(const Batch& batch, std::size_t column);
    // Takes one record into the slot kept for it in front of all others.
    void take_first(const Batch& batch, std::size_t column);
    // Forgets the strings of a column whose levels grow; its codes have been taken out.
    void forget_levels() {
        if (mode_ == Mode::kString || mode_ == Mode::kAuto) levels_ = Interner();
    }
    // `absent_is_first`: what a sparse row does not name is the first level; else it is missing.
    void set_levels(const std::vector<std::string>& levels, bool absent_is_first = true);

    // Sets memory aside for this many rows when the first of them comes.
    void expect(std::size_t rows) { expected_ = rows; }

    Mode mode() const { return mode_; }
    Form form() const { return form_; }
    char mark() const { return mark_; }
    const ColumnStats& stats() const { return stats_; }
    const Interner& levels() const { return levels_; }
    Buffer<double>& values() { return values_; }
    Buffer<std::int32_t>& codes() { return codes_; }
    void keep_all() { keep_all_ = true; }  // distinct strings are told apart however many there are

  private:
    bool numeric_form() const {
        return form_ == Form::kEmpty || form_ == Form::kNumber || form_ == Form::kDate;
    }
    std::size_t take_numbers(const Batch& batch, std::size_t column, double* out, std::size_t step);
    void take_strings(const Batch& batch, std::size_t column, std::size_t from, std::int32_t* out,
                      std::size_t step);
    double odd_number(const Batch& batch, Field field, std::uint64_t line);
    void note_number(const Number& number, char mark, std::string_view text, std::uint64_t line);
    void turn(Why why, std::string_view text, std::uint64_t line);
    std::int32_t code_of(std::string_view text, std::uint64_t hash, std::uint64_t line);
    void classify(std::string_view text, std::uint64_t line);
    void note_date(int what, std::string_view text, std::uint64_t line);
    std::int32_t code_of_perhaps(std::string_view marked, std::uint64_t hash, std::uint64_t line);

    Mode mode_;
    Form form_ = Form::kEmpty;
    char mark_;    // the decimal mark numbers are read with
    bool either_;  // the other mark may still turn out to be the right one
    bool store_, keep_all_ = false, absent_is_first_ = true;
    std::size_t expected_ = 0;
    const TextDialect& dialect_;
    const MissingTokens& tokens_;
    Buffer<double> values_;
    Buffer<std::int32_t> codes_;
    Interner levels_;
    ColumnStats stats_;
    std::string scratch_;
};

}  // namespace acumen
