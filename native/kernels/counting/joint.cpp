// Rows are gathered into keys a tile at a time, hashed, and looked up in an open-addressing table that holds
// places of distinct keys; at the end the keys are sorted, so that equal tables are equal bytes and two
// tables merge in one walk.
//
// What bounds it: one cache miss a row for the probe, and the sort when most combinations are distinct.
#include "kernels/counting/joint.hpp"

#include <bit>
#include <cstring>
#include <numeric>
#include <utility>

namespace acumen {

namespace {

constexpr std::size_t TILE = 512;

std::uint64_t hash_of(const std::int32_t* key, std::size_t width) {
    std::uint64_t h = 0x9e3779b97f4a7c15ull + width;
    for (std::size_t j = 0; j < width; ++j) {
        h = (h ^ static_cast<std::uint32_t>(key[j])) * 0x9fb21c651e98df25ull;
        h ^= h >> 32;
    }
    return h;
}

int compare(const std::int32_t* a, const std::int32_t* b, std::size_t width) {
    for (std::size_t j = 0; j < width; ++j)
        if (a[j] != b[j]) return a[j] < b[j] ? -1 : 1;
    return 0;
}

// Distinct keys in the order they were first met.
class KeySet {
  public:
    explicit KeySet(std::size_t width) : width_(width), table_(1024, NONE) {}

    std::size_t size() const { return hashes_.size(); }
    const std::int32_t* key(std::size_t place) const { return keys_.data() + place * width_; }
    std::vector<std::int32_t>& keys() { return keys_; }

    static constexpr std::uint64_t NONE = UINT64_MAX;

    // The place of a key, or NONE; with `add` it is given a place when it has none.
    std::uint64_t find(const std::int32_t* wanted, std::uint64_t hash, bool add) {
        const std::size_t mask = table_.size() - 1;
        std::size_t at = hash & mask;
        for (; table_[at] != NONE; at = (at + 1) & mask)
            if (hashes_[table_[at]] == hash && !compare(key(table_[at]), wanted, width_)) return table_[at];
        if (!add) return NONE;
        const std::uint64_t place = size();
        table_[at] = place;
        keys_.insert(keys_.end(), wanted, wanted + width_);
        hashes_.push_back(hash);
        if (2 * size() > table_.size()) grow();
        return place;
    }

  private:
    void grow() {
        table_.assign(4 * table_.size(), NONE);
        const std::size_t mask = table_.size() - 1;
        for (std::size_t place = 0; place < size(); ++place) {
            std::size_t at = hashes_[place] & mask;
            while (table_[at] != NONE) at = (at + 1) & mask;
            table_[at] = place;
        }
    }

    std::size_t width_;
    std::vector<std::uint64_t> table_, hashes_;
    std::vector<std::int32_t> keys_;
};

// Copies a tile's codes to keys side by side, `offset` codes into each; missing becomes -1.
void gather(std::span<const CodeColumn> columns, std::size_t first, std::size_t count, std::size_t offset,
            std::size_t width, std::int32_t* keys) {
    for (std::size_t j = 0; j < columns.size(); ++j)
        for (std::size_t i = 0; i < count; ++i)
            keys[i * width + offset + j] = std::max(columns[j][first + i], -1);
}

// The order of keys. As many leading codes as fit are packed in one word, which settles nearly every
// comparison without touching the keys.
std::vector<std::uint32_t> sorted_order(const std::vector<std::int32_t>& keys, std::size_t n,
                                        std::size_t width) {
    std::size_t packed = 0;
    std::vector<int> bits;
    for (int used = 0; packed < width; ++packed) {
        std::int32_t largest = 0;
        for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, keys[i * width + packed]);
        bits.push_back(std::bit_width(static_cast<std::uint64_t>(largest) + 1));
        if ((used += bits.back()) > 64) break;
    }
    std::vector<std::pair<std::uint64_t, std::uint32_t>> order(n);
    for (std::size_t i = 0; i < n; ++i) {
        std::uint64_t word = 0;
        for (std::size_t j = 0; j < packed; ++j)
            word = word << bits[j] | static_cast<std::uint64_t>(std::int64_t{keys[i * width + j]} + 1);
        order[i] = {word, static_cast<std::uint32_t>(i)};
    }
    std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
        if (a.first != b.first) return a.first < b.first;
        const auto* left = keys.data() + a.second * width + packed;
        return compare(left, keys.data() + b.second * width + packed, width - packed) < 0;
    });
    std::vector<std::uint32_t> places(n);
    for (std::size_t i = 0; i < n; ++i) places[i] = order[i].second;
    return places;
}

}  // namespace

Joint count_joint(std::span<const CodeColumn> columns, const Rows& rows) {
    const std::size_t leading = rows.part ? 1 : 0, width = columns.size() + leading, k = rows.classes;
    KeySet set(width);
    std::vector<double> weights;
    std::vector<std::int32_t> tile(TILE * width);
    for (std::size_t first = 0; first < rows.n; first += TILE) {
        const std::size_t count = std::min(TILE, rows.n - first);
        gather(columns, first, count, leading, width, tile.data());
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t row = first + i, part = rows.part_of(row);
            const std::size_t c = rows.soft ? 0 : rows.class_of(row);
            const double weight = rows.weight_of(row);
            const double* share = rows.soft ? rows.soft + row * k : nullptr;
            if (share) {
                if (std::none_of(share, share + k, [](double s) { return s > 0; })) continue;
            } else if (part == rows.parts || c == k || !(weight > 0)) {
                continue;
            }
            std::int32_t* key = tile.data() + i * width;
            if (leading) key[0] = static_cast<std::int32_t>(part);
            const std::size_t place = set.find(key, hash_of(key, width), true);
            if (place * k == weights.size()) weights.resize(weights.size() + k);
            if (share)
                for (std::size_t s = 0; s < k; ++s) weights[place * k + s] += share[s];
            else
                weights[place * k + c] += weight;
        }
    }
    const std::size_t n = set.size();
    const auto order = sorted_order(set.keys(), n, width);
    Joint made{width, k, n, std::vector<std::int32_t>(n * width), std::vector<double>(n * k)};
    for (std::size_t i = 0; i < n; ++i) {
        std::copy_n(set.key(order[i]), width, made.keys.begin() + static_cast<std::ptrdiff_t>(i * width));
        std::copy_n(weights.begin() + static_cast<std::ptrdiff_t>(order[i] * k), k,
                    made.weights.begin() + static_cast<std::ptrdiff_t>(i * k));
    }
    return made;
}

Joint merge_joint(std::span<const std::int32_t> keys_a, std::span<const double> weights_a,
                  std::span<const std::int32_t> keys_b, std::span<const double> weights_b, std::size_t width,
                  std::size_t classes) {
    Joint made{width, classes, 0, {}, {}};
    const std::size_t n_a = classes ? weights_a.size() / classes : 0;
    const std::size_t n_b = classes ? weights_b.size() / classes : 0;
    made.keys.reserve(std::max(keys_a.size(), keys_b.size()));
    made.weights.reserve(std::max(weights_a.size(), weights_b.size()));
    std::size_t a = 0, b = 0;
    while (a < n_a || b < n_b) {
        const std::int32_t* key_a = keys_a.data() + a * width;
        const std::int32_t* key_b = keys_b.data() + b * width;
        const int order = a == n_a ? 1 : b == n_b ? -1 : compare(key_a, key_b, width);
        const std::int32_t* key = order <= 0 ? key_a : key_b;
        made.keys.insert(made.keys.end(), key, key + width);
        for (std::size_t c = 0; c < classes; ++c)
            made.weights.push_back((order <= 0 ? weights_a[a * classes + c] : 0.0) +
                                   (order >= 0 ? weights_b[b * classes + c] : 0.0));
        a += order <= 0;
        b += order >= 0;
        ++made.n;
    }
    return made;
}

void find_joint(std::span<const std::int32_t> keys, std::size_t width, std::span<const CodeColumn> columns,
                std::size_t rows, std::int64_t* place) {
    KeySet set(width);
    const std::size_t n = width ? keys.size() / width : 0;
    for (std::size_t i = 0; i < n; ++i)
        set.find(keys.data() + i * width, hash_of(keys.data() + i * width, width), true);
    std::vector<std::int32_t> tile(TILE * width);
    for (std::size_t first = 0; first < rows; first += TILE) {
        const std::size_t count = std::min(TILE, rows - first);
        gather(columns, first, count, 0, width, tile.data());
        for (std::size_t i = 0; i < count; ++i) {
            const std::int32_t* key = tile.data() + i * width;
            const std::uint64_t found = set.find(key, hash_of(key, width), false);
            place[first + i] = found == KeySet::NONE ? -1 : static_cast<std::int64_t>(found);
        }
    }
}

}  // namespace acumen
