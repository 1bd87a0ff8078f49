// What it costs to append lines so that they survive a loss of power.
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/workloads.h"
#include "duel/core/check.h"
#include "duel/core/digest.h"
#include "duel/store/line.h"
#include "duel/store/log_file.h"
#include "duel/store/postgres_store.h"
#include "duel/store/sqlite_store.h"

namespace duel {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kSeconds = 1.0;
constexpr int kRuns = 5;

// As long as a serve or an outcome is, and with a duel's id as its key.
std::string line_of(std::uint64_t sequence) {
  std::string line = fmt::format(
      R"({{"seq":{},"time":"2026-11-15T09:00:00.123Z","record":"serve","duel_id":"d{}",)"
      R"("ordinal":{},"round":{},"first":"hybrid-30","second":"bm25","serving":"explore")",
      sequence, sequence, sequence, sequence);
  const std::string hash = sha256_hex(line);
  close_line(line, hash);
  return line;
}

// Appends groups to an experiment of its own until time is up; gives the number of lines.
std::uint64_t append_groups(Store& store, const std::string& experiment, std::size_t group,
                            bool sync) {
  DUEL_CHECK(store.create(experiment).ok());
  Head head;
  const Clock::time_point begin = Clock::now();
  while (std::chrono::duration<double>(Clock::now() - begin).count() < kSeconds) {
    std::vector<std::string> texts, keys;
    std::vector<Line> lines;
    for (std::size_t k = 1; k <= group; ++k) {
      texts.push_back(line_of(head.sequence + k));
      keys.push_back(fmt::format("d{}", head.sequence + k));
    }
    for (std::size_t k = 0; k < group; ++k) lines.push_back({texts[k], keys[k]});
    DUEL_CHECK(store.append_to(experiment, head, lines).ok());
    if (sync) DUEL_CHECK(store.sync().ok());
    head = {head.sequence + group, std::string(split_line(texts.back())->hash)};
  }
  return head.sequence;
}

// Lines per second of all writers, median (lowest - highest).
std::string rate(const std::function<std::unique_ptr<Store>(const std::filesystem::path&)>& open,
                 std::size_t writers, std::size_t group, bool sync) {
  // A database of the user's is not new for every run.
  static int experiments = 0;
  std::vector<double> rates;
  for (int run = 0; run < kRuns; ++run) {
    std::string directory = (std::filesystem::temp_directory_path() / "duel-bench-XXXXXX").string();
    DUEL_CHECK(mkdtemp(directory.data()) != nullptr);
    {
      const auto store = open(directory);
      std::vector<std::uint64_t> counts(writers);
      std::vector<std::thread> threads;
      const Clock::time_point begin = Clock::now();
      for (std::size_t k = 0; k < writers; ++k) {
        const std::string name = fmt::format("bench-{}-{}", ::getpid(), ++experiments);
        threads.emplace_back(
            [&, k, name] { counts[k] = append_groups(*store, name, group, sync); });
      }
      for (std::thread& thread : threads) thread.join();
      double lines = 0;
      for (const std::uint64_t count : counts) lines += static_cast<double>(count);
      rates.push_back(lines / std::chrono::duration<double>(Clock::now() - begin).count());
    }
    std::filesystem::remove_all(directory);
  }
  std::ranges::sort(rates);
  return fmt::format("{:.0f} ({:.0f} - {:.0f})", rates[kRuns / 2], rates.front(), rates.back());
}

}  // namespace

void store_workload() {
  const auto sqlite = [](const std::filesystem::path& directory) -> std::unique_ptr<Store> {
    return std::move(SqliteStore::open(directory / "store.db")).value();
  };
  const auto files = [](const std::filesystem::path& directory) -> std::unique_ptr<Store> {
    return std::make_unique<LogFiles>(directory);
  };
  fmt::print(
      "\n## Lines per second, of about 240 bytes and with a key, in groups; medians of {} runs of "
      "{} s (lowest - highest), wall time, making the lines included\n\n",
      kRuns, kSeconds);
  fmt::print("| store | writers | lines a group | sync after each group | lines/s |\n");
  fmt::print("|---|---|---|---|---|\n");
  for (const std::size_t group : {1, 10, 100, 1'000}) {
    fmt::print("| log file | 1 | {} | yes | {} |\n", group, rate(files, 1, group, true));
  }
  for (const std::size_t group : {1, 10, 100, 1'000}) {
    fmt::print("| SQLite | 1 | {} | yes | {} |\n", group, rate(sqlite, 1, group, true));
  }
  for (const std::size_t group : {1, 100}) {
    fmt::print("| SQLite | 1 | {} | no | {} |\n", group, rate(sqlite, 1, group, false));
  }
  for (const std::size_t writers : {4, 32}) {
    fmt::print("| SQLite | {} | 1 | yes | {} |\n", writers, rate(sqlite, writers, 1, true));
  }
  const char* const database = std::getenv("DUEL_BENCH_POSTGRES");
  if (database == nullptr) {
    fmt::print("\nPostgreSQL is not measured: DUEL_BENCH_POSTGRES names no database\n");
    return;
  }
  const auto postgres = [database](const std::filesystem::path&) -> std::unique_ptr<Store> {
    return std::move(open_postgres_store(database)).value();
  };
  for (const std::size_t group : {1, 10, 100, 1'000}) {
    fmt::print("| PostgreSQL | 1 | {} | yes | {} |\n", group, rate(postgres, 1, group, true));
  }
  for (const std::size_t group : {1, 100}) {
    fmt::print("| PostgreSQL | 1 | {} | no | {} |\n", group, rate(postgres, 1, group, false));
  }
  for (const std::size_t writers : {4, 32}) {
    fmt::print("| PostgreSQL | {} | 1 | yes | {} |\n", writers, rate(postgres, writers, 1, true));
  }
}

}  // namespace duel
