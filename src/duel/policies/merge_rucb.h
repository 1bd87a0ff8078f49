// MergeRUCB and MergeDTS: many arms, compared within small batches that merge as arms are
// eliminated. Zoghi, Whiteson, de Rijke. WSDM 2015, Algorithm 1: `merge-rucb`. Li, Markov, de
// Rijke, Zoghi. ACM TOIS 2020, Algorithm 1: `merge-dts`.
// Assumes    a Condorcet winner.
// Guarantee  O(K log T) with probability 1 - delta, without a K^2 log T term (alpha > 1/2).
// Cost       with batches of p arms: MergeRUCB O(p) per duel; MergeDTS p^2/2 coin flips, p Beta
//            draws, and the share of a changed belief, O(sqrt(n)). 12 or 28 bytes per ordered pair.
// Departs    MergeRUCB follows the paper: one clock, counts from 0; the options reset_clock and
//            pseudo_counts are the authors' program, and what MergeDTS does. Before one arm is
//            left, the arm with most wins among the survivors is returned. Outstanding duels are
//            not counted.
//
// u_ij = w_ij/n_ij + sqrt(alpha ln(t + C)/n_ij), C = ((4 alpha - 1) K^2/((2 alpha - 1)
// delta))^(1/(2 alpha - 1)). Round t works on batch t mod (number of batches): arms k with u_kl <
// 1/2 for some l of the batch are removed, then two of its arms meet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/pair_counts.h"
#include "duel/core/result.h"
#include "duel/policies/parts/batches.h"
#include "duel/policies/parts/beliefs.h"
#include "duel/policies/policy.h"

namespace duel {

struct MergeOptions : PolicyOptions {
  double alpha = 1.01;         // width of the bounds; the analysis needs alpha > 1/2
  double delta = 0.01;         // probability of failure
  std::uint64_t p = 4;         // batch size
  double c = 0;                // C: added to the round in the logarithm; 0: from alpha, delta and K
  bool reset_clock = false;    // each stage starts its clock at C + 1
  bool pseudo_counts = false;  // each pair starts with a win on both sides
};
struct MergeDtsOptions : MergeOptions {
  MergeDtsOptions() { reset_clock = pseudo_counts = true; }
};

// What both are; MergeDTS `samples`.
class Merge : public ChoosingPolicy<Merge> {
 public:
  using Options = MergeOptions;

  Merge(const Options& options, std::size_t num_arms, RoundRng rng, bool samples);
  // C has to be given where alpha and delta do not make one.
  static Status check_as(const std::string& name, const Options& options, std::size_t num_arms);

  struct Choice {
    Duel duel;
    std::optional<Batches> changed;
  };
  Choice choose(Round round, RoundRng rng) const;
  void commit(const Choice& choice);
  void observe(const Duel& duel, Outcome outcome, RoundRng rng);
  Arm recommend(RoundRng rng) const;
  Jump jump(Round round, Round limit, RoundRng rng) const;

  const Batches& batches() const { return batches_; }

  void fields(auto& archive) { archive(counts_, batches_); }
  bool restored();

 private:
  double width(Round round) const;
  double wins(Arm i, Arm j) const { return counts_.wins(i, j) + prior_; }
  double duels(Arm i, Arm j) const { return counts_.duels(i, j) + 2 * prior_; }
  double worst_deficit(Arm i, const std::vector<Arm>& group) const;
  // Removes arms that surely lose to one of the group, one at a time.
  void eliminate(std::vector<Arm>& group, double width, RoundRng& rng) const;
  Duel pair_by_bounds(const std::vector<Arm>& group, Round round, double width,
                      RoundRng& rng) const;
  Duel pair_by_sampling(const std::vector<Arm>& group, Round round, RoundRng& rng) const;
  void find_homes();
  void refresh_pair(Arm i, Arm j);

  Options options_;
  bool samples_;
  PairCounts counts_;
  double prior_;   // wins of each side before the first duel
  double offset_;  // C
  Batches batches_;
  std::vector<double> deficit_;     // z_ij; far below where they never met and on the diagonal
  std::vector<std::size_t> home_;   // the group of an arm; none: eliminated
  std::vector<double> worst_;       // largest z_ij within the arm's group
  std::optional<Beliefs> beliefs_;  // MergeDTS
  mutable std::vector<Arm> room_;   // scratch
};

class MergeRucb : public Merge {
 public:
  MergeRucb(const Options& options, std::size_t num_arms, RoundRng rng)
      : Merge(options, num_arms, rng, false) {}
  static Status check(const Options& options, std::size_t num_arms) {
    return check_as("merge-rucb", options, num_arms);
  }
};

class MergeDts : public Merge {
 public:
  using Options = MergeDtsOptions;
  MergeDts(const Options& options, std::size_t num_arms, RoundRng rng)
      : Merge(options, num_arms, rng, true) {}
  static Status check(const Options& options, std::size_t num_arms) {
    return check_as("merge-dts", options, num_arms);
  }
};

}  // namespace duel
