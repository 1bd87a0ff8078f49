// The fewest duels to a certificate of a set or an order of arms: `certify` with the goals set,
// order and ranking.
// Ours.
// Assumes    nothing; made for arms that have the set or order that is asked for.
// Guarantee  none proved. It never plays a self-duel, so that regret grows linearly.
// Cost       O(number of needed pairs) per duel, at most K^2/2; 17 bytes per ordered pair.
// Departs    not a published algorithm.
//
// A certificate of the candidate that a sequence of the arms stands for needs E_ij >= c for all
// pairs that it puts in order (inference/order_certificate.h): the first k against the rest, or
// each of the first k against all that come later. The state is such a sequence, drawn at random at
// first.
//   1. Open are the needed pairs whose E has never reached c.
//   2. Of the open pairs, those with the fewest duels outstanding; of these the one with the least
//      evidence now in the direction of the sequence, ties at random. None open: of all needed.
//   3. If its answer puts the later arm ahead, the two change places in the sequence.
// The swap is what makes it work. With "the k arms that are ahead in the most pairs" for the set
// the same rule can be stuck for ever: pairs that are not needed are never played, and their noise
// keeps a wrong arm in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "duel/inference/evidence.h"
#include "duel/policies/certify.h"

namespace duel {

// Answers that are not evidence order the arms until there is evidence to order them by.
class CertifyOrder : public CertifyingPolicy<CertifyOrder> {
 public:
  // REQUIRES: options.in_view().is_order(), and check_goal takes it.
  CertifyOrder(const Options& options, std::size_t num_arms, RoundRng rng);

  Duel select(Round round, RoundRng rng) const;
  void observe(const Duel& duel, Outcome outcome, RoundRng rng);
  // The first of the sequence.
  Arm recommend(RoundRng /*rng*/) const { return sequence_.front(); }
  const std::vector<Arm>& sequence() const { return sequence_; }

  void fields(auto& archive) { archive(counts_, hearsay_, reached_, sequence_, pending_); }
  bool restored();

 private:
  bool later_leads(Arm earlier, Arm later) const;
  void refresh_pair(Arm i, Arm j);
  void number_places();

  PairEvidence evidence_;
  double log_threshold_;    // ln c
  std::size_t num_before_;  // k: each of the first k stands in needed pairs as the earlier arm
  std::vector<std::uint8_t> reached_;  // 1 once E_ij has reached c, at i * K + j
  std::vector<Arm> sequence_;
  // Derived from the above.
  std::vector<double> log_evidence_;  // of now, at i * K + j
  std::vector<std::uint32_t> place_;  // of each arm in the sequence
};

}  // namespace duel
