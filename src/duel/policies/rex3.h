// Relative exponential-weight algorithm for exploration and exploitation (REX3).
// Gajane, Urvoy, Clerot. A relative exponential weighing algorithm for adversarial utility-based
// dueling bandits. ICML 2015, Algorithm 1.
// Assumes    utilities in [0, 1] that an adversary may choose.
// Guarantee  O(sqrt(K ln K T)) regret.
// Cost       O(log K) per duel; 24 bytes per arm.
// Departs    nowhere. anytime=true replaces the horizon by the clock.
//
// p_i = (1 - g) w_i/sum w + g/K; both arms are drawn from p. The winner a and the loser b get w_a
// *= exp(g/(2 K p_a)) and w_b *= exp(-g/(2 K p_b)); a tie counted as half a win each, and an arm
// that meets itself, change nothing. Logarithms of weights are kept; the weights that are drawn
// from are relative to an offset that follows the largest, so that nothing overflows, and what
// underflows has no share to speak of. An answer is divided by the probabilities of the round it
// was drawn in. Foreign duels have none and are ignored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "duel/core/tournament_tree.h"
#include "duel/policies/parts/tickets.h"
#include "duel/policies/policy.h"

namespace duel {

struct Rex3Options : PolicyOptions {
  std::uint64_t horizon = 0;
  std::optional<double> gamma;  // exploration; by default min(1/2, sqrt(K ln K/(e T)))
  bool anytime = false;         // min(1/2, sqrt(K ln K/max(t, 1e4))) instead
};

class Rex3 : public ChoosingPolicy<Rex3> {
 public:
  using Options = Rex3Options;

  Rex3(const Options& options, std::size_t num_arms, RoundRng rng);

  // How a duel was drawn.
  struct Draw {
    double gamma = 0;
    double p_first = 1;
    double p_second = 1;
    void fields(auto& archive) { archive(gamma, p_first, p_second); }
  };
  struct Choice {
    Duel duel;
    Draw draw;
  };
  Choice choose(Round round, RoundRng rng) const;
  void commit(const Choice& choice) { tickets_.issued(choice.duel, choice.draw); }
  void observe(const Duel& duel, Outcome outcome, RoundRng rng);
  // The largest weight.
  Arm recommend(RoundRng rng) const;

  double gamma(Round round) const;
  double log_weight(Arm arm) const { return log_weights_[arm]; }
  double probability(Arm arm, Round round) const;

  void fields(auto& archive) { archive(log_weights_, offset_, tickets_); }
  bool restored();

 private:
  struct Mass {
    double weight = 0;
    std::uint64_t arms = 0;
    friend Mass join(const Mass& a, const Mass& b) {
      return {a.weight + b.weight, a.arms + b.arms};
    }
  };

  void change(Arm arm, double log_factor);
  void rebuild();

  Options options_;
  std::size_t num_arms_;
  double gamma_ = 0;  // where it does not depend on the round
  std::vector<double> log_weights_;
  double offset_ = 0;            // the tree holds exp(log weight - offset)
  TournamentTree<Mass> masses_;  // derived
  Tickets<Draw> tickets_;
};

}  // namespace duel
