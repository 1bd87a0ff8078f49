// Copeland-winners relative minimum empirical divergence: ECW-RMED and CW-RMED.
// Komiyama, Honda, Nakagawa. Copeland dueling bandit problem: regret lower bound, optimal
// algorithm, and computationally efficient algorithm. ICML 2016, Algorithms 1 and 2.
// Assumes    no pair is even (Copeland winners always exist).
// Guarantee  CW-RMED is asymptotically optimal for Copeland regret; ECW-RMED nearly so.
// Cost       ECW: O(W K + K log K) per informative duel, W the empirical winners, plus O(K) for
//            each arm with pairs to be played; where a duel changes who beats whom and there is no
//            empirical Condorcet winner, O((W + log K) K^2). About 32 bytes per ordered pair. CW: a
//            linear program per winner for most informative duels (copeland_allocation.h); up to 8
//            arms.
// Departs    evidence n d is held on a grid of 2^-36 and costs r/d on one of 2^-20 (up to 2^18), so
//            that equal ones are equal and sums do not depend on their order. Arms of equal cost
//            are taken in the order of their index. Of several winners that are sure, the one with
//            the lowest index is played. The authors' program tests (a) below with the inequality
//            reversed.
//
// L_i = #{j : j beats i empirically}; the empirical winners have the fewest losses. The regret of a
// pair is estimated by r_ij = (L_i + L_j - 2 L_min)/(2(K-1)). The list of the current loop holds
// pairs; a loop draws them in order, and after each draw the candidates of the next loop are found:
// * a winner i1 is sure if every alternative in which it is none has evidence n d >= ln t against
//   it. For ECW: (a) n d >= ln t for each win of i1, and (b) for each other arm i2, the
//   L_i2 - L_i1 + 1 losses of i2 (to others than i1) with the least evidence have ln t together.
//   Then the only candidate is (i1, i1).
// * otherwise, q is the cheapest allocation that would make i1 sure at ln t = 1, for the cheapest
//   i1, and the candidates are the pairs with n < q ln t and (i1, i1).
// Pairs that are nearly even, or have n < alpha sqrt(ln t), are played before any of this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "duel/core/pair_counts.h"
#include "duel/policies/parts/copeland_allocation.h"
#include "duel/policies/parts/index_set.h"
#include "duel/policies/parts/pending_pairs.h"
#include "duel/policies/parts/tickets.h"
#include "duel/policies/policy.h"

namespace duel {

struct CopelandRmedOptions : PolicyOptions {
  double alpha = 3;    // every pair is played alpha sqrt(ln t) times
  double beta = 0.01;  // and until its mean is beta/max(1, ln ln t) away from 1/2
};

// What both are; `exact` is CW-RMED.
class CopelandRmed : public ChoosingPolicy<CopelandRmed> {
 public:
  using Options = CopelandRmedOptions;

  CopelandRmed(const Options& options, std::size_t num_arms, bool exact);

  enum class Phase : std::uint8_t { exploration, main };
  // The winner that the candidates are for.
  struct Decision {
    Arm winner = 0;
    bool sure = false;
  };
  struct Choice {
    Duel duel;
    Phase phase = Phase::main;
    bool refill = false;  // the list had run out while outcomes are pending
    Decision decision;    // for the refill
  };
  Choice choose(Round round, RoundRng rng) const;
  void commit(const Choice& choice);
  void observe(const Duel& duel, Outcome outcome, RoundRng rng);
  // The sure winner, or the one whose allocation is cheapest; before the first draw from the list,
  // an empirical Copeland winner.
  Arm recommend(RoundRng rng) const;
  // Exact: while the list holds nothing but a sure winner.
  Jump jump(Round round, Round limit, RoundRng rng) const;

  // What would be drawn next, for tests: pairs (i, j) with i <= j that are candidates at this
  // round.
  std::vector<Duel> candidates(Round round);

  void fields(auto& archive) {
    archive(counts_, remaining_, next_, last_issued_, last_first_, tickets_, explored_, leader_);
  }
  bool restored();

 private:
  // ECW: what arm i2 asks for, if winner i1 is to be shown better: `taken` of its superiors, the
  // cheapest ones (without i1), are played until their evidence is ln t / divisor.
  struct Share {
    std::int64_t cost = 0;       // sum of r q, on the grid
    std::uint32_t taken = 0;     // h
    std::uint32_t divisor = 0;   // h - k
    std::int64_t least = kNone;  // smallest evidence times divisor among the taken
  };
  // ECW: sums of the smallest evidences against the losses of i2, for (b).
  struct LossSums {
    std::int64_t cut = kNone;     // the m-th smallest, m = L_i2 - L_min + 1
    std::int64_t sum = kNone;     // of the m smallest
    std::int64_t longer = kNone;  // of the m + 1 smallest
  };

  // More evidence than there can be; what is asked of nobody.
  static constexpr std::int64_t kNone = std::int64_t{1} << 60;
  static constexpr Arm kNobody = ~Arm{0};

  std::size_t num_arms() const { return counts_.num_arms(); }
  std::size_t index(Arm i, Arm j) const { return i * num_arms() + j; }
  std::size_t list_index(Arm i, Arm j) const { return i < j ? index(i, j) : index(j, i); }
  bool beats(Arm i, Arm j) const { return evidence_[index(i, j)] < 0; }
  std::int64_t evidence(Arm i, Arm j) const {
    const std::int64_t signed_evidence = evidence_[index(i, j)];
    return signed_evidence < 0 ? -signed_evidence : signed_evidence;
  }
  Duel duel_at(std::size_t at, Round round) const {
    return {static_cast<Arm>(at / num_arms()), static_cast<Arm>(at % num_arms()), round};
  }
  double regret(Arm i, Arm j) const;

  std::uint32_t plays_due(Round round) const;  // alpha sqrt(ln t), rounded up
  bool is_due(Arm i, Arm j, std::uint32_t due, double nearness) const;
  std::optional<std::size_t> pair_to_explore(Round round) const;
  void note_explored(const Choice& choice);

  void refresh_pair(Arm i, Arm j);
  void find_winners();
  // Brings up to date what is derived from the evidence, as far as a decision at this round needs.
  // These are called from several places each, and out of line, since a trial's loop would inline
  // them at every one (registry.h); they cost far more than the call.
  [[gnu::noinline]] void prepare(Round round);
  void refresh_column(Arm i2);
  Share share_of(Arm i1, Arm i2) const;
  // Calls visit(j) for every superior of i2 that the share takes.
  void for_each_taken(const Share& share, Arm i1, Arm i2, auto visit) const {
    std::uint32_t left = share.taken;
    for (const Arm j : superiors_[i2]) {
      if (left == 0) break;
      if (j == i1) continue;
      visit(j);
      --left;
    }
  }
  // The smallest evidence of an alternative in which i1 is no winner.
  std::int64_t certainty(Arm i1) const;
  std::int64_t allocation_cost(std::size_t winner_number) const;
  [[gnu::noinline]] Decision decide(Round round, RoundRng& rng) const;
  void for_each_candidate(const Decision& decision, Round round, auto take) const;
  [[gnu::noinline]] void admit(const Decision& decision, Round round);

  Options options_;
  bool exact_;
  PairCounts counts_;

  // Derived from the counts. n d on the grid, > 0 in row i where i loses to j, < 0 where it wins.
  std::vector<std::int64_t> evidence_;
  std::vector<double> divergence_;
  std::vector<std::uint32_t> losses_;
  std::vector<Arm> winners_;  // fewest losses, ascending
  std::uint32_t fewest_ = 0;  // L_min
  // ECW, per arm i2; what is stale is listed.
  std::vector<std::vector<Arm>> superiors_;  // ascending in r/d
  std::vector<LossSums> loss_sums_;
  std::vector<Share> shares_;  // per winner and arm
  std::vector<Arm> stale_columns_;
  bool all_stale_ = true;
  // CW: q per winner and pair, and its cost.
  std::vector<AllocationSolver> solvers_;
  std::vector<double> allocations_;
  std::vector<std::int64_t> allocation_costs_;
  // Scratch, so that nothing is allocated in a round.
  std::vector<std::int64_t> costs_;
  std::vector<std::int64_t> sorted_;
  mutable std::vector<Arm> room_;

  IndexSet remaining_;  // L_C and with it L_R: what this loop has not drawn yet, in order
  IndexSet next_;       // L_N
  Round last_issued_ = 0;
  Arm last_first_ = 0;  // first arm of that duel
  Tickets<Phase> tickets_;
  PendingPairs pending_;        // the pairs of the tickets
  std::uint32_t explored_ = 0;  // every pair has so many plays, or is in maybe_due_
  IndexSet maybe_due_;          // pairs that may have to be explored; looked at when they come up
  Arm leader_ = kNobody;        // of the last decision
};

class EcwRmed : public CopelandRmed {
 public:
  EcwRmed(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
      : CopelandRmed(options, num_arms, false) {}
};

class CwRmed : public CopelandRmed {
 public:
  CwRmed(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
      : CopelandRmed(options, num_arms, true) {}
  // Refuses more than 8 arms.
  static Status check(const Options& options, std::size_t num_arms);
};

}  // namespace duel
