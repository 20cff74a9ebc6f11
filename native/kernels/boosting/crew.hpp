// Threads that stay for the whole of one call, since a tree asks for them dozens of times. Between two pieces
// of work they look out for the next one for a while before they sleep: waking a sleeper costs more than most
// pieces do. Nobody waits for a helper that has not come: where the machine is busy with others, the caller
// does all by itself.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace acumen::boosting {

class Crew {
  public:
    explicit Crew(std::size_t threads) {
        try {
            for (std::size_t t = 1; t < threads; ++t) helpers_.emplace_back([this, t] { wait_and_work(t); });
        } catch (const std::system_error&) {
            // No more threads to be had: those that started, and this one, do the work.
        }
    }
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;
    ~Crew() {
        done_ = true;
        turn_.fetch_add(1);
        turn_.notify_all();
    }

    std::size_t size() const { return helpers_.size() + 1; }

    // Calls work(thread) in this thread and in those helpers that come before it is through; what there is to
    // do they take from one another.
    void each(const std::function<void(std::size_t)>& work) {
        if (helpers_.empty()) {
            work(0);
            return;
        }
        work_ = &work;
        inside_.store(OPEN);
        turn_.fetch_add(1);
        turn_.notify_all();
        guarded(0);
        inside_.fetch_and(~OPEN);
        look_out([&] { return inside_.load(std::memory_order_acquire) == 0; });
        for (std::uint32_t left = inside_.load(); left; left = inside_.load()) inside_.wait(left);
        if (failure_) {
            const std::exception_ptr thrown = failure_;
            failure_ = nullptr;
            std::rethrow_exception(thrown);
        }
    }

    // The n pieces of work, whoever is free taking the next one: piece(i), or piece(thread, i).
    void share(std::size_t n, const std::function<void(std::size_t)>& piece) {
        share_by(n, [&](std::size_t, std::size_t i) { piece(i); });
    }
    void share_by(std::size_t n, const std::function<void(std::size_t, std::size_t)>& piece) {
        if (helpers_.empty() || n < 2) {
            for (std::size_t i = 0; i < n; ++i) piece(0, i);
            return;
        }
        std::atomic<std::size_t> next{0};
        each([&](std::size_t t) {
            for (std::size_t i = next.fetch_add(1); i < n; i = next.fetch_add(1)) piece(t, i);
        });
    }

  private:
    static constexpr std::uint32_t OPEN = std::uint32_t{1} << 31;

    // Some tens of microseconds: as long as most of what one thread does alone between two pieces of work.
    template <typename Ready>
    static void look_out(const Ready& ready) {
        for (int tries = 0; tries < 2000 && !ready(); ++tries) pause();
    }
    static void pause() {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#else
        std::this_thread::yield();
#endif
    }
    void wait_and_work(std::size_t t) {
        std::uint32_t seen = 0;
        while (true) {
            look_out([&] { return turn_.load(std::memory_order_acquire) != seen; });
            turn_.wait(seen);
            seen = turn_.load();
            if (done_) return;
            if (!comes_in()) continue;
            guarded(t);
            if (inside_.fetch_sub(1) == 1) inside_.notify_all();  // the last to leave, and the door is shut
        }
    }
    // Whether the work still takes helpers.
    bool comes_in() {
        std::uint32_t now = inside_.load();
        while (now & OPEN)
            if (inside_.compare_exchange_weak(now, now + 1)) return true;
        return false;
    }
    void guarded(std::size_t t) {
        try {
            (*work_)(t);
        } catch (...) {
            const std::lock_guard<std::mutex> lock(guard_);
            if (!failure_) failure_ = std::current_exception();
        }
    }

    std::atomic<std::uint32_t> turn_{0};
    std::atomic<std::uint32_t> inside_{0};  // how many helpers are at work, and whether more may come
    std::atomic<bool> done_{false};
    const std::function<void(std::size_t)>* work_ = nullptr;
    std::mutex guard_;
    std::exception_ptr failure_;
    std::vector<std::jthread> helpers_;
};

}  // namespace acumen::boosting
