#include "duel/policies/lin_ts.h"

namespace duel {

Arm LinTs::best_of_draw(RoundRng& rng) const {
  const std::vector<double> theta = utility().drawn(a_, rng);
  return largest_of(all_arms(num_arms()), deterministic_ties(), rng,
                    [&](Arm arm) { return dot(theta, rows()[arm]); });
}

Duel LinTs::select(Round round, RoundRng rng) const {
  const Arm first = best_of_draw(rng);
  const Arm second = best_of_draw(rng);
  return {first, second, round};
}

namespace {

const bool lin_ts_is_registered = register_policy<LinTs>(
    {.name = "lin-ts",
     .title = "Thompson sampling with a linear utility",
     .paper = "ours; after Chapelle, Li: An Empirical Evaluation of Thompson Sampling. NIPS 2011, "
              "Algorithm 3, and Sui, Zhuang, Burdick, Yue: Multi-dueling Bandits with Dependent "
              "Arms. UAI 2017",
     .setting = "arms or contexts with features, utilities linear in them",
     .guarantee = "none proved",
     .departs = "not a published algorithm",
     .status = "tested",
     .keeps_pairs = false,
     .uses_features = true},
    linear_options<LinTsOptions>().number("a", &LinTsOptions::a, {.least = 0},
                                          "spread of the draws, in deviations of the posterior",
                                          Shown::always));

}  // namespace
}  // namespace duel
