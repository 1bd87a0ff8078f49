// One trial of a tuner and the proof of its points (experiment/point_search.h) against a hidden
// utility (continuous/tuning_problem.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "duel/continuous/tuner.h"
#include "duel/continuous/tuning_problem.h"
#include "duel/experiment/point_search.h"

namespace duel {

// Who gives candidates up besides the rule: nobody; or somebody who does it as soon as the evidence
// is below a number, or after every so many duels of a candidate. The level has to hold for each.
struct GiveUpRule {
  double below = 0;         // evidence; 0: never
  std::uint64_t every = 0;  // proof duels of a candidate; 0: never
};

struct TuningTrialOptions {
  std::uint64_t duels = 1000;
  bool proves = true;  // false: the search alone
  bool ends_when_certified = true;
  double alpha = 0.05;
  std::uint64_t warmup = 0;
  GiveUpRule give_up{};
  double ties = 0;  // share of answers that name none, whatever the points
  std::uint64_t seed = 0;
  std::uint32_t trial = 0;
};

struct TuningTrial {
  // P(recommendation beats the point in use) after so many duels, for each that was asked for.
  std::vector<double> worth;
  std::optional<std::uint64_t> certified_after;  // duels
  double certified_worth = 0.5;                  // of the certified point
  std::uint64_t candidates = 0;
};

TuningTrial play_tuning(const ConfiguredTuner& tuner, const SpacePtr& space,
                        const TuningProblem& problem, const TuningTrialOptions& options,
                        std::span<const std::uint64_t> checkpoints = {});

// The unit cube without steps, the point in use at its centre.
SpacePtr unit_cube(std::size_t dimension);

}  // namespace duel
