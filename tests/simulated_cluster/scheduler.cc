#include "tests/simulated_cluster/scheduler.h"

#include <algorithm>
#include <deque>

namespace duel {
namespace {

class SimulatedQueue final : public TaskQueue {
 public:
  SimulatedQueue(Scheduler& scheduler, std::shared_ptr<Scheduler::Process> process)
      : scheduler_(scheduler), process_(std::move(process)) {}
  ~SimulatedQueue() override { stop(); }
  SimulatedQueue(const SimulatedQueue&) = delete;
  SimulatedQueue& operator=(const SimulatedQueue&) = delete;

  bool post(Task task) override {
    if (state_->stopped) return false;
    state_->ready.push_back(std::move(task));
    wake();
    return true;
  }
  void after(std::chrono::milliseconds delay, Task task) override {
    if (state_->stopped) return;
    scheduler_.at(scheduler_.now_ns() + std::chrono::nanoseconds(delay).count(), process_,
                  [this, state = state_, task = std::move(task)] {
                    if (state->stopped) return;
                    state->ready.push_back(task);
                    wake();
                  });
  }
  void stop() override {
    state_->stopped = true;
    state_->ready.clear();
  }

 private:
  struct State {
    bool stopped = false;
    std::deque<Task> ready;
  };

  // A thread that was woken runs a little later.
  void wake() {
    const std::int64_t delay = scheduler_.dice.between_ns(1'000, 200'000);
    scheduler_.at(scheduler_.now_ns() + delay, process_, [state = state_] {
      if (state->stopped || state->ready.empty()) return;
      Task task = std::move(state->ready.front());
      state->ready.pop_front();
      task();
    });
  }

  Scheduler& scheduler_;
  std::shared_ptr<Scheduler::Process> process_;
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace

std::int64_t Dice::between_ns(std::int64_t low, std::int64_t high) {
  // Powers of two by integers and one multiplication: the same on every machine.
  const std::int64_t span = std::max<std::int64_t>(1, high / low);
  std::int64_t scale = 1;
  while (scale < span && chance(0.6)) scale *= 2;
  const std::int64_t top = std::min(high, low * scale);
  return top - static_cast<std::int64_t>(below(static_cast<std::uint64_t>(top) / 2 + 1));
}

void Scheduler::run_until(std::int64_t end_ns) {
  while (!events_.empty() && events_.begin()->first.first <= end_ns) {
    const auto first = events_.begin();
    now_ns_ = std::max(now_ns_, first->first.first);
    Event event = std::move(first->second);
    events_.erase(first);
    Process* const process = event.process.get();
    if (process != nullptr && process->dead) continue;
    if (process != nullptr && process->paused_until_ns > now_ns_) {
      const std::int64_t later = process->paused_until_ns;
      at(later, std::move(event.process), std::move(event.task));
      continue;
    }
    if (process != nullptr && process->in_calls > 0) {
      process->held.push_back(std::move(event.task));
      continue;
    }
    event.task();
  }
  now_ns_ = std::max(now_ns_, end_ns);
}

void Scheduler::pass(const std::shared_ptr<Process>& process, std::int64_t time_ns) {
  const std::int64_t end = now_ns_ + time_ns;
  if (depth_ >= kDeepest) {
    now_ns_ = end;
    return;
  }
  ++depth_;
  ++process->in_calls;
  run_until(end);
  // A process that was paused goes on in the middle of its call.
  while (!process->dead && process->paused_until_ns > now_ns_) {
    run_until(process->paused_until_ns);
  }
  --depth_;
  if (--process->in_calls > 0) return;
  for (Task& task : std::exchange(process->held, {})) at(now_ns_, process, std::move(task));
}

std::unique_ptr<TaskQueue> SimulatedWorld::queue(QueueOptions /*options*/) {
  return std::make_unique<SimulatedQueue>(scheduler_, process_);
}

}  // namespace duel
