#include "duel/policies/uniform.h"

#include "duel/policies/parts/arms.h"
#include "duel/policies/registry.h"

namespace duel {

Duel Uniform::select(Round round, RoundRng rng) const {
  const std::size_t num_arms = counts_.num_arms();
  if (num_arms == 1) return {0, 0, round};
  const auto first = static_cast<Arm>(rng.below(num_arms));
  return {first, draw_other(first, num_arms, rng), round};
}

namespace {
const bool uniform_is_registered =
    register_policy<Uniform>({.name = "uniform",
                              .title = "Uniform random pairs",
                              .paper = "baseline",
                              .setting = "any",
                              .guarantee = "none: regret grows linearly, T times the mean gap",
                              .status = "tested"},
                             {});
}  // namespace

}  // namespace duel
