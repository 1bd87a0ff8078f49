// What a log of credited impressions says of its rankers: every pair at one look, and the
// certificate that holds whenever one looks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/inference/delta_ab.h"
#include "duel/ranking/click_credit/credited_log.h"

namespace duel {

struct PairAtOneLook {
  std::uint32_t first = 0, second = 0;  // the one that appeared earlier first
  std::uint64_t impressions = 0, no_feedback = 0, no_contest = 0;
  DeltaAb delta;
};

struct ClickVerdictSpec {
  std::string experiment_id = "clicks";
  double alpha = 0.05;  // of the certificate
  DeltaOptions delta;
};

struct ClickVerdict {
  std::vector<PairAtOneLook> pairs;
  std::uint64_t answers = 0;
  std::uint64_t evidence = 0;           // answers that may be evidence
  std::optional<std::string> sentence;  // of the certificate; none without an answer
  std::string if_wrong;                 // what would overturn it; "" without a certificate
};

Result<ClickVerdict> click_verdict(const CreditedLog& log, const ClickVerdictSpec& spec);

// Both together, as `duel credit --json` prints them.
Json to_json(const CreditedLog& log, const ClickVerdict& verdict);

}  // namespace duel
