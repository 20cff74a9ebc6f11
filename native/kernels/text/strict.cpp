// The scanner of delimited text. It is bound by the search for marks: 64 bytes are compared at once with
// the delimiter, LF and CR, and only the hits are looked at. Quotes need no search of their own, because
// a quote counts only where a field begins; inside quotes the marks passed over tell the line breaks.
#include <bit>
#include <cstring>

#include "kernels/text/scan.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace acumen {

bool ScannerState::end_line(std::size_t stop) {
    if (stop >= end) {
        position = end;
        return last;
    }
    std::size_t after = stop + 1;
    if (text[stop] == '\r') {
        if (after >= end && !last) return false;  // its LF may come with the next piece
        if (after < end && text[after] == '\n') ++after;
    }
    position = after;
    ++breaks;
    return true;
}

Outcome ScannerState::skip_line(std::size_t from) {
    count = 0;
    breaks = 0;
    while (from < end && text[from] != '\n' && text[from] != '\r') ++from;
    return end_line(from) ? Outcome::kComment : Outcome::kMore;
}

StrictScanner::StrictScanner(const TextDialect& dialect)
    : delimiter_(dialect.delimiter ? dialect.delimiter : '\n'),
      quote_(dialect.quotes.empty() ? '\0' : dialect.quotes[0]),
      comment_(dialect.comment),
      doubled_(dialect.doubled),
      verbatim_(dialect.verbatim) {}

void StrictScanner::attach(const char* piece, std::size_t begin, std::size_t stop, bool final) {
    text = piece;
    end = stop;
    last = final;
    position = begin;
    block_ = begin;
    marks_ = begin < end ? mask_at(begin) : 0;
}

std::uint64_t StrictScanner::mask_at(std::size_t block) const {
    std::uint64_t mask = 0;
#if defined(__SSE2__)
    const __m128i delimiter = _mm_set1_epi8(delimiter_), lf = _mm_set1_epi8('\n'), cr = _mm_set1_epi8('\r');
    for (int i = 0; i < 4; ++i) {
        const __m128i bytes =
            _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + block + 16 * static_cast<unsigned>(i)));
        const __m128i hits = _mm_or_si128(_mm_cmpeq_epi8(bytes, delimiter),
                                          _mm_or_si128(_mm_cmpeq_epi8(bytes, lf), _mm_cmpeq_epi8(bytes, cr)));
        mask |= static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(hits))) << (16 * i);
    }
#else
    for (int i = 0; i < 64; ++i) {
        const char c = text[block + static_cast<unsigned>(i)];
        mask |= static_cast<std::uint64_t>(c == delimiter_ || c == '\n' || c == '\r') << i;
    }
#endif
    if (end - block < 64) mask &= (std::uint64_t{1} << (end - block)) - 1;
    return mask;
}

// The place of the next delimiter or line break, or `end`.
inline std::size_t StrictScanner::next_mark() {
    while (!marks_) {
        if (end - block_ <= 64) {
            block_ = end;
            return end;
        }
        block_ += 64;
        marks_ = mask_at(block_);
    }
    const std::size_t at = block_ + static_cast<std::size_t>(std::countr_zero(marks_));
    marks_ &= marks_ - 1;
    return at;
}

Outcome StrictScanner::skip(std::size_t from) {
    const Outcome outcome = skip_line(from);
    if (outcome == Outcome::kComment) attach(text, position, end, last);
    return outcome;
}

// Finds the quote that closes the one at `open`, and passes the marks between them.
Outcome StrictScanner::close_quote(std::size_t open, std::size_t& close, std::uint32_t& flags) {
    flags = kQuoted;
    for (std::size_t from = open + 1;;) {
        const void* hit = from < end ? std::memchr(text + from, quote_, end - from) : nullptr;
        if (!hit) return last ? fail(TextFault::kUnclosedQuote, breaks) : Outcome::kMore;
        close = static_cast<std::size_t>(static_cast<const char*>(hit) - text);
        if (close + 1 >= end && !last) return Outcome::kMore;  // it may be doubled in the next piece
        if (!doubled_ || close + 1 >= end || text[close + 1] != quote_) break;
        flags |= kEscaped;
        from = close + 2;
    }
    for (;;) {
        if (!marks_) {
            if (block_ + 64 > close || end - block_ <= 64) break;
            block_ += 64;
            marks_ = mask_at(block_);
            continue;
        }
        const std::size_t at = block_ + static_cast<std::size_t>(std::countr_zero(marks_));
        if (at > close) break;
        marks_ &= marks_ - 1;
        breaks += text[at] == '\r' || (text[at] == '\n' && text[at - 1] != '\r');
    }
    return Outcome::kRecord;
}

Outcome StrictScanner::next(Field* out, std::size_t capacity) {
    const auto blank = [this](char c) { return c == ' ' || (c == '\t' && delimiter_ != '\t'); };
    count = 0;
    breaks = 0;
    if (position >= end) return Outcome::kMore;
    const std::size_t start = position;
    if (comment_ && text[start] == comment_) return skip(start);
    for (std::size_t p = start;;) {
        const std::size_t whole = p;
        while (p < end && blank(text[p])) ++p;
        std::size_t begin = p, stop, size;
        std::uint32_t flags = 0;
        if (quote_ && p < end && text[p] == quote_) {
            std::size_t close;
            if (const Outcome o = close_quote(p, close, flags); o != Outcome::kRecord) return o;
            begin = p + 1;
            size = close - begin;
            stop = close + 1;
            while (stop < end && blank(text[stop])) ++stop;
            if (stop >= end && !last) return Outcome::kMore;
            if (stop < end && next_mark() != stop) return fail(TextFault::kAfterQuote, breaks);
        } else {
            stop = next_mark();
            if (stop >= end && !last) return Outcome::kMore;
            size = stop - begin;
            while (size && blank(text[begin + size - 1])) --size;
            if (verbatim_ && count < capacity) out[count] = Field::of(whole, stop - whole, flags);
        }
        if (count < capacity && !(verbatim_ && !flags)) out[count] = Field::of(begin, size, flags);
        ++count;
        if (stop < end && text[stop] == delimiter_ && delimiter_ != '\n') {
            p = stop + 1;
            continue;
        }
        if (!end_line(stop)) return Outcome::kMore;
        if (stop + 1 < position) next_mark();  // the LF of a CRLF is a mark too
        return count == 1 && size == 0 && !flags ? Outcome::kBlank : Outcome::kRecord;
    }
}

}  // namespace acumen
