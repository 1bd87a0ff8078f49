// Scalable Copeland Bandits (SCB).
// Zoghi, Karnin, Whiteson, de Rijke. NIPS 2015, Algorithms 2 to 4.
// Assumes    no pair is even (p_ij != 1/2).
// Guarantee  O(K (L_C + log K) log T/D^2) Copeland regret; L_C: duels that a winner loses.
// Cost       O(1) amortised per duel; O(K) where a pair is settled and the passes go on. 5 bytes
//            per ordered pair.
// Departs    passes go over the arms in an order drawn at the start of an epoch: a pair is played
//            until it is settled, so a fixed order would favour the first. A sign is settled by
//            Hoeffding's bound with a union over n, weights 1/(n(n+1)); the paper leaves the test
//            open. Before the first epoch has found a winner, the empirical Copeland leader is
//            returned.
//
// Epochs of length T_1, T_1^2, T_1^4, .. (T_1 = 4: 2^(2^r)), each from scratch with delta = ln T/T.
// In an epoch: passes over the active arms; each arm i draws an opponent j != i, the two meet until
// the sign of p_ij - 1/2 is settled at level delta/K^2, and i scores 1 if it is the better one.
// Signs once settled cost no duel. After a pass, arms leave whose score is surely less than the
// best: {q : m d(mean, q) <= ln(4 s K/delta) + 2 ln+ ln s}. The arm that is left plays itself to
// the end of the epoch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "duel/core/pair_counts.h"
#include "duel/policies/policy.h"

namespace duel {

struct ScbOptions : PolicyOptions {
  std::uint64_t first = 4;  // length of the first epoch; each next one is squared
  bool carry = false;       // keep the outcomes of earlier epochs
};

class Scb : public ChoosingPolicy<Scb> {
 public:
  using Options = ScbOptions;

  Scb(const Options& options, std::size_t num_arms, RoundRng rng);

  static constexpr Arm kNoArm = ~Arm{0};

  // Where the passes of an epoch stand.
  struct Walk {
    Round length = 0;         // T_r
    Round end = 0;            // the epoch's last round
    std::vector<Arm> active;  // in the order of the passes
    std::vector<std::uint64_t> pulls;
    std::vector<std::uint64_t> scores;
    std::size_t position = 0;  // in the present pass
    Arm first = kNoArm;        // the pair that is being settled
    Arm second = kNoArm;
    Arm champion = kNoArm;  // plays itself once it is found

    void fields(auto& archive) {
      archive(length, end, active, pulls, scores, position, first, second, champion);
    }
  };
  // Which pairs are settled in this epoch: 1 where the row wins, -1 where it loses, 0 where open.
  struct Signs {
    std::vector<std::int8_t> sign;
    std::vector<std::uint32_t> open;  // per arm

    void fields(auto& archive) { archive(sign, open); }
  };
  struct Choice {
    Duel duel;
    std::optional<Walk> walk;    // where it went on
    std::optional<Signs> signs;  // where a new epoch begins
  };
  Choice choose(Round round, RoundRng rng) const;
  void commit(const Choice& choice);
  void observe(const Duel& duel, Outcome outcome, RoundRng rng);
  Arm recommend(RoundRng rng) const;
  Jump jump(Round round, Round limit, RoundRng rng) const;

  const Walk& walk() const { return walk_; }

  void fields(auto& archive) { archive(counts_, walk_, signs_, winner_); }
  bool restored();

 private:
  Walk first_walk(Round length, Round start, RoundRng& rng) const;
  // The sign of a pair at an epoch's level, from the counts; 0 where it is open.
  int sign_at(Arm i, Arm j, Round length) const;
  Signs signs_at(Round length) const;
  // Goes on until a pair has to be played or a champion is found.
  void go_on(Walk& walk, const Signs& signs, RoundRng& rng) const;
  void eliminate(Walk& walk) const;

  Options options_;
  PairCounts counts_;
  Walk walk_;
  Signs signs_;
  Arm winner_ = kNoArm;  // the last champion found
};

}  // namespace duel
