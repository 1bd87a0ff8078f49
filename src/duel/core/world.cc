#include "duel/core/world.h"

#include <sys/resource.h>
#include <unistd.h>

#include <condition_variable>
#include <ctime>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "duel/core/secrets.h"
#include "duel/core/timestamp.h"

namespace duel {
namespace {

using Clock = std::chrono::steady_clock;

class ThreadQueue final : public TaskQueue {
 public:
  explicit ThreadQueue(QueueOptions options) : options_(options) {
    for (std::size_t k = 0; k < options.threads; ++k) {
      threads_.emplace_back([this] { run(); });
    }
  }
  ~ThreadQueue() override { stop(); }
  ThreadQueue(const ThreadQueue&) = delete;
  ThreadQueue& operator=(const ThreadQueue&) = delete;

  bool post(Task task) override {
    {
      const std::lock_guard lock(mutex_);
      if (stopping_ || tasks_.size() >= options_.most_waiting) return false;
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
    return true;
  }

  void after(std::chrono::milliseconds delay, Task task) override {
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
      later_.emplace(Clock::now() + delay, std::move(task));
    }
    changed_.notify_one();
  }

  void stop() override {
    std::deque<Task> dropped;
    std::multimap<Clock::time_point, Task> dropped_later;
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      dropped.swap(tasks_);
      dropped_later.swap(later_);
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }

 private:
  void run() {
    if (options_.low_priority) give_way();
    for (;;) {
      Task task;
      {
        std::unique_lock lock(mutex_);
        if (!wait_for_task(lock)) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }

  // Beside threads of the process that called, this one gets a third of their share of a core. With
  // much less, a reader on a machine that is busy with something else would wait for minutes.
  // On Linux this concerns this thread only. If it fails, the work is done all the same.
  static void give_way() {
    constexpr int kSteps = 5;
    const auto self = static_cast<id_t>(gettid());
    (void)setpriority(PRIO_PROCESS, self, getpriority(PRIO_PROCESS, self) + kSteps);
  }

  // False where the queue is stopped.
  bool wait_for_task(std::unique_lock<std::mutex>& lock) {
    for (;;) {
      if (stopping_) return false;
      // What is due goes behind what was posted before.
      while (!later_.empty() && later_.begin()->first <= Clock::now()) {
        tasks_.push_back(std::move(later_.begin()->second));
        later_.erase(later_.begin());
        if (tasks_.size() > 1) changed_.notify_one();
      }
      if (!tasks_.empty()) return true;
      if (later_.empty()) {
        changed_.wait(lock);
      } else {
        changed_.wait_until(lock, later_.begin()->first);
      }
    }
  }

  const QueueOptions options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  std::multimap<Clock::time_point, Task> later_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

class SystemWorld final : public World {
 public:
  std::int64_t wall_time_ms() override { return current_time_ms(); }
  Moment now() override { return Clock::now(); }
  std::chrono::nanoseconds cpu_time() override {
    timespec time{};
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  }
  std::string random_bytes(std::size_t count) override { return duel::random_bytes(count); }
  std::unique_ptr<TaskQueue> queue(QueueOptions options) override {
    return std::make_unique<ThreadQueue>(options);
  }
  void pause(std::chrono::microseconds time) override { std::this_thread::sleep_for(time); }
};

}  // namespace

World& system_world() {
  static SystemWorld world;
  return world;
}

}  // namespace duel
