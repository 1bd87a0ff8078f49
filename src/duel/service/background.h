// Work that takes long and needs no owner: results, exports, plans. A few threads, a bounded queue.
// The threads are of low priority: requests for duels go first where cores are scarce.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace duel {

class Background {
 public:
  Background(std::size_t threads, std::size_t most_waiting) : most_waiting_(most_waiting) {
    for (std::size_t k = 0; k < threads; ++k) threads_.emplace_back([this] { run(); });
  }
  ~Background() { stop(); }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // What is under way ends; what waits is not begun.
  void stop() {
    std::deque<std::function<void()>> left;
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      left.swap(waiting_);
    }
    arrived_.notify_all();
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }

  // False where too much waits.
  bool submit(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    if (stopping_ || waiting_.size() >= most_waiting_) return false;
    waiting_.push_back(std::move(work));
    arrived_.notify_one();
    return true;
  }

 private:
  void run() {
    constexpr int kNice = 10;
    // Of this thread alone, as Linux has it. Without it the work is done all the same.
    (void)setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
    for (;;) {
      std::function<void()> work;
      {
        std::unique_lock lock(mutex_);
        arrived_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
        if (stopping_) return;
        work = std::move(waiting_.front());
        waiting_.pop_front();
      }
      work();
    }
  }

  std::size_t most_waiting_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::function<void()>> waiting_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace duel
