// Opt-Max: an arm that is nearly the best of very many, with the optimal number of duels.
// Falahatgar, Hao, Orlitsky, Pichapati, Ravindrakumar. Maxing and ranking with few assumptions.
// NIPS 2017, Algorithm OPT-MAX with PICK-ANCHOR and PRUNE. Inside explore-then-exploit.
// Assumes    strong stochastic transitivity.
// Guarantee  with probability >= 1 - delta no arm beats the one that it returns by more than
//            epsilon, after O(K/epsilon^2 log(1/delta)) duels.
// Cost       O(1) per duel, 56 bytes per arm.
// Departs    the anchor has no match with itself; it is returned unless another arm beats it.
//
// Matches are those of parts/anchor_match.h, written C(e; low, high, error); n = sqrt(6 K ln K).
//   1. If delta < 1/K: Seq-Eliminate of all arms with epsilon and delta, and no more.
//   2. Anchor: Seq-Eliminate of ceil((K/n) ln(8/delta)) arms drawn at random (at most K) with
//      epsilon/3 and delta/8.
//   3. Prune: R holds the other arms. For t = 1, 2, .. while |R| > 2 n and t < (ln K)^2 those stay
//      that win C(e; epsilon/3, 2 epsilon/3, (delta/4)/2^(1+t)).
//   4. One after the other: if an arm of R wins C(e; 2 epsilon/3, epsilon, delta/(4K)), the answer
//      is that of Seq-Eliminate of R with epsilon and delta/4; if none does, the anchor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "duel/policies/parts/anchor_match.h"
#include "duel/policies/parts/explore_then_exploit.h"
#include "duel/policies/registry.h"

namespace duel {

struct OptMaxOptions : PolicyOptions {
  double epsilon = 0.05;
  double delta = 0.05;

  OptMaxOptions() { ties = Ties::drop; }
  void set_defaults(const PolicySetting& setting) { delta = setting.alpha; }
};

class OptMaxTournament {
 public:
  using Options = OptMaxOptions;
  enum Step : std::uint8_t { kAll = 1, kAnchor, kPrune, kChallenge, kRest, kDone };

  OptMaxTournament(const Options& options, std::size_t num_arms, RoundRng& rng);

  std::vector<Match> first_round(RoundRng& /*rng*/) { return next_matches(); }
  std::uint8_t judge(const Match& match, RoundRng& /*rng*/) const { return rule_.judge(match); }
  std::vector<Match> played(std::span<const Match> matches, RoundRng& rng);
  Arm leader(std::span<const Match> /*matches*/, RoundRng /*rng*/) const {
    return step_ == kPrune || step_ == kChallenge ? anchor_ : elimination_.anchor;
  }

  Step step() const { return static_cast<Step>(step_); }
  const std::vector<Arm>& rivals() const { return rivals_; }

  void fields(auto& archive) { archive(elimination_, step_, anchor_, rivals_, pass_); }
  bool restored(std::size_t num_arms, std::span<const Match> matches);

 private:
  bool prunes() const;
  void set_rule();
  void begin_pruning();
  std::vector<Match> next_matches();

  Options options_;
  std::size_t num_arms_;
  double log_arms_ = 0;  // ln K
  double size_ = 0;      // n
  AnchorRule rule_;
  SequentialElimination elimination_;
  std::uint8_t step_ = kAll;
  Arm anchor_ = 0;
  std::vector<Arm> rivals_;  // R
  std::uint64_t pass_ = 1;   // t of step 3; in step 4 the place of the challenger in R
};

using OptMax = ExploreThenExploit<MatchPlay<OptMaxTournament>>;

}  // namespace duel
