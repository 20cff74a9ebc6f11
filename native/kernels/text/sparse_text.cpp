#include "kernels/text/sparse_text.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "kernels/numbers/numbers.hpp"

namespace acumen {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

bool holds_nul(std::string_view line) { return line.find('\0') != std::string_view::npos; }

// The field up to the next blank, taken off the front of `rest`; empty at the end.
std::string_view next_field(std::string_view& rest) {
    while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
    std::size_t end = 0;
    while (end < rest.size() && !is_blank(rest[end])) ++end;
    const std::string_view field = rest.substr(0, end);
    rest.remove_prefix(end);
    return field;
}

Number number_in(std::string_view text) { return parse_number(text.data(), text.data() + text.size(), '.'); }

// A whole number of at least 0; -1 if it is none, -2 if it is beyond `largest`.
std::int64_t position_in(std::string_view text, std::int64_t largest) {
    if (text.empty()) return -1;
    std::int64_t made = 0;
    for (const char c : text) {
        if (!detail::is_digit(c)) return -1;
        made = made * 10 + (c - '0');
        if (made > largest) made = largest + 1;
    }
    return made > largest ? -2 : made;
}

}  // namespace

void SparseEntries::clear() {
    starts.assign(1, 0);
    positions.clear();
    lines.clear();
}

void SparseEntries::end_row(std::int64_t line) {
    starts.push_back(static_cast<std::int64_t>(positions.size()));
    lines.push_back(line);
}

// -- svmlight ---------------------------------------------------------------------------------------------

void SvmReader::feed(std::string_view piece, bool last) {
    if (fault != SparseFault::kNone) return;
    cutter_.feed(piece, last, [this](std::string_view line) { return take(line); });
    if (cutter_.too_long && fault == SparseFault::kNone) stop(SparseFault::kTooLong, {});
}

void SvmReader::clear() {
    rows.clear();
    values.clear();
    labels.clear();
    queries.clear();
}

bool SvmReader::stop(SparseFault what, std::string_view text) {
    fault = what;
    fault_line = cutter_.line;
    fault_text.assign(text.substr(0, 60));
    return false;
}

void SvmReader::see_infinite(std::string_view text) {
    if (infinite++) return;
    first_infinite = cutter_.line;
    infinite_text.assign(text.substr(0, 60));
}

bool SvmReader::take(std::string_view line) {
    if (const std::size_t hash = line.find('#'); hash != std::string_view::npos) {
        comments += 1;
        line = line.substr(0, hash);
    }
    if (holds_nul(line)) return stop(SparseFault::kNul, {});
    std::string_view rest = line;
    std::string_view field = next_field(rest);
    if (field.empty()) {
        blank_lines += 1;
        return true;
    }
    if (field.find(',') != std::string_view::npos) return stop(SparseFault::kLabels, field);
    const Number label = number_in(field);
    if (label.flags == -1) return stop(SparseFault::kLabel, field);
    if (label.flags & kInfinite) see_infinite(field);
    double query = std::numeric_limits<double>::quiet_NaN();
    std::int64_t before = -1;
    for (bool first = true; !(field = next_field(rest)).empty(); first = false) {
        const std::size_t colon = field.find(':');
        if (colon == std::string_view::npos) return stop(SparseFault::kPair, field);
        const std::string_view name = field.substr(0, colon), text = field.substr(colon + 1);
        if (first && name == "qid") {
            const std::int64_t id = position_in(text, std::int64_t{1} << 53);
            if (id < 0) return stop(SparseFault::kQuery, field);
            query = static_cast<double>(id);
            any_query = true;
            continue;
        }
        const std::int64_t position = position_in(name, largest_);
        if (position == -2) return stop(SparseFault::kPosition, field);
        const Number value = position < 0 ? Number{0, -1} : number_in(text);
        if (value.flags == -1) return stop(SparseFault::kPair, field);
        if (position <= before) return stop(SparseFault::kOrder, field);
        before = position;
        if (value.flags & kInfinite) see_infinite(field);
        rows.positions.push_back(static_cast<std::int32_t>(position));
        values.push_back(value.value);
        smallest = std::min(smallest, static_cast<std::int32_t>(position));
        greatest = std::max(greatest, static_cast<std::int32_t>(position));
    }
    labels.push_back(label.value);
    queries.push_back(query);
    rows.end_row(cutter_.line);
    return true;
}

// -- baskets ----------------------------------------------------------------------------------------------

std::size_t Codebook::place(std::string_view text, std::uint64_t hash) const {
    std::size_t at = (hash ^ (hash >> 32)) & (slots_.size() - 1);
    while (slots_[at].code >= 0 &&
           (slots_[at].hash != hash || views_[static_cast<std::size_t>(slots_[at].code)] != text))
        at = (at + 1) & (slots_.size() - 1);
    return at;
}

std::int32_t Codebook::find(std::string_view text) const {
    return slots_[place(text, std::hash<std::string_view>{}(text))].code;
}

std::int32_t Codebook::code(std::string_view text) {
    const std::uint64_t hash = std::hash<std::string_view>{}(text);
    std::size_t at = place(text, hash);
    if (slots_[at].code >= 0) return slots_[at].code;
    const auto made = static_cast<std::int32_t>(strings_.size());
    views_.emplace_back(strings_.emplace_back(text));
    if (2 * strings_.size() > slots_.size()) {  // at most half full: probing stays short
        std::vector<Slot> old(2 * slots_.size());
        old.swap(slots_);
        for (const Slot& slot : old) {
            if (slot.code < 0) continue;
            std::size_t free = (slot.hash ^ (slot.hash >> 32)) & (slots_.size() - 1);
            while (slots_[free].code >= 0) free = (free + 1) & (slots_.size() - 1);
            slots_[free] = slot;
        }
        at = (hash ^ (hash >> 32)) & (slots_.size() - 1);
        while (slots_[at].code >= 0) at = (at + 1) & (slots_.size() - 1);
    }
    slots_[at] = {hash, made};
    return made;
}

void BasketReader::feed(std::string_view piece, bool last) {
    if (fault != SparseFault::kNone) return;
    cutter_.feed(piece, last, [this](std::string_view line) { return take(line); });
    if (cutter_.too_long && fault == SparseFault::kNone) stop(SparseFault::kTooLong);
}

void BasketReader::clear() {
    rows.clear();
    labels.clear();
}

bool BasketReader::stop(SparseFault what) {
    fault = what;
    fault_line = cutter_.line;
    return false;
}

bool BasketReader::take(std::string_view line) {
    if (holds_nul(line)) return stop(SparseFault::kNul);
    if (trimmed(line).empty()) {
        blank_lines += 1;
        if (!blank_.empty() && blank_.back().first + blank_.back().second == cutter_.line)
            ++blank_.back().second;
        else
            blank_.emplace_back(cutter_.line, 1);
        return true;
    }
    if (shape_.comment && line.front() == shape_.comment) {
        comments += 1;
        return true;
    }
    if (!cut(line)) return stop(SparseFault::kQuote);
    give_empty();
    std::size_t from = 0, to = fields_.size();
    if (shape_.label != LabelPlace::kNone) {
        // The label is where the line begins or ends, also if nothing stands there.
        const bool first = shape_.label == LabelPlace::kFirst;
        const std::string_view label = to == 0 ? std::string_view{} : fields_[first ? 0 : to - 1];
        labels.push_back(label.empty() ? -1 : label_names.code(label));
        if (to) first ? ++from : --to;
    }
    const std::size_t start = rows.positions.size();
    for (std::size_t i = from; i < to; ++i)
        if (!fields_[i].empty()) rows.positions.push_back(items.code(fields_[i]));
    const auto begin = rows.positions.begin() + static_cast<std::ptrdiff_t>(start);
    std::sort(begin, rows.positions.end());
    const auto end = std::unique(begin, rows.positions.end());
    repeated += rows.positions.end() - end;
    rows.positions.erase(end, rows.positions.end());
    rows.end_row(cutter_.line);
    return true;
}

// Blank lines before this one are baskets without items; those at the end of the text are only its end.
void BasketReader::give_empty() {
    for (const auto& [first, count] : blank_) {
        for (std::int64_t i = 0; i < count; ++i) {
            if (shape_.label != LabelPlace::kNone) labels.push_back(-1);
            rows.end_row(first + i);
        }
        empty += count;
        blank_lines -= count;
    }
    blank_.clear();
}

// The fields of a line, trimmed; false if a quote in it is wrong.
bool BasketReader::cut(std::string_view line) {
    fields_.clear();
    unquoted_.clear();
    const char delimiter = shape_.delimiter;
    const auto ends = [delimiter](char c) { return delimiter ? c == delimiter : is_blank(c); };
    std::size_t at = 0;
    for (;;) {
        while (at < line.size() && is_blank(line[at]) && line[at] != delimiter) ++at;
        if (at == line.size()) {
            if (delimiter) fields_.push_back({});
            return true;
        }
        if (shape_.quote && line[at] == shape_.quote) {
            std::string& made = unquoted_.emplace_back();
            for (++at;; ++at) {
                if (at == line.size()) return false;
                if (line[at] != shape_.quote) {
                    made.push_back(line[at]);
                } else if (at + 1 < line.size() && line[at + 1] == shape_.quote) {
                    made.push_back(line[at++]);
                } else {
                    break;
                }
            }
            ++at;
            while (at < line.size() && is_blank(line[at]) && !ends(line[at])) ++at;
            if (at < line.size() && !ends(line[at])) return false;
            fields_.push_back(made);
        } else {
            const std::size_t from = at;
            while (at < line.size() && !ends(line[at])) ++at;
            fields_.push_back(trimmed(line.substr(from, at - from)));
        }
        if (at == line.size()) return true;
        ++at;
    }
}

}  // namespace acumen
