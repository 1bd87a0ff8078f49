// The fewest duels to a certificate: a likely winner meets the arms that it has not beaten yet.
// Ours; the two draws are those of top-two Thompson sampling: Russo, COLT 2016.
// Assumes    nothing; made for a Condorcet winner or the proof that there is none.
// Guarantee  none proved. It never plays a self-duel, so that regret grows linearly.
// Cost       O(K |C|) per duel for |C| arms not beaten yet; 33 bytes per ordered pair.
// Departs    not a published algorithm. Outstanding duels count as won by the leader, so that a
//            burst spreads over its rivals.
//
// A certificate for i needs E_ij >= c against every other arm j, and "no winner" needs for every
// arm one with E_ij >= c' (inference/error_budget.h, c and c' of a fixed set of arms), so that
// duels of the winner with arms that it has not beaten are work that must be done, and all others
// are the price of finding it. With pi_ij = P(theta_ij > 1/2), theta_ij ~ Beta(w_ij + 1, w_ji + 1):
//   1. Leader: half of the time the likeliest winner, argmax_i prod_j pi_ij. Otherwise a tournament
//      is sampled from the beliefs, and the arm with the most wins leads, of several the likeliest
//      winner: a quarter of the time among all arms, a quarter among those that were beaten least
//      (by nobody; by E >= c; by E >= c').
//   2. Rival: of the arms that the leader has not beaten (of all, if it has beaten all), a fair
//      coin takes the one it is least sure to beat, argmin_j pi_ij. Otherwise each draws a
//      theta_ji, and the largest takes it.
// The likeliest alone wastes least, but it can be trapped: by an unlucky start of the winner, and
// by two arms that are nearly even, which hide for thousands of duels that a third would beat both.
// The draws end that. An arm that was beaten by bad luck comes back as the leader of a tournament
// among all. Where there is no Condorcet winner, the least beaten arm leads and its surest rival
// refutes it, until all are refuted.
//
// For an arm that loses to no other by more than epsilon, E_ij is the evidence of that, and nobody
// is ruled out by it: both arms of a pair may be good enough, so that every arm may lead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "duel/core/goal.h"
#include "duel/core/pair_counts.h"
#include "duel/inference/evidence.h"
#include "duel/policies/parts/beliefs.h"
#include "duel/policies/parts/pending_pairs.h"
#include "duel/policies/policy.h"
#include "duel/policies/registry.h"

namespace duel {

struct CertifyOptions : PolicyOptions {
  CertifyOptions() { ties = Ties::drop; }  // as certificates do
  double certificate_alpha = 0.05;         // level of the certificate in view
  bool shared_causes = false;              // and whether its threshold is K/alpha
  // What it is about: condorcet and epsilon here, set, order and ranking in certify_order.h.
  Goal::Kind goal = Goal::condorcet;
  std::uint64_t k = 0;
  double epsilon = 0;
  Assumption assume = Assumption::none;

  Goal in_view() const { return {goal, k, epsilon, assume}; }
  void set_defaults(const PolicySetting& setting);
};

// The duels of `certify`, whatever its goal. It believes hearsay, and goes on until the evidence is
// there without it.
template <class Derived>
class CertifyingPolicy : public SelectingPolicy<Derived> {
 public:
  using Options = CertifyOptions;
  static constexpr bool kTakesHearsay = true;

  void issued(const Duel& duel, RoundRng /*rng*/) {
    if (!duel.is_self()) pending_.issued(duel.first, duel.second);
  }

 protected:
  CertifyingPolicy(const Options& options, std::size_t num_arms)
      : options_(options), counts_(num_arms), hearsay_(num_arms) {}

  // False where the answer adds nothing.
  bool count(const Duel& duel, Outcome outcome, RoundRng& rng) {
    if (duel.is_self()) return false;
    if (!duel.foreign) pending_.settled(duel.first, duel.second);
    const auto points = points_of(outcome, options_.ties, rng);
    if (!points) return false;
    counts_.add(duel.first, duel.second, *points);
    if (duel.hearsay) hearsay_.add(duel.first, duel.second, *points);
    return true;
  }
  // The wins that are evidence; a tie's half is none.
  std::uint32_t wins(Arm i, Arm j) const {
    return counts_.points(i, j) / 2 - hearsay_.points(i, j) / 2;
  }
  bool consistent() const {
    bool fits = counts_.consistent() && hearsay_.consistent() &&
                hearsay_.num_arms() == counts_.num_arms() && pending_.valid_for(counts_.num_arms());
    if (!fits) return false;
    hearsay_.for_each_met_pair([&](Arm i, Arm j) {
      fits = fits && hearsay_.points(i, j) <= counts_.points(i, j) &&
             hearsay_.points(j, i) <= counts_.points(j, i);
    });
    return fits;
  }

  Options options_;
  PairCounts counts_;
  PairCounts hearsay_;  // of these, what is no evidence
  PendingPairs pending_;
};

class Certify : public CertifyingPolicy<Certify> {
 public:
  Certify(const Options& options, std::size_t num_arms, RoundRng rng);

  Duel select(Round round, RoundRng rng) const;
  void observe(const Duel& duel, Outcome outcome, RoundRng rng) {
    if (count(duel, outcome, rng)) refresh_pair(duel.first, duel.second);
  }
  // The likeliest winner.
  Arm recommend(RoundRng rng) const { return likeliest_winner(rng); }

  void fields(auto& archive) { archive(counts_, hearsay_, beaten_, pending_); }
  bool restored();

 private:
  Arm likeliest_winner(RoundRng& rng) const;
  Arm leader(RoundRng& rng) const;
  Arm rival_of(Arm leader, RoundRng& rng) const;
  void refresh_pair(Arm i, Arm j);
  void refresh_row(Arm i);

  PairEvidence evidence_;
  double log_threshold_;       // ln c
  double log_edge_threshold_;  // ln c'
  // 1 once E_ij has reached the threshold, 2 once it has reached that of an edge; at i * K + j.
  std::vector<std::uint8_t> beaten_;
  // Derived from the above.
  Beliefs beliefs_;
  std::vector<std::int64_t> row_cost_;  // -ln prod_j pi_ij, on a grid of 2^-36
  std::vector<std::uint8_t> worst_;     // the largest of beaten_ over j, for the column's arm
  mutable std::vector<Arm> room_;       // scratch
};

}  // namespace duel
