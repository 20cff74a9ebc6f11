// To whom the rows of a block belong: a class and a weight each, or a share in every class, and
// optionally a part (a fold), so that one pass fills the summaries of all parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace acumen {

struct Rows {
    std::size_t n = 0;
    std::size_t classes = 0;
    std::size_t parts = 1;
    const std::int32_t* label = nullptr;  // null when `soft` is there
    const std::int32_t* part = nullptr;   // null: every row is in part 0
    const double* weight = nullptr;       // null: every row weighs one
    const double* soft = nullptr;         // rows x classes: the weight of the row in each class

    std::size_t groups() const { return classes * parts; }

    double weight_of(std::size_t i) const { return weight ? weight[i] : 1.0; }

    // The part of a row; `parts` when it is in none.
    std::size_t part_of(std::size_t i) const {
        if (!part) return 0;
        const auto p = static_cast<std::uint32_t>(part[i]);
        return p < parts ? p : parts;
    }
    // The class of a row; `classes` when it is missing.
    std::size_t class_of(std::size_t i) const {
        const auto c = static_cast<std::uint32_t>(label[i]);
        return c < classes ? c : classes;
    }
};

// The rows of a tile that count (labelled, in a part, of positive weight), with group and weight.
struct Picked {
    std::vector<std::uint32_t> row;  // from the tile's first row
    std::vector<std::size_t> group;  // part * classes + class
    std::vector<double> weight;

    std::size_t size() const { return row.size(); }

    void clear() {
        row.clear();
        group.clear();
        weight.clear();
    }
    void add(std::size_t i, std::size_t g, double w) {
        row.push_back(static_cast<std::uint32_t>(i));
        group.push_back(g);
        weight.push_back(w);
    }
    void pick(const Rows& rows, std::size_t first, std::size_t count) {
        clear();
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t p = rows.part_of(first + i), c = rows.class_of(first + i);
            const double w = rows.weight_of(first + i);
            if (p < rows.parts && c < rows.classes && w > 0) add(i, p * rows.classes + c, w);
        }
    }
    // The same for one class of soft labels.
    void pick_soft(const Rows& rows, std::size_t first, std::size_t count, std::size_t c) {
        clear();
        for (std::size_t i = 0; i < count; ++i) {
            const double w = rows.soft[(first + i) * rows.classes + c];
            if (w > 0) add(i, c, w);
        }
    }
};

}  // namespace acumen
