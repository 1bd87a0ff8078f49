// SELECT: single elimination in which every match has a fixed number of duels.
// Mohajer, Suh, Elmahdy. Active learning for top-K rank aggregation from noisy comparisons. ICML
// 2017, Algorithm SELECT. Inside explore-then-exploit.
// Assumes    a best arm that wins each duel with probability >= 1/2 + gap, and a known gap.
// Guarantee  stops on the best arm with probability >= 1 - delta, after (K - 1) m duels.
// Cost       O(1) per duel, 40 bytes per arm.
// Departs    m is worked out from delta: the best arm plays at most ceil(log2 K) matches and loses
//            each with probability <= exp(-2 m gap^2) (Hoeffding), so that
//            m = ceil(ln(ceil(log2 K)/delta)/(2 gap^2)).
//
// A random draw; in each match m duels, the arm with more wins goes on, the first if they are
// equal; an arm left over passes. All matches of a round can be played at once, so that the whole
// takes ceil(log2 K) rounds of answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "duel/policies/parts/explore_then_exploit.h"
#include "duel/policies/parts/match_play.h"
#include "duel/policies/registry.h"

namespace duel {

struct SelectOptions : PolicyOptions {
  double gap = 0.05;
  double delta = 0.05;

  SelectOptions() { ties = Ties::drop; }
  void set_defaults(const PolicySetting& setting) { delta = setting.alpha; }
};

// m.
std::uint64_t select_duels(std::size_t num_arms, double gap, double delta);

class SelectTournament {
 public:
  using Options = SelectOptions;
  SelectTournament(const Options& options, std::size_t num_arms, RoundRng& rng)
      : duels_(select_duels(num_arms, options.gap, options.delta)), bracket_(num_arms, rng) {}

  std::vector<Match> first_round(RoundRng& /*rng*/) { return bracket_.matches(); }
  std::uint8_t judge(const Match& match, RoundRng& /*rng*/) const {
    if (match.first_points + match.second_points < 2 * duels_) return Match::undecided;
    return match.ahead() == match.first ? Match::first_wins : Match::second_wins;
  }
  std::vector<Match> played(std::span<const Match> matches, RoundRng& /*rng*/) {
    bracket_.played(matches);
    return bracket_.matches();
  }
  Arm leader(std::span<const Match> matches, RoundRng /*rng*/) const {
    return matches.empty() ? bracket_.standing().front() : matches.front().ahead();
  }

  void fields(auto& archive) { archive(bracket_); }
  bool restored(std::size_t num_arms, std::span<const Match> matches) const {
    return bracket_.restored(num_arms) && matches.size() == bracket_.standing().size() / 2;
  }

 private:
  std::uint64_t duels_;
  Bracket bracket_;
};

using Select = ExploreThenExploit<MatchPlay<SelectTournament>>;

}  // namespace duel
