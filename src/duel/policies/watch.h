// watch: restarts a policy when the arm that it shows is beaten, for preferences that change.
// Ours; an e-detector (Shin, Ramdas, Rinaldo: E-detectors, 2023) of Shiryaev-Roberts form.
// Assumes    what the inner policy assumes, between changes.
// Guarantee  while no arm beats the champion, a false alarm comes after `arl` of the champion's
//            duels or more on average. After a change to p_ja = p > 1/2 an alarm takes about
//            ln(arl)/d(p, 1/2) duels of that pair. None on regret.
// Cost       that of the inner policy, and O(K) per probe; 64 bytes per arm. Probes cost a share
//            `rate` of the rounds for ever: regret that grows with them, however slowly.
// Departs    not a published algorithm.
//
// The champion a is what the inner policy would recommend. Each rival j has the numbers M_jg, one
// for each gap g of the evidence (inference/evidence.h), 0 at first, and M_j = sum_g weight_g M_jg.
//   1. A round is a probe with probability `rate`: the next arm j in cyclic order meets a. Where
//      some M_j is `suspicion` or more it is one with probability 1/2, of the j with the largest
//      M_j. Other rounds are the inner policy's.
//   2. After a duel of j with the champion, probe or not, M_jg = (1 + M_jg) (1 + 2g) if j won and
//      (1 + M_jg) (1 - 2g) if not. The inner policy hears of probes as of foreign duels.
//   3. If sum_j M_j >= arl, the inner policy begins again, and so do all M.
//   4. If the champion has changed when a probe is due, or a duel is answered, all M begin again.
// Which rivals are probed and how often may depend on all that was seen: M minus the number of
// duels that moved it is a supermartingale all the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "duel/policies/parts/inner_policy.h"
#include "duel/policies/parts/tickets.h"

namespace duel {

struct WatchOptions : InnerPolicyOptions {
  double rate = 0.002;
  // M grows like the number of duels while the two are nearly even: a bar of 10 is passed now and
  // then on stationary problems, and every other round is then a probe for long.
  double suspicion = 1000;
  double arl = 1e4;
};

class Watch {
 public:
  using Options = WatchOptions;

  Watch(const Options& options, std::size_t num_arms, RoundRng rng)
      : options_(options),
        num_arms_(num_arms),
        inner_(options.configured, rng),
        levels_(num_arms * kGaps),
        sums_(num_arms) {}

  Duel select(Round round, RoundRng rng) const { return choose(round, rng).duel; }
  Duel take(Round round, RoundRng rng) {
    const Choice choice = choose(round, rng);
    went_out(choice.duel, choice.probe, choice.rng);
    return choice.duel;
  }
  // A duel that a jump has drawn is told by its arms.
  void issued(const Duel& duel, RoundRng rng) {
    const Choice choice = choose(duel.round, rng);
    const bool is_probe = choice.duel == duel
                              ? choice.probe
                              : !inner_.draws_ahead() || duel == probe(duel.round, rng);
    went_out(duel, is_probe, choice.rng);
  }
  void observe(const Duel& duel, Outcome outcome, RoundRng rng);
  Arm recommend(RoundRng rng) const { return inner_.recommend(rng); }
  // In law: the number of rounds until the next probe is geometric.
  Jump jump(Round round, Round limit, RoundRng rng) const;

  std::uint64_t restarts() const { return restarts_; }
  // M_j.
  double level(Arm rival) const { return sums_[rival]; }
  Arm champion() const { return champion_; }

  void fields(auto& archive) {
    archive(inner_, levels_, champion_, last_probed_, last_round_, epoch_, restarts_, probes_);
  }
  bool restored();

 private:
  static constexpr std::size_t kGaps = 8;
  struct Choice {
    Duel duel;
    bool probe;
    RoundRng rng;  // what is left of the draws for the inner policy
  };
  Choice choose(Round round, RoundRng rng) const;
  // The probe that would be next.
  Duel probe(Round round, RoundRng rng) const;
  Arm most_suspect() const;
  bool suspects() const { return sums_[most_suspect()] >= options_.suspicion; }
  void went_out(const Duel& duel, bool is_probe, RoundRng rng);
  void see_champion(Arm champion);
  void met_champion(Arm rival, bool rival_won, RoundRng rng);
  void refresh(Arm rival);

  Options options_;
  std::size_t num_arms_;
  InnerPolicy inner_;
  std::vector<double> levels_;  // M_jg at j * kGaps + g
  Arm champion_ = 0;
  Arm last_probed_ = 0;
  Round last_round_ = 0;     // that went out
  std::uint64_t epoch_ = 0;  // how often all M began again
  std::uint64_t restarts_ = 0;
  Tickets<std::uint64_t> probes_;  // those that are out, with the epoch they belong to
  std::vector<double> sums_;       // M_j; derived
};

}  // namespace duel
