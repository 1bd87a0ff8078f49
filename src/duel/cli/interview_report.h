// What came out of `duel run` or `duel vote`: the verdict in a sentence, the matrix, what it cost.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "duel/cli/command.h"
#include "duel/cli/interview_options.h"
#include "duel/core/json.h"
#include "duel/study/round_robin.h"
#include "duel/verdict/health.h"
#include "duel/verdict/standing.h"

namespace duel::cli {

class InterviewReport {
 public:
  // REQUIRES: `interview` outlives the report.
  InterviewReport(const Interview& interview, RunEnding ending);

  Json to_json(const Json& extra) const;
  bool healthy() const { return overall(health) != HealthVerdict::failed; }
  std::string to_text(const Paint& paint) const;

  std::string certificate;  // its file; "" where there is none
  std::optional<RoundRobinCost> round_robin;
  // Of all answers; of a certificate, of those that it stands on: what was still out when it came
  // is not lost to it.
  std::vector<HealthCheck> health;

 private:
  // At most `width` columns wide where two opponents or more fit.
  std::string matrix(std::size_t width) const;
  // The first line of the arm that won or leads, where it is a text; "" otherwise.
  std::string leader_text(std::size_t width) const;
  std::string matrix_of(const std::vector<Arm>& order, std::size_t columns) const;
  std::string duels() const;
  std::string cost() const;
  const std::string& id(Arm arm) const { return interview_.ledger().id_of(arm); }

  const Interview& interview_;
  RunEnding ending_;
  Standing standing_;
};

}  // namespace duel::cli
