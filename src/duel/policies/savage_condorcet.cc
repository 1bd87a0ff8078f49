#include "duel/policies/savage_condorcet.h"

#include "duel/policies/parts/arms.h"
#include "duel/policies/registry.h"

namespace duel {

void CondorcetCriterion::leave_out(Arm arm, LivePairs& live) {
  out_[arm] = 1;
  for (Arm other = 0; other < out_.size(); ++other) live.drop(arm, other);
}

void CondorcetCriterion::rebuild(const PairCounts& counts, const SavageRadius& radius) {
  for (Arm i = 0; i < out_.size(); ++i) {
    out_[i] = 0;
    for (Arm j = 0; j < out_.size(); ++j) {
      if (counts.total(i, j) == 0) continue;
      if (counts.mean(i, j) + radius(counts.duels(i, j)) < 0.5) out_[i] = 1;
    }
  }
}

Arm CondorcetCriterion::leader(const PairCounts& counts, bool deterministic_ties,
                               RoundRng rng) const {
  std::vector<Arm> candidates;
  find_arms(out_, std::uint8_t{0}, candidates);
  // Nobody is left: not while answers about dropped pairs are ignored, but a restored state may.
  if (candidates.empty()) candidates = all_arms(out_.size());
  return empirical_copeland_leader_among(candidates, counts, deterministic_ties, rng);
}

namespace {
const bool savage_condorcet_is_registered = register_policy<SavageCondorcet>(
    {.name = "savage-condorcet",
     .title = "SAVAGE, Condorcet winner",
     .paper = kSavagePaper,
     .setting = "Condorcet winner",
     .guarantee = "stops on the winner within C sum_j j ln(K T/delta)/D_(j+1)^2 duels with "
                  "probability >= 1 - delta",
     .status = "tested",
     .jumping = Jumping::exact},
    savage_options<SavageOptions>());
}  // namespace

}  // namespace duel
