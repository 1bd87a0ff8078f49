#include "duel/continuous/point_trial.h"

#include "duel/core/check.h"

namespace duel {

double win_probability(const PointProblem& problem, std::span<const double> first,
                       std::span<const double> second) {
  return win_probability(problem.link,
                         value_at(problem.value, first) - value_at(problem.value, second));
}

std::vector<double> play_points(PointLearner& learner, const PointProblem& problem,
                                std::span<const Round> checkpoints, std::uint64_t seed,
                                std::uint32_t trial, std::string_view owner) {
  DUEL_CHECK(!checkpoints.empty() && checkpoints.front() >= 1);
  const Stream choices(seed, trial, Purpose::choice, owner);
  const Stream outcomes(seed, trial, Purpose::outcome);
  const double best = largest_value(problem.value, learner.dimension());
  // What an own value costs: computed once while the point stays, and once per proposal.
  double first_value = 0, first_regret = 0, second_regret = 0, probability = 0;
  std::uint64_t moves = ~std::uint64_t{0}, ticket = 0;
  double regret = 0;
  std::vector<double> at;
  at.reserve(checkpoints.size());
  Round round = 1;
  for (const Round checkpoint : checkpoints) {
    DUEL_CHECK(checkpoint + 1 >= round);
    for (; round <= checkpoint; ++round) {
      const PointDuel duel = learner.select(round, choices.at(round));
      const bool moved = learner.moves() != moves;
      if (moved) {
        moves = learner.moves();
        first_value = value_at(problem.value, duel.first);
        first_regret = win_probability(problem.link, best - first_value) - 0.5;
      }
      if (moved || duel.ticket != ticket) {
        ticket = duel.ticket;
        const double second_value = value_at(problem.value, duel.second);
        second_regret = win_probability(problem.link, best - second_value) - 0.5;
        probability = win_probability(problem.link, first_value - second_value);
      }
      regret += first_regret + second_regret;
      RoundRng coin = outcomes.at(round);
      const Outcome outcome =
          coin.bernoulli(probability) ? Outcome::first_wins : Outcome::second_wins;
      learner.observe(duel.ticket, {outcome, probability});
    }
    at.push_back(regret);
  }
  return at;
}

}  // namespace duel
