// watch: restarts a policy when the arm that it shows is beaten, for preferences that change.
// Ours; an e-detector (Shin, Ramdas, Rinaldo: E-detectors, 2023) of Shiryaev-Roberts form.
// Assumes    what the inner policy assumes, between changes, and a Condorcet winner: a champion
//            that some arm beats is an alarm, time and again.
// Guarantee  while no arm beats the champion, a false alarm comes after `arl` of the champion's
//            duels or more on average. After a change to p_ja = p > 1/2 an alarm takes about
//            ln(arl)/d(p, 1/2) duels of that pair. None on regret.
// Cost       that of the inner policy, and O(K) per duel of the champion; 64 bytes per arm. Regret
//            where nothing changes: docs/league.md.
// Departs    not a published algorithm. Probes come in series and within a budget, not at a fixed
//            rate.
//
// The champion a is what the inner policy would recommend. Each rival j has the numbers M_jg, one
// for each gap g of the evidence (inference/evidence.h), 0 at first, and M_j = sum_g weight_g M_jg.
//   1. Probes come in series. In a series one rival meets the champion in every round until it has
//      lost once more than it has won, or kLongest times. While an answer to a probe is awaited,
//      rounds are the inner policy's.
//   2. Outside of a series a round begins one with probability max(rate, left/span), at most 1/2:
//      of the next rival in cyclic order. left = share A - (series begun since the restart), where
//      A is the most by which the champion's wins have exceeded its losses in duels of the inner
//      policy since then. Other rounds are the inner policy's.
//   3. After a duel of j with the champion, probe or not, M_jg = (1 + M_jg) (1 + 2g) if j won and
//      (1 + M_jg) (1 - 2g) if not. The inner policy hears of probes as of foreign duels.
//   4. If sum_j M_j >= arl, the inner policy begins again, and so does all of this.
//   5. If the champion has changed when a probe is due, or a duel is answered, all M begin again.
// Which rivals are probed and how often may depend on all that was seen: M minus the number of
// duels that moved it is a supermartingale all the same.
//
// Why a series costs what it does: with gap D = 1/2 - p_ja > 0 one lasts 1/(2D) duels on average,
// each with an average regret of D/2: 1/4 whatever the gap, and it ends with the champion one win
// ahead. A win more than losses is also what the inner policy's own duels with the champion show
// for each 1/4 of regret, on average. So `share` compares the two by counts alone, and no rate has
// to be chosen. After a change to p > 1/2 a series never ends with probability (2p - 1)/p, and then
// the alarm comes in that series. Most of what an inner policy spends it spends early. `span` keeps
// part of that for later; without changes the rate falls to zero, as the regret of a good policy
// must, and a change after a quiet time far beyond `span` is noticed by the inner policy's own
// duels or not soon. `rate` keeps some probes for ever, at linear cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "duel/policies/parts/inner_policy.h"
#include "duel/policies/parts/tickets.h"

namespace duel {

struct WatchOptions : InnerPolicyOptions {
  // As large as costs at most 10 % of imed's regret on all built-in problems with a Condorcet
  // winner, at 1e5 and 1e6 rounds (docs/league.md). It is less than `share` itself, since the inner
  // policy learns from probes.
  double share = 0.35;
  double span = 5e4;
  double rate = 0;
  double arl = 2e4;

  // An error for an option that there was before.
  static Status check_call(const CallSpec& call);
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

  // An exactly even pair would have series without end; one this long with p = 0.55 is an alarm.
  static constexpr std::uint64_t kLongest = 2000;

  std::uint64_t restarts() const { return restarts_; }
  // Since the restart.
  std::uint64_t series_begun() const { return begun_; }
  // M_j.
  double level(Arm rival) const { return sums_[rival]; }
  Arm champion() const { return champion_; }

  void fields(auto& archive) {
    archive(inner_, levels_, champion_, rival_, last_round_, restarts_, probes_, series_, running_,
            awaited_, lead_, length_, begun_, ahead_, most_ahead_);
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
  double probability_of_series() const;
  bool goes_on(RoundRng rng) const {
    return running_ && !awaited_ && inner_.recommend(rng) == champion_;
  }
  void begin_again();
  void went_out(const Duel& duel, bool is_probe, RoundRng rng);
  void see_champion(Arm champion);
  void met_champion(Arm rival, bool rival_won, RoundRng rng);
  void refresh(Arm rival);

  Options options_;
  std::size_t num_arms_;
  InnerPolicy inner_;
  std::vector<double> levels_;  // M_jg at j * kGaps + g
  Arm champion_ = 0;
  Arm rival_ = 0;         // of the last probe
  Round last_round_ = 0;  // that went out
  std::uint64_t restarts_ = 0;
  Tickets<std::uint64_t> probes_;  // those that are out, with the series they belong to

  // The last series.
  std::uint64_t series_ = 0;  // its number; also changes where one is broken off
  bool running_ = false;
  bool awaited_ = false;   // one of its probes is out
  std::int64_t lead_ = 0;  // of the rival: wins less losses
  std::uint64_t length_ = 0;

  // Since the restart.
  std::uint64_t begun_ = 0;      // series
  std::int64_t ahead_ = 0;       // the champion, in duels of the inner policy: wins less losses
  std::int64_t most_ahead_ = 0;  // A
  std::vector<double> sums_;     // M_j; derived
};

}  // namespace duel
