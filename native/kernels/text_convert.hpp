// Batches of fields into columns, by one thread or two.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "kernels/text_column.hpp"

namespace acumen {

// Batches on their way into the columns. Columns are claimed one by one by whichever thread is free, so the
// owner never waits for a helper to wake up, only for a column it is in the middle of.
class Conversion {
  public:
    explicit Conversion(std::deque<Column>& columns) : columns_(columns), next_(columns.size()) {}

    // Lets a second thread claim columns for as long as it lives.
    class Helper {
      public:
        Helper(Conversion& conversion, bool wanted) : conversion_(conversion) {
            conversion_.closed_ = false;
            if (wanted) try {
                    thread_ = std::jthread([this] { conversion_.serve(); });
                } catch (const std::system_error&) {  // no thread to be had: the owner does all the work
                }
        }
        ~Helper() {
            conversion_.closed_ = true;
            conversion_.announce();
        }

      private:
        Conversion& conversion_;
        std::jthread thread_;
    };

    void start(const Batch& batch) {
        batch_ = &batch;
        done_ = 0;
        next_ = 0;  // from here on columns can be claimed
        announce();
    }

    void finish() {
        work();
        for (std::uint32_t done; (done = done_) < columns_.size();) done_.wait(done);
        const std::scoped_lock lock(guard_);
        if (const auto trouble = std::exchange(trouble_, nullptr)) std::rethrow_exception(trouble);
    }

  private:
    void announce() {
        ++epoch_;
        epoch_.notify_all();
    }

    void serve() {
        for (;;) {
            const auto epoch = epoch_.load();
            if (closed_) return;
            work();
            epoch_.wait(epoch);
        }
    }

    void work() {
        for (std::size_t c; (c = next_.fetch_add(1)) < columns_.size();) {
            try {
                columns_[c].take(*batch_, c);
            } catch (...) {
                const std::scoped_lock lock(guard_);
                trouble_ = std::current_exception();
            }
            if (++done_ == columns_.size()) done_.notify_all();
        }
    }

    std::deque<Column>& columns_;
    const Batch* batch_ = nullptr;
    std::atomic<std::size_t> next_;
    std::atomic<std::uint32_t> done_{static_cast<std::uint32_t>(columns_.size())};
    std::atomic<std::uint32_t> epoch_{0};
    std::atomic<bool> closed_{false};
    std::mutex guard_;
    std::exception_ptr trouble_;
};

}  // namespace acumen
