// Seq-Eliminate: an arm that is nearly the best, by one challenger after the other.
// Falahatgar, Hao, Orlitsky, Pichapati, Ravindrakumar. Maxing and ranking with few assumptions.
// NIPS 2017, Algorithm SEQ-ELIMINATE. Inside explore-then-exploit.
// Assumes    strong stochastic transitivity.
// Guarantee  with probability >= 1 - delta no arm beats the one that it returns by more than
//            epsilon, after O(K/epsilon^2 log(K/delta)) duels.
// Cost       O(1) per duel, 4 bytes per arm.
// Departs    nowhere.
//
// The anchor is the first of a random order. The others meet it in that order (parts/anchor_match.h
// with the gaps 0 and epsilon and the probability of error delta/K), and one that wins is the
// anchor from then on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "duel/policies/parts/anchor_match.h"
#include "duel/policies/parts/explore_then_exploit.h"
#include "duel/policies/registry.h"

namespace duel {

struct SeqEliminateOptions : PolicyOptions {
  double epsilon = 0.05;
  double delta = 0.05;

  SeqEliminateOptions() { ties = Ties::drop; }
  void set_defaults(const PolicySetting& setting) { delta = setting.alpha; }
};

class SeqEliminateTournament {
 public:
  using Options = SeqEliminateOptions;
  SeqEliminateTournament(const Options& options, std::size_t num_arms, RoundRng& rng);

  std::vector<Match> first_round(RoundRng& /*rng*/) { return next_match(); }
  std::uint8_t judge(const Match& match, RoundRng& /*rng*/) const { return rule_.judge(match); }
  std::vector<Match> played(std::span<const Match> matches, RoundRng& /*rng*/) {
    elimination_.played(matches.front());
    return next_match();
  }
  Arm leader(std::span<const Match> /*matches*/, RoundRng /*rng*/) const {
    return elimination_.anchor;
  }

  void fields(auto& archive) { archive(elimination_); }
  bool restored(std::size_t num_arms, std::span<const Match> matches) const {
    return elimination_.restored(num_arms) && elimination_.order.size() == num_arms &&
           matches.size() == (elimination_.finished() ? 0U : 1U);
  }

 private:
  std::vector<Match> next_match() const {
    if (elimination_.finished()) return {};
    return {elimination_.match()};
  }

  AnchorRule rule_;
  SequentialElimination elimination_;
};

using SeqEliminate = ExploreThenExploit<MatchPlay<SeqEliminateTournament>>;

}  // namespace duel
