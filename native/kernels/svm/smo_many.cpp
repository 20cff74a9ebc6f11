// Kernel lines are made when a step first asks for them: of easy machines that is a small part of the matrix.
// A thread keeps the memory from machine to machine, so that only its first touches fresh pages.
//
// What bounds it: the exponentials of the lines asked for, and where there are many steps the passes over
// lines.
#include "kernels/svm/smo_many.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <thread>
#include <vector>

#include "kernels/svm/kernel_tile.hpp"

namespace acumen {

namespace {

constexpr std::size_t ROWS = TILE_ROWS;

// The lines of one machine after the other.
class MadeLines final : public KernelLines<double> {
  public:
    explicit MadeLines(const ManyMachines& p) : p_(p), width_(p.rows.width) {
        tile_.resize(TILE_STEP * ROWS + 8);
        others_.resize(TILE_STEP * width_ + 1);
    }

    void begin(std::size_t machine) {
        first_ = static_cast<std::size_t>(p_.starts[machine]);
        n_ = static_cast<std::size_t>(p_.starts[machine + 1]) - first_;
        stride_ = (n_ + SMO_LANES - 1) / SMO_LANES * SMO_LANES;
        made_.assign(n_, 0);
        if (stride_ * n_ > lines_.size()) lines_ = Uninitialised(stride_ * n_);
        const std::size_t blocks = (n_ + ROWS - 1) / ROWS;
        turned_.resize(blocks * std::max<std::size_t>(width_, 1) * ROWS + 8);
        inertias_.resize(blocks * ROWS);
        double* out = aligned(turned_);
        for (std::size_t i = 0; i < blocks * ROWS; ++i) {
            const std::size_t row = member(std::min(i, n_ - 1)), block = i / ROWS;
            const double* x = p_.rows.values + row * width_;
            for (std::size_t c = 0; c < width_; ++c) out[(block * width_ + c) * ROWS + i % ROWS] = x[c];
            inertias_[i] = p_.rows.squares[row];
        }
        diagonal_.resize(n_);
        for (std::size_t i = 0; i < n_; ++i) diagonal_[i] = own(i);
    }

    const double* line(std::size_t i) override {
        double* to = lines_.data() + i * stride_;
        if (made_[i]) return to;
        std::copy_n(p_.rows.values + member(i) * width_, width_, others_.begin());
        double* tile = aligned(tile_);
        for (std::size_t start = 0; start < n_; start += ROWS) {
            fill_tile(p_.function, aligned(turned_) + start * width_, inertias_.data() + start, width_,
                      others_.data(), inertias_.data() + i, 1, tile);
            const std::size_t count = std::min(ROWS, n_ - start);
            for (std::size_t l = 0; l < count; ++l) to[start + l] = tile[l] + p_.extra;
        }
        std::fill(to + n_, to + stride_, 0.0);
        to[i] = diagonal_[i];
        made_[i] = 1;
        return to;
    }

    double diagonal(std::size_t i) const override { return diagonal_[i]; }

  private:
    // As std::vector, but its pages are touched only as lines are written.
    class Uninitialised {
      public:
        explicit Uninitialised(std::size_t n = 0) : data_(n ? new double[n] : nullptr), size_(n) {}
        double* data() const { return data_.get(); }
        std::size_t size() const { return size_; }

      private:
        std::unique_ptr<double[]> data_;
        std::size_t size_;
    };

    static double* aligned(std::vector<double>& values) {
        const auto at = reinterpret_cast<std::uintptr_t>(values.data());
        return values.data() + (64 - at % 64) % 64 / sizeof(double);
    }

    std::size_t member(std::size_t i) const { return static_cast<std::size_t>(p_.members[first_ + i]); }

    // k(i, i), with what comes to the diagonal.
    double own(std::size_t i) const {
        const KernelFunction& k = p_.function;
        const double square = p_.rows.squares[member(i)], base = k.gamma * square + k.offset;
        double value = 1;
        if (k.kind == KernelKind::linear) value = square;
        if (k.kind == KernelKind::sigmoid) value = std::tanh(base);
        if (k.kind == KernelKind::polynomial)
            for (unsigned d = 0; d < k.degree; ++d) value *= base;
        return value + p_.extra + p_.ridge[first_ + i];
    }

    const ManyMachines& p_;
    std::size_t width_, first_ = 0, n_ = 0, stride_ = 0;
    std::vector<double> turned_, inertias_, tile_, others_, diagonal_;
    std::vector<char> made_;
    Uninitialised lines_;
};

}  // namespace

bool smo_many(const ManyMachines& p, double tolerance, double fine, std::uint64_t max_steps,
              std::int64_t* steps, std::size_t threads, const Stop& stop) {
    std::atomic<bool> stopped{false};
    const auto caller = std::this_thread::get_id();
    // Only the calling thread may ask; the others look at what it heard.
    const Stop heard = [&] {
        if (std::this_thread::get_id() == caller && stop && stop()) stopped = true;
        return stopped.load(std::memory_order_relaxed);
    };
    const bool whole = for_blocks(p.machines, threads, heard, [&] {
        return [&, lines = MadeLines(p)](std::size_t m) mutable {
            lines.begin(m);
            const auto first = static_cast<std::size_t>(p.starts[m]);
            const auto n = static_cast<std::size_t>(p.starts[m + 1]) - first;
            const BoxProblem<double> own{
                n, &lines, p.low + first, p.high + first, p.b + first, p.gradient + first, 0.0, p.balanced};
            SmoEnd end = smo(own, tolerance, max_steps, heard);
            std::uint64_t done = end.steps;
            if (!end.stopped && end.violation <= tolerance && fine < tolerance)
                done += smo(own, fine, std::min(max_steps - done, 10 * done + 10'000), heard).steps;
            steps[m] = static_cast<std::int64_t>(done);
        };
    });
    return whole && !stopped;
}

}  // namespace acumen
