// Many processes in one thread, with a time of their own: what happens next is decided by a seed,
// so that a seed repeats everything that happened, bit for bit.
//
// A process is all that one World belongs to. Its tasks run one at a time. A task that waits for
// the database is in the middle of a call: the others' tasks run inside that call, until its time
// has passed, and those of its own process wait.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/rng.h"
#include "duel/core/world.h"

namespace duel {

// Draws that depend on the seed alone.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(mix64(seed)) {}
  std::uint64_t next() { return mix64(state_ += 0x9e3779b97f4a7c15U); }
  std::uint64_t below(std::uint64_t limit) { return next() % limit; }
  bool chance(double probability) { return unit() < probability; }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  // Between the two, the logarithm uniform: mostly short, sometimes long.
  std::int64_t between_ns(std::int64_t low, std::int64_t high);

 private:
  std::uint64_t state_;
};

class Scheduler {
 public:
  using Task = std::function<void()>;

  struct Process {
    std::string name;
    bool dead = false;  // its tasks are dropped
    std::int64_t paused_until_ns = 0;
    int in_calls = 0;        // tasks in the middle of a call
    std::vector<Task> held;  // that wait for the end of the call
  };

  explicit Scheduler(std::uint64_t seed) : dice(seed) {}

  std::int64_t now_ns() const { return now_ns_; }
  // `process` null: nobody's, never held back.
  void at(std::int64_t time_ns, std::shared_ptr<Process> process, Task task) {
    // The random part puts what happens at the same time into any order.
    events_.emplace(std::pair(std::max(time_ns, now_ns_), dice.next()),
                    Event{std::move(process), std::move(task)});
  }
  void run_until(std::int64_t end_ns);
  // Time passes inside a task of the process.
  void pass(const std::shared_ptr<Process>& process, std::int64_t time_ns);
  // A number of all that happened so far.
  std::uint64_t trace() const { return trace_; }
  void note(std::uint64_t what) { trace_ = mix64(trace_ ^ what); }

  Dice dice;

 private:
  struct Event {
    std::shared_ptr<Process> process;
    Task task;
  };
  static constexpr int kDeepest = 12;

  std::int64_t now_ns_ = 1'000'000'000;
  int depth_ = 0;
  std::uint64_t trace_ = 0;
  std::multimap<std::pair<std::int64_t, std::uint64_t>, Event> events_;
};

// The World of one process.
class SimulatedWorld final : public World {
 public:
  static constexpr std::int64_t kEpochMs = 1'794'700'800'000;  // 2026-11-15T00:00:00Z

  // `clock_error_ms`: how far the wall clock of its machine is off.
  SimulatedWorld(Scheduler& scheduler, std::shared_ptr<Scheduler::Process> process,
                 std::uint64_t seed, std::int64_t clock_error_ms)
      : scheduler_(scheduler),
        process_(std::move(process)),
        dice_(seed),
        clock_error_ms_(clock_error_ms) {}

  std::int64_t wall_time_ms() override {
    return kEpochMs + clock_error_ms_ + scheduler_.now_ns() / 1'000'000;
  }
  Moment now() override { return Moment(std::chrono::nanoseconds(scheduler_.now_ns())); }
  std::chrono::nanoseconds cpu_time() override { return {}; }
  std::string random_bytes(std::size_t count) override {
    std::string bytes;
    while (bytes.size() < count) bytes += static_cast<char>(dice_.next() & 0xff);
    return bytes;
  }
  std::unique_ptr<TaskQueue> queue(QueueOptions options = {}) override;
  void pause(std::chrono::microseconds time) override {
    scheduler_.pass(process_, std::chrono::nanoseconds(time).count());
  }

 private:
  Scheduler& scheduler_;
  std::shared_ptr<Scheduler::Process> process_;
  Dice dice_;
  std::int64_t clock_error_ms_;
};

}  // namespace duel
