#include "duel/server/store_copy.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "duel/experiment/experiment.h"
#include "duel/log/experiment_log.h"
#include "duel/server/api_tokens.h"

namespace duel {
namespace {

constexpr std::size_t kGroupLines = 1'000;
constexpr std::size_t kGroupBytes = std::size_t{4} << 20;

// What a store keeps beside a line.
struct Mark {
  std::string key;
  std::uint64_t tag = 0;
};

Error not_the_same(const std::string& experiment) {
  return Error::conflict(
      fmt::format("the target has an experiment '{}' with other records", experiment), "",
      "copy into another store");
}

// Takes lines until a group is full.
class Appender {
 public:
  Appender(Store& to, const std::string& experiment, Head at)
      : to_(to), experiment_(experiment), at_(std::move(at)) {}

  Status add(std::string_view line, const Mark& mark, const std::string& hash) {
    lines_.emplace_back(std::string(line), mark);
    bytes_ += line.size();
    last_hash_ = hash;
    return lines_.size() < kGroupLines && bytes_ < kGroupBytes ? Status(Done{}) : flush();
  }
  Status flush() {
    std::vector<Line> lines;
    for (const auto& [text, mark] : lines_) lines.push_back({text, mark.key, mark.tag});
    if (lines.empty()) return Done{};
    DUEL_RETURN_IF_ERROR(to_.append_to(experiment_, at_, lines));
    at_ = {at_.sequence + lines.size(), last_hash_};
    lines_.clear();
    bytes_ = 0;
    return Done{};
  }

 private:
  Store& to_;
  const std::string& experiment_;
  Head at_;
  std::string last_hash_;
  std::vector<std::pair<std::string, Mark>> lines_;
  std::size_t bytes_ = 0;
};

}  // namespace

Result<CopiedExperiment> copy_experiment(Store& from, Store& to, const std::string& experiment) {
  Head at;  // where the target ends
  const auto there = to.head(experiment);
  if (there.ok()) {
    at = *there;
  } else if (there.error().code != ErrorCode::not_found) {
    return there.error();
  }
  // The log is read twice: once to check the whole chain before anything is written, and to note
  // keys and tags; once for the text of the lines, which would not fit into memory.
  std::vector<Mark> marks;
  std::vector<std::string> hashes;
  bool begins_alike = at.sequence == 0;
  const auto note = [&](const LogEntry& entry) -> Status {
    if (entry.sequence == at.sequence) begins_alike = entry.hash == at.hash;
    if (entry.sequence > at.sequence) {
      marks.push_back({Experiment::key_of(entry.record), Experiment::tag_of(entry.record)});
      hashes.push_back(entry.hash);
    }
    return Done{};
  };
  DUEL_RETURN_IF_ERROR(read_log(from, experiment, note));
  if (!begins_alike) return not_the_same(experiment);
  CopiedExperiment copied{experiment, at.sequence + marks.size(), marks.size()};
  if (marks.empty()) return copied;
  // A copy that was interrupted at once leaves an experiment without lines: `create` refuses then.
  if (at.sequence > 0 || !to.create(experiment).ok()) DUEL_RETURN_IF_ERROR(to.own(experiment));
  Appender appender(to, experiment, at);
  std::size_t next = 0;
  const auto add = [&](std::string_view line) -> Status {
    // The source may have grown since the first reading.
    if (next == marks.size()) return Done{};
    DUEL_RETURN_IF_ERROR(appender.add(line, marks[next], hashes[next]));
    ++next;
    return Done{};
  };
  DUEL_RETURN_IF_ERROR(from.read(experiment, at.sequence, add));
  DUEL_RETURN_IF_ERROR(appender.flush());
  // A shortcut for loading it; without a snapshot the whole log is read.
  if (const auto snapshot = from.snapshot(experiment); snapshot.ok() && *snapshot) {
    if ((*snapshot)->sequence <= copied.records) {
      DUEL_RETURN_IF_ERROR(to.put_snapshot(experiment, **snapshot));
    }
  }
  DUEL_RETURN_IF_ERROR(to.sync());
  return copied;
}

Result<ServerKey> copy_server_entries(Store& from, Store& to) {
  // The spaces that engine.cc, api_tokens.cc and certified_notices.cc write. The secret comes last:
  // once the target has it nothing more is copied, so a copy that was cut before can be repeated.
  constexpr std::array<std::string_view, 4> kSpaces = {"token", kTokensMadeSpace, "notice",
                                                       "secret"};
  DUEL_ASSIGN(const auto known, to.entries("secret"));
  DUEL_ASSIGN(const auto secrets, from.entries("secret"));
  if (!known.empty() && !secrets.empty()) {
    return known == secrets ? ServerKey::same : ServerKey::other;
  }
  if (secrets.empty()) return ServerKey::none;
  for (const std::string_view space : kSpaces) {
    DUEL_ASSIGN(const auto entries, from.entries(space));
    for (const auto& [key, bytes] : entries) DUEL_RETURN_IF_ERROR(to.put(space, key, bytes));
  }
  return ServerKey::copied;
}

}  // namespace duel
