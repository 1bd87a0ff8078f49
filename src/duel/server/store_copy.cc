#include "duel/server/store_copy.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "duel/experiment/experiment.h"
#include "duel/log/experiment_log.h"
#include "duel/server/api_tokens.h"
#include "duel/service/imported_log.h"

namespace duel {
namespace {

constexpr std::size_t kGroupLines = 1'000;
constexpr std::size_t kGroupBytes = std::size_t{4} << 20;

Error not_the_same(const std::string& experiment) {
  return Error::conflict(
      fmt::format("the target has an experiment '{}' with other records", experiment), "",
      "copy into another store");
}

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
  std::vector<LineMark> marks;
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
  // The group at hand, which goes to the target when it is full.
  std::vector<std::string> texts;
  std::size_t bytes = 0;
  std::size_t appended = 0;  // of `marks`
  const auto flush = [&]() -> Status {
    if (texts.empty()) return Done{};
    std::vector<Line> lines;
    for (const std::string& text : texts) {
      const LineMark& mark = marks[appended + lines.size()];
      lines.push_back({text, mark.key, mark.tag});
    }
    DUEL_RETURN_IF_ERROR(to.append_to(experiment, at, lines));
    appended += lines.size();
    at = {at.sequence + lines.size(), hashes[appended - 1]};
    texts.clear();
    bytes = 0;
    return Done{};
  };
  const auto add = [&](std::string_view line) -> Status {
    // The source may have grown since the first reading.
    if (appended + texts.size() == marks.size()) return Done{};
    texts.emplace_back(line);
    bytes += line.size();
    return texts.size() < kGroupLines && bytes < kGroupBytes ? Status(Done{}) : flush();
  };
  DUEL_RETURN_IF_ERROR(from.read(experiment, at.sequence, add));
  DUEL_RETURN_IF_ERROR(flush());
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
  // The spaces that engine.cc, imported_log.cc, api_tokens.cc and certified_notices.cc write. The
  // secret comes last: once the target has it nothing more is copied, so a copy that was cut before
  // can be repeated.
  constexpr std::array<std::string_view, 5> kSpaces = {"token", kTokensMadeSpace, "notice",
                                                       kHalfImportedSpace, "secret"};
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
