// Batches of fields into columns, by one thread or two.
//
// The owner scans batches into a ring; columns take them in order, each column by one thread at a time and
// any column by whichever thread is free. So the owner never waits for a thread to wake up, and while
// another is held up in the middle of a column it goes on with all the others.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "kernels/text/column.hpp"

namespace acumen {

class Conversion {
  public:
    explicit Conversion(std::deque<Column>& columns)
        : columns_(columns), states_(std::make_unique<State[]>(columns.size())) {
        for (Batch& batch : ring_) batch.columns = columns.size();
    }

    // Lets a second thread take columns for as long as it lives.
    class Helper {
      public:
        Helper(Conversion& conversion, bool wanted) : conversion_(conversion) {
            conversion_.closed_ = false;
            if (wanted) try {
                    thread_ = std::jthread([this] { conversion_.serve(); });
                    conversion_.helped_ = true;
                } catch (const std::system_error&) {  // no thread to be had: the owner does all the work
                }
        }
        ~Helper() {
            conversion_.helped_ = false;
            conversion_.closed_ = true;
            conversion_.announce();
        }

      private:
        Conversion& conversion_;
        std::jthread thread_;
    };

    // A batch to be filled: one that every column has taken.
    Batch& next() {
        while (made_ - least_taken() >= kRing) help_or_yield();
        return ring_[made_ % kRing];
    }

    // The batch `next` gave is filled; columns may take it.
    void publish() {
        ++made_;
        if (helped_)
            announce();
        else
            work(false);
    }

    // Returns when every column has taken every batch.
    void finish() {
        while (least_taken() < made_) help_or_yield();
        const std::scoped_lock lock(guard_);
        if (const auto trouble = std::exchange(trouble_, nullptr)) std::rethrow_exception(trouble);
    }

  private:
    static constexpr std::uint64_t kRing = 2;  // more would leave the second-level cache

    struct State {
        std::atomic<std::uint64_t> taken{0};  // batches
        std::atomic<bool> busy{false};
    };

    std::uint64_t least_taken() const {
        std::uint64_t least = made_;
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            const std::uint64_t taken = states_[c].taken.load(std::memory_order_acquire);
            if (taken < least) least = taken;
        }
        return least;
    }

    void help_or_yield() {
        if (!work(false)) std::this_thread::yield();
    }

    void announce() {
        ++epoch_;
        epoch_.notify_all();
    }

    void serve() {
        for (;;) {
            const auto epoch = epoch_.load();
            while (work(true)) {
            }
            if (closed_) return;
            epoch_.wait(epoch);
        }
    }

    // Takes every column that is behind and nobody's; from the last one backwards if so asked.
    bool work(bool backwards) {
        bool worked = false;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const std::size_t c = backwards ? columns_.size() - 1 - i : i;
            State& state = states_[c];
            if (state.taken.load(std::memory_order_relaxed) >= made_) continue;
            if (state.busy.exchange(true, std::memory_order_acquire)) continue;
            for (std::uint64_t at = state.taken; at < made_;
                 state.taken.store(++at, std::memory_order_release)) {
                worked = true;
                take(c, ring_[at % kRing]);
            }
            state.busy.store(false, std::memory_order_release);
        }
        return worked;
    }

    void take(std::size_t column, const Batch& batch) {
        try {
            columns_[column].take(batch, column);
        } catch (...) {
            const std::scoped_lock lock(guard_);
            trouble_ = std::current_exception();
        }
    }

    std::deque<Column>& columns_;
    std::unique_ptr<State[]> states_;
    Batch ring_[kRing];
    std::atomic<std::uint64_t> made_{0};
    std::atomic<std::uint32_t> epoch_{0};
    std::atomic<bool> closed_{false};
    bool helped_ = false;
    std::mutex guard_;
    std::exception_ptr trouble_;
};

}  // namespace acumen
