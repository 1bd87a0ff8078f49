// Knockout: an arm that is nearly the best of hundreds.
// Falahatgar, Orlitsky, Pichapati, Suresh. Maximum selection and ranking under noisy comparisons.
// ICML 2017, Algorithms COMPARE and KNOCKOUT. Inside explore-then-exploit.
// Assumes    gamma-strong stochastic transitivity (gamma = 1 is the strong form) and the
//            stochastic triangle inequality.
// Guarantee  with probability >= 1 - delta no arm beats the one that it returns by more than
//            epsilon, after O(K gamma^2/epsilon^2 log(1/delta)) duels.
// Cost       O(1) per duel, 40 bytes per arm.
// Departs    nowhere.
//
// Round i = 1, 2, .. of the knock-out: the arms left are shuffled and paired, one left over passes.
// A pair is compared with epsilon_i = c epsilon/(gamma 2^(i/3)), c = 2^(1/3) - 1, and
// delta_i = delta/2^i: after r duels, of which the first won the share p, it is decided once
//   |p - 1/2| > sqrt(ln(4 r^2/delta_i)/(2 r)) - epsilon_i   or
//   r > ln(2/delta_i)/(2 epsilon_i^2)
// and the first goes on if p > 1/2, else the second.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "duel/policies/parts/explore_then_exploit.h"
#include "duel/policies/parts/match_play.h"
#include "duel/policies/registry.h"

namespace duel {

struct KnockoutOptions : PolicyOptions {
  double epsilon = 0.05;
  double delta = 0.05;
  double gamma = 1;

  KnockoutOptions() { ties = Ties::drop; }
  void set_defaults(const PolicySetting& setting) { delta = setting.alpha; }
};

class KnockoutTournament {
 public:
  using Options = KnockoutOptions;
  KnockoutTournament(const Options& options, std::size_t num_arms, RoundRng& rng);

  std::vector<Match> first_round(RoundRng& rng);
  std::uint8_t judge(const Match& match, RoundRng& rng) const;
  std::vector<Match> played(std::span<const Match> matches, RoundRng& rng);
  Arm leader(std::span<const Match> matches, RoundRng rng) const;

  // epsilon_i and delta_i of the present round.
  double epsilon() const { return epsilon_; }
  double delta() const { return delta_; }

  void fields(auto& archive) { archive(bracket_, round_); }
  bool restored(std::size_t num_arms, std::span<const Match> matches);

 private:
  void set_levels();

  Options options_;
  Bracket bracket_;
  std::uint64_t round_ = 1;
  double epsilon_ = 0;
  double delta_ = 0;
  double most_duels_ = 0;
};

using Knockout = ExploreThenExploit<MatchPlay<KnockoutTournament>>;

}  // namespace duel
