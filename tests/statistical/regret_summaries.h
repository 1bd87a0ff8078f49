// What our own trials of a policy show, for comparison with published values.
#pragma once

#include <string>
#include <vector>

#include "duel/core/call_spec.h"
#include "duel/simulation/aggregate.h"
#include "duel/simulation/simulation.h"

namespace duel {

// Regret at each checkpoint.
inline std::vector<Summary> regret_summaries(const PreferenceMatrix& matrix,
                                             const std::string& policy,
                                             const std::vector<Round>& checkpoints,
                                             RegretNotion notion, std::uint32_t trials,
                                             std::uint64_t seed) {
  SimulationPlan plan;
  plan.matrix = &matrix;
  plan.policies = {parse_call(policy).value()};
  plan.checkpoints = checkpoints;
  plan.regrets = {notion};
  plan.trials = trials;
  plan.seed = seed;
  const PolicyRecord record = Simulation::create(plan).value().run(0).value();
  std::vector<Summary> summaries;
  for (std::size_t c = 0; c < checkpoints.size(); ++c) {
    std::vector<double> values;
    for (std::uint32_t k = 0; k < trials; ++k) values.push_back(record.trials.value(k, c, 0));
    summaries.push_back(summarize(values));
  }
  return summaries;
}

}  // namespace duel
