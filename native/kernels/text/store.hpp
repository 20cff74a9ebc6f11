// Where columns of text grow: a buffer that can be handed out whole, and distinct strings as codes.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace acumen {

// A growing array whose memory can change hands. realloc moves large blocks by remapping their pages,
// so growing costs no copy, and pages that are never reached cost nothing.
template <typename T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    Buffer() = default;
    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        swap(other);
        return *this;
    }
    ~Buffer() { std::free(data_); }

    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }
    T* end() { return data_ + size_; }

    void reserve(std::size_t capacity) {
        if (capacity <= capacity_) return;
        if (capacity > std::numeric_limits<std::size_t>::max() / 2 / sizeof(T)) throw std::bad_alloc();
        if (capacity < capacity_ + capacity_ / 2) capacity = capacity_ + capacity_ / 2;
        void* moved = std::realloc(static_cast<void*>(data_), capacity * sizeof(T));
        if (!moved) throw std::bad_alloc();
        data_ = static_cast<T*>(moved);
        capacity_ = capacity;
    }
    // Asks for room without needing it; in huge pages, which large arrays fill with less ado.
    void set_aside(std::size_t capacity) {
        if (capacity <= capacity_ || capacity > std::numeric_limits<std::size_t>::max() / 2 / sizeof(T))
            return;
        void* moved = std::realloc(static_cast<void*>(data_), capacity * sizeof(T));
        if (!moved) return;
        data_ = static_cast<T*>(moved);
        capacity_ = capacity;
#if defined(__linux__)
        constexpr std::uintptr_t kHuge = std::uintptr_t{1} << 21;
        const auto from = reinterpret_cast<std::uintptr_t>(moved);
        const auto start = (from + kHuge - 1) & ~(kHuge - 1),
                   stop = (from + capacity * sizeof(T)) & ~(kHuge - 1);
        if (start < stop) madvise(reinterpret_cast<void*>(start), stop - start, MADV_HUGEPAGE);
#endif
    }
    // New elements are left as they are: the caller writes them.
    void resize(std::size_t size) {
        reserve(size);
        size_ = size;
    }
    void fill_to(std::size_t size, T value) {
        const std::size_t from = size_;
        resize(size);
        for (std::size_t i = from; i < size; ++i) data_[i] = value;
    }
    void append(const T* from, std::size_t count) {
        if (!count) return;
        reserve(size_ + count);
        std::memcpy(static_cast<void*>(data_ + size_), from, count * sizeof(T));
        size_ += count;
    }
    // Gives the memory away (to be freed by std::free), trimmed to its size.
    T* release() {
        if (size_ < capacity_)
            if (void* trimmed = std::realloc(static_cast<void*>(data_), (size_ ? size_ : 1) * sizeof(T)))
                data_ = static_cast<T*>(trimmed);
        size_ = capacity_ = 0;
        return std::exchange(data_, nullptr);
    }
    void clear_memory() { Buffer().swap(*this); }
    void swap(Buffer& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

  private:
    T* data_ = nullptr;
    std::size_t size_ = 0, capacity_ = 0;
};

// Most levels are short words, for which a call to memcmp costs more than the comparison.
inline bool same_text(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    const auto differ = [&](std::size_t at, auto left, auto right) {
        std::memcpy(&left, a.data() + at, sizeof left);
        std::memcpy(&right, b.data() + at, sizeof right);
        return left ^ right;
    };
    const std::size_t size = a.size();
    if (size > 16) return std::memcmp(a.data(), b.data(), size) == 0;
    if (size >= 8)
        return !(differ(0, std::uint64_t{}, std::uint64_t{}) |
                 differ(size - 8, std::uint64_t{}, std::uint64_t{}));
    if (size >= 4)
        return !(differ(0, std::uint32_t{}, std::uint32_t{}) |
                 differ(size - 4, std::uint32_t{}, std::uint32_t{}));
    for (std::size_t i = 0; i < size; ++i)
        if (a[i] != b[i]) return false;
    return true;
}

// Reads no byte outside the text: short ones by loads that overlap, as wyhash does.
inline std::uint64_t hash_text(std::string_view text) {
    constexpr std::uint64_t kA = 0x9E3779B97F4A7C15, kB = 0xD6E8FEB86659FD93;
    const auto mix = [](std::uint64_t a, std::uint64_t b) {
        const unsigned __int128 wide = static_cast<unsigned __int128>(a) * b;
        return static_cast<std::uint64_t>(wide) ^ static_cast<std::uint64_t>(wide >> 64);
    };
    const auto load = [](const char* from, auto word) {
        std::memcpy(&word, from, sizeof word);
        return std::uint64_t{word};
    };
    const char* p = text.data();
    std::size_t left = text.size();
    std::uint64_t state = kA ^ left, last = 0;
    if (left >= 8) {
        for (; left > 8; left -= 8, p += 8) state = mix(state ^ load(p, std::uint64_t{}), kB);
        last = load(p + left - 8, std::uint64_t{});
    } else if (left >= 4) {
        last = load(p, std::uint32_t{}) << 32 | load(p + left - 4, std::uint32_t{});
    } else if (left) {
        const auto byte = [p](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(p[i])}; };
        last = byte(0) << 16 | byte(left / 2) << 8 | byte(left - 1);
    }
    return mix(state ^ last, kA);
}

// Distinct strings in order of appearance; a string's code is its place in that order.
class Interner {
  public:
    std::size_t size() const { return starts_.size() ? starts_.size() - 1 : 0; }
    std::size_t bytes() const { return arena_.size(); }
    std::string_view operator[](std::size_t code) const {
        return {arena_.data() + starts_[code], starts_[code + 1] - starts_[code]};
    }

    // Tells the processor that a string of this hash is about to be looked up: in a large table the wait for
    // memory is all that looking up costs.
    void prefetch(std::uint64_t hash) const {
        if (!slots_.empty()) __builtin_prefetch(&slots_[(hash >> 32) & (slots_.size() - 1)]);
    }

    // The code of `text`, or -1.
    std::int32_t find(std::string_view text, std::uint64_t hash) const {
        return slots_.empty() ? -1 : slots_[place(text, static_cast<std::uint32_t>(hash >> 32))].code;
    }
    std::int32_t find(std::string_view text) const { return find(text, hash_text(text)); }

    // The code of `text`, added if need be; `added` says so. -1 when no code is left or `grow` is off.
    std::int32_t code(std::string_view text, std::uint64_t hash, bool grow, bool& added) {
        added = false;
        if (2 * (size() + 1) > slots_.size()) rehash();
        Slot& slot = slots_[place(text, static_cast<std::uint32_t>(hash >> 32))];
        if (slot.code >= 0 || !grow || size() >= 0x7FFFFFF0) return slot.code;
        const std::uint64_t zero = 0;
        if (!starts_.size()) starts_.append(&zero, 1);
        arena_.append(text.data(), text.size());
        const std::uint64_t end = arena_.size();
        starts_.append(&end, 1);
        slot = {static_cast<std::uint32_t>(hash >> 32), static_cast<std::int32_t>(size() - 1)};
        added = true;
        return slot.code;
    }
    std::int32_t code(std::string_view text, bool grow, bool& added) {
        return code(text, hash_text(text), grow, added);
    }

  private:
    struct Slot {
        std::uint32_t hash;
        std::int32_t code;
    };

    std::size_t place(std::string_view text, std::uint32_t hash) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = hash & mask;
        for (;; at = (at + 1) & mask) {
            const Slot& slot = slots_[at];
            if (slot.code < 0) return at;
            if (slot.hash == hash && same_text((*this)[static_cast<std::size_t>(slot.code)], text)) return at;
        }
    }

    void rehash() {
        // Fourfold while small, as a column's strings are few or many.
        const std::size_t size = slots_.size();
        std::vector<Slot> old(size == 0 ? 16 : size < 65536 ? 4 * size : 2 * size, Slot{0, -1});
        old.swap(slots_);
        const std::size_t mask = slots_.size() - 1;
        for (const Slot& slot : old) {
            if (slot.code < 0) continue;
            std::size_t at = slot.hash & mask;
            while (slots_[at].code >= 0) at = (at + 1) & mask;
            slots_[at] = slot;
        }
    }

    Buffer<char> arena_;
    Buffer<std::uint64_t> starts_;  // one more than there are strings
    std::vector<Slot> slots_;       // open addressing, at most half full
};

}  // namespace acumen
