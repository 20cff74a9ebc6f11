// Blocks of rows over threads. Threads are started for each call (some 30 microseconds, safe after fork)
// and take the next block when they are free; what a block writes must not depend on who does it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace acumen {

// Asked now and then by the calling thread; true means: leave off (Ctrl-C).
using Stop = std::function<bool()>;

// Calls make() once in each thread and the worker it returns, which owns its scratch, for every block.
// False when `stop` ended it early.
template <typename Make>
bool for_blocks(std::size_t n_blocks, std::size_t threads, const Stop& stop, const Make& make) {
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stopped{false};
    std::mutex guard;
    std::exception_ptr failure;
    const auto work = [&](bool asks) {
        try {
            auto worker = make();
            while (!stopped.load(std::memory_order_relaxed)) {
                const std::size_t block = next.fetch_add(1, std::memory_order_relaxed);
                if (block >= n_blocks) return;
                worker(block);
                if (asks && stop && stop()) stopped = true;
            }
        } catch (...) {
            const std::lock_guard<std::mutex> lock(guard);
            if (!failure) failure = std::current_exception();
            stopped = true;
        }
    };
    {
        std::vector<std::jthread> helpers;
        const std::size_t extra = std::min(threads, n_blocks);
        try {
            for (std::size_t t = 1; t < extra; ++t) helpers.emplace_back(work, false);
        } catch (const std::system_error&) {
            // No more threads to be had: those that started, and this one, do the work.
        }
        work(true);
    }
    if (failure) std::rethrow_exception(failure);
    return !stopped;
}

}  // namespace acumen
