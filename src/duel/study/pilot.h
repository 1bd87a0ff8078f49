// What a pilot saw: who beat whom how often.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/result.h"
#include "duel/experiment/comparison_table.h"

namespace duel {

struct Pilot {
  std::string name;
  std::vector<std::string> arms;    // in order of appearance
  std::vector<std::uint64_t> wins;  // row major, K x K
  std::uint64_t ties = 0;           // ties, both bad, skips, invalid answers: no evidence
  std::uint64_t decisive = 0;

  std::uint64_t won(Arm i, Arm j) const { return wins[i * arms.size() + j]; }
};

// An error where fewer than two arms were compared, or more than a K x K table is for.
Result<Pilot> pilot_of(const ComparisonTable& table, const std::string& name);
// The log of an experiment, or comparisons in a file (experiment/comparison_table.h).
Result<Pilot> read_pilot(const std::filesystem::path& file);

}  // namespace duel
