#include "duel/policies/lin_maxinp.h"

namespace duel {

// An arm is held against those of a larger mean alone; the largest ones come first, since they
// shut out most.
std::vector<Arm> LinMaxInp::candidates(const LinearView& view, double b) {
  const std::vector<Arm> by_mean =
      sorted_by(all_arms(view.num_arms()), [&](Arm arm) { return view.mean(arm); });
  std::vector<Arm> left;
  for (const Arm i : by_mean) {
    bool may_be_best = true;
    for (const Arm j : by_mean) {
      if (view.mean(j) <= view.mean(i)) break;
      if (view.mean(i) - view.mean(j) + b * view.width(i, j) >= 0) continue;
      may_be_best = false;
      break;
    }
    if (may_be_best) left.push_back(i);
  }
  std::sort(left.begin(), left.end());
  return left;
}

Duel LinMaxInp::choose(double b, Round round, RoundRng rng) const {
  const LinearView seen = view();
  const std::vector<Arm> left = candidates(seen, b);
  if (left.size() == 1) return {left.front(), left.front(), round};
  // |x_i - x_j| <= |x_i| + |x_j|, but for rounding: arms with long rows first, so that few pairs
  // are looked at.
  constexpr double kRounding = 1 + 1e-9;
  const std::vector<Arm> by_width = sorted_by(left, [&](Arm arm) { return seen.width(arm); });
  BestPairs widest;
  for (std::size_t m = 0; m < by_width.size(); ++m) {
    const Arm i = by_width[m];
    for (std::size_t n = m + 1; n < by_width.size(); ++n) {
      const Arm j = by_width[n];
      if ((seen.width(i) + seen.width(j)) * kRounding < widest.value()) break;
      widest.offer(i, j, seen.width(i, j));
    }
  }
  return widest.pick(round, deterministic_ties(), rng);
}

Jump LinMaxInp::jump(Round round, Round limit, RoundRng /*rng*/) const {
  const LinearView seen = view();
  return jump_until(width_, seen, seen.best(), round, limit,
                    [&](double b) { return candidates(seen, b).size() > 1; });
}

namespace {

const bool lin_maxinp_is_registered = register_policy<LinMaxInp>(
    {.name = "lin-maxinp",
     .title = "Maximum informative pair (MaxInP)",
     .paper = "Saha: Optimal Algorithms for Stochastic Contextual Preference Bandits. NeurIPS "
              "2021, Algorithm 1",
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
