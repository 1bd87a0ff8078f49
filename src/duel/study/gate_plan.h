// How many answers a gate takes (inference/gate.h): simulated for a candidate that makes no
// difference, and for one that is worse by exactly the margin. Every number depends on the seed
// alone.
#pragma once

#include <cstdint>

#include "duel/core/described.h"
#include "duel/core/result.h"
#include "duel/inference/gate.h"

namespace duel {

struct GatePlanSpec {
  GateRule rule;                   // of one candidate
  double tie_rate = 0;             // share of the answers that are ties
  std::uint64_t max_duels = 2000;  // then a gate is undecided
  std::uint32_t trials = 1000;
  std::uint64_t seed = 0;
};

// Over all trials.
struct GateForecast {
  double mean_score = 0.5;  // of the candidate, in truth
  std::uint64_t passed = 0, failed = 0, undecided = 0;
  std::uint64_t p10 = 0, p50 = 0, p90 = 0;  // answers; an undecided gate has had all of them

  static constexpr std::string_view schema = "GateForecast";
  static constexpr FieldList fields{
      required("mean_score", &GateForecast::mean_score, "of the candidate, in truth"),
      required("passed", &GateForecast::passed, "simulated gates"),
      required("failed", &GateForecast::failed),
      required("undecided", &GateForecast::undecided),
      required("p10", &GateForecast::p10, "answers; an undecided gate has had all of them"),
      required("p50", &GateForecast::p50),
      required("p90", &GateForecast::p90)};
};

struct GatePlan {
  GateForecast no_difference, at_the_margin;

  static constexpr std::string_view schema = "GatePlan";
  static constexpr FieldList fields{required("no_difference", &GatePlan::no_difference),
                                    required("at_the_margin", &GatePlan::at_the_margin)};
};

// An error names the field that is out of range: with too many ties no mean is as low as the
// margin.
Result<GatePlan> plan_of_gate(const GatePlanSpec& spec);

}  // namespace duel
