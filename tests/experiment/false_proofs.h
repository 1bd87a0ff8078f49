// False proofs where no point beats the one in use.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "duel/continuous/tuner.h"
#include "duel/continuous/tuning_problem.h"
#include "duel/study/tuning_trial.h"

namespace duel {

// Of so many runs, those that proved something.
inline std::uint64_t false_proofs(const std::string& name, std::size_t dimension,
                                  std::uint64_t runs, const TuningTrialOptions& base,
                                  Landscape landscape = Landscape::flat) {
  const SpacePtr space = unit_cube(dimension);
  const auto tuner = configure_tuner(name, dimension, base.duels).value();
  const TuningProblem problem(landscape, dimension, 1);
  std::uint64_t proofs = 0;
  for (std::uint64_t run = 0; run < runs; ++run) {
    TuningTrialOptions options = base;
    options.trial = static_cast<std::uint32_t>(run);
    if (play_tuning(*tuner, space, problem, options).certified_after) ++proofs;
  }
  return proofs;
}

// The bound is alpha whatever gives candidates up; a count of independent runs passes it by five
// standard errors less than once in a million times. A wrong version that gives all of alpha to
// every candidate is caught by an adversary that goes through many of them.
inline double most_false_proofs(double alpha, std::uint64_t runs) {
  const auto n = static_cast<double>(runs);
  return n * alpha + 5 * std::sqrt(n * alpha * (1 - alpha));
}

}  // namespace duel
