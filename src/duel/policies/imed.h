// Indexed minimum empirical divergence for duels, with and without a Condorcet winner.
// Ours, in the spirit of IMED: Honda and Takemura, JMLR 2015.
// Assumes    nothing; Copeland winners where no arm beats all others.
// Guarantee  polylogarithmic regret, O(K^2 log T) for `safe` with a Condorcet winner, where no pair
//            is even: docs/imed-proof.md.
// Cost       O(K) per informative duel while some arm is plausible as a Condorcet winner, O(K (l +
//            log K)) at level l, O(K^2) at most before the champion idles; 28 bytes per ordered
//            pair, up to 40 once it idled, up to 60 once a level above 0 was used.
// Departs    not a published algorithm. Evidence is held on a grid of 2^-36, as in RMED. With duels
//            outstanding those count in n, not in the evidence.
//
// T_ij = n_ij d(mean(i,j), 1/2) where i loses to j, else 0; I_i = sum_j T_ij; k_i = #{j : T_ij >
// 0}; o_i = argmax_j T_ij is the accuser of i. Three questions are answered apart:
//   when to stop   an arm is plausible while H_i = I_i - omega(k_i) + c B_i <= ln t, where B_i is
//                  the mean of g(n) = ln n * n/(n + n0) over the pairs that accuse i, weighted by
//                  T, and omega is what chance adds to a sum over many opponents;
//   whom next      the candidate with the least (n + start)(1 + evidence): even pairs share;
//   against whom   the champion, or the accuser while it was heard less than `ag` times as often.
// Step 1: the champion a is the plausible arm with the least I_i - min(credit, sum_j T_ji).
// Step 2: candidates are (a) the pair (a, o_a) if I_a > 0, with n of that pair and evidence I_a;
//   (b) every i != a with h_i = e_i + c B_i <= ln t, e_i = max(T_ia, I_i - I_a - omega(k_i)), with
//   n_ia and evidence e_i (B_i = g(n_ia) if I_i = 0; at once if the two never met).
// Step 3: the candidate of least weight duels.
// Step 4: without one, C* is the cost of the cheapest world in which an arm has fewer losses than
// a.
//   If C* <= ln t, a meets the arm j of that world with the least (n_aj + start)(1 + T_ja), j being
//   one that loses to a today and does not in that world. Else (a, a), until ln t reaches an h_i
//   or C*. Without this step a champion that was lucky against the arms that beat it is never
//   tested again where other pairs exclude those arms.
// A world reverses pairs of today's counts. At level l the champion loses to exactly l arms Q, and
// Y are the others. V_ij = T_ij + c g(n_ij); X_i = {j != a : T_ij > 0}, k = |X_i|; S_i holds the
// V_ij of X_i and the V_ja of Y less i, ascending, pairs of a first among equals. The worlds are,
//   for i in Y: the pair (i, a) and the first max(0, k - l) of S_i; or the first k + 2 - l of S_i;
//   for i in Q: the first k + 1 - l of S_i;
// each only if S_i is long enough and a pair of a is among them; its cost is the sum of the T and
// the largest c g.
// Where no arm is plausible as a Condorcet winner, level l = 1, 2, .. leaves out the l largest
// terms of every sum, until some arm is: J_i for I_i, the champion stays champion while tied, and
// its l strongest accusers are not asked again.
// With `safe`, H_i and h_i are max_j (T_ij + c ln n_ij), and ln t is ln t + 2 ln(1 + ln t).
// With `bold` less is tested, for those who know that one arm is clearly the best:
//   ln t is f(t) = ln(t + 10^4) - 3, and f(t) + 1/2 above level 0; c is 0.7 c at level 0;
//   the accuser of i is heard only while T_ia > 0, and 3 ag times as often as the champion;
//   e_i = max(T_ia, X), X = I_i - I_a - omega(k_i), and X/2 for X where T_ia = 0;
//   h_i = e_i + c B_i + R_i, where I_i > 0: a champion that has clearly beaten the field needs less
//   against an arm that loses clearly and has beaten nobody,
//   R_i = 8 max(0, S_a - S_i) sqrt(T_ia/(n_ia ln 2)) n_ia^2/(n_ia^2 + 400),
//   S_a = sum_{j != i} min(T_ja, 7)/(7 (K - 2)), S_i = sum_{j != a} min(T_ji, 7)/(7 (K - 2)).
// Over fourteen problems its mean regret at 10^5 rounds is a quarter lower. The price is in the
// tail: about one run in 500 stays with a wrong arm to the end where the best two are .05 apart,
// and the 99.9 % quantile is 3 to 7 times as large; where gaps are .01 the mean is no lower.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "duel/core/pair_counts.h"
#include "duel/policies/parts/arms.h"
#include "duel/policies/parts/pending_pairs.h"
#include "duel/policies/policy.h"

namespace duel {

struct ImedOptions : PolicyOptions {
  double c = 1;       // weight of the bonus
  double n0 = 20;     // duels at which the bonus of a pair reaches half of ln n
  double ag = 0.25;   // an accuser is heard while it met the arm less than ag times as often
  double slack = 4;   // omega(k) = max(m/4, m/2 - slack), m = k - 1
  double start = 2;   // added to n in the weights
  double credit = 4;  // most that the evidence for an arm counts in the choice of the champion
  bool safe = false;  // the form that docs/imed-proof.md is about
  bool bold = false;  // the form with the least mean, and a heavy tail

  // An error for the options of the policy that had this name before.
  static Status check_call(const CallSpec& call);
};

class Imed : public ChoosingPolicy<Imed> {
 public:
  using Options = ImedOptions;

  struct Choice {
    Duel duel;
    Arm champion = 0;
    bool above = false;  // made at a level above 0
  };

  Imed(const Options& options, std::size_t num_arms, RoundRng rng);

  Choice choose(Round round, RoundRng rng) const;
  void commit(const Choice& choice);
  void observe(const Duel& duel, Outcome outcome, RoundRng rng);
  // The champion of the last round.
  Arm recommend(RoundRng rng) const;
  Jump jump(Round round, Round limit, RoundRng rng) const;

  // The two forms exclude each other.
  static Status check(const Options& options, std::size_t num_arms);

  void fields(auto& archive) { archive(counts_, pending_, lots_, champion_, kept_); }
  bool restored();

 private:
  // What a round would do: the candidates of least weight, or the evidence at which one appears.
  struct Plan {
    Arm champion;
    std::size_t level;
    bool champion_drawn;   // among several, at random
    std::int64_t wake_up;  // REQUIRES: no candidate
    LeastArms<double> candidates;
    bool tests_champion = false;  // step 4: the candidates meet the champion and nobody else
  };
  // A pair that a world turns around: of the champion with an arm it beats, or lost to an arm.
  struct Reversal {
    std::int64_t price;  // V
    std::int64_t term;
    Arm arm;
    std::int64_t bonus() const { return price - term; }
    auto operator<=>(const Reversal&) const = default;
  };
  struct Losses {
    bool stale = true;
    std::vector<Reversal> pairs;  // to every arm that beats this one, ascending
  };
  // Step 4. It stays as it is while the counts do, so an idle champion asks for it once.
  struct BetterWorld {
    bool stale = true;
    Arm champion;
    std::size_t level;
    std::int64_t cost;           // C*
    std::vector<Arm> opponents;  // of the champion, in any of the worlds that cost so little
  };
  // The evidence against an arm level by level: at level l without the l largest terms.
  struct Ladder {
    bool stale = true;
    std::vector<Arm> accusers;  // the strongest first
    std::vector<std::int64_t> evidence;
    std::vector<std::int64_t> plausibility;
  };
  struct Standing {
    std::span<const std::int64_t> plausibility;
    std::span<const std::int64_t> bonus;
  };

  std::int64_t budget(Round round) const;
  Plan plan(std::int64_t budget, RoundRng& rng) const;
  Plan plan_above(std::int64_t budget, RoundRng& rng) const;
  Standing standing() const;
  Duel duel_of(const Plan& plan, Arm candidate, Round round) const;
  Arm accuser_of(Arm i) const;
  bool accuses_before(Arm i, Arm j, Arm other) const;
  const Ladder& ladder(Arm i) const;
  double lead(Arm a, Arm i, double duels) const;
  void test_champion(std::int64_t budget, Plan& plan) const;
  const BetterWorld& better_world(Arm a, std::size_t level) const;
  void offer_worlds(Arm i, BetterWorld& best) const;
  const std::vector<Reversal>& losses_of(Arm i) const;
  Reversal reversal(Arm loser, Arm winner, Arm arm) const;
  void changed(const Duel& duel);

  void refresh_pair(Arm i, Arm j);
  void refresh_standing(Arm i);
  std::int64_t safe_plausibility(Arm i, auto bonus) const;
  // T_ij: the entries of i and j are one number with two signs, since only one of them loses.
  std::int64_t term(Arm i, Arm j) const {
    const std::int64_t margin = margin_[i * counts_.num_arms() + j];
    return margin > 0 ? margin : 0;
  }
  double duels_with_pending(Arm i, Arm j) const;
  double weight(double duels, std::int64_t evidence) const;
  double bonus_of_pair(double duels) const;  // c g(n)
  double bonus_with_pending(Arm i, Arm j) const;

  Options options_;
  double c_;             // at level 0
  double c_above_;       // above, in units of that
  double hearing_;       // ag
  std::int64_t above_;   // what the budget is larger above level 0, on the grid
  std::int64_t credit_;  // on the grid
  PairCounts counts_;
  PendingPairs pending_;
  std::vector<std::uint64_t> lots_;  // decide between accusers of equal weight, row by row
  Arm champion_;                     // of the last round; num_arms before the first
  Arm kept_;                         // of the last round above level 0; num_arms before the first

  // Derived from the counts, on the grid.
  std::vector<std::int64_t> margin_;        // T_ij - T_ji
  std::vector<double> duels_;               // n_ij
  std::vector<double> pair_bonus_;          // c g(n_ij)
  std::vector<std::int64_t> evidence_;      // I_i
  std::vector<std::int64_t> support_;       // sum_j T_ji
  std::vector<std::int64_t> capped_;        // sum_j min(T_ji, 7), where it is asked for
  std::vector<std::int64_t> score_;         // I_i less the evidence for i, as far as it counts
  std::vector<std::uint32_t> accusers_;     // k_i
  std::vector<double> weighted_;            // sum_j T_ij c g(n_ij)
  std::vector<std::int64_t> bonus_;         // c B_i
  std::vector<std::int64_t> lessened_;      // I_i - omega
  std::vector<std::int64_t> plausibility_;  // H_i
  mutable std::vector<Ladder> ladders_;     // filled once a level above 0 is asked for
  mutable BetterWorld better_world_;
  mutable std::vector<Losses> losses_;    // filled once step 4 asks for them
  mutable bool losses_above_ = false;     // whether they are worked out for levels above 0
  mutable std::vector<Reversal> beaten_;  // scratch
  mutable std::vector<Arm> room_;
  mutable std::vector<Arm> tied_room_;
  mutable std::vector<double> pending_weighted_;
  mutable std::vector<std::int64_t> pending_plausibility_;
  mutable std::vector<std::int64_t> pending_bonus_;
  mutable std::vector<double> pending_duels_;
};

}  // namespace duel
