// Versatile-DB: follow the regularised leader with the 1/2-Tsallis entropy on both sides.
// Saha, Gaillard. Versatile dueling bandits: best-of-both-world analyses for learning from relative
// preferences. ICML 2022, Algorithm 1; the bandit is Tsallis-INF (Zimmert, Seldin, JMLR 2021).
// Assumes    nothing (adversarial), or a Condorcet winner (stochastic).
// Guarantee  O(sqrt(K T)) against an adversary; O(sum over i of log T / gap_i) with a Condorcet
//            winner; robust to corruption.
// Cost       O(K) per duel, times two to four steps of Newton's; 8 bytes per arm.
// Departs    the two sides share one vector of losses, each adding half (form=two keeps them apart,
//            as the paper does).
//
// With losses L and rate eta_t, q_i = 4/(eta (L_i - x))^2, where x < min L makes the sum 1. Both
// arms are drawn from q; an answer adds to L_a and L_b what they lost over their probability. With
// z = min L - x and c = 4/eta^2, the root of g(z) = (sum c/(L_i - min L + z)^2)^(-1/2) = 1 is
// wanted: g is a power mean of lines, so rising and concave, and Newton's steps from the left of
// the root stay left of it. An arm that meets itself loses 1/(2 q) in all, whatever the coin; both
// arms of a duel that goes unanswered lose as in a tie. An answer is divided by the probability of
// the round it was drawn in; foreign duels have none and are ignored.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "duel/policies/parts/tickets.h"
#include "duel/policies/policy.h"

namespace duel {

enum class VersatileForm { shared, two };
enum class VersatileEstimator { importance, reduced };

struct VersatileDbOptions : PolicyOptions {
  VersatileForm form = VersatileForm::shared;
  // importance: eta = 2/sqrt(t), loss over probability. reduced: eta = 4/sqrt(t), with the baseline
  // 1/2 for arms of q >= eta^2, which lowers the variance.
  VersatileEstimator estimator = VersatileEstimator::importance;
};

// z > 0 with sum c/(gaps_i + z)^2 = 1, from a guess; gaps >= 0, the least of them 0.
double tsallis_normaliser(std::span<const double> gaps, double c, double guess);

class VersatileDb : public ChoosingPolicy<VersatileDb> {
 public:
  using Options = VersatileDbOptions;

  VersatileDb(const Options& options, std::size_t num_arms, RoundRng rng);

  struct Choice {
    Duel duel;
    std::array<double, 2> normalisers{};  // z of each side
    std::array<double, 2> q{};            // probability of each player's arm
  };
  Choice choose(Round round, RoundRng rng) const;
  void commit(const Choice& choice);
  void observe(const Duel& duel, Outcome outcome, RoundRng rng);
  // The least loss.
  Arm recommend(RoundRng rng) const;

  // L_i - min L of a side (the shared form has side 0 alone).
  double loss(Arm arm, std::size_t side = 0) const { return losses_[side][arm]; }
  double probability(Arm arm, Round round, std::size_t side = 0) const;

  void fields(auto& archive) {
    archive(losses_[0], losses_[1], normalisers_[0], normalisers_[1], tickets_);
  }
  bool restored() const;

 private:
  // How a duel was drawn.
  struct Draw {
    std::array<double, 2> q{1, 1};
    std::vector<double> baselines;  // reduced: per side and arm
    void fields(auto& archive) { archive(q[0], q[1], baselines); }
  };

  bool reduced() const { return options_.estimator == VersatileEstimator::reduced; }
  std::size_t sides() const { return options_.form == VersatileForm::two ? 2 : 1; }
  double scale(Round round) const;      // c = 4/eta^2
  double threshold(Round round) const;  // eta^2
  void settle(std::size_t side);

  Options options_;
  std::size_t num_arms_;
  std::array<std::vector<double>, 2> losses_;  // L - min L; the second is empty in the shared form
  std::array<double, 2> normalisers_{1, 1};    // where the next search begins
  Tickets<Draw> tickets_;
};

}  // namespace duel
