#include "kernels/text/intern.hpp"

#include <functional>

namespace acumen {
namespace {

// Open addressing over codes: a slot holds a code and its hash, so that strings are compared only when
// their hashes agree.
struct Slot {
    std::uint64_t hash = 0;
    std::int32_t code = -1;
};

}  // namespace

Interned intern(std::span<const std::string_view> strings, std::span<const std::uint8_t> known) {
    Interned made;
    made.codes.resize(strings.size());
    std::vector<Slot> slots(256);
    const auto place = [&slots](std::uint64_t hash) { return (hash ^ (hash >> 32)) & (slots.size() - 1); };
    for (std::size_t row = 0; row < strings.size(); ++row) {
        if (!known.empty() && !known[row]) {
            made.codes[row] = -1;
            continue;
        }
        const std::uint64_t hash = std::hash<std::string_view>{}(strings[row]);
        std::size_t at = place(hash);
        while (slots[at].code >= 0 &&
               (slots[at].hash != hash ||
                strings[static_cast<std::size_t>(made.first[static_cast<std::size_t>(slots[at].code)])] !=
                    strings[row]))
            at = (at + 1) & (slots.size() - 1);
        if (slots[at].code < 0) {
            slots[at] = {hash, static_cast<std::int32_t>(made.first.size())};
            made.first.push_back(static_cast<std::int64_t>(row));
        }
        made.codes[row] = slots[at].code;
        if (2 * made.first.size() > slots.size()) {  // at most half full: probing stays short
            std::vector<Slot> old(2 * slots.size());
            old.swap(slots);
            for (const Slot& slot : old) {
                if (slot.code < 0) continue;
                std::size_t free = place(slot.hash);
                while (slots[free].code >= 0) free = (free + 1) & (slots.size() - 1);
                slots[free] = slot;
            }
        }
    }
    return made;
}

}  // namespace acumen
