#include "kernels/rules/first_cover.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/common/clones.hpp"

namespace acumen {

namespace {

constexpr std::size_t ROWS = 1024, WORDS = ROWS / 64;

// One byte a row, so that the compiler compares many numbers at once.
ACUMEN_CLONES void compare(const double* x, std::uint8_t* ACUMEN_RESTRICT into, Probe::Kind kind, double low,
                           double high) {
    switch (kind) {
        case Probe::Kind::below:
            for (std::size_t i = 0; i < ROWS; ++i) into[i] = x[i] <= high;
            break;
        case Probe::Kind::above:
            for (std::size_t i = 0; i < ROWS; ++i) into[i] = x[i] > low;
            break;
        default:
            for (std::size_t i = 0; i < ROWS; ++i)
                into[i] = static_cast<std::uint8_t>((x[i] > low) & (x[i] <= high));
    }
}

// Eight bytes of 0 or 1 as eight bits, the first one lowest.
std::uint64_t packed(const std::uint8_t* bytes) {
    std::uint64_t eight;
    std::memcpy(&eight, bytes, 8);
    return (eight * 0x0102040810204080u) >> 56;
}

// A block of rows: columns and conditions as far as they have been asked for.
class Block {
  public:
    Block(const Columns& numbers, std::span<const CodeColumn> codes, std::span<const Probe> probes)
        : numbers_(numbers),
          codes_(codes),
          probes_(probes),
          values_(numbers.size() * ROWS),
          loaded_(numbers.size()),
          bits_(probes.size() * WORDS),
          judged_(probes.size()),
          bytes_(ROWS) {}

    void begin(std::size_t first, std::size_t rows) {
        first_ = first;
        rows_ = rows;
        std::fill(loaded_.begin(), loaded_.end(), char{0});
        std::fill(judged_.begin(), judged_.end(), char{0});
    }

    const std::uint64_t* condition(std::size_t p) {
        std::uint64_t* line = &bits_[p * WORDS];
        if (judged_[p]) return line;
        judged_[p] = 1;
        const Probe& probe = probes_[p];
        if (probe.kind == Probe::Kind::given) {
            std::fill(line, line + WORDS, 0);
            std::copy_n(probe.bits + first_ / 64, (rows_ + 63) / 64, line);
            return line;
        }
        if (probe.kind == Probe::Kind::codes) {
            const CodeColumn& column = codes_[probe.column];
            for (std::size_t i = 0; i < rows_; ++i)
                bytes_[i] = probe.allowed[static_cast<std::size_t>(column[first_ + i] + 2)];
            std::fill(bytes_.begin() + static_cast<std::ptrdiff_t>(rows_), bytes_.end(), std::uint8_t{0});
        } else {
            compare(column(probe.column), bytes_.data(), probe.kind, probe.low, probe.high);
        }
        for (std::size_t w = 0; w < WORDS; ++w) {
            std::uint64_t word = 0;
            for (std::size_t b = 0; b < 8; ++b) word |= packed(&bytes_[w * 64 + b * 8]) << (8 * b);
            line[w] = word;
        }
        return line;
    }

  private:
    const double* column(std::size_t j) {
        const Column& from = numbers_.columns[j];
        // A whole block of a column that lies in one piece is read where it lies.
        if (from.stride == 1 && rows_ == ROWS) return from.data + first_;
        double* mine = &values_[j * ROWS];
        if (!loaded_[j]) {
            loaded_[j] = 1;
            for (std::size_t i = 0; i < rows_; ++i) mine[i] = from[first_ + i];
            std::fill(mine + rows_, mine + ROWS, 0.0);
        }
        return mine;
    }

    const Columns& numbers_;
    std::span<const CodeColumn> codes_;
    std::span<const Probe> probes_;
    std::vector<double> values_;
    std::vector<char> loaded_;
    std::vector<std::uint64_t> bits_;
    std::vector<char> judged_;
    std::vector<std::uint8_t> bytes_;
    std::size_t first_ = 0, rows_ = 0;
};

void answer(Block& block, const Bodies& bodies, std::size_t rows, std::int32_t* made) {
    std::uint64_t open[WORDS], here[WORDS];
    for (std::size_t w = 0; w < WORDS; ++w) {
        const std::size_t begin = std::min(w * 64, rows), end = std::min(begin + 64, rows);
        open[w] = end - begin == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (end - begin)) - 1;
    }
    for (std::size_t b = 0; b + 1 < bodies.starts.size(); ++b) {
        std::copy_n(open, WORDS, here);
        std::uint64_t any = 0;
        for (const std::uint64_t word : here) any |= word;
        if (!any) return;
        for (auto p = bodies.starts[b]; any && p < bodies.starts[b + 1]; ++p) {
            const std::uint64_t* holds =
                block.condition(static_cast<std::size_t>(bodies.places[static_cast<std::size_t>(p)]));
            any = 0;
            for (std::size_t w = 0; w < WORDS; ++w) any |= here[w] &= holds[w];
        }
        if (!any) continue;
        for (std::size_t w = 0; w < WORDS; ++w) {
            open[w] &= ~here[w];
            for (std::uint64_t left = here[w]; left; left &= left - 1)
                made[w * 64 + static_cast<std::size_t>(std::countr_zero(left))] =
                    static_cast<std::int32_t>(b);
        }
    }
}

}  // namespace

bool cover_first(const Columns& numbers, std::span<const CodeColumn> codes, std::span<const Probe> probes,
                 const Bodies& bodies, std::span<std::int32_t> made, std::size_t threads, const Stop& stop) {
    const std::size_t n = made.size(), blocks = (n + ROWS - 1) / ROWS;
    std::fill(made.begin(), made.end(), -1);
    const auto worker = [&] {
        return [&, block = Block(numbers, codes, probes)](std::size_t at) mutable {
            const std::size_t first = at * ROWS, rows = std::min(ROWS, n - first);
            block.begin(first, rows);
            answer(block, bodies, rows, made.data() + first);
        };
    };
    return for_blocks(blocks, threads, stop, worker);
}

}  // namespace acumen
