// Sparring with EXP3.S: two bandits with exponential weights that share, for preferences that
// switch. Auer, Cesa-Bianchi, Freund, Schapire. The nonstochastic multiarmed bandit problem. SIAM
// J. Comput. 2002, Algorithm Exp3.S, as the players of Ailon, Karnin, Joachims' Sparring (ICML
// 2014); after Saha, Gupta: Optimal and efficient dynamic regret algorithms for non-stationary
// dueling bandits. ICML 2022.
// Assumes    nothing; made for a best arm that switches S times.
// Guarantee  each player's regret against S switches, and so the dynamic regret against a Condorcet
//            winner that changes, is O(sqrt(K S T ln(K T))).
// Cost       O(K) per duel; 16 bytes per arm.
// Departs    the players of Saha and Gupta have other constants.
//
// Each player has weights w; with g = min(1, sqrt(K (S ln(K T) + e)/((e - 1) T))) it draws an arm
// from p = (1 - g) w/sum w + g/K. Its arm's weight is multiplied by exp(g r/(K p)), r = 1 if the
// arm won and 1/2 for a shared win, and then every weight grows by e/(T K) of the sum. Weights are
// kept with the sum 1. The coin of a self-duel is a reward, so that no round can be jumped.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "duel/policies/parts/tickets.h"
#include "duel/policies/policy.h"

namespace duel {

struct SparringExp3sOptions : PolicyOptions {
  std::uint64_t horizon = 0;
  std::uint64_t switches = 1;  // S

  SparringExp3sOptions() { ties = Ties::half; }
};

class SparringExp3s : public ChoosingPolicy<SparringExp3s> {
 public:
  using Options = SparringExp3sOptions;

  SparringExp3s(const Options& options, std::size_t num_arms, RoundRng rng);

  // With which probabilities the arms were drawn.
  struct Draw {
    double first = 1;
    double second = 1;
    void fields(auto& archive) { archive(first, second); }
  };
  struct Choice {
    Duel duel;
    Draw draw;
  };
  Choice choose(Round round, RoundRng rng) const;
  void commit(const Choice& choice) { tickets_.issued(choice.duel, choice.draw); }
  void observe(const Duel& duel, Outcome outcome, RoundRng rng);
  // The largest weight of both players together.
  Arm recommend(RoundRng rng) const;

  double gamma() const { return gamma_; }
  double weight(std::size_t player, Arm arm) const { return weights_[player][arm]; }

  void fields(auto& archive) { archive(weights_[0], weights_[1], tickets_); }
  bool restored() const;

 private:
  double probability(std::size_t player, Arm arm) const {
    return (1.0 - gamma_) * weights_[player][arm] + gamma_ / static_cast<double>(num_arms_);
  }
  Arm draw(std::size_t player, RoundRng& rng) const;
  void reward(std::size_t player, Arm arm, double probability, double reward);

  Options options_;
  std::size_t num_arms_;
  double gamma_;
  double share_;  // e/(T K)
  std::array<std::vector<double>, 2> weights_;
  Tickets<Draw> tickets_;
};

}  // namespace duel
