// Threads that stay for the whole of one call, since a tree asks for them dozens of times. Between two pieces of
// work they look out for the next one for a while before they sleep: waking a sleeper costs more than most pieces do.
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

    // Calls work(thread) once in each thread, and returns when all are through.
    void each(const std::function<void(std::size_t)>& work) {
        if (helpers_.empty()) {
            work(0);
            return;
        }
        work_ = &work;
        busy_.store(helpers_.size());
        turn_.fetch_add(1);
        turn_.notify_all();
        guarded(0);
        look_out([&] { return busy_.load(std::memory_order_acquire) == 0; });
        for (std::size_t left = busy_.load(); left; left = busy_.load()) busy_.wait(left);
        if (failure_) {
            const std::exception_ptr thrown = failure_;
            failure_ = nullptr;
            std::rethrow_exception(thrown);
        }
    }

    // The n pieces of work, whoever is free taking the next one.
    void share(std::size_t n, const std::function<void(std::size_t)>& piece) {
        if (helpers_.empty() || n < 2) {
            for (std::size_t i = 0; i < n; ++i) piece(i);
            return;
        }
        std::atomic<std::size_t> next{0};
        each([&](std::size_t) {
            for (std::size_t i = next.fetch_add(1); i < n; i = next.fetch_add(1)) piece(i);
        });
    }

  private:
    // Some tens of microseconds: as long as most of what one thread does alone between two pieces of work.
    template <typename Ready>
    static void look_out(const Ready& ready) {
        for (int tries = 0; tries < 4000 && !ready(); ++tries) pause();
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
            guarded(t);
            if (busy_.fetch_sub(1) == 1) busy_.notify_all();
        }
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
    std::atomic<std::size_t> busy_{0};
    std::atomic<bool> done_{false};
    const std::function<void(std::size_t)>* work_ = nullptr;
    std::mutex guard_;
    std::exception_ptr failure_;
    std::vector<std::jthread> helpers_;
};

}  // namespace acumen::boosting
