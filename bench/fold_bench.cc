// How an experiment comes into memory, and how much of it stays there.
#include <fmt/format.h>
#include <stdlib.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "bench/workloads.h"
#include "duel/core/check.h"
#include "duel/core/rng.h"
#include "duel/service/engine.h"
#include "duel/store/sqlite_store.h"

namespace duel {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// In MiB, as the system counts this process: "VmRSS" now, "VmHWM" the most so far.
double resident(std::string_view which) {
  std::ifstream input("/proc/self/status");
  for (std::string line; std::getline(input, line);) {
    if (line.starts_with(which)) return std::stod(line.substr(which.size() + 1)) / 1024;
  }
  return 0;
}

class Directory {
 public:
  Directory() : path_((std::filesystem::temp_directory_path() / "duel-bench-XXXXXX").string()) {
    DUEL_CHECK(mkdtemp(path_.data()) != nullptr);
  }
  ~Directory() { std::filesystem::remove_all(path_); }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  std::filesystem::path file() const { return std::filesystem::path(path_) / "duel.db"; }

 private:
  std::string path_;
};

std::shared_ptr<Store> open_store(const Directory& directory) {
  return std::move(SqliteStore::open(directory.file())).value();
}

ExperimentRecord experiment_of(const std::string& id, int arms) {
  ExperimentRecord record;
  record.experiment_id = id;
  for (int k = 0; k < arms; ++k) record.arms.push_back({fmt::format("arm-{}", k), "", "", {}});
  record.policy = "dts-plus";
  record.seed = 7;
  record.stopping.alpha = 1e-9;  // so that it goes on
  record.stopping.arms_fixed = true;
  record.service.name = id;
  return record;
}

// What a thread waits for, and another one gives.
template <class Answer>
class Awaited {
 public:
  void give(Result<Answer> answer) {
    const std::lock_guard lock(mutex_);
    answer_ = std::move(answer);
    came_.notify_one();
  }
  Answer take() {
    std::unique_lock lock(mutex_);
    came_.wait(lock, [&] { return answer_.has_value(); });
    return std::move(*answer_).value();
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::optional<Result<Answer>> answer_;
};

// Asks the engine and waits for its answer.
void ask(Engine& engine, const std::string& id, std::function<Status(const Turn&)> work) {
  Awaited<Done> answer;
  engine.ask<Done>(id, AnswerWhen::appended, std::move(work),
                   [&](const Status& given, const Delivery&) { answer.give(given); });
  answer.take();
}

void create(Engine& engine, const ExperimentRecord& record) {
  Awaited<bool> answer;
  engine.create<bool>(
      record, [](const Turn& turn) -> Result<bool> { return turn.created; },
      [&](const Result<bool>& given, const Delivery&) { answer.give(given); });
  DUEL_CHECK(answer.take());
}

// Duels of which arm 0 wins most, each served and answered, in one request.
std::function<Status(const Turn&)> duels(int count, std::uint64_t seed) {
  return [count, seed](const Turn& turn) -> Status {
    RoundRng rng = Stream(seed, 0, Purpose::test, "fold bench").at(1);
    for (int k = 0; k < count; ++k) {
      DUEL_ASSIGN(const Offer offer, turn.experiment.serve({}, turn.moment));
      const ServeRecord& serve = std::get<Served>(offer).serve;
      const Report report{
          .duel_id = serve.duel_id,
          .answer = Answer{Answered::win, rng.bernoulli(0.55) ? serve.first : serve.second}};
      DUEL_RETURN_IF_ERROR(turn.experiment.report(report, turn.moment));
    }
    return Done{};
  };
}

Status nothing(const Turn& /*turn*/) { return Done{}; }

// The time until a new process has the experiment in memory, the opening of the store included.
double opened_cold(const Directory& directory) {
  const Clock::time_point begin = Clock::now();
  const auto store = open_store(directory);
  const auto engine = std::move(Engine::start(store)).value();
  ask(*engine, "e", nothing);
  return seconds_since(begin);
}

void cold_open(int outcomes) {
  const Directory directory;
  const Clock::time_point begin = Clock::now();
  {
    const auto store = open_store(directory);
    const auto engine = std::move(Engine::start(store)).value();
    create(*engine, experiment_of("e", 10));
    constexpr int kAtOnce = 2'000;
    for (int done = 0; done < outcomes; done += kAtOnce) {
      ask(*engine, "e", duels(kAtOnce, static_cast<std::uint64_t>(done)));
    }
  }
  const double made = seconds_since(begin);
  const double with = opened_cold(directory);
  {
    const auto store = open_store(directory);
    Snapshot of_nobody;
    of_nobody.version = "none";
    DUEL_CHECK(store->put_snapshot("e", of_nobody).ok());
  }
  const double without = opened_cold(directory);
  fmt::print("| {} | {:.0f} | {:.2f} | {:.2f} | {:.0f} |\n", outcomes,
             static_cast<double>(std::filesystem::file_size(directory.file())) / (1 << 20), with,
             without, outcomes / made);
}

void many_experiments(int experiments, int arms, int outcomes_each) {
  const Directory directory;
  const auto store = open_store(directory);
  const auto engine = std::move(Engine::start(store)).value();
  const auto id_of = [](int k) { return fmt::format("e{}", k); };
  for (int k = 0; k < experiments; ++k) {
    create(*engine, experiment_of(id_of(k), arms));
    ask(*engine, id_of(k), duels(outcomes_each, static_cast<std::uint64_t>(k)));
  }
  const double after = resident("VmRSS:");
  // Each once more, in another order, so that most have to come back.
  constexpr int kWakes = 200;
  const Clock::time_point begin = Clock::now();
  for (int k = 0; k < kWakes; ++k) ask(*engine, id_of(k * 7 % experiments), duels(1, 1));
  const double wake = seconds_since(begin) / kWakes;
  fmt::print("| {} | {} | {} | {} | {:.0f} | {:.0f} | {:.1f} | {:.0f} |\n", experiments, arms,
             experiments * outcomes_each, engine->counts().in_memory, after, resident("VmHWM:"),
             1e3 * wake,
             static_cast<double>(std::filesystem::file_size(directory.file())) / (1 << 20));
}

int from_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoi(text);
}

}  // namespace

void fold_workload() {
  const int outcomes = from_environment("DUEL_BENCH_OUTCOMES", 1'000'000);
  fmt::print(
      "\n## A store opened cold: one experiment of 10 arms, policy dts-plus; one run, wall "
      "time\n\n");
  fmt::print(
      "| outcomes | store, MiB | from its snapshot, s | from its log, s | made, duels/s |\n");
  fmt::print("|---|---|---|---|---|\n");
  cold_open(outcomes);
  const int experiments = from_environment("DUEL_BENCH_EXPERIMENTS", 1'000);
  fmt::print(
      "\n## Many experiments in one process, at most 200 of them in memory; one run, wall "
      "time\n\n");
  fmt::print(
      "| experiments | arms | outcomes in all | in memory | resident, MiB | at most, MiB | to wake "
      "one, ms | store, MiB |\n");
  fmt::print("|---|---|---|---|---|---|---|---|\n");
  many_experiments(experiments, 100, outcomes / experiments);
}

}  // namespace duel
