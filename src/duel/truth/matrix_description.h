// All there is to say of one preference matrix, for people to be told in words and for programs as
// JSON (docs/formats.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/truth/assumptions.h"
#include "duel/truth/lower_bound.h"
#include "duel/truth/preference_matrix.h"
#include "duel/truth/winners.h"

namespace duel {

// Whether an assumption holds of a matrix.
struct AssumptionVerdict {
  std::string name;  // "condorcet", "total-order", "wst", "sst", "sti"
  bool holds = true;
  std::string detail;         // the Condorcet winner or why there is none; or the worst violation
  const char* examines = "";  // what may violate it: "pairs", "chains"
  std::uint64_t violations = 0;  // of so many
  std::uint64_t examined = 0;
  Json json;
};

struct MatrixDescription {
  // REQUIRES: `about` outlives the description.
  explicit MatrixDescription(const PreferenceMatrix& about);

  // The verdicts about the total order and about chains.
  std::vector<AssumptionVerdict> verdicts() const;
  Json to_json() const;

  const PreferenceMatrix& matrix;
  std::optional<Arm> winner;  // who beats every other arm
  CopelandScores copeland;
  BordaScores borda;
  std::vector<Arm> smith;
  Result<VonNeumannWinner> von_neumann;
  MatrixGaps gaps;
  std::vector<std::uint32_t> merit;  // rank of each arm
  Assumptions assumptions;
  std::optional<LowerBound> bound;    // needs a winner
  std::vector<double> subset_shares;  // of the subsets of 1, 2, .. arms, those with a winner
};

std::vector<std::string> names_of(const PreferenceMatrix& matrix, const std::vector<Arm>& arms);

// The assumptions that can be required of a matrix.
std::vector<std::string> requirement_names();
// An error for an unknown requirement, with the nearest spelling.
Result<std::vector<AssumptionVerdict>> check_requirements(const PreferenceMatrix& matrix,
                                                          const std::vector<std::string>& require);
bool all_hold(const std::vector<AssumptionVerdict>& verdicts);
Json to_json(const PreferenceMatrix& matrix, const std::vector<AssumptionVerdict>& verdicts);

}  // namespace duel
