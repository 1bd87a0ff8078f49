#include "duel/policies/lin_maxpairucb.h"

namespace duel {

// |x_i - x_j| <= |x_i| + |x_j|, but for rounding, so that a pair is worth at most what is `alone`
// of both: arms of which that is much come first, and few pairs are looked at.
BestPairs LinMaxPairUcb::best_pairs(const LinearView& view, double b) {
  const auto alone = [&](Arm arm) { return view.mean(arm) + b * view.width(arm); };
  const std::vector<Arm> order = sorted_by(all_arms(view.num_arms()), alone);
  BestPairs best;
  const auto out_of_reach = [&](double most) {
    return most + 1e-9 * (1 + std::fabs(most)) < best.value();
  };
  for (std::size_t m = 0; m < order.size(); ++m) {
    const Arm i = order[m];
    if (out_of_reach(2 * alone(i))) break;
    best.offer(i, i, 2 * view.mean(i));
    for (std::size_t n = m + 1; n < order.size(); ++n) {
      const Arm j = order[n];
      if (out_of_reach(alone(i) + alone(j))) break;
      best.offer(i, j, view.mean(i) + view.mean(j) + b * view.width(i, j));
    }
  }
  return best;
}

Jump LinMaxPairUcb::jump(Round round, Round limit, RoundRng /*rng*/) const {
  const LinearView seen = view();
  const Arm arm = seen.best();
  return jump_until(width_, seen, arm, round, limit, [&](double b) {
    const BestPairs best = best_pairs(seen, b);
    return best.pairs().size() > 1 || best.pairs().front() != std::pair(arm, arm);
  });
}

namespace {

const bool lin_maxpairucb_is_registered = register_policy<LinMaxPairUcb>(
    {.name = "lin-maxpairucb",
     .title = "MaxPairUCB",
     .paper = "after Saha: Optimal Algorithms for Stochastic Contextual Preference Bandits. "
              "NeurIPS 2021; a baseline of Di, Jin, Wu, Zhao, Farnoud, Gu: Variance-Aware Regret "
              "Bounds for Stochastic Contextual Dueling Bandits. ICLR 2024",
     .setting = "arms or contexts with features, utilities linear in them",
     .guarantee = "O(d sqrt(T)) up to logarithms, for a width far beyond the default",
     .departs = "no random pairs at the start, since a ridge makes the estimate exist; bounds of "
                "width sqrt(d ln(t + 1)) as published runs take them",
     .status = "tested",
     .jumping = Jumping::exact,
     .keeps_pairs = false,
     .uses_features = true},
    linear_width_options<LinearWidthOptions>());

}  // namespace
}  // namespace duel
