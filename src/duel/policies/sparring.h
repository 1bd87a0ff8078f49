// Sparring: two bandits choose one side each, with upper confidence bounds or Thompson sampling.
// Ailon, Karnin, Joachims. Reducing dueling bandits to cardinal bandits. ICML 2014, Algorithm 3.
// Assumes    utilities with a linear link; works in practice beyond.
// Guarantee  none in general.
// Cost       O(K) per duel (Thompson: 2 K Beta draws); 100 bytes per arm.
// Departs    nowhere. Returns the arm it played most lately (cardinal_bandit.h).
//
// The left bandit gets a reward where the first arm wins, the right one where the second does. An
// arm that meets itself is settled by the fair coin of the self-duel, which is read: so no round
// can be jumped. Foreign duels are ignored, since their arms were not drawn against the other
// bandit.
#pragma once

#include <cstddef>

#include "duel/policies/parts/cardinal_bandit.h"
#include "duel/policies/policy.h"

namespace duel {

struct SparringUcbOptions : PolicyOptions {
  double alpha = 3;  // the bound is mean + sqrt((alpha + 2)/2 ln s / n)
};
struct SparringTsOptions : PolicyOptions {};

class SparringUcb : public ChoosingPolicy<SparringUcb> {
 public:
  using Options = SparringUcbOptions;

  SparringUcb(const Options& options, std::size_t num_arms, RoundRng rng);

  struct Choice {
    Duel duel;
  };
  Choice choose(Round round, RoundRng rng) const;
  void commit(const Choice& choice);
  void observe(const Duel& duel, Outcome outcome, RoundRng rng);
  Arm recommend(RoundRng rng) const { return plays_.most_played(options_.deterministic_ties, rng); }

  const UcbBandit& left() const { return left_; }
  const UcbBandit& right() const { return right_; }

  template <class Archive>
  void fields(Archive& archive) {
    archive(left_, right_, plays_);
  }
  bool restored();

 private:
  Options options_;
  std::size_t num_arms_;
  UcbBandit left_;
  UcbBandit right_;
  RecentPlays plays_;
};

class SparringTs : public ChoosingPolicy<SparringTs> {
 public:
  using Options = SparringTsOptions;

  SparringTs(const Options& options, std::size_t num_arms, RoundRng rng);

  struct Choice {
    Duel duel;
  };
  Choice choose(Round round, RoundRng rng) const;
  void commit(const Choice& choice);
  void observe(const Duel& duel, Outcome outcome, RoundRng rng);
  Arm recommend(RoundRng rng) const { return plays_.most_played(options_.deterministic_ties, rng); }

  const ThompsonBandit& left() const { return left_; }
  const ThompsonBandit& right() const { return right_; }

  template <class Archive>
  void fields(Archive& archive) {
    archive(left_, right_, plays_);
  }
  bool restored() const;

 private:
  Options options_;
  std::size_t num_arms_;
  ThompsonBandit left_;
  ThompsonBandit right_;
  RecentPlays plays_;
};

}  // namespace duel
