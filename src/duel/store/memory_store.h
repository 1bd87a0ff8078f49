// Experiments in memory: for those that keep no log, and for tests. Everything is gone with the
// object. It is never broken. Any thread may call.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/text_map.h"
#include "duel/store/store.h"

namespace duel {

class MemoryStore final : public Store {
 public:
  Result<std::vector<std::string>> list() override;
  Status create(const std::string& experiment) override;
  Status own(const std::string& experiment) override;
  Result<std::uint64_t> read(const std::string& experiment, std::uint64_t after,
                             const LineSink& sink) override;
  Result<Head> head(const std::string& experiment) override;
  Result<std::vector<Status>> append(std::span<const Group> groups) override;
  bool broken() const override { return false; }
  Result<std::vector<FoundLine>> find(const std::string& experiment, std::string_view key) override;
  Result<std::vector<std::string>> experiments_of(std::string_view key) override;
  Result<bool> tagged(const std::string& experiment, std::uint64_t tag) override;
  Status add_tags(const std::string& experiment, std::span<const std::uint64_t> tags) override;
  Status sync() override { return Done{}; }
  Result<std::uint64_t> synced(const std::string& experiment) override;
  Result<LastStop> last_stop() override { return LastStop::clean; }
  Status put_snapshot(const std::string& experiment, const Snapshot& snapshot) override;
  Result<std::optional<Snapshot>> snapshot(const std::string& experiment) override;
  Result<std::vector<Outline>> outlines() override;
  Status put(std::string_view space, std::string_view key, std::string_view bytes) override;
  Result<std::optional<std::string>> get(std::string_view space, std::string_view key) override;
  Result<std::vector<std::pair<std::string, std::string>>> entries(std::string_view space) override;
  Result<bool> erase(std::string_view space, std::string_view key) override;
  Status check() override { return Done{}; }
  Status backup(const std::filesystem::path& file) override;
  Status compact() override { return Done{}; }

 private:
  struct Kept {
    Head head() const;

    std::vector<std::string> lines;
    TextMap<std::vector<std::uint64_t>> by_key;  // the numbers of lines
    std::set<std::uint64_t> tags;
    std::optional<Snapshot> snapshot;
  };

  // `not_found` if there is none. REQUIRES: mutex_ is held.
  Result<Kept*> kept(const std::string& experiment);

  std::mutex mutex_;
  std::map<std::string, Kept> experiments_;
  std::map<std::string, std::map<std::string, std::string>> table_;
};

}  // namespace duel
