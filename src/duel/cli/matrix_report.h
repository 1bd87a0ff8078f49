// What there is to say of one preference matrix, as text for people and as JSON (docs/formats.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "duel/cli/command.h"
#include "duel/core/json.h"
#include "duel/truth/assumptions.h"
#include "duel/truth/lower_bound.h"
#include "duel/truth/preference_matrix.h"
#include "duel/truth/winners.h"

namespace duel::cli {

class MatrixReport {
 public:
  // REQUIRES: `matrix` outlives the report.
  explicit MatrixReport(const PreferenceMatrix& matrix);

  Json to_json() const;
  std::string to_text(const Paint& paint) const;

 private:
  std::string cells() const;
  std::string winners(const Paint& paint) const;
  std::string arms(const Paint& paint) const;
  std::string assumptions(const Paint& paint) const;
  std::string bounds(const Paint& paint) const;

  const PreferenceMatrix& matrix_;
  std::optional<Arm> winner_;
  CopelandScores copeland_;
  BordaScores borda_;
  std::vector<Arm> smith_;
  Result<VonNeumannWinner> von_neumann_;
  MatrixGaps gaps_;
  std::vector<std::uint32_t> merit_;
  Assumptions assumptions_;
  std::optional<LowerBound> bound_;
  std::vector<double> subset_shares_;
};

// One assumption that `duel matrix check --require` can ask for.
struct RequirementVerdict {
  std::string require;  // "condorcet", "total-order", "wst", "sst", "sti"
  bool holds = true;
  std::string detail;  // the winner, or the worst violation and how many there are
  Json json;
};

std::vector<std::string> requirement_names();
// An error for an unknown requirement, with the nearest spelling.
Result<std::vector<RequirementVerdict>> check_requirements(
    const PreferenceMatrix& matrix, const std::vector<std::string>& requirements);

// JSON for people: indented, and text that is not UTF-8 replaced instead of refused.

}  // namespace duel::cli
