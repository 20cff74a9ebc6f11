// The way of the bytes: into a buffer, through a scanner into batches of fields, and from each batch into
// the columns. With two threads one scans on while the other converts, and then both convert what is left:
// scanning is about a quarter of the work, so neither waits long.
#include "kernels/text.hpp"

#include <atomic>
#include <cstring>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace acumen {
namespace {

// A batch of this many fields (256 kB) stays in the second-level cache with the text it points into.
constexpr std::size_t kBatchFields = std::size_t{1} << 15;
// Fewer fields than this are converted sooner than a second thread is started.
constexpr std::size_t kFieldsWorthAThread = std::size_t{1} << 14;
constexpr std::size_t kPiece = std::size_t{1} << 26;
constexpr std::size_t kLinesNamed = 20;

}  // namespace

// The columns of one batch, taken one by one by whichever thread is free.
struct Conversion {
    const Batch* batch = nullptr;
    std::atomic<std::size_t> next{0};
    std::exception_ptr trouble;
    std::mutex guard;
    std::jthread helper;

    void work(std::deque<Column>& columns) {
        try {
            for (std::size_t c; (c = next.fetch_add(1, std::memory_order_relaxed)) < columns.size();)
                columns[c].take(*batch, c);
        } catch (...) {
            const std::scoped_lock lock(guard);
            trouble = std::current_exception();
        }
    }
};

TextTable::~TextTable() = default;

TextTable::TextTable(TextDialect dialect, const std::vector<Mode>& modes, RaggedRows ragged,
                     FirstRecord first, bool store, std::uint64_t line, int threads)
    : dialect_(std::move(dialect)),
      tokens_(dialect_),
      ragged_rows_(ragged),
      first_(first),
      store_(store),
      threads_(threads),
      conversion_(std::make_unique<Conversion>()),
      line_(line) {
    for (const Mode mode : modes) columns_.emplace_back(mode, dialect_, tokens_, store);
    slot_ = first == FirstRecord::kHold;
    for (Batch& batch : batches_) batch.columns = modes.size();
    batch_rows_ = modes.empty() ? 1 : kBatchFields / modes.size() + 1;
}

void TextTable::feed(const char* data, std::size_t size, bool last, std::size_t limit) {
    full_ = false;
    do {
        if (fault_.what != TextFault::kNone) return;
        const std::size_t piece = size < kPiece ? size : kPiece;
        if (unsound_ == TextFault::kNone) append(data, piece);
        data += piece;
        size -= piece;
        last_ = last && !size && unsound_ == TextFault::kNone;
        if (last_ && utf8_.inside()) {
            last_ = false;
            unsound_ = TextFault::kEncoding;
        }
        if (unsound_ != TextFault::kNone || last_ || end_ - start_ >= wait_for_) {
            if (dialect_.blanks)
                run<LooseScanner>(limit);
            else
                run<StrictScanner>(limit);
        }
        // Only when all before it has been given out, so that neither cuts nor limits change what comes
        // first.
        if (unsound_ != TextFault::kNone && !full_ && fault_.what == TextFault::kNone)
            fail(unsound_, line_at(end_));
    } while (size);
}

// Puts more text behind what is left, up to the first byte that is no text.
void TextTable::append(const char* data, std::size_t size) {
    if (start_) {
        std::memmove(buffer_.data(), buffer_.data() + start_, end_ - start_);
        end_ -= start_;
        start_ = 0;
    }
    buffer_.resize(end_ + size + kPadding);
    if (size) std::memcpy(buffer_.data() + end_, data, size);
    end_ += utf8_.check(buffer_.data() + end_, size, unsound_);
    std::memset(buffer_.data() + end_, 0, kPadding);
}

// The physical line of a place in the buffer.
std::uint64_t TextTable::line_at(std::size_t offset) const {
    std::uint64_t line = line_;
    for (std::size_t i = start_; i < offset; ++i)
        line += buffer_[i] == '\r' || (buffer_[i] == '\n' && (i == start_ || buffer_[i - 1] != '\r'));
    return line;
}

template <typename Scanner>
void TextTable::run(std::size_t limit) {
    Scanner scanner(dialect_);
    scanner.attach(buffer_.data(), start_, end_, last_);
    const std::size_t unused = end_ - start_;
    for (bool more = true; more && fault_.what == TextFault::kNone; filling_ = 1 - filling_) {
        Batch& batch = batches_[filling_];
        batch.text = buffer_.data();
        batch.rows = 0;
        batch.lines.clear();
        batch.weights.clear();
        more = fill_batch(scanner, batch, limit);
        finish_converting();
        start_converting(batch);
    }
    finish_converting();
    full_ = rows_ >= limit;
    wait_for_ = end_ - start_ == unused && !full_ ? 2 * unused : 0;
    if (end_ - start_ > kLongestRecord && !full_ && fault_.what == TextFault::kNone)
        fail(TextFault::kTooLong, line_);
}

// Scans records into the batch until it is full (true) or the text or the room under the limit is used up.
template <typename Scanner>
bool TextTable::fill_batch(Scanner& scanner, Batch& batch, std::size_t limit) {
    const std::size_t width = batch.columns;
    while (batch.rows < batch_rows_) {
        if (rows_ + batch.rows >= limit) return false;
        make_room(batch);
        Field* const out = batch.fields.data() + batch.rows * width;
        const bool loose = dialect_.loose_comment && start_ < end_ && buffer_[start_] == '#';
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
            scanner.attach(buffer_.data(), start_, end_, last_);  // the record's turn comes after the run
            continue;
        } else if (keep_record(scanner, out)) {
            batch.lines.push_back(line_);
            batch.weights.push_back(scanner.weight);
            weighted_ |= scanner.weight != 1;
            ++batch.rows;
        }
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
    first_text_.assign(buffer_.data() + start_, scanner.position - start_);
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

void TextTable::start_converting(Batch& batch) {
    if (!batch.rows) return;
    if (dialect_.arff && store_) weights_.append(batch.weights.data(), batch.weights.size());
    batch.stored = store_ ? rows_ + slot_ : 0;
    rows_ += batch.rows;
    conversion_->batch = &batch;
    conversion_->next = 0;
    if (threads_ > 1 && batch.rows * batch.columns >= kFieldsWorthAThread) try {
            conversion_->helper = std::jthread([this] { conversion_->work(columns_); });
        } catch (const std::system_error&) {  // no thread to be had: finish_converting does all the work
        }
}

void TextTable::finish_converting() {
    if (!conversion_->batch) return;
    conversion_->work(columns_);
    if (conversion_->helper.joinable()) conversion_->helper.join();
    conversion_->batch = nullptr;
    if (const auto trouble = std::exchange(conversion_->trouble, nullptr)) std::rethrow_exception(trouble);
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
