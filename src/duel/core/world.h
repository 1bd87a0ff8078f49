// What a process gets from outside and cannot be repeated: the time, random bytes and threads. A
// server takes them from a World that is passed in, so that a test can run many servers in one
// thread, with a time of its own, and repeat what happened from a seed.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace duel {

// Tasks that are run one after the other in the order in which they were posted, or several at a
// time where the queue has more than one thread. Any thread may call it, tasks too.
class TaskQueue {
 public:
  using Task = std::function<void()>;

  // Stops.
  virtual ~TaskQueue() = default;
  // False where too many wait or the queue has been stopped: the task is dropped.
  virtual bool post(Task task) = 0;
  // Runs the task when so much time has passed. It counts for nothing until then, and is dropped
  // where the queue is stopped before.
  virtual void after(std::chrono::milliseconds delay, Task task) = 0;
  // What is under way ends; what waits is dropped. Returns when no task runs. Not to be called by a
  // task.
  virtual void stop() = 0;
};

struct QueueOptions {
  std::size_t threads = 1;
  std::size_t most_waiting = ~std::size_t{0};
  // For work that takes long: where cores are scarce the others go first.
  bool low_priority = false;
};

class World {
 public:
  using Moment = std::chrono::steady_clock::time_point;

  virtual ~World() = default;
  virtual std::int64_t wall_time_ms() = 0;  // milliseconds since 1970; it may be set back
  virtual Moment now() = 0;                 // never goes back; means something in this process only
  virtual std::chrono::nanoseconds cpu_time() = 0;  // of the thread that asks
  virtual std::string random_bytes(std::size_t count) = 0;
  virtual std::unique_ptr<TaskQueue> queue(QueueOptions options = {}) = 0;
  // For what has to wait before there is a queue, or less than a queue could.
  virtual void pause(std::chrono::microseconds time) = 0;
};

// The machine's.
World& system_world();

}  // namespace duel
