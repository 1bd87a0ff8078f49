#include "duel/judging/unchanged_arms.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <optional>
#include <utility>

#include "duel/core/digest.h"
#include "duel/core/whole_file.h"

namespace duel {

UnchangedArms::UnchangedArms(Questions& questions, const std::vector<ListedArm>& arms)
    : questions_(questions) {
  for (const ListedArm& arm : arms) {
    files_[arm.shown.arm_id] = {time_of(arm.shown.path), arm.sha256};
  }
}

UnchangedArms::FileTime UnchangedArms::time_of(const std::string& path) {
  struct stat status{};
  if (path.empty() || ::stat(path.c_str(), &status) != 0) return {};
  return {status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_size};
}

Status UnchangedArms::check(const ShownArm& arm) {
  File& file = files_.at(arm.arm_id);
  const FileTime now = time_of(arm.path);
  if (now == file.seen) return Done{};
  const auto content = read_whole_file(arm.path, kMostBytesOfFile);
  if (!content.ok() || sha256_hex(*content) != file.sha256) {
    return Error::invalid_data(
        fmt::format("the content of arm '{}' has changed while the run went on", arm.arm_id),
        arm.path, "duels about the old content say nothing about the new; begin a new log");
  }
  file.seen = now;  // written again with the same content
  return Done{};
}

Result<Taken> UnchangedArms::answer(std::vector<Given> given) {
  std::optional<Error> changed;
  for (Given& one : given) {
    if (one.judgements.empty()) continue;
    Status same = check(one.question.first);
    if (same.ok()) same = check(one.question.second);
    if (same.ok()) continue;
    one.judgements.clear();
    one.missing = Missing::lost;
    one.why = same.error().message;
    if (!changed) changed = same.error();
  }
  DUEL_ASSIGN(Taken taken, questions_.answer(std::move(given)));
  if (changed) taken.ends = std::move(changed);
  return taken;
}

}  // namespace duel
