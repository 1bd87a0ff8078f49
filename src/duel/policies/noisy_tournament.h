// Noisy tournament sampling: the Condorcet winner, or the statement that there is none.
// Haddenhorst, Bengs, Brandt, Huellermeier. Testification of Condorcet winners in dueling bandits.
// UAI 2021. Inside explore-then-exploit.
// Assumes    that no pair is closer to 1/2 than gap.
// Guarantee  with probability >= 1 - delta stops on the Condorcet winner where there is one and
//            says that there is none where there is none, after at most 2K - 3 pairs.
// Cost       O(1) per duel, O(K) per match; 44 bytes per arm.
// Departs    the paper counts 2K - floor(log2 K) - 2 pairs. Here an arm that is left over in a
//            round passes, and may pass again, so that it can have met fewer arms on its way.
//
// A knock-out finds the only arm that can still be the winner; it then meets the arms that it did
// not meet on its way. If it loses to one, there is no winner. A pair is dueled until one arm leads
// by ceil(ln((1 - g)/g)/ln((1/2 + gap)/(1/2 - gap))) wins, g = delta/K: Wald's test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "duel/policies/parts/explore_then_exploit.h"
#include "duel/policies/parts/match_play.h"
#include "duel/policies/registry.h"

namespace duel {

struct NoisyTournamentOptions : PolicyOptions {
  double gap = 0.05;
  double delta = 0.05;

  NoisyTournamentOptions() { ties = Ties::drop; }
  void set_defaults(const PolicySetting& setting) { delta = setting.alpha; }
};

// The lead that decides a match.
std::uint64_t noisy_tournament_lead(std::size_t num_arms, double gap, double delta);

class NoisyTournament {
 public:
  using Options = NoisyTournamentOptions;
  NoisyTournament(const Options& options, std::size_t num_arms, RoundRng& rng)
      : lead_(noisy_tournament_lead(num_arms, options.gap, options.delta)),
        bracket_(num_arms, rng),
        unmet_(num_arms, 1) {}

  std::vector<Match> first_round(RoundRng& /*rng*/) { return next_matches(); }
  std::uint8_t judge(const Match& match, RoundRng& /*rng*/) const {
    if (match.first_points >= match.second_points + 2 * lead_) return Match::first_wins;
    if (match.second_points >= match.first_points + 2 * lead_) return Match::second_wins;
    return Match::undecided;
  }
  std::vector<Match> played(std::span<const Match> matches, RoundRng& rng);
  Arm leader(std::span<const Match> matches, RoundRng /*rng*/) const {
    return matches.empty() ? bracket_.standing().front() : matches.front().ahead();
  }
  // The winner; empty where there is none.
  std::vector<Arm> found() const {
    return loses_ != 0 ? std::vector<Arm>{} : std::vector<Arm>{bracket_.standing().front()};
  }

  std::uint64_t lead() const { return lead_; }

  void fields(auto& archive) { archive(bracket_, beaten_by_, unmet_, loses_); }
  bool restored(std::size_t num_arms, std::span<const Match> matches) const;

 private:
  std::vector<Match> next_matches() const;

  std::uint64_t lead_;
  Bracket bracket_;
  // Of the knock-out: who lost to whom. The pairs (loser, winner) are flattened.
  std::vector<Arm> beaten_by_;
  std::vector<std::uint8_t> unmet_;  // by the survivor, once there is one
  std::uint8_t loses_ = 0;           // the survivor lost after the knock-out
};

using NoisyTournamentSampling = ExploreThenExploit<MatchPlay<NoisyTournament>>;

}  // namespace duel
