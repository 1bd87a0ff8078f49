// A store in memory, for targets that need one and must leave no file behind. It does what the
// engine asks of a store (store.h) and is never broken.
#pragma once

#include <algorithm>
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
    if (!experiments_.contains(experiment)) return unknown();
    return Done{};
  }
  Result<std::uint64_t> read(const std::string& experiment, std::uint64_t after,
                             const LineSink& sink) override {
    std::vector<Kept::Line> lines;
    {
      const std::lock_guard lock(mutex_);
      const auto found = experiments_.find(experiment);
      if (found == experiments_.end()) return unknown();
      lines = found->second.lines;
    }
    for (std::size_t k = after; k < lines.size(); ++k) {
      std::string padded = lines[k].text;
      padded.resize(padded.size() + kReadableAfterLine);
      DUEL_RETURN_IF_ERROR(sink(std::string_view(padded).substr(0, lines[k].text.size())));
    }
    return std::uint64_t{0};
  }
  Result<Head> head(const std::string& experiment) override {
    const std::lock_guard lock(mutex_);
    const auto found = experiments_.find(experiment);
    if (found == experiments_.end()) return unknown();
    return found->second.head();
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
        kept.lines.push_back({std::string(line.text), std::string(line.key)});
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
    const auto found = experiments_.find(experiment);
    if (found == experiments_.end()) return unknown();
    std::vector<FoundLine> lines;
    for (std::size_t k = 0; k < found->second.lines.size(); ++k) {
      const Kept::Line& line = found->second.lines[k];
      if (line.key == key) lines.push_back({k + 1, line.text});
    }
    return lines;
  }
  Result<std::vector<std::string>> experiments_of(std::string_view key) override {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> names;
    for (const auto& [name, kept] : experiments_) {
      const auto has_key = [&](const Kept::Line& line) { return line.key == key; };
      if (std::any_of(kept.lines.begin(), kept.lines.end(), has_key)) names.push_back(name);
    }
    return names;
  }
  Result<bool> tagged(const std::string& experiment, std::uint64_t tag) override {
    const std::lock_guard lock(mutex_);
    return experiments_.at(experiment).tags.contains(tag);
  }
  Status add_tags(const std::string& experiment, std::span<const std::uint64_t> tags) override {
    const std::lock_guard lock(mutex_);
    experiments_.at(experiment).tags.insert(tags.begin(), tags.end());
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
    experiments_.at(experiment).snapshot = snapshot;
    return Done{};
  }
  Result<std::optional<Snapshot>> snapshot(const std::string& experiment) override {
    const std::lock_guard lock(mutex_);
    return experiments_.at(experiment).snapshot;
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
    return Error::unsupported("it is in memory");
  }
  Status compact() override { return Done{}; }

 private:
  struct Kept {
    struct Line {
      std::string text;
      std::string key;
    };
    Head head() const {
      if (lines.empty()) return {};
      const auto parts = split_line(lines.back().text);
      return {lines.size(), parts ? std::string(parts->hash) : std::string()};
    }

    std::vector<Line> lines;
    std::set<std::uint64_t> tags;
    std::optional<Snapshot> snapshot;
  };
  static Error unknown() { return Error::not_found("there is no such experiment"); }

  std::mutex mutex_;
  std::map<std::string, Kept> experiments_;
  std::map<std::string, std::map<std::string, std::string>> table_;
};

}  // namespace duel
