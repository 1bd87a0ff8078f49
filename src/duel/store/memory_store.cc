// One mutex for everything, since no call waits for anything inside it: a reader gets a copy of the
// lines, so that a slow sink holds nobody up.
#include "duel/store/memory_store.h"

#include "duel/store/line.h"

namespace duel {

Head MemoryStore::Kept::head() const {
  if (lines.empty()) return {};
  const auto parts = split_line(lines.back());
  return {lines.size(), parts ? std::string(parts->hash) : std::string()};
}

Result<MemoryStore::Kept*> MemoryStore::kept(const std::string& experiment) {
  const auto found = experiments_.find(experiment);
  if (found == experiments_.end()) return Error::not_found("there is no such experiment");
  return &found->second;
}

Result<std::vector<std::string>> MemoryStore::list() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, kept] : experiments_) {
    if (!kept.lines.empty()) names.push_back(name);
  }
  return names;
}

Status MemoryStore::create(const std::string& experiment) {
  const std::lock_guard lock(mutex_);
  if (!experiments_.try_emplace(experiment).second) return Error::conflict("it exists");
  return Done{};
}

Status MemoryStore::own(const std::string& experiment) {
  const std::lock_guard lock(mutex_);
  DUEL_RETURN_IF_ERROR(kept(experiment));
  return Done{};
}

Result<std::uint64_t> MemoryStore::read(const std::string& experiment, std::uint64_t after,
                                        const LineSink& sink) {
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

Result<Head> MemoryStore::head(const std::string& experiment) {
  const std::lock_guard lock(mutex_);
  DUEL_ASSIGN(const Kept* const found, kept(experiment));
  return found->head();
}

Result<std::vector<Status>> MemoryStore::append(std::span<const Group> groups) {
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

Result<std::vector<FoundLine>> MemoryStore::find(const std::string& experiment,
                                                 std::string_view key) {
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

Result<std::vector<std::string>> MemoryStore::experiments_of(std::string_view key) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, kept] : experiments_) {
    if (kept.by_key.find(key) != kept.by_key.end()) names.push_back(name);
  }
  return names;
}

Result<bool> MemoryStore::tagged(const std::string& experiment, std::uint64_t tag) {
  const std::lock_guard lock(mutex_);
  const auto found = experiments_.find(experiment);
  return found != experiments_.end() && found->second.tags.contains(tag);
}

Status MemoryStore::add_tags(const std::string& experiment, std::span<const std::uint64_t> tags) {
  const std::lock_guard lock(mutex_);
  DUEL_ASSIGN(Kept* const found, kept(experiment));
  found->tags.insert(tags.begin(), tags.end());
  return Done{};
}

Result<std::uint64_t> MemoryStore::synced(const std::string& experiment) {
  DUEL_ASSIGN(const Head last, head(experiment));
  return last.sequence;
}

Status MemoryStore::put_snapshot(const std::string& experiment, const Snapshot& snapshot) {
  const std::lock_guard lock(mutex_);
  DUEL_ASSIGN(Kept* const found, kept(experiment));
  found->snapshot = snapshot;
  return Done{};
}

Result<std::optional<Snapshot>> MemoryStore::snapshot(const std::string& experiment) {
  const std::lock_guard lock(mutex_);
  DUEL_ASSIGN(const Kept* const found, kept(experiment));
  return found->snapshot;
}

Result<std::vector<Outline>> MemoryStore::outlines() {
  const std::lock_guard lock(mutex_);
  std::vector<Outline> all;
  for (const auto& [name, kept] : experiments_) {
    if (kept.lines.empty()) continue;
    all.push_back({name, kept.head(), kept.snapshot});
    if (all.back().snapshot) all.back().snapshot->bytes.clear();
  }
  return all;
}

Status MemoryStore::put(std::string_view space, std::string_view key, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  table_[std::string(space)][std::string(key)] = bytes;
  return Done{};
}

Result<std::optional<std::string>> MemoryStore::get(std::string_view space, std::string_view key) {
  const std::lock_guard lock(mutex_);
  const auto& entries = table_[std::string(space)];
  const auto found = entries.find(std::string(key));
  return found == entries.end() ? std::nullopt : std::optional(found->second);
}

Result<std::vector<std::pair<std::string, std::string>>> MemoryStore::entries(
    std::string_view space) {
  const std::lock_guard lock(mutex_);
  const auto& all = table_[std::string(space)];
  return std::vector<std::pair<std::string, std::string>>(all.begin(), all.end());
}

Result<bool> MemoryStore::erase(std::string_view space, std::string_view key) {
  const std::lock_guard lock(mutex_);
  return table_[std::string(space)].erase(std::string(key)) > 0;
}

Status MemoryStore::backup(const std::filesystem::path& /*file*/) {
  return Error::unsupported("an experiment in memory has nothing to back up");
}

}  // namespace duel
