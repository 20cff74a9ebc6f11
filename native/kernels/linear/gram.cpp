// Chosen rows are copied to a tile of some 64 that lies in the first cache, with a one for the bias and zeros
// up to a whole number of packs; register blocks of four columns by two registers run down it.
//
// What bounds it: multiply and add, nothing being fused; from about ten columns down the memory of the rows.
#include "kernels/linear/gram.hpp"

#include <algorithm>
#include <vector>

#include "kernels/common/tile_strips.hpp"

namespace acumen {

namespace {

template <std::size_t BYTES>
ACUMEN_INLINE void square_of_tile_in(const double* tile, std::size_t width, std::size_t rows,
                                     const double* heavy, double* strip, double* square) {
    for (std::size_t i = 0; i < width; i += STRIP) {
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t s = 0; s < STRIP; ++s) strip[r * STRIP + s] = heavy[r] * tile[r * width + i + s];
        add_strips<BYTES>(tile, width, rows, strip, {STRIP, 1}, i / PACK * PACK, square + i * width);
    }
}
ACUMEN_WIDTHS(void, square_of_tile,
              (const double* tile, std::size_t width, std::size_t rows, const double* heavy, double* strip,
               double* square),
              (tile, width, rows, heavy, strip, square))

class Worker {
  public:
    Worker(const Columns& values, const double* weight, std::size_t width)
        : values_(values),
          weight_(weight),
          width_(width),
          length_(std::clamp<std::size_t>((std::size_t{1} << 15) / (width * sizeof(double)), 8, 64)),
          by_rows_(values.side_by_side(0, values.size())),
          tile_(length_ * width),
          heavy_(length_),
          strip_(length_ * STRIP) {}

    void operator()(std::size_t first, std::size_t last, double* square) {
        std::size_t filled = 0;
        for (std::size_t i = first; i < last; ++i) {
            if (weight_[i] == 0) continue;
            copy(i, tile_.data() + filled * width_);
            heavy_[filled] = weight_[i];
            if (++filled < length_) continue;
            add_square(tile_.data(), width_, filled, heavy_.data(), strip_.data(), square);
            filled = 0;
        }
        add_square(tile_.data(), width_, filled, heavy_.data(), strip_.data(), square);
    }

  private:
    void copy(std::size_t i, double* to) const {
        const std::size_t d = values_.size();
        if (by_rows_ && d)
            std::copy_n(&values_.columns[0][i], d, to);
        else
            for (std::size_t j = 0; j < d; ++j) to[j] = values_.columns[j][i];
        to[d] = 1.0;  // what is behind it stays zero
    }

    const Columns& values_;
    const double* weight_;
    std::size_t width_, length_;
    bool by_rows_;
    std::vector<double> tile_, heavy_, strip_;
};

}  // namespace

void add_square(const double* tile, std::size_t width, std::size_t rows, const double* heavy, double* strip,
                double* square) {
    square_of_tile(tile, width, rows, heavy, strip, square);
}

bool weighted_gram(const Columns& values, const double* weight, double* gram, std::size_t threads,
                   const Stop& stop) {
    const std::size_t n = values.rows, d = values.size(), side = d + 1;
    const std::size_t width = (side + PACK - 1) / PACK * PACK, size = width * width;
    // So few slices that their sums take no room to speak of, but a slice for every core where rows abound.
    const std::size_t most = std::clamp<std::size_t>((std::size_t{1} << 22) / size, 2, 16);
    const std::size_t slices = std::clamp<std::size_t>(n / 2048, 1, most);
    std::vector<double> sums(slices * size);
    const bool whole = for_blocks(slices, threads, stop, [&] {
        return [&, worker = Worker(values, weight, width)](std::size_t slice) mutable {
            worker(slice * n / slices, (slice + 1) * n / slices, sums.data() + slice * size);
        };
    });
    if (!whole) return false;
    for (std::size_t s = 1; s < slices; ++s)
        for (std::size_t k = 0; k < size; ++k) sums[k] += sums[s * size + k];
    for (std::size_t i = 0; i < side; ++i)
        for (std::size_t j = i; j < side; ++j) gram[i * side + j] = gram[j * side + i] = sums[i * width + j];
    return true;
}

}  // namespace acumen
