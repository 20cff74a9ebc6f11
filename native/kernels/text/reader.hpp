// A table out of text: fed bytes in pieces of any size, it grows the columns.
//
//   feed     bytes -> complete records -> a batch of fields -> each column takes its own
//   settle   whether the first record, held apart, is data after all
//
// What comes out does not depend on how the bytes were cut, nor on the number of threads: the scanner is
// one, and columns are independent of each other. Text is UTF-8; anything else is reported as a fault.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "kernels/text/column.hpp"
#include "kernels/text/scan.hpp"
#include "kernels/text/store.hpp"

namespace acumen {

enum class RaggedRows : std::uint8_t { kDrop, kFill };
enum class FirstRecord : std::uint8_t { kData, kSkip, kHold };

// Rows with another number of fields than the table has columns.
struct RaggedStats {
    std::uint64_t shorter = 0, longer = 0;
    std::vector<std::uint64_t> lines;   // the first few, with
    std::vector<std::uint64_t> counts;  // the number of fields found
};

struct Fault {
    TextFault what = TextFault::kNone;
    std::uint64_t line = 0;
};

// Checks bytes for UTF-8 (RFC 3629) and NUL as they come, in pieces.
class Utf8Check {
  public:
    // How many bytes are sound; `what` says what follows them.
    std::size_t check(const char* text, std::size_t size, TextFault& what);
    bool inside() const { return pending_ > 0; }

  private:
    int pending_ = 0;                         // continuation bytes still to come
    unsigned char low_ = 0x80, high_ = 0xBF;  // bounds of the next one
};

class Conversion;

class TextTable {
  public:
    TextTable(TextDialect dialect, const std::vector<Mode>& modes, RaggedRows ragged, FirstRecord first,
              bool store, std::uint64_t line, int threads);
    ~TextTable();
    TextTable(const TextTable&) = delete;
    TextTable& operator=(const TextTable&) = delete;

    // Takes more text; `last` says that none follows. Stops at `limit` stored rows: take them out and feed
    // nothing to go on. Nothing happens after a fault.
    void feed(const char* data, std::size_t size, bool last, std::size_t limit);
    // Says beforehand how much text there will be in all, so that memory can be set aside.
    void expect(std::size_t bytes) { expected_bytes_ = bytes; }
    void settle(bool first_is_data);
    // Forgets the stored rows; their columns have been taken out.
    void clear();

    const TextDialect& dialect() const { return dialect_; }
    std::size_t rows() const { return rows_; }  // stored, the first record included if it is data
    std::size_t slot() const { return slot_ && !first_is_data_; }  // values before the first row
    bool full() const { return full_; }                            // the limit was reached
    Column& column(std::size_t c) { return columns_.at(c); }
    const Column& column(std::size_t c) const { return columns_.at(c); }
    std::size_t columns() const { return columns_.size(); }
    const Fault& fault() const { return fault_; }
    const RaggedStats& ragged() const { return ragged_; }
    std::uint64_t line() const { return line_; }
    std::uint64_t blank_lines() const { return blank_lines_; }
    std::uint64_t comment_lines() const { return comment_lines_; }
    std::uint64_t first_comment() const { return first_comment_; }
    std::uint64_t first_line() const { return first_line_; }  // 0: there is no first record
    std::size_t first_count() const { return first_count_; }
    std::vector<std::pair<std::string, bool>> first_cells() const;  // text, quoted
    std::uint64_t last_line() const { return last_line_; }          // of the last row; 0: there is none
    const std::vector<std::string>& last_cells() const { return last_cells_; }  // its first fields
    bool weighted() const { return weighted_; }
    Buffer<double>& weights() { return weights_; }
    // Where every so many rows begin, as bytes of the text fed and as lines: from there it can be read again.
    void mark_every(std::uint64_t rows) { every_ = to_mark_ = rows; }
    const std::vector<std::uint64_t>& marks() const { return marks_; }
    const std::vector<std::uint64_t>& mark_lines() const { return mark_lines_; }

  private:
    void append(const char* data, std::size_t size);
    void scan_buffer(bool last, std::size_t limit);
    std::size_t scan_in_place(const char* text, std::size_t size, std::size_t limit);
    void scan(const char* text, bool last, std::size_t limit);
    template <typename Scanner>
    void run(std::size_t limit);
    template <typename Scanner>
    bool fill_batch(Scanner& scanner, Batch& batch, std::size_t limit);
    static void make_room(Batch& batch);
    bool keep_record(const ScannerState& scanner, Field* out);
    void hold_first(const ScannerState& scanner, const Field* fields);
    void fit(Field* out, std::size_t count) const;
    void hand_over(Batch& batch);
    void fail(TextFault what, std::uint64_t line) { fault_ = {what, line}; }
    std::uint64_t line_at(std::size_t offset) const;

    TextDialect dialect_;
    MissingTokens tokens_;
    std::deque<Column> columns_;
    RaggedRows ragged_rows_;
    FirstRecord first_;
    bool store_;
    int threads_;

    Buffer<char> buffer_;         // text not yet used up, from start_ on, and padding
    const char* text_ = nullptr;  // what is being scanned: the buffer, or a piece of text where it lies
    std::size_t start_ = 0, end_ = 0;
    std::size_t expected_bytes_ = 0;
    std::size_t wait_for_ = 0;  // unused text to wait for before trying again, so that long cells cost once
    bool last_ = false, full_ = false;
    Utf8Check utf8_;
    TextFault unsound_ = TextFault::kNone;  // what follows the text in the buffer, if it is no text
    std::size_t batch_rows_;
    std::unique_ptr<Conversion> conversion_;

    std::size_t rows_ = 0, slot_ = 0;
    bool seen_first_ = false, first_is_data_ = false;
    std::string first_text_;
    std::vector<Field> first_fields_;
    std::size_t first_count_ = 0;
    std::uint64_t first_line_ = 0, last_line_ = 0;
    std::vector<std::string> last_cells_;

    std::uint64_t line_, blank_lines_ = 0, comment_lines_ = 0, first_comment_ = 0;
    std::uint64_t blank_run_ = 0;  // single-column files: empty lines that are rows if another row follows
    RaggedStats ragged_;
    Fault fault_;
    bool weighted_ = false;
    Buffer<double> weights_;
    std::uint64_t used_ = 0;                 // bytes of all text fed that lie before start_
    std::uint64_t every_ = 0, to_mark_ = 0;  // rows between marks, and until the next; 0: there are none
    std::vector<std::uint64_t> marks_, mark_lines_;
};

// The first `limit` records, for finding out how a file is written down: their number of fields and, with
// `cells`, the fields. An incomplete last record is left out unless `last`; a fault ends the list.
struct SampleRecord {
    std::uint64_t line;
    std::size_t count;
    bool hash;                                        // begins with #
    std::vector<std::pair<std::string, bool>> cells;  // text, quoted
};
std::vector<SampleRecord> sample_records(const char* data, std::size_t size, const TextDialect& dialect,
                                         bool last, std::size_t limit, bool cells, Fault& fault);

}  // namespace acumen
