// Relative Minimum Empirical Divergence: RMED1, RMED2 and RMED2FH.
// Komiyama, Honda, Kashima, Nakagawa. COLT 2015, Algorithms 1 and 2.
// Assumes    a Condorcet winner.
// Guarantee  RMED1 is asymptotically optimal where each arm's best opponent is the winner; RMED2FH
//            (and RMED2 in the analysis) meets the lower bound in general.
// Cost       O(K) per informative duel; 20 bytes per ordered pair.
// Departs    the empirical divergences are held on a grid of 2^-36, so that equal evidence is equal
//            whatever the order of summation, and is kept up by addition. RMED2 looks for pairs to
//            explore at the start of each loop, as the paper says; the authors' program does so in
//            every round.
//
// I_i = sum over j with mean(i,j) <= 1/2 of n_ij d(mean(i,j), 1/2): minus the log-likelihood, up to
// a constant, that i is the Condorcet winner. i* = argmin I. An arm is worth a duel in round t as
// long as J_j(t): I_j - I* <= ln t + f(K).
//
// The algorithm, with lists L_C of this loop, L_R of its arms not drawn yet and L_N of the next:
//   1. Initial phase: each pair i < j in order, once; by RMED2FH ceil(alpha ln ln T) times, after
//      which b(l) of step 4 is found for all arms and frozen. Then L_C = L_R = all arms, L_N empty.
//   2. RMED2, at the start of each loop: pairs with n_ij < alpha ln ln t meet, in order.
//   3. The next l of L_C is drawn, in ascending order.
//   4. Its opponent m, with O = {j != l : mean(l,j) <= 1/2}. RMED2 and RMED2FH: the arm b(l) that
//      minimises (mean(i*,l) + mean(i*,j) - 1)/d+(mean(l,j), 1/2), if it is in O and n_(l,i*) >=
//      n_(l,b(l))/ln ln t. Otherwise i*, if O holds it or is empty; else argmin_j mean(l,j).
//   5. l and m meet. l leaves L_R; every arm outside L_R for which J(t) holds enters L_N.
//   6. At the end of L_C: L_C = L_R = L_N, L_N empty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "duel/core/pair_counts.h"
#include "duel/policies/parts/tickets.h"
#include "duel/policies/policy.h"

namespace duel {

enum class RmedVariant {
  one,            // RMED1: arms meet the likely winner
  two,            // RMED2: arms meet their cheapest opponent, estimated as the run goes
  fixed_horizon,  // RMED2FH: that opponent is estimated once, after an initial phase tuned to T
};

struct Rmed1Options : PolicyOptions {
  double f_scale = 0.3;  // f(K) = f_scale K^f_power; the authors' program
  double f_power = 1.01;
};

struct Rmed2Options : Rmed1Options {
  double alpha = 3;  // every pair is explored alpha ln ln t times
  double clamp = 0;  // least value of an estimated regret; the authors' program has 0.01
};

struct Rmed2FhOptions : Rmed2Options {
  std::uint64_t horizon = 0;
};

// ln ln t, 0 for t < 3.
double log_log_round(Round t);

template <RmedVariant variant>
class Rmed : public ChoosingPolicy<Rmed<variant>> {
 public:
  using Options = std::conditional_t<
      variant == RmedVariant::one, Rmed1Options,
      std::conditional_t<variant == RmedVariant::two, Rmed2Options, Rmed2FhOptions>>;

  Rmed(const Options& options, std::size_t num_arms, RoundRng rng);

  enum class Phase : std::uint8_t { initial, exploration, main };
  struct Choice {
    Duel duel;
    Phase phase = Phase::main;
    bool returned = false;        // a pair of the initial phase whose first answer was lost
    bool refill = false;          // the list had run out while outcomes are pending
    std::uint32_t plays_due = 0;  // RMED2 at a loop's start: plays that every pair must have
  };
  Choice choose(Round round, RoundRng rng) const;
  void commit(const Choice& choice);
  void observe(const Duel& duel, Outcome outcome, RoundRng rng);
  // i*, the most likely winner.
  Arm recommend(RoundRng rng) const { return likely_winner(rng); }
  Jump jump(Round round, Round limit, RoundRng rng) const;

  void fields(auto& archive) {
    archive(counts_, initial_passes_done_, initial_cursor_, returned_, remaining_, next_,
            loop_start_, last_issued_, tickets_, explored_, exploring_for_, explore_cursor_,
            targets_);
  }
  bool restored();

 private:
  // Walks the pairs i < j in lexicographic order.
  struct PairCursor {
    Arm i = 0;
    Arm j = 1;
    // False when it was at the last pair; it then stands at the first again.
    bool advance(std::size_t num_arms) {
      if (++j < num_arms) return true;
      j = ++i + 1;
      if (j < num_arms) return true;
      *this = {};
      return false;
    }
  };

  std::size_t num_arms() const { return counts_.num_arms(); }
  bool in_initial_phase() const { return num_arms() > 1 && initial_passes_done_ < initial_passes_; }
  bool is_outstanding(Phase phase) const;

  std::int64_t evidence_budget(Round round) const;  // ln t + f(K), on the grid
  Arm likely_winner(RoundRng& rng) const;
  // Adds to `next` every arm outside the remaining list for which J(round) holds.
  void admit(Round round, std::vector<std::int64_t>& next) const;
  void refill();
  bool loop_is_over() const;
  Arm opponent_of(Arm l, Round round, RoundRng& rng) const;
  // argmin over j of (mean(i*,l) + mean(i*,j) - 1)/d+(mean(l,j), 1/2); i* where nobody beats l.
  Arm cheapest_opponent(Arm l, Arm winner, RoundRng& rng) const;
  void freeze_targets(RoundRng& rng);
  std::uint32_t plays_due(Round round) const;
  // The first pair that was played less often than is due.
  std::optional<PairCursor> pair_to_explore(std::uint32_t due) const;
  void refresh_pair(Arm i, Arm j);

  Options options_;
  PairCounts counts_;
  std::size_t stride_;
  double f_;
  std::uint32_t initial_passes_ = 1;

  // Derived from the counts. Terms of I on the grid: term_ij = -term_ji > 0 where i loses to j, 0
  // where they are even or never met, far below on the diagonal and the padding.
  std::vector<std::int64_t> term_;
  std::vector<std::int64_t> evidence_;  // I_i: the sum of the positive terms of row i
  std::vector<double> mean_;
  std::vector<double> divergence_;  // RMED2: d(mean, 1/2)
  Arm cursor_ = 0;                  // no arm before it remains

  std::uint32_t initial_passes_done_ = 0;
  PairCursor initial_cursor_;
  std::vector<Duel> returned_;  // pairs of the initial phase to be asked again

  // L_C, and with it L_R: the arms of the current loop not yet drawn, in ascending order; L_N: the
  // arms of the next loop. -1 for a member, 0 for none, so that they serve as masks.
  std::vector<std::int64_t> remaining_;
  std::vector<std::int64_t> next_;
  std::uint8_t loop_start_ = 1;
  Round last_issued_ = 0;
  Tickets<Phase> tickets_;

  // RMED2: every pair has `explored_` plays. While `exploring_for_` plays are being made up, the
  // pairs before `explore_cursor_` have them.
  std::uint32_t explored_ = 0;
  std::uint32_t exploring_for_ = 0;
  PairCursor explore_cursor_;
  std::vector<Arm> targets_;       // RMED2FH: the frozen cheapest opponents; empty before
  mutable std::vector<Arm> room_;  // scratch
};

extern template class Rmed<RmedVariant::one>;
extern template class Rmed<RmedVariant::two>;
extern template class Rmed<RmedVariant::fixed_horizon>;

}  // namespace duel
