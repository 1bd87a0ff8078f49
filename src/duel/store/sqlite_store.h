// All experiments in one SQLite database: the store of a single server.
//
// The database is in WAL mode. Commits are made with synchronous=NORMAL, so that they touch no
// disk. The WAL file is synced beside them (wal_syncer.h): once for all callers that wait, and at
// the latest `sync_interval` after an append even if nobody does. The writer starts checkpoints by
// the size of the WAL. So a killed process loses nothing, and a loss of power at most the records
// of the last interval that nobody waited for.
//
// One process at a time owns the database: it locks FILE.lock, which names it. Others may read.
// Any thread may call; reads do not wait for appends.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/result.h"
#include "duel/store/store.h"

namespace duel {

enum class SqliteAccess {
  own,   // the lock is taken at once; a database that is not there is made
  read,  // the lock is taken with the first call that writes; the database must be there
};

struct SqliteOptions {
  SqliteAccess access = SqliteAccess::own;
  std::chrono::milliseconds sync_interval{100};
  std::size_t checkpoint_pages = 4'000;  // of 4096 bytes in the WAL
  std::string vfs{};                     // of SQLite; tests inject faults there
};

class SqliteStore final : public Store {
 public:
  // An error if another process owns the database (`conflict`, which names it), or if the file is
  // not a database of ours, damaged, or of a newer version of Duel. An older version is brought up
  // to date.
  static Result<std::unique_ptr<SqliteStore>> open(const std::filesystem::path& file,
                                                   SqliteOptions options = {});
  SqliteStore(const SqliteStore&) = delete;
  SqliteStore& operator=(const SqliteStore&) = delete;
  // Syncs and closes: a clean stop, unless something failed before.
  ~SqliteStore() override;

  Result<std::vector<std::string>> list() override;
  Status create(const std::string& experiment) override;
  Status own(const std::string& experiment) override;
  Result<std::uint64_t> read(const std::string& experiment, std::uint64_t after,
                             const LineSink& sink) override;
  Result<Head> head(const std::string& experiment) override;
  Result<std::vector<Status>> append(std::span<const Group> groups) override;
  bool broken() const override;
  Result<std::vector<FoundLine>> find(const std::string& experiment, std::string_view key) override;
  Result<std::vector<std::string>> experiments_of(std::string_view key) override;
  Status sync() override;
  Result<std::uint64_t> synced(const std::string& experiment) override;
  Result<LastStop> last_stop() override;
  Status put_snapshot(const std::string& experiment, const Snapshot& snapshot) override;
  Result<std::optional<Snapshot>> snapshot(const std::string& experiment) override;
  Result<std::vector<Outline>> outlines() override;
  Result<bool> tagged(const std::string& experiment, std::uint64_t tag) override;
  Status add_tags(const std::string& experiment, std::span<const std::uint64_t> tags) override;
  Status put(std::string_view space, std::string_view key, std::string_view bytes) override;
  Result<std::optional<std::string>> get(std::string_view space, std::string_view key) override;
  Result<std::vector<std::pair<std::string, std::string>>> entries(std::string_view space) override;
  Result<bool> erase(std::string_view space, std::string_view key) override;
  Status check() override;
  Status backup(const std::filesystem::path& file) override;
  Status compact() override;

 private:
  class Database;
  explicit SqliteStore(std::unique_ptr<Database> database);
  std::unique_ptr<Database> database_;
};

}  // namespace duel
