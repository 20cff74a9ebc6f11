// Fields into columns. The inner loop is bound by the digits themselves (about 15 ns for a number of 17
// digits, where the mantissa's product with a power of five takes most); strings by one hash and one
// comparison each.
#include "kernels/text/column.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace acumen {
namespace {

constexpr double kMissingNumber = std::numeric_limits<double>::quiet_NaN();
constexpr std::int32_t kMissingCode = -1, kUnknownCode = -2;

void see(Sighting& sighting, std::string_view text, std::uint64_t line) {
    if (sighting.line) return;
    sighting.line = line;
    std::size_t size = text.size() < 200 ? text.size() : 200;
    while (size && size < text.size() && (text[size] & 0xC0) == 0x80) --size;  // not inside a character
    sighting.value.assign(text.substr(0, size));
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

template <typename T>
void grow(Buffer<T>& buffer, std::size_t size, std::size_t expected) {
    if (!buffer.size()) buffer.set_aside(expected);
    buffer.resize(size);
}

Number parse(std::string_view text, char mark) {
    return parse_number(text.data(), text.data() + text.size(), mark);
}

}  // namespace

MissingTokens::MissingTokens(const TextDialect& dialect)
    : plain_(dialect.missing), always_(dialect.missing_always) {
    for (const auto* tokens : {&plain_, &always_})
        for (const std::string& token : *tokens)
            if (!token.empty()) first_[static_cast<unsigned char>(token[0])] = true;
    for (const std::string& token : dialect.missing_perhaps)
        if (!token.empty()) {
            perhaps_first_[static_cast<unsigned char>(token[0])] = true;
            perhaps_.push_back(std::string(1, '\0') + token);
        }
    empty_always_ = among(always_, "");
    empty_ = empty_always_ || among(plain_, "");
}

bool MissingTokens::among(const std::vector<std::string>& tokens, std::string_view text) {
    for (const std::string& token : tokens)
        if (token == text) return true;
    return false;
}

Column::Column(Mode mode, const TextDialect& dialect, const MissingTokens& tokens, bool store)
    : mode_(mode),
      mark_(mode == Mode::kDot     ? '.'
            : mode == Mode::kComma ? ','
            : dialect.decimal      ? dialect.decimal
                                   : '.'),
      either_(!dialect.decimal && mode != Mode::kDot && mode != Mode::kComma),
      store_(store),
      dialect_(dialect),
      tokens_(tokens) {
    if (mode == Mode::kString || mode == Mode::kFixed) form_ = Form::kString;
}

void Column::set_levels(const std::vector<std::string>& levels, bool absent_is_first) {
    absent_is_first_ = absent_is_first;
    bool added;
    for (const std::string& level : levels) levels_.code(level, true, added);
}

void Column::take(const Batch& batch, std::size_t column) {
    const std::size_t stored = batch.stored;
    if (mode_ == Mode::kSkip || form_ == Form::kMixed) return;
    std::size_t done = 0;
    if (numeric_form()) {
        double sink;
        if (store_) grow(values_, stored + batch.rows, expected_);
        done = take_numbers(batch, column, store_ ? values_.data() + stored : &sink, store_);
        if (form_ == Form::kMixed) values_.clear_memory();
        if (done == batch.rows || form_ == Form::kMixed) return;
        values_.clear_memory();  // a column of strings: all before its first one is missing
        if (store_) {
            grow(codes_, 0, expected_);
            codes_.fill_to(stored + done, kMissingCode);
        }
    }
    std::int32_t sink;
    if (store_) grow(codes_, stored + batch.rows, expected_);
    take_strings(batch, column, done, store_ ? codes_.data() + stored : &sink, store_);
}

void Column::take_first(const Batch& batch, std::size_t column) {
    const std::size_t stored = batch.stored;
    if (mode_ == Mode::kSkip || form_ == Form::kMixed) return;
    if (numeric_form()) {
        double value;
        const std::size_t done = take_numbers(batch, column, &value, 1);
        if (done == 1) {
            if (store_) {
                values_.fill_to(stored, kMissingNumber);
                values_[0] = value;
            }
            return;
        }
        values_.clear_memory();
        if (form_ == Form::kMixed) return;
        if (store_) codes_.fill_to(stored, kMissingCode);
    }
    std::int32_t code;
    take_strings(batch, column, 0, &code, 1);
    if (store_) {
        codes_.fill_to(stored, kMissingCode);
        codes_[0] = code;
    }
}

// Numbers until the batch ends or the column's form changes; how many rows were taken.
std::size_t Column::take_numbers(const Batch& batch, std::size_t column, double* out, std::size_t step) {
    const Field* field = batch.fields.data() + column;
    const char* const text = batch.text;
    const bool* const maybe_missing = tokens_.first_bytes();
    constexpr int kRare = kLeadingZero | kBigInteger | kInfinite | kNotANumber;
    int seen = 0;
    for (std::size_t row = 0; row < batch.rows;) {
        // A decimal comma goes the long way, where its looks are noted.
        const char mark = mark_;
        const int rare = mark == ',' ? kRare | kPoint : kRare;
        const std::size_t end = form_ == Form::kNumber ? batch.rows : row;
        for (; row < end; ++row, field += batch.columns) {
            if (field->size_and_flags - 1 >= kLongestRecord) break;  // empty, or not plain
            const char* const p = text + field->begin;
            if (maybe_missing[static_cast<unsigned char>(*p)]) break;
            const Number number = parse_padded_number(p, p + field->size_and_flags, mark);
            if (number.flags & rare) break;  // also what is no number
            seen |= number.flags;
            *out = number.value;
            out += step;
        }
        if (row == batch.rows) break;
        stats_.flags |= seen;
        const double value = odd_number(batch, *field, batch.lines[row]);
        if (!numeric_form()) return row;
        *out = value;
        out += step;
        ++row;
        field += batch.columns;
    }
    stats_.flags |= seen;
    return batch.rows;
}

// Any field of a numeric column, at leisure. May change the column's form.
double Column::odd_number(const Batch& batch, Field field, std::uint64_t line) {
    if (field.flags() & kAbsent) {
        form_ = Form::kNumber;
        return 0;
    }
    const std::string_view whole = field_text(batch.text, field, dialect_, scratch_);
    const bool quoted = field.flags() & kQuoted;
    const std::string_view text = quoted ? trimmed(whole) : whole;
    const bool spelled = quoted && tokens_.spelled(text);
    if ((field.flags() & kVoid) || spelled || (quoted ? tokens_.quoted(whole) : tokens_.unquoted(whole))) {
        ++stats_.missing;
        stats_.empty += form_ == Form::kEmpty && !quoted && whole.empty();
        if (spelled && !tokens_.quoted(whole)) {
            ++stats_.quoted_missing;
            see(stats_.first_quoted_missing, whole, line);
        }
        return kMissingNumber;
    }
    if (tokens_.perhaps(text) >= 0) {  // among numbers and dates it cannot be a value, quoted or not
        ++stats_.missing;
        ++stats_.maybe_missing;
        see(stats_.first_maybe, text, line);
        return kMissingNumber;
    }
    if (mode_ != Mode::kDate && form_ != Form::kDate) {
        Number number = parse(text, mark_);
        if (number.flags < 0 && either_) {
            const Number other = parse(text, mark_ == '.' ? ',' : '.');
            if (other.flags >= 0) {
                if (mark_ == ',' || (stats_.flags & kPoint)) {
                    turn(Why::kBothMarks, whole, line);
                    return kMissingNumber;
                }
                mark_ = ',';  // until now every number was whole, so nothing changes for those
                number = other;
            }
        }
        if (number.flags >= 0) {
            note_number(number, mark_, text, line);
            return number.value;
        }
    }
    if ((mode_ == Mode::kAuto || mode_ == Mode::kNumeric || mode_ == Mode::kDate) && form_ != Form::kNumber) {
        double days;
        int what;
        if (parse_date(text.data(), text.data() + text.size(), days, &what)) {
            form_ = Form::kDate;
            note_date(what, text, line);
            return days;
        }
    }
    turn(Why::kText, whole, line);
    return kMissingNumber;
}

void Column::note_number(const Number& number, char mark, std::string_view text, std::uint64_t line) {
    if (mode_ == Mode::kAuto && (number.flags & (kLeadingZero | kBigInteger))) {
        turn(number.flags & kLeadingZero ? Why::kLeadingZero : Why::kBigInteger, text, line);
        return;
    }
    form_ = Form::kNumber;
    if (number.flags & kBigInteger) see(stats_.first_big, text, line);
    if (number.flags & kInfinite) {
        ++stats_.infinite;
        see(stats_.first_infinite, text, line);
    }
    stats_.not_a_number += (number.flags & kNotANumber) != 0;
    if (mark == ',' && (number.flags & kPoint)) {
        stats_.comma = true;
        stats_.flags |= number.flags & ~kPoint;
    } else {
        stats_.flags |= number.flags;
    }
}

// The column is of strings: from its first value on, or after all.
void Column::turn(Why why, std::string_view text, std::uint64_t line) {
    const bool at_once =
        mode_ == Mode::kAuto && form_ == Form::kEmpty && !stats_.quoted_missing && !stats_.maybe_missing;
    if (at_once) {
        form_ = Form::kString;
        return;
    }
    form_ = Form::kMixed;
    stats_.why = why;
    see(stats_.turn, text, line);
}

void Column::take_strings(const Batch& batch, std::size_t column, std::size_t from, std::int32_t* out,
                          std::size_t step) {
    // A few rows at a time: first all hashes, each sending for its place in the table, then the looking up.
    constexpr std::size_t kAhead = 32;
    struct {
        std::string_view text;
        std::uint64_t hash;
        bool known, perhaps;
    } ahead[kAhead];
    const Field* const fields = batch.fields.data() + column;
    for (std::size_t start = from; start < batch.rows; start += kAhead) {
        const std::size_t count = std::min(kAhead, batch.rows - start);
        std::size_t room = 0;  // so that scratch_ does not move under the texts that lie in it
        for (std::size_t i = 0; i < count; ++i) {
            const Field field = fields[(start + i) * batch.columns];
            if (field.flags() & kEscaped) room += field.size();
        }
        scratch_.clear();
        scratch_.reserve(room);
        for (std::size_t i = 0; i < count; ++i) {
            auto& [text, hash, known, perhaps] = ahead[i];
            const Field field = fields[(start + i) * batch.columns];
            const std::uint32_t flags = field.flags();
            text = {batch.text + field.begin, field.size()};
            if (flags & kEscaped) {
                const std::size_t at = scratch_.size();
                append_unescaped(batch.text, field, dialect_, scratch_);
                text = std::string_view(scratch_).substr(at);
            }
            known = !(flags & (kAbsent | kVoid)) &&
                    !(flags & kQuoted ? tokens_.quoted(text) : tokens_.unquoted(text));
            const std::ptrdiff_t token = known && !(flags & kQuoted) ? tokens_.perhaps(text) : -1;
            perhaps = token >= 0;
            if (perhaps) text = tokens_.marked(token);
            if (known) levels_.prefetch(hash = hash_text(text));
        }
        for (std::size_t i = 0; i < count; ++i) {
            const Field field = fields[(start + i) * batch.columns];
            std::int32_t code = kMissingCode;
            if (ahead[i].perhaps)
                code = code_of_perhaps(ahead[i].text, ahead[i].hash, batch.lines[start + i]);
            else if (ahead[i].known)
                code = code_of(ahead[i].text, ahead[i].hash, batch.lines[start + i]);
            else if ((field.flags() & kAbsent) && mode_ == Mode::kFixed && absent_is_first_ && levels_.size())
                code = 0;
            if (code == kMissingCode) {
                ++stats_.missing;
                stats_.empty += !(field.flags() & kQuoted) && !field.size();
            }
            out[(start + i) * step] = code;
        }
    }
}

std::int32_t Column::code_of(std::string_view text, std::uint64_t hash, std::uint64_t line) {
    if (mode_ == Mode::kFixed) {
        const std::int32_t code = levels_.find(text, hash);
        if (code >= 0) return code;
        ++stats_.unknown;
        see(stats_.turn, text, line);
        return kUnknownCode;
    }
    bool added;
    const std::int32_t code = levels_.code(text, hash, store_ || keep_all_ || !stats_.capped, added);
    if (added) {
        stats_.with_blank += std::memchr(text.data(), ' ', text.size()) != nullptr;
        if (!keep_all_ && (levels_.size() > kManyDistinct || levels_.bytes() > kManyBytes))
            stats_.capped = true;
    }
    if (added || code < 0) classify(text, line);
    return code < 0 ? 0 : code;  // beyond the cap nothing is stored, but the value is not missing
}

// An unquoted token that may be missing: a level of its own, for whoever knows the column to decide about. Of
// fixed levels it is the one spelled so, if there is one, and else missing.
std::int32_t Column::code_of_perhaps(std::string_view marked, std::uint64_t hash, std::uint64_t line) {
    const std::string_view plain = marked.substr(1);
    if (mode_ == Mode::kFixed) {
        const std::int32_t code = levels_.find(marked, hash);
        if (code >= 0) return code;
        if (const std::int32_t stated = levels_.find(plain); stated >= 0) return stated;
    }
    ++stats_.maybe_missing;
    see(stats_.first_maybe, plain, line);
    if (mode_ == Mode::kFixed) return kMissingCode;
    bool added;
    const std::int32_t code = levels_.code(marked, hash, store_ || keep_all_ || !stats_.capped, added);
    return code < 0 ? 0 : code;
}

void Column::note_date(int what, std::string_view text, std::uint64_t line) {
    if (!(what & kTimed)) return;
    stats_.timed = true;
    see(what & kZoned ? stats_.first_zoned : stats_.first_unzoned, text, line);
}

// Whether a string looks like a number or a date: a target may be numeric for all that it is kept as text.
void Column::classify(std::string_view whole, std::uint64_t line) {
    const std::string_view text = trimmed(whole);
    const char mark = dialect_.decimal == ',' ? ',' : '.';
    Number number = parse(text, mark);
    bool comma = mark == ',' && number.flags >= 0 && (number.flags & kPoint);
    if (number.flags < 0 && either_) {
        number = parse(text, ',');
        comma = number.flags >= 0;
    }
    double days;
    int what;
    if (number.flags >= 0) {
        ++stats_.distinct_numbers;
        stats_.comma |= comma;
        stats_.flags |= comma ? number.flags & ~kPoint : number.flags;
        if (number.flags & kBigInteger) see(stats_.first_big, whole, line);
        if (number.flags & kLeadingZero) see(stats_.first_zero, whole, line);
    } else if (parse_date(text.data(), text.data() + text.size(), days, &what)) {
        ++stats_.distinct_dates;
        note_date(what, whole, line);
    } else {
        see(stats_.first_other, whole, line);
    }
}

}  // namespace acumen
