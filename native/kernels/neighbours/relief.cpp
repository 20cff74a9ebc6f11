#include "kernels/neighbours/relief.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "kernels/common/lanes.hpp"

namespace acumen {

namespace {

constexpr std::size_t QUERIES = 8;  // rows whose distances are worked out together
constexpr std::size_t BLOCK = 32;   // rows whose sums are one

// The attributes without gaps: numbers first, then codes, eight rows side by side.
struct Packed {
    std::size_t packs = 0, numbers = 0, codes = 0;
    std::vector<double> values;          // (packs, numbers + codes, PACK)
    std::vector<std::size_t> with_gaps;  // the other attributes

    explicit Packed(const ReliefRows& rows) {
        std::vector<std::size_t> whole;
        for (const bool level : {false, true})
            for (std::size_t a = 0; a < rows.attributes; ++a)
                if (rows.gap[a] < 0 && rows.level[a] == level) {
                    whole.push_back(a);
                    ++(level ? codes : numbers);
                }
        for (std::size_t a = 0; a < rows.attributes; ++a)
            if (rows.gap[a] >= 0) with_gaps.push_back(a);
        packs = (rows.rows + PACK - 1) / PACK;
        values.assign(packs * whole.size() * PACK, 0.0);
        for (std::size_t p = 0; p < packs; ++p)
            for (std::size_t j = 0; j < whole.size(); ++j)
                for (std::size_t l = 0; l < PACK && p * PACK + l < rows.rows; ++l)
                    values[(p * whole.size() + j) * PACK + l] =
                        rows.values[whole[j] * rows.rows + p * PACK + l];
    }

    std::size_t width() const { return numbers + codes; }
};

// |x| of each lane.
template <std::size_t BYTES>
ACUMEN_INLINE void make_positive(Lanes<BYTES>& x) {
#if defined(__GNUC__)
    decltype(x < x) bits;
    std::memcpy(&bits, &x, BYTES);
    bits &= 0x7FFFFFFFFFFFFFFF;
    std::memcpy(&x, &bits, BYTES);
#else
    for (double& each : x.lane) each = std::fabs(each);
#endif
}

template <std::size_t BYTES>
ACUMEN_INLINE void pack_distances_in(const double* pack, const double* query, std::size_t numbers,
                                     std::size_t codes, double* out) {
    for (std::size_t first = 0; first < PACK; first += LANES<BYTES>) {
        Lanes<BYTES> sum[QUERIES] = {};
        for (std::size_t j = 0; j < numbers; ++j) {
            Lanes<BYTES> x;
            fetch<BYTES>(pack + j * PACK + first, x);
            for (std::size_t q = 0; q < QUERIES; ++q) {
                Lanes<BYTES> away = x;
                away -= query[j * QUERIES + q];
                make_positive<BYTES>(away);
                sum[q] += away;
            }
        }
        for (std::size_t q = 0; q < QUERIES; ++q) put<BYTES>(sum[q], out + q * PACK + first);
    }
    for (std::size_t j = numbers; j < numbers + codes; ++j)
        for (std::size_t q = 0; q < QUERIES; ++q) {
            const double own = query[j * QUERIES + q];
            for (std::size_t l = 0; l < PACK; ++l) out[q * PACK + l] += pack[j * PACK + l] != own ? 1.0 : 0.0;
        }
}
ACUMEN_WIDTHS(void, pack_distances,
              (const double* pack, const double* query, std::size_t numbers, std::size_t codes, double* out),
              (pack, query, numbers, codes, out))

class Work {
  public:
    Work(const ReliefRows& rows, const Packed& packed, std::size_t k, double* sums)
        : rows_(rows),
          packed_(packed),
          k_(k),
          sums_(sums),
          label_(rows.rows),
          apart_(QUERIES * packed.packs * PACK),
          query_(std::max<std::size_t>(1, packed.width()) * QUERIES) {
        for (std::size_t c = 0; c < rows.classes; ++c)
            for (auto i = rows.start[c]; i < rows.start[c + 1]; ++i) label_[static_cast<std::size_t>(i)] = c;
    }

    void operator()(std::size_t block) {
        const std::size_t end = std::min(rows_.rows, (block + 1) * BLOCK);
        for (std::size_t first = block * BLOCK; first < end; first += QUERIES) {
            const std::size_t count = std::min(QUERIES, end - first);
            distances(first, count);
            for (std::size_t q = 0; q < count; ++q)
                weigh(first + q, apart_.data() + q * packed_.packs * PACK, sums_ + block * rows_.attributes);
        }
    }

  private:
    void distances(std::size_t first, std::size_t count) {
        const std::size_t width = packed_.width(), stride = packed_.packs * PACK;
        for (std::size_t q = 0; q < QUERIES; ++q) {
            const std::size_t i = first + (q < count ? q : 0);
            const double* own = packed_.values.data() + i / PACK * width * PACK + i % PACK;
            for (std::size_t j = 0; j < width; ++j) query_[j * QUERIES + q] = own[j * PACK];
        }
        double out[QUERIES * PACK];
        for (std::size_t p = 0; p < packed_.packs; ++p) {
            pack_distances(packed_.values.data() + p * width * PACK, query_.data(), packed_.numbers,
                           packed_.codes, out);
            for (std::size_t q = 0; q < QUERIES; ++q)
                std::copy_n(out + q * PACK, PACK, apart_.data() + q * stride + p * PACK);
        }
        for (const std::size_t a : packed_.with_gaps)
            for (std::size_t q = 0; q < count; ++q) {
                double* apart = apart_.data() + q * stride;
                for (std::size_t j = 0; j < rows_.rows; ++j) apart[j] += difference(a, first + q, j);
            }
    }

    double difference(std::size_t a, std::size_t i, std::size_t j) const {
        const double x = rows_.values[a * rows_.rows + i], y = rows_.values[a * rows_.rows + j];
        const bool known_x = x == x, known_y = y == y;
        if (known_x && known_y) return rows_.level[a] ? (x != y ? 1.0 : 0.0) : std::fabs(x - y);
        const auto gap = static_cast<std::size_t>(rows_.gap[a]);
        if (known_x) return rows_.expected[(gap * rows_.classes + label_[j]) * rows_.rows + i];
        if (known_y) return rows_.expected[(gap * rows_.classes + label_[i]) * rows_.rows + j];
        return rows_.both[(gap * rows_.classes + label_[i]) * rows_.classes + label_[j]];
    }

    // The nearest of each class, ties by their order, and what the attributes gain or lose by them.
    void weigh(std::size_t i, const double* apart, double* sums) {
        const std::size_t own = label_[i];
        const double others =
            static_cast<double>(rows_.rows) - static_cast<double>(rows_.start[own + 1] - rows_.start[own]);
        for (std::size_t c = 0; c < rows_.classes; ++c) {
            nearest_.clear();
            const auto begin = static_cast<std::size_t>(rows_.start[c]);
            const auto end = static_cast<std::size_t>(rows_.start[c + 1]);
            for (std::size_t j = begin; j < end; ++j) {
                if (j == i) continue;
                if (nearest_.size() < k_) {
                    nearest_.emplace_back(apart[j], j);
                    std::push_heap(nearest_.begin(), nearest_.end());
                } else if (apart[j] < nearest_.front().first) {
                    std::pop_heap(nearest_.begin(), nearest_.end());
                    nearest_.back() = {apart[j], j};
                    std::push_heap(nearest_.begin(), nearest_.end());
                }
            }
            if (nearest_.empty() || (c != own && others <= 0)) continue;
            std::sort(nearest_.begin(), nearest_.end());
            const double share = c == own ? -1.0 : static_cast<double>(end - begin) / others;
            const double factor = share / static_cast<double>(nearest_.size());
            for (std::size_t a = 0; a < rows_.attributes; ++a) {
                double sum = 0.0;
                for (const auto& [distance, j] : nearest_) sum += difference(a, i, j);
                sums[a] += factor * sum;
            }
        }
    }

    const ReliefRows& rows_;
    const Packed& packed_;
    std::size_t k_;
    double* sums_;
    std::vector<std::size_t> label_;
    std::vector<double> apart_, query_;
    std::vector<std::pair<double, std::size_t>> nearest_;
};

}  // namespace

bool relief(const ReliefRows& rows, std::size_t k, std::size_t threads, const Stop& stop, double* made) {
    const Packed packed(rows);
    const std::size_t blocks = (rows.rows + BLOCK - 1) / BLOCK;
    std::vector<double> sums(blocks * rows.attributes, 0.0);
    if (!for_blocks(blocks, threads, stop, [&] { return Work(rows, packed, k, sums.data()); })) return false;
    std::fill_n(made, rows.attributes, 0.0);
    for (std::size_t b = 0; b < blocks; ++b)
        for (std::size_t a = 0; a < rows.attributes; ++a) made[a] += sums[b * rows.attributes + a];
    return true;
}

}  // namespace acumen
