#include "duel/study/tuning_trial.h"

#include <fmt/format.h>

#include "duel/core/check.h"
#include "duel/core/logarithm.h"
#include "duel/core/rng.h"

namespace duel {

SpacePtr unit_cube(std::size_t dimension) {
  std::vector<Dimension> dimensions;
  for (std::size_t k = 0; k < dimension; ++k) {
    dimensions.push_back({.name = fmt::format("x{}", k + 1), .in_use = 0.5});
  }
  auto space = Space::make(std::move(dimensions));
  DUEL_CHECK(space.ok());
  return std::make_shared<const Space>(*std::move(space));
}

TuningTrial play_tuning(const ConfiguredTuner& tuner, const SpacePtr& space,
                        const TuningProblem& problem, const TuningTrialOptions& options,
                        std::span<const std::uint64_t> checkpoints) {
  DUEL_CHECK(space->size() == problem.dimension());
  const TunerSetting setting{space, options.duels, options.seed, options.trial};
  PointSearch search(tuner, setting, {.warmup = options.warmup});
  PointProof proof(options.alpha, false);
  const Stream outcomes(options.seed, options.trial, Purpose::outcome);
  TuningTrial trial;
  auto checkpoint = checkpoints.begin();
  std::uint64_t proved = 0;  // duels of the candidate
  const auto give_up = [&] {
    proof.give_up();
    search.drop();
  };
  for (std::uint64_t n = 1; n <= options.duels; ++n) {
    if (options.proves) {
      const bool adversary_wants =
          proof.stands() && proved > 0 &&
          (proof.log_evidence() <
               (options.give_up.below > 0 ? natural_log(options.give_up.below) : -1e300) ||
           (options.give_up.every > 0 && proved >= options.give_up.every));
      if (adversary_wants) give_up();
      for (auto due = search.due(proof); due != PointSearch::Due::nothing;
           due = search.due(proof)) {
        if (due == PointSearch::Due::give_up) {
          give_up();
        } else {
          proof.take();
          search.take();
          proved = 0;
        }
      }
    }
    const PointSearch::Next next = search.next(proof);
    RoundRng rng = outcomes.at(n);
    const bool tie = options.ties > 0 && rng.bernoulli(options.ties);
    const bool first = rng.bernoulli(problem.win_probability(next.pair.first, next.pair.second));
    const Outcome outcome = tie ? Outcome::tie : first ? Outcome::first_wins : Outcome::second_wins;
    if (next.proof) {
      ++proved;
      proof.answered(proof.served(), outcome);
    }
    search.tell(next.pair, outcome);
    if (checkpoint != checkpoints.end() && *checkpoint == n) {
      trial.worth.push_back(problem.beats_in_use(search.tuner().recommend()));
      ++checkpoint;
    }
    if (proof.certified() && !trial.certified_after) {
      trial.certified_after = n;
      trial.certified_worth = problem.beats_in_use(search.candidate());
      if (options.ends_when_certified) break;
    }
    if (proof.certified()) search.drop();
  }
  trial.candidates = proof.candidates();
  return trial;
}

}  // namespace duel
