// Text whose rows name only what they hold: svmlight's `label qid:7 3:0.5 9:1` and baskets of items, one a
// line. Plain C++20: no Python.
//
//   SvmReader      lines -> labels, query ids and a CSR matrix of numbers
//   BasketReader   lines -> a CSR pattern over items, each item a code of its own
//
// Text is fed in pieces of any size; what was read so far may be taken and cleared between pieces. The first
// line that cannot be read is kept as a fault, and nothing behind it is looked at. Both are bound by the walk
// over the bytes: one look for the line's end, one for its fields, and for each item one probe of a hash
// table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace acumen {

enum class SparseFault : int {
    kNone = 0,
    kNul,       // a NUL byte
    kTooLong,   // a line beyond the limit
    kLabel,     // no number where the label should be
    kPair,      // a field that is no `position:value`
    kOrder,     // positions do not rise
    kPosition,  // a position beyond the limit
    kQuery,     // a query id that is no whole number
    kQuote,     // a quote that is not closed on its line, or text behind a closing one
    kLabels,    // several labels for one row
};

// Cuts fed text into lines; a line in two pieces is put together.
class LineCutter {
  public:
    explicit LineCutter(std::size_t longest) : longest_(longest) {}

    // Calls take(line) for each whole line, its end and a CR before that taken off, until it returns false.
    template <typename Take>
    void feed(std::string_view piece, bool last, Take&& take) {
        while (!stopped_) {
            const std::size_t end = piece.find('\n');
            if (end == std::string_view::npos) break;
            if (rest_.empty()) {
                give(piece.substr(0, end), take);
            } else {
                if (!append(piece.substr(0, end))) return;
                give(rest_, take);
                rest_.clear();
            }
            piece.remove_prefix(end + 1);
        }
        if (stopped_) return;
        if (!append(piece)) return;
        if (last && !rest_.empty()) {
            give(rest_, take);
            rest_.clear();
        }
    }

    std::int64_t line = 0;  // the number of the line taken last
    bool too_long = false;

  private:
    template <typename Take>
    void give(std::string_view text, Take&& take) {
        ++line;
        if (text.size() > longest_) {
            too_long = stopped_ = true;
            return;
        }
        if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
        stopped_ = !take(text);
    }
    bool append(std::string_view more) {
        if (rest_.size() + more.size() > longest_) {
            ++line;
            too_long = stopped_ = true;
            return false;
        }
        rest_.append(more);
        return true;
    }

    std::size_t longest_;
    std::string rest_;
    bool stopped_ = false;
};

// What both readers gather.
struct SparseEntries {
    std::vector<std::int64_t> starts{0};  // row i holds positions[starts[i]] to positions[starts[i + 1]]
    std::vector<std::int32_t> positions;
    std::vector<std::int64_t> lines;  // the physical line of each row

    void clear();
    void end_row(std::int64_t line);
};

class SvmReader {
  public:
    SvmReader(std::size_t longest, std::int32_t largest) : cutter_(longest), largest_(largest) {}
    void feed(std::string_view piece, bool last);
    void clear();

    SparseEntries rows;
    std::vector<double> values;
    std::vector<double> labels;
    std::vector<double> queries;                       // NaN where a row has none
    std::int32_t smallest = INT32_MAX, greatest = -1;  // positions seen so far
    bool any_query = false;
    std::int64_t blank_lines = 0, comments = 0;
    std::int64_t infinite = 0,
                 first_infinite = 0;  // labels and values that are: how many, and the first's line
    std::string infinite_text;
    SparseFault fault = SparseFault::kNone;
    std::int64_t fault_line = 0;
    std::string fault_text;

  private:
    bool take(std::string_view line);
    bool stop(SparseFault what, std::string_view text);
    void see_infinite(std::string_view text);
    LineCutter cutter_;
    std::int32_t largest_;
};

// Where the label of a basket stands, if it has one.
enum class LabelPlace : int { kNone = 0, kFirst, kLast };

// A delimiter of 0 means runs of blanks and tabs; a quote or comment of 0 that there is none.
struct BasketShape {
    char delimiter = 0, quote = '"', comment = 0;
    LabelPlace label = LabelPlace::kNone;
};

// Codes for strings in order of first occurrence.
class Codebook {
  public:
    std::int32_t code(std::string_view text);        // of a string, known or new
    std::int32_t find(std::string_view text) const;  // -1 if it is not known
    const std::deque<std::string>& strings() const { return strings_; }

  private:
    struct Slot {
        std::uint64_t hash = 0;
        std::int32_t code = -1;
    };
    std::size_t place(std::string_view text, std::uint64_t hash) const;
    std::vector<Slot> slots_{std::vector<Slot>(256)};
    std::deque<std::string> strings_;      // whose strings never move
    std::vector<std::string_view> views_;  // of them, found without a walk
};

class BasketReader {
  public:
    BasketReader(BasketShape shape, std::size_t longest) : cutter_(longest), shape_(shape) {}
    void feed(std::string_view piece, bool last);
    void clear();

    Codebook items, label_names;
    SparseEntries rows;
    std::vector<std::int32_t> labels;  // a code each row where labels have a place; else nothing
    std::int64_t blank_lines = 0;      // behind the last basket
    std::int64_t empty = 0;            // those before it, which are baskets without items
    std::int64_t comments = 0, repeated = 0;
    SparseFault fault = SparseFault::kNone;
    std::int64_t fault_line = 0;

  private:
    bool take(std::string_view line);
    bool cut(std::string_view line);
    void give_empty();
    bool stop(SparseFault what);
    LineCutter cutter_;
    BasketShape shape_;
    std::vector<std::pair<std::int64_t, std::int64_t>>
        blank_;  // runs of blank lines: the first, and how many
    std::vector<std::string_view> fields_;
    std::deque<std::string> unquoted_;
};

}  // namespace acumen
