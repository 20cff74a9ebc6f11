// Distinct strings of a column, as Arrow lays strings out. Plain C++20: no Python.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace acumen {

struct Interned {
    std::vector<std::int32_t> codes;  // one a row, in order of first occurrence; -1 where unknown
    std::vector<std::int64_t> first;  // for each code the row that first held it
};

// An empty `known` means that every row is. The strings may hold any bytes.
Interned intern(std::span<const std::string_view> strings, std::span<const std::uint8_t> known);

}  // namespace acumen
