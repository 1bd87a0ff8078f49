#include "duel/study/pilot.h"

#include <fmt/format.h>

#include <unordered_map>

#include "duel/core/check.h"
#include "duel/core/numbers.h"
#include "duel/log/experiment_log.h"

namespace duel {

Result<Pilot> pilot_of(const ComparisonTable& table, const std::string& name) {
  constexpr std::size_t kMostArms = 2000;
  Pilot pilot;
  pilot.name = name;
  std::unordered_map<std::string, Arm> index;
  for (const ArmEntry& arm : table.arms) {
    index.emplace(arm.id, static_cast<Arm>(pilot.arms.size()));
    pilot.arms.push_back(arm.id);
  }
  const std::size_t num_arms = pilot.arms.size();
  if (num_arms < 2) {
    return Error::invalid_data("holds comparisons of " + counted(num_arms, "arm"), name,
                               "at least two are needed");
  }
  if (num_arms > kMostArms) {
    return Error::unsupported(fmt::format("has more than {} arms", kMostArms), name,
                              "is this a table of comparisons?");
  }
  pilot.wins.resize(num_arms * num_arms);
  for (const ComparisonRecord& row : table.rows) {
    if (row.first == row.second) continue;  // an A/A duel says nothing of who is better
    if (row.answer.result != Answered::win) {
      ++pilot.ties;
      continue;
    }
    DUEL_CHECK(row.answer.winner == row.first || row.answer.winner == row.second);
    const std::string& loser = row.answer.winner == row.first ? row.second : row.first;
    ++pilot.wins[index.at(row.answer.winner) * num_arms + index.at(loser)];
    ++pilot.decisive;
  }
  return pilot;
}

Result<Pilot> read_pilot(const std::filesystem::path& file) {
  DUEL_ASSIGN(const ComparisonTable table,
              begins_as_log(file) ? comparisons_of_log(file) : read_comparisons(file));
  return pilot_of(table, file.string());
}

}  // namespace duel
