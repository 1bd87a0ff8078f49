// The log of an experiment: what writing and verifying a million records costs.
#include <fmt/format.h>
#include <stdlib.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/workloads.h"
#include "duel/core/check.h"
#include "duel/core/digest.h"
#include "duel/core/rng.h"
#include "duel/log/experiment_log.h"
#include "duel/store/log_file.h"
#include "duel/verdict/certificate_file.h"

namespace duel {
namespace {

constexpr std::int64_t kTime = 1'763'197'200'000;

struct Times {
  double cpu = 0;
  double wall = 0;
};

template <class Work>
Times times_of(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  const std::clock_t start = std::clock();
  work();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  return {static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, wall.count()};
}

ExperimentRecord experiment(std::size_t num_arms, Goal goal) {
  ExperimentRecord record;
  record.experiment_id = "bench";
  for (std::size_t k = 0; k < num_arms; ++k) {
    record.arms.push_back({fmt::format("prompt-{}", k), "", ""});
  }
  record.goal = goal;
  return record;
}

// Duels between random arms of equal strength, so that looking goes on to the end.
std::vector<Record> records_of(std::size_t num_arms, std::size_t count) {
  std::vector<Record> records;
  RoundRng rng = Stream(1, 0, Purpose::test, "log bench").at(1);
  for (std::size_t ordinal = 0; records.size() + 1 < count; ++ordinal) {
    const std::size_t i = rng.below(num_arms);
    const std::size_t j = (i + 1 + rng.below(num_arms - 1)) % num_arms;
    const std::string first = fmt::format("prompt-{}", i), second = fmt::format("prompt-{}", j);
    const std::string id = fmt::format("d{}", ordinal + 1);
    records.emplace_back(
        ServeRecord{id, ordinal, ordinal + 1, first, second, Serving::explore, ""});
    OutcomeRecord outcome{.duel_id = id,
                          .answer = {Answered::win, rng.coin() ? first : second},
                          .source = {"human", fmt::format("rater-{}", rng.below(20))},
                          .response_ms = rng.below(5000),
                          .judgements = {},
                          .note = ""};
    records.emplace_back(std::move(outcome));
  }
  return records;
}

}  // namespace

void log_workload() {
  constexpr std::size_t kRecords = 1'000'000;
  std::string directory = (std::filesystem::temp_directory_path() / "duel-bench-XXXXXX").string();
  DUEL_CHECK(mkdtemp(directory.data()) != nullptr);
  fmt::print("\n## A log of 1e6 records (5e5 duels), one core\n\n");
  fmt::print("| arms | goal | MB | write, s CPU (s wall) | verify, s CPU (s wall) |\n");
  fmt::print("|---|---|---|---|---|\n");
  for (const auto& [num_arms, goal] : std::vector<std::pair<std::size_t, Goal>>{
           {2, Goal::condorcet}, {10, Goal::condorcet}, {50, Goal::condorcet}, {10, Goal::borda}}) {
    const std::filesystem::path file = std::filesystem::path(directory) / "log.jsonl";
    const std::vector<Record> records = records_of(num_arms, kRecords);
    const Times write = times_of([&] {
      LogFiles files;
      DUEL_CHECK(files.create(file.string()).ok());
      Head head{0, std::string(kHexDigits, '0')};
      Sha256 sha;
      const auto append = [&](const Record& record) {
        const Head at = head;
        const std::string line = log_line(++head.sequence, kTime, record, head.hash, sha).value();
        const Line lines[] = {{std::string_view(line).substr(0, line.size() - 1)}};
        DUEL_CHECK(files.append_to(file.string(), at, lines).ok());
      };
      append(experiment(num_arms, goal));
      for (const Record& record : records) append(record);
      DUEL_CHECK(files.sync().ok());
    });
    const Times verify = times_of([&] {
      const auto log = check_log(file);
      DUEL_CHECK(log.ok() && log->extent.records == records.size() + 1);
    });
    fmt::print("| {} | {} | {:.0f} | {:.2f} ({:.2f}) | {:.2f} ({:.2f}) |\n", num_arms,
               to_word(goal), static_cast<double>(std::filesystem::file_size(file)) / 1e6,
               write.cpu, write.wall, verify.cpu, verify.wall);
    std::filesystem::remove(file);
  }
  std::filesystem::remove_all(directory);
}

}  // namespace duel
