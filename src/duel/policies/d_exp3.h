// D-EXP3 and D-EXP3.P: exponential weights on shifted Borda scores.
// Saha, Koren, Mansour. Adversarial dueling bandits. ICML 2021, Algorithm 1; and its form with a
// bonus, for a bound that holds with high probability.
// Assumes    nothing: preferences may be an adversary's. The best arm is that with the highest
//            Borda score, which may differ from the Condorcet winner.
// Guarantee  Borda regret O((K ln K)^(1/3) T^(2/3)) on average (D-EXP3), with probability
//            1 - delta up to logarithms (D-EXP3.P).
// Cost       O(K) per duel; 16 bytes per arm.
// Departs    nowhere. The bonus of D-EXP3.P is that of the probabilities when the answer comes.
//
// Both arms x, y are drawn from q = (1 - gamma) w/sum w + gamma/K with w_i = exp(eta S_i),
//   eta = (ln K/(T sqrt K))^(2/3),  gamma = min(1, sqrt(eta K)).
// If x wins, S_x grows by 1/(K q_x q_y), by half of it for a shared win: an unbiased estimate of
// the mean of p_xj over all j, x among them. D-EXP3.P adds beta/q_i to the score of every arm, with
// beta = sqrt(ln(K/delta)/(K T)). The coin of a self-duel counts, so that no round can be jumped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "duel/policies/parts/tickets.h"
#include "duel/policies/policy.h"

namespace duel {

struct DExp3Options : PolicyOptions {
  std::uint64_t horizon = 0;

  DExp3Options() { ties = Ties::half; }
};
struct DExp3POptions : DExp3Options {
  double delta = 0.1;
};

template <class Given>
class BordaExponentialWeights : public ChoosingPolicy<BordaExponentialWeights<Given>> {
 public:
  using Options = Given;

  BordaExponentialWeights(const Options& options, std::size_t num_arms, RoundRng rng);

  // q_x q_y of a duel that is out.
  struct Draw {
    double probability = 1;
    void fields(auto& archive) { archive(probability); }
  };
  struct Choice {
    Duel duel;
    Draw draw;
  };
  Choice choose(Round round, RoundRng rng) const;
  void commit(const Choice& choice) { tickets_.issued(choice.duel, choice.draw); }
  void observe(const Duel& duel, Outcome outcome, RoundRng rng);
  Arm recommend(RoundRng rng) const;

  double eta() const { return eta_; }
  double gamma() const { return gamma_; }
  double beta() const { return beta_; }
  double score(Arm arm) const { return scores_[arm]; }
  double probability(Arm arm) const { return probabilities_[arm]; }

  void fields(auto& archive) { archive(scores_, tickets_); }
  bool restored();

 private:
  Arm draw(RoundRng& rng) const;
  void refresh();

  Options options_;
  std::size_t num_arms_;
  double eta_;
  double gamma_;
  double beta_ = 0;
  std::vector<double> scores_;         // S
  std::vector<double> probabilities_;  // q; derived
  Tickets<Draw> tickets_;
};

using DExp3 = BordaExponentialWeights<DExp3Options>;
using DExp3P = BordaExponentialWeights<DExp3POptions>;

}  // namespace duel
