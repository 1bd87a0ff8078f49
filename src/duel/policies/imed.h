// Indexed minimum empirical divergence for duels (D-IMED).
// Ours, in the spirit of IMED: Honda and Takemura, JMLR 2015.
// Assumes    a Condorcet winner.
// Guarantee  none proved.
// Cost       O(K) per informative duel, O(K^2) in the rounds that look for a target; 20 bytes per
//            ordered pair.
// Departs    not a published algorithm. Evidence is held on a grid of 2^-36, as in RMED. With duels
//            outstanding those count in n, not in the evidence.
//
// T_ij = n_ij d(mean(i,j), 1/2) where i loses to j, I_i = sum_j T_ij, m_i = #{j : T_ij > 0}. The
// champion a has the least I. The evidence against another arm i is
//   e_i = max(T_ia, I_i - I_a - kappa max(0, m_i - 1)):
// a sum over many opponents is inflated by chance, and kappa takes that back. Its index is h_i =
// e_i + c ln n_ia, minus infinity where the two never met. The arm b with the least index meets a
// if h_b <= ln t; otherwise (a, a) is played, and the round at which ln t reaches h_b is known.
//
// With `target`, b meets the opponent o that is the cheapest proof of its being beaten instead:
// argmin over j that beat b of (r_b + r_j + .001)/d(mu_bj, 1/2), r_j = max(0, mu_aj - 1/2), where
// mu counts 5 extra wins on each side; unless it met a too seldom, n_ba ln ln(t + 20) < n_bo. Then
// n_ia in the index is the number of duels of i against arms that beat it (and a).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "duel/core/pair_counts.h"
#include "duel/policies/parts/arms.h"
#include "duel/policies/parts/pending_pairs.h"
#include "duel/policies/policy.h"

namespace duel {

struct ImedOptions : PolicyOptions {
  double c = 0.65;      // weight of ln n in the index
  double kappa = 0.25;  // taken back from the evidence per opponent beyond the first
  bool target = false;  // meet the cheapest opponent instead of the champion
};

class Imed : public SelectingPolicy<Imed> {
 public:
  using Options = ImedOptions;

  Imed(const Options& options, std::size_t num_arms, RoundRng rng);

  Duel select(Round round, RoundRng rng) const;
  void issued(const Duel& duel, RoundRng /*rng*/) {
    if (!duel.is_self()) pending_.issued(duel.first, duel.second);
  }
  void observe(const Duel& duel, Outcome outcome, RoundRng rng);
  // The champion.
  Arm recommend(RoundRng rng) const { return champion(rng); }
  Jump jump(Round round, Round limit, RoundRng rng) const;

  template <class Archive>
  void fields(Archive& archive) {
    archive(counts_, pending_);
  }
  bool restored();

 private:
  Arm champion(RoundRng& rng) const;
  bool has_one_champion() const;
  // h_i against the champion, on the grid; kNever below where they never met.
  std::int64_t index_of(Arm i, Arm champion) const;
  // The arms other than the champion with the least index.
  LeastArms<std::int64_t> next_in_line(Arm champion) const;
  Arm target_of(Arm b, Arm champion, Round round, RoundRng& rng) const;
  void refresh_pair(Arm i, Arm j);
  std::int64_t term(Arm i, Arm j) const { return term_[i * counts_.num_arms() + j]; }
  double duels_with_pending(Arm i, Arm j) const;

  Options options_;
  PairCounts counts_;
  std::int64_t kappa_;  // on the grid
  // Derived from the counts: T_ij on the grid, I_i, m_i, and the duels that speak against i.
  std::vector<std::int64_t> term_;
  std::vector<std::int64_t> evidence_;
  std::vector<std::uint32_t> beaten_by_;
  std::vector<std::uint64_t> lost_points_;  // half duels against arms that beat i
  std::vector<std::int64_t> log_duels_;     // c ln n_ij on the grid
  mutable std::vector<Arm> room_;           // scratch
  PendingPairs pending_;
};

}  // namespace duel
