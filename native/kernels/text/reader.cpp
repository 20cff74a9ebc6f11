// The way of the bytes: into a buffer, through a scanner into batches of fields, and from each batch into
// the columns. With two threads one scans on while the other converts, and then both convert what is left:
// scanning is about a quarter of the work, so neither waits long.
#include "kernels/text/reader.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/text/convert.hpp"

namespace acumen {
namespace {

// A batch of this many fields (256 kB) stays in the second-level cache with the text it points into.
constexpr std::size_t kBatchFields = std::size_t{1} << 15;
// Less text than this is converted sooner than a second thread is started.
constexpr std::size_t kWorthAThread = std::size_t{1} << 18;
// Smaller pieces are copied together before they are scanned (few are under sanitizers, whose texts are
// short).
#if defined(ACUMEN_SANITIZED)
constexpr std::size_t kWorthScanning = 80;
#else
constexpr std::size_t kWorthScanning = std::size_t{1} << 16;
#endif
constexpr std::size_t kLinesNamed = 20;

}  // namespace

TextTable::~TextTable() = default;

TextTable::TextTable(TextDialect dialect, const std::vector<Mode>& modes, RaggedRows ragged,
                     FirstRecord first, bool store, std::uint64_t line, int threads)
    : dialect_(std::move(dialect)),
      tokens_(dialect_),
      ragged_rows_(ragged),
      first_(first),
      store_(store),
      threads_(threads),
      line_(line) {
    for (const Mode mode : modes) columns_.emplace_back(mode, dialect_, tokens_, store);
    conversion_ = std::make_unique<Conversion>(columns_);
    slot_ = first == FirstRecord::kHold;
    batch_rows_ = modes.empty() ? 1 : kBatchFields / modes.size() + 1;
}

void TextTable::feed(const char* data, std::size_t size, bool last, std::size_t limit) {
    full_ = false;
    if (fault_.what != TextFault::kNone) return;
    size = unsound_ == TextFault::kNone ? utf8_.check(data, size, unsound_) : 0;
    if (last && unsound_ == TextFault::kNone && utf8_.inside()) unsound_ = TextFault::kEncoding;
    // A large piece is scanned where it lies. Only a record that began in the piece before is copied
    // together; what then is left in the buffer lies in this piece, too.
    while (size > kWorthScanning && !full_ && fault_.what == TextFault::kNone) {
        if (start_ == end_) {
            const std::size_t used = scan_in_place(data, size - kPadding, limit);
            data += used;
            size -= used;
            break;
        }
        const std::size_t piece = std::min(size, std::max(kWorthScanning, end_ - start_));
        append(data, piece);
        scan_buffer(false, limit);
        std::size_t used = piece;
        if (end_ - start_ <= piece) {
            used -= end_ - start_;
            start_ = end_ = 0;
        }
        data += used;
        size -= used;
    }
    append(data, size);
    if (!full_) scan_buffer(last && unsound_ == TextFault::kNone, limit);
    if (full_ || fault_.what != TextFault::kNone) return;
    // Only when all before it has been given out, so that neither cuts nor limits change what comes first.
    if (unsound_ != TextFault::kNone)
        fail(unsound_, line_at(end_));
    else if (end_ - start_ > kLongestRecord)
        fail(TextFault::kTooLong, line_);
}

// Puts more text behind what is left.
void TextTable::append(const char* data, std::size_t size) {
    if (start_) {
        std::memmove(buffer_.data(), buffer_.data() + start_, end_ - start_);
        end_ -= start_;
        start_ = 0;
    }
    buffer_.resize(end_ + size + kPadding);
    if (size) std::memcpy(buffer_.data() + end_, data, size);
    end_ += size;
    std::memset(buffer_.data() + end_, 0, kPadding);
}

void TextTable::scan_buffer(bool last, std::size_t limit) {
    const std::size_t unused = end_ - start_;
    if (!last && unsound_ == TextFault::kNone && unused < wait_for_) return;
    scan(buffer_.data(), last, limit);
    wait_for_ = end_ - start_ == unused && !full_ ? 2 * unused : 0;
}

// Scans text that nobody copied; how much of it was used up.
std::size_t TextTable::scan_in_place(const char* text, std::size_t size, std::size_t limit) {
    start_ = 0;
    end_ = size;
    scan(text, false, limit);
    const std::size_t used = start_;
    start_ = end_ = 0;
    return used;
}

void TextTable::scan(const char* text, bool last, std::size_t limit) {
    text_ = text;
    last_ = last;
    if (dialect_.blanks)
        run<LooseScanner>(limit);
    else
        run<StrictScanner>(limit);
    full_ = rows_ >= limit;
}

// The physical line of a place in the buffer.
std::uint64_t TextTable::line_at(std::size_t offset) const {
    std::uint64_t line = line_;
    for (std::size_t i = start_; i < offset; ++i)
        line += buffer_[i] == '\r' || (buffer_[i] == '\n' && (i == start_ || buffer_[i - 1] != '\r'));
    return line;
}

// Scans the text from start_ to end_ in batches, each handed to the columns while the next is scanned.
template <typename Scanner>
void TextTable::run(std::size_t limit) {
    Scanner scanner(dialect_);
    scanner.attach(text_, start_, end_, last_);
    const bool large = end_ - start_ >= kWorthAThread && columns_.size() > 1;
    const Conversion::Helper helper(*conversion_, threads_ > 1 && large);
    for (bool more = true; more && fault_.what == TextFault::kNone;) {
        Batch& batch = conversion_->next();
        batch.text = text_;
        batch.rows = 0;
        batch.lines.clear();
        batch.weights.clear();
        more = fill_batch(scanner, batch, limit);
        hand_over(batch);
    }
    conversion_->finish();
}

// Scans records into the batch until it is full (true) or the text or the room under the limit is used up.
template <typename Scanner>
bool TextTable::fill_batch(Scanner& scanner, Batch& batch, std::size_t limit) {
    const std::size_t width = batch.columns;
    while (batch.rows < batch_rows_) {
        if (rows_ + batch.rows >= limit) return false;
        make_room(batch);
        Field* const out = batch.fields.data() + batch.rows * width;
        const bool loose = dialect_.loose_comment && start_ < end_ && text_[start_] == '#';
        Outcome outcome = scanner.next(out, width);
        if (loose && (outcome == Outcome::kError || (outcome == Outcome::kRecord && scanner.count != width)))
            outcome = scanner.skip(start_);
        if (outcome == Outcome::kMore) return false;
        if (outcome == Outcome::kError) {
            fail(scanner.fault, line_ + scanner.fault_breaks);
            return false;
        }
        if (scanner.position - start_ > kLongestRecord) {
            fail(TextFault::kTooLong, line_);
            return false;
        }
        if (outcome == Outcome::kBlank) {
            // Where a row is one field an empty line is a missing value, unless nothing follows.
            if (width == 1 && seen_first_ && !dialect_.arff)
                ++blank_run_;
            else
                ++blank_lines_;
        } else if (outcome == Outcome::kComment) {
            if (!comment_lines_++) first_comment_ = line_;
        } else if (blank_run_) {
            for (; blank_run_ && batch.rows < batch_rows_ && rows_ + batch.rows < limit; --blank_run_) {
                make_room(batch);
                batch.fields[batch.rows++] = Field::of(0, 0, kVoid);
                batch.lines.push_back(line_);
                batch.weights.push_back(1);
            }
            scanner.attach(text_, start_, end_, last_);  // the record's turn comes after the run
            continue;
        } else if (keep_record(scanner, out)) {
            if (every_ && !to_mark_--) {
                to_mark_ = every_ - 1;
                marks_.push_back(used_);
                mark_lines_.push_back(line_);
            }
            batch.lines.push_back(line_);
            batch.weights.push_back(scanner.weight);
            weighted_ |= scanner.weight != 1;
            ++batch.rows;
        }
        used_ += scanner.position - start_;
        start_ = scanner.position;
        line_ += scanner.breaks;
    }
    return true;
}

// Room for one more record; a spare field, so that a table without columns has an address too.
void TextTable::make_room(Batch& batch) {
    const std::size_t needed = (batch.rows + 1) * batch.columns + 1;
    if (batch.fields.size() < needed) batch.fields.resize(2 * needed);
}

// Whether the record scanned is a row; pads or cuts it to the table's width.
bool TextTable::keep_record(const ScannerState& scanner, Field* out) {
    if (!seen_first_) {
        seen_first_ = true;
        if (first_ != FirstRecord::kData) {
            hold_first(scanner, out);
            return false;
        }
    }
    if (scanner.count == columns_.size()) return true;
    ++(scanner.count < columns_.size() ? ragged_.shorter : ragged_.longer);
    if (ragged_.lines.size() < kLinesNamed) {
        ragged_.lines.push_back(line_);
        ragged_.counts.push_back(scanner.count);
    }
    if (ragged_rows_ == RaggedRows::kDrop) return false;
    fit(out, scanner.count);
    return true;
}

void TextTable::fit(Field* out, std::size_t count) const {
    for (std::size_t i = count; i < columns_.size(); ++i) out[i] = Field::of(0, 0, kVoid);
}

void TextTable::hold_first(const ScannerState& scanner, const Field* fields) {
    first_line_ = line_;
    first_count_ = scanner.count;
    const std::size_t kept = scanner.count < columns_.size() ? scanner.count : columns_.size();
    first_text_.assign(text_ + start_, scanner.position - start_);
    first_text_.append(kPadding, '\0');
    first_fields_.assign(fields, fields + kept);
    for (Field& field : first_fields_) field.begin -= static_cast<std::uint32_t>(start_);
    first_fields_.resize(columns_.size(), Field::of(0, 0, kVoid));
}

std::vector<std::pair<std::string, bool>> TextTable::first_cells() const {
    std::vector<std::pair<std::string, bool>> cells;
    std::string scratch;
    for (const Field& field : first_fields_)
        cells.emplace_back(field_text(first_text_.data(), field, dialect_, scratch), field.flags() & kQuoted);
    return cells;
}

void TextTable::settle(bool first_is_data) {
    if (!slot_ || first_is_data_ || !first_is_data || !first_line_) return;
    Batch one;
    one.text = first_text_.data();
    one.columns = columns_.size();
    one.fields = first_fields_;
    one.lines.push_back(first_line_);
    one.rows = 1;
    one.stored = rows_ + slot_;
    for (std::size_t c = 0; c < columns_.size(); ++c) columns_[c].take_first(one, c);
    first_is_data_ = true;
    ++rows_;
}

void TextTable::clear() {
    rows_ = 0;
    slot_ = 0;
    weights_.clear_memory();
    for (Column& column : columns_) column.forget_levels();
}

// Gives a batch to the columns; its rows count from now on.
void TextTable::hand_over(Batch& batch) {
    if (!batch.rows) return;
    if (dialect_.arff && store_) weights_.append(batch.weights.data(), batch.weights.size());
    if (expected_bytes_ > start_ && store_ && !rows_ && start_) {
        const double share = static_cast<double>(expected_bytes_) / static_cast<double>(start_);
        const auto rows = static_cast<std::size_t>(1.05 * share * static_cast<double>(batch.rows)) + 64;
        for (Column& column : columns_) column.expect(rows);
    }
    // The last row of the last batch is the last of the file, which may be a sum below the table.
    constexpr std::size_t kCellsKept = 64;
    last_line_ = batch.lines[batch.rows - 1];
    last_cells_.clear();
    std::string scratch;
    for (std::size_t c = 0; c < std::min(kCellsKept, batch.columns); ++c)
        last_cells_.emplace_back(
            field_text(batch.text, batch.fields[(batch.rows - 1) * batch.columns + c], dialect_, scratch));
    batch.stored = store_ ? rows_ + slot_ : 0;
    rows_ += batch.rows;
    conversion_->publish();
}

namespace {

template <typename Scanner>
std::vector<SampleRecord> sample(const char* text, std::size_t size, const TextDialect& dialect, bool last,
                                 std::size_t limit, bool cells, Fault& fault) {
    std::vector<SampleRecord> records;
    std::vector<Field> fields(cells ? 64 : 0);
    std::string scratch;
    std::uint64_t line = 1;
    Scanner scanner(dialect);
    scanner.attach(text, 0, size, last);
    while (records.size() < limit) {
        const std::size_t start = scanner.position;
        Outcome outcome = scanner.next(fields.data(), fields.size());
        if (cells && outcome == Outcome::kRecord && scanner.count > fields.size()) {
            fields.resize(scanner.count);
            scanner.attach(text, start, size, last);
            outcome = scanner.next(fields.data(), fields.size());
        }
        if (outcome == Outcome::kMore) break;
        if (outcome == Outcome::kError) {
            fault = {scanner.fault, line + scanner.fault_breaks};
            break;
        }
        if (outcome == Outcome::kRecord) {
            SampleRecord record{line, scanner.count, text[start] == '#', {}};
            for (std::size_t i = 0; cells && i < scanner.count; ++i)
                record.cells.emplace_back(field_text(text, fields[i], dialect, scratch),
                                          fields[i].flags() & kQuoted);
            records.push_back(std::move(record));
        }
        line += scanner.breaks;
    }
    return records;
}

}  // namespace

std::vector<SampleRecord> sample_records(const char* data, std::size_t size, const TextDialect& dialect,
                                         bool last, std::size_t limit, bool cells, Fault& fault) {
    Buffer<char> padded;
    padded.append(data, size);
    padded.fill_to(size + kPadding, '\0');
    return dialect.blanks ? sample<LooseScanner>(padded.data(), size, dialect, last, limit, cells, fault)
                          : sample<StrictScanner>(padded.data(), size, dialect, last, limit, cells, fault);
}

}  // namespace acumen
