#include "duel/policies/colstim.h"

namespace duel {
namespace {

double gumbel(RoundRng& rng) { return -natural_log(-natural_log(rng.uniform_open())); }

}  // namespace

double Colstim::disturbed_alone(std::size_t d, Round t, Round horizon) {
  const auto width = static_cast<double>(d);
  return std::min(
      1.0, width * (natural_log(width) + log_round(horizon)) / std::sqrt(static_cast<double>(t)));
}

Duel Colstim::select(Round round, RoundRng rng) const {
  const LinearView seen = view();
  const double most = bound(1, round);
  const bool alone = rng.uniform() < disturbed_alone(utility().width(), round, round) || !coupling_;
  const auto disturbance = [&] { return std::clamp(gumbel(rng), -most, most); };
  const double common = disturbance();
  std::vector<double> scores(num_arms());
  for (Arm k = 0; k < num_arms(); ++k) {
    scores[k] = seen.mean(k) + (alone ? disturbance() : common) * seen.width(k);
  }
  const std::vector<Arm> arms = all_arms(num_arms());
  const Arm first =
      largest_of(arms, deterministic_ties(), rng, [&](Arm arm) { return scores[arm]; });
  const double b = bound(width_, round);
  const Arm second = largest_of(arms, deterministic_ties(), rng, [&](Arm arm) {
    if (arm == first) return exclude_self_ ? -HUGE_VAL : 0.0;
    return seen.mean(arm) - seen.mean(first) + b * seen.width(arm, first);
  });
  return {first, second, round};
}

namespace {

const bool colstim_is_registered = register_policy<Colstim>(
    {.name = "colstim",
     .title = "CoLSTIM",
     .paper = "Bengs, Saha, Hullermeier: Stochastic Contextual Dueling Bandits under Linear "
              "Stochastic Transitivity Models. ICML 2022, Algorithm 1",
     .setting = "arms or contexts with features, utilities linear in them",
     .guarantee =
         "weak regret O(sqrt(d T)) up to logarithms, if the smallest eigenvalue of V grows",
     .departs = "the horizon is the present round; disturbances are independent with probability "
                "p_t, which falls, and common otherwise",
     .status = "tested",
     .keeps_pairs = false,
     .uses_features = true},
    linear_width_options<ColstimOptions>()
        .flag("coupling", &ColstimOptions::coupling,
              "more and more often the same disturbance for all arms, so that exploration fades")
        .flag("exclude_self", &ColstimOptions::exclude_self,
              "never an arm by itself, for weak regret"));

}  // namespace
}  // namespace duel
