// Experiments in memory: for those that keep no log, and for tests. Everything is gone with the
// object. It is never broken. Any thread may call.
//
// One mutex for everything, since no call waits for anything inside it: a reader gets a copy of the
// lines, so that a slow sink holds nobody up.
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

#include "duel/core/result.h"
#include "duel/core/text_map.h"
#include "duel/store/line.h"
#include "duel/store/store.h"

namespace duel {

class MemoryStore final : public Store {
 public:
  Result<std::vector<std::string>> list() override {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> names;
    for (const auto& [name, kept] : experiments_) {
      if (!kept.lines.empty()) names.push_back(name);
    }
    return names;
  }

  Status create(const std::string& experiment) override {
    const std::lock_guard lock(mutex_);
    if (!experiments_.try_emplace(experiment).second) return Error::conflict("it exists");
    return Done{};
  }

  Status own(const std::string& experiment) override {
    const std::lock_guard lock(mutex_);
    DUEL_RETURN_IF_ERROR(kept(experiment));
    return Done{};
  }

  Result<std::uint64_t> read(const std::string& experiment, std::uint64_t after,
                             const LineSink& sink) override {
    std::vector<std::string> lines;
    {
      const std::lock_guard lock(mutex_);
      DUEL_ASSIGN(const Kept* const found, kept(experiment));
      lines = found->lines;
    }
    std::string padded;
    for (std::size_t k = after; k < lines.size(); ++k) {
      padded = lines[k];
      padded.resize(padded.size() + kReadableAfterLine);
      DUEL_RETURN_IF_ERROR(sink(std::string_view(padded).substr(0, lines[k].size())));
    }
    return std::uint64_t{0};
  }

  Result<Head> head(const std::string& experiment) override {
    const std::lock_guard lock(mutex_);
    DUEL_ASSIGN(const Kept* const found, kept(experiment));
    return found->head();
  }

  Result<std::vector<Status>> append(std::span<const Group> groups) override {
    const std::lock_guard lock(mutex_);
    std::vector<Status> results;
    for (const Group& group : groups) {
      Kept& kept = experiments_.at(std::string(group.experiment));
      const Head head = kept.head();
      if (head.sequence != group.at.sequence || (head.sequence > 0 && head.hash != group.at.hash)) {
        results.emplace_back(Error::conflict("the head is elsewhere"));
        continue;
      }
      for (const Line& line : group.lines) {
        kept.lines.emplace_back(line.text);
        if (!line.key.empty()) kept.by_key[std::string(line.key)].push_back(kept.lines.size());
        if (line.tag != 0) kept.tags.insert(line.tag);
      }
      results.emplace_back(Done{});
    }
    return results;
  }

  bool broken() const override { return false; }

  Result<std::vector<FoundLine>> find(const std::string& experiment,
                                      std::string_view key) override {
    const std::lock_guard lock(mutex_);
    DUEL_ASSIGN(const Kept* const found, kept(experiment));
    std::vector<FoundLine> lines;
    if (const auto known = found->by_key.find(key); known != found->by_key.end()) {
      for (const std::uint64_t number : known->second) {
        lines.push_back({number, found->lines[number - 1]});
      }
    }
    return lines;
  }

  Result<std::vector<std::string>> experiments_of(std::string_view key) override {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> names;
    for (const auto& [name, kept] : experiments_) {
      if (kept.by_key.find(key) != kept.by_key.end()) names.push_back(name);
    }
    return names;
  }

  Result<bool> tagged(const std::string& experiment, std::uint64_t tag) override {
    const std::lock_guard lock(mutex_);
    const auto found = experiments_.find(experiment);
    return found != experiments_.end() && found->second.tags.contains(tag);
  }

  Status add_tags(const std::string& experiment, std::span<const std::uint64_t> tags) override {
    const std::lock_guard lock(mutex_);
    DUEL_ASSIGN(Kept* const found, kept(experiment));
    found->tags.insert(tags.begin(), tags.end());
    return Done{};
  }

  Status sync() override { return Done{}; }

  Result<std::uint64_t> synced(const std::string& experiment) override {
    DUEL_ASSIGN(const Head last, head(experiment));
    return last.sequence;
  }

  Result<LastStop> last_stop() override { return LastStop::clean; }

  Status put_snapshot(const std::string& experiment, const Snapshot& snapshot) override {
    const std::lock_guard lock(mutex_);
    DUEL_ASSIGN(Kept* const found, kept(experiment));
    found->snapshot = snapshot;
    return Done{};
  }

  Result<std::optional<Snapshot>> snapshot(const std::string& experiment) override {
    const std::lock_guard lock(mutex_);
    DUEL_ASSIGN(const Kept* const found, kept(experiment));
    return found->snapshot;
  }

  Result<std::vector<Outline>> outlines() override {
    const std::lock_guard lock(mutex_);
    std::vector<Outline> all;
    for (const auto& [name, kept] : experiments_) {
      if (kept.lines.empty()) continue;
      all.push_back({name, kept.head(), kept.snapshot});
      if (all.back().snapshot) all.back().snapshot->bytes.clear();
    }
    return all;
  }

  Status put(std::string_view space, std::string_view key, std::string_view bytes) override {
    const std::lock_guard lock(mutex_);
    table_[std::string(space)][std::string(key)] = bytes;
    return Done{};
  }

  Result<std::optional<std::string>> get(std::string_view space, std::string_view key) override {
    const std::lock_guard lock(mutex_);
    const auto& entries = table_[std::string(space)];
    const auto found = entries.find(std::string(key));
    return found == entries.end() ? std::nullopt : std::optional(found->second);
  }

  Result<std::vector<std::pair<std::string, std::string>>> entries(
      std::string_view space) override {
    const std::lock_guard lock(mutex_);
    const auto& all = table_[std::string(space)];
    return std::vector<std::pair<std::string, std::string>>(all.begin(), all.end());
  }

  Result<bool> erase(std::string_view space, std::string_view key) override {
    const std::lock_guard lock(mutex_);
    return table_[std::string(space)].erase(std::string(key)) > 0;
  }

  Status check() override { return Done{}; }

  Status backup(const std::filesystem::path& /*file*/) override {
    return Error::unsupported("an experiment in memory has nothing to back up");
  }

  Status compact() override { return Done{}; }

 private:
  struct Kept {
    Head head() const {
      if (lines.empty()) return {};
      const auto parts = split_line(lines.back());
      return {lines.size(), parts ? std::string(parts->hash) : std::string()};
    }

    std::vector<std::string> lines;
    TextMap<std::vector<std::uint64_t>> by_key;  // the numbers of lines
    std::set<std::uint64_t> tags;
    std::optional<Snapshot> snapshot;
  };

  // `not_found` if there is none. REQUIRES: mutex_ is held.
  Result<Kept*> kept(const std::string& experiment) {
    const auto found = experiments_.find(experiment);
    if (found == experiments_.end()) return Error::not_found("there is no such experiment");
    return &found->second;
  }

  std::mutex mutex_;
  std::map<std::string, Kept> experiments_;
  std::map<std::string, std::map<std::string, std::string>> table_;
};

}  // namespace duel
