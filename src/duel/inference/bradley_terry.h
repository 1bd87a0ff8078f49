// Bradley-Terry strengths by maximum likelihood: p_ij = pi_i/(pi_i + pi_j), u = ln pi, sum u = 0.
// Bradley and Terry 1952; MM updates of Hunter 2004, then Newton's method, which the concave
// likelihood makes safe. Ties: half a win each, or the models of Davidson 1970 and Rao and Kupper
// 1967. With a Gamma prior on the strengths, the mode of the posterior (Caron and Doucet 2012),
// which exists for any duels at all: an arm that always won, arms that no duel links, an arm
// without any. With the effect of places, u_i - u_j grows by g where i is shown first (Davidson and
// Beaver 1977).
//
// A description, not a certificate: intervals are those of a sample of fixed size, and pairs that a
// policy chose by looking make them optimistic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/result.h"
#include "duel/inference/interval.h"

namespace duel {

struct TieChances {
  double first = 0;
  double second = 0;
  double tie = 0;
};

// pi_i : pi_j : nu sqrt(pi_i pi_j). REQUIRES: strengths > 0, nu >= 0.
TieChances davidson_chances(double pi_i, double pi_j, double nu);
// pi_i/(pi_i + theta pi_j), pi_j/(pi_j + theta pi_i), the rest. REQUIRES: strengths > 0, theta >=
// 1.
TieChances rao_kupper_chances(double pi_i, double pi_j, double theta);

enum class TieModel { halves, davidson, rao_kupper };

// Who beat whom how often, and who tied; row major.
struct DuelTable {
  explicit DuelTable(std::size_t arms) : num_arms(arms), wins(arms * arms), ties(arms * arms) {}

  double won(Arm i, Arm j) const { return wins[i * num_arms + j]; }
  double tied(Arm i, Arm j) const { return ties[i * num_arms + j]; }
  void add_wins(Arm i, Arm j, double count) { wins[i * num_arms + j] += count; }
  void add_ties(Arm i, Arm j, double count) {
    ties[i * num_arms + j] += count;
    ties[j * num_arms + i] += count;
  }

  std::size_t num_arms;
  std::vector<double> wins;
  std::vector<double> ties;  // symmetric
};

// The same by place: the row was shown first, the column second.
struct ShownTable {
  explicit ShownTable(std::size_t arms)
      : num_arms(arms), first_wins(arms * arms), second_wins(arms * arms), ties(arms * arms) {}

  void add(Arm first, Arm second, double won_by_first, double won_by_second, double tied) {
    const std::size_t at = first * num_arms + second;
    first_wins[at] += won_by_first;
    second_wins[at] += won_by_second;
    ties[at] += tied;
  }

  std::size_t num_arms;
  std::vector<double> first_wins;
  std::vector<double> second_wins;
  std::vector<double> ties;
};

// Independent strengths pi_i ~ Gamma(shape, rate), density pi^(shape - 1) e^(-rate pi). Who beats
// whom does not depend on the scale of the strengths, so that the rate only sets it (at the mode
// their mean is (shape - 1)/rate) and changes no probability; shape - 1 says how much the prior
// weighs. For two arms it is that many wins added each way; as it goes to 0, the fit goes to that
// without a prior.
struct GammaPrior {
  double shape = 2;  // above 1
  double rate = 1;   // above 0
};

struct BradleyTerryOptions {
  TieModel ties = TieModel::halves;
  // Wins added each way to every compared pair where the likelihood has no maximum. Not with a
  // prior, unless all duels are ties of a model that has them: no prior of strengths bounds the
  // ties.
  double added_wins = 0.1;
  std::optional<GammaPrior> prior;
  std::vector<std::string> names = {};  // of all arms, for errors; without them they go by number
};

// Twice the log-likelihood ratio of free pairs against the model. A small p-value: strengths alone
// do not explain who beats whom (cycles, or a rival that one arm knows how to beat).
struct LackOfFit {
  double statistic = 0;
  std::uint64_t degrees = 0;
  double p_value = 1;
};

// What being shown first is worth: an equal arm then wins with probability 1/(1 + e^-log_odds),
// among decisive duels.
struct PositionEffect {
  double log_odds = 0;
  double standard_error = 0;

  double first_wins_against_equal() const;
  // Of `log_odds`, at one fixed number of duels. REQUIRES: 0 < delta < 1.
  Interval interval(double delta) const;
};

struct BradleyTerryFit {
  std::vector<double> log_strength;  // u, summing to 0
  std::vector<double> strength;      // pi, summing to 1
  double tie_parameter = 0;          // nu of Davidson, theta of Rao and Kupper
  double added_wins = 0;             // > 0: the fit is regularised
  std::optional<GammaPrior> prior;   // as given: the fit is regularised
  double log_likelihood = 0;         // of the duels alone
  std::optional<LackOfFit>
      lack_of_fit;  // none where regularised or where no degree of freedom is left
  // The covariance of u, K x K: the inverse of minus the second derivatives, with the prior's.
  std::vector<double> covariance;
  std::optional<PositionEffect> position;  // where it was fitted

  double win_probability(Arm i, Arm j) const;  // of a decisive duel, in the `halves` model
  double standard_error(Arm i, Arm j) const;   // of u_i - u_j
  // For u_i - u_j, at one fixed number of duels. REQUIRES: 0 < delta < 1.
  Interval difference_interval(Arm i, Arm j, double delta) const;
  double elo(Arm i, double base = 0) const;  // 400 points are odds of ten to one
};

// The likelihood of `halves` has a maximum iff the graph "i beat or tied j" is strongly connected;
// for the models with ties it has one if "i beat j" is. Otherwise wins are added and reported. An
// error if the counts are unfit, or if some arms are linked to the others by no duel at all: it
// names two. With a prior there is always a maximum and arms need no link.
Result<BradleyTerryFit> fit_bradley_terry(const DuelTable& table,
                                          const BradleyTerryOptions& options = {});

// With the effect of places as one more parameter, which the duels determine iff "i beat j" is
// strongly connected and has two cycles: one in which more of the wins went to the arm shown first,
// one in which more went to the arm shown second. With a prior one win of either place is enough.
// An error where they do not, even with wins added to each pair in each order that it was shown in.
Result<BradleyTerryFit> fit_bradley_terry_with_position(const ShownTable& table,
                                                        const BradleyTerryOptions& options = {});

}  // namespace duel
