#include "duel/policies/dts.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "duel/core/beta.h"
#include "duel/core/check.h"
#include "duel/core/divergence.h"
#include "duel/core/exponential.h"
#include "duel/core/logarithm.h"
#include "duel/core/wake_up.h"
#include "duel/policies/parts/arms.h"
#include "duel/policies/registry.h"

namespace duel {

Dts::Dts(const Options& options, std::size_t num_arms, RoundRng /*rng*/, bool plus)
    : options_(options),
      plus_(plus),
      counts_(num_arms),
      beliefs_(num_arms),
      scores_(num_arms),
      wins_(num_arms) {
  tied_.reserve(num_arms);
}

void Dts::keep_cheapest(const SampledTournament& tournament, RoundRng& rng) const {
  const auto num_arms = static_cast<Arm>(counts_.num_arms());
  tournament.count_wins(wins_);
  const double best = *std::max_element(wins_.begin(), wins_.end());
  const KeyedDraws value_seeds(rng);
  LeastArms<double> least(tied_);  // an arm is read before its place is taken
  for (const Arm i : tied_) {
    double sum = 0;
    for (Arm j = 0; j < num_arms; ++j) {
      if (j == i) continue;
      // |theta - 1/2| of the pair, given the side it fell on; the same for both of its arms.
      const bool i_wins = tournament.beats(i, j);
      const Arm winner = i_wins ? i : j, loser = i_wins ? j : i;
      Xoshiro values(value_seeds.bits(pair_index(i, j)));
      const double theta = draw_beta_above_half(counts_.wins(winner, loser) + 1.0,
                                                counts_.wins(loser, winner) + 1.0, values);
      const double divergence = divergence_from_half(2.0 * theta - 1.0);
      if (divergence == 0.0) continue;
      const double regret = (best - 0.5 * (wins_[i] + wins_[j])) / (num_arms - 1.0);
      sum += regret / divergence;
    }
    least.offer(i, sum);
  }
  tied_.resize(least.arms().size());
}

Arm Dts::choose_first(RoundRng& rng, const Setback* setback) const {
  const std::vector<Arm>& candidates = scores_.leaders();  // C of step 2
  if (candidates.size() == 1) return candidates[0];
  const auto num_arms = static_cast<Arm>(counts_.num_arms());
  // Step 3; of theta the side of 1/2, drawn when it is asked for.
  const SampledTournament tournament(beliefs_, rng, setback);
  // Step 4: most wins is fewest losses. The likely best first, so that the others are dropped at
  // their first losses.
  Arm favourite = candidates[0];
  for (const Arm i : candidates) {
    if (beliefs_.row_cost(i) < beliefs_.row_cost(favourite)) favourite = i;
  }
  std::uint32_t fewest = tournament.losses(favourite, num_arms);
  tied_.clear();
  if (8 * fewest > num_arms) {
    // Nobody stands out, and most arms would have to be asked to the end: decide each pair once.
    tournament.count_wins(wins_);
    tied_.resize(candidates.size());
    LargestArms<std::uint32_t> best(tied_);
    for (const Arm i : candidates) best.offer(i, wins_[i]);
    tied_.resize(best.arms().size());
  } else {
    bool favourite_tied = true;
    for (const Arm i : candidates) {
      if (i == favourite) {
        if (favourite_tied) tied_.push_back(i);
        continue;
      }
      if (fewest == 0 && !tournament.beats(i, favourite)) continue;
      const std::uint32_t losses = tournament.losses(i, fewest);
      if (losses < fewest) {
        fewest = losses;
        favourite_tied = false;
        tied_.clear();
      }
      if (losses == fewest) tied_.push_back(i);
    }
  }
  if (plus_ && tied_.size() > 1) keep_cheapest(tournament, rng);
  return tied_[pick_tied(tied_.size(), options_.deterministic_ties, rng)];
}

Arm Dts::choose_second(Arm first, double width, RoundRng& rng,
                       std::optional<Arm> first_success) const {
  const auto num_arms = static_cast<Arm>(counts_.num_arms());
  // Step 5, the side of 1/2: an arm whose sample exceeds it outdoes theta_aa.
  const KeyedDraws draws(rng);
  tied_.clear();
  for (Arm i = first_success.value_or(0); i < num_arms; ++i) {
    if (i == first || !may_challenge(i, first, width)) continue;
    if (i == first_success || beliefs_.exceeds(i, first, draws.uniform(i))) tied_.push_back(i);
  }
  // Step 6. Values are drawn where several exceed 1/2.
  if (tied_.empty()) return first;
  if (tied_.size() == 1) return tied_[0];
  Arm best = first;
  double largest = 0;
  for (const Arm i : tied_) {
    Xoshiro values(draws.bits(num_arms + i));
    const double theta =
        draw_beta_above_half(counts_.wins(i, first) + 1.0, counts_.wins(first, i) + 1.0, values);
    if (theta > largest) {
      largest = theta;
      best = i;
    }
  }
  return best;
}

Duel Dts::choose(Round round, RoundRng& rng, const Setback* setback) const {
  // Steps 1 and 2: the bounds at this round's clock, and C.
  const double s = width(round);
  scores_.follow(s);
  // Steps 3 and 4, then 5 and 6.
  const Arm first = choose_first(rng, setback);
  return {first, choose_second(first, s, rng), round};
}

void Dts::observe(const Duel& duel, Outcome outcome, RoundRng rng) {
  // Step 7.
  if (count_duel(counts_, duel, outcome, options_.ties, rng)) {
    beliefs_.refresh(duel.first, duel.second, counts_);
    scores_.refresh(duel.first, duel.second, counts_);
  }
}

double Dts::require_best_score(Arm arm) const {
  const auto num_arms = static_cast<Arm>(counts_.num_arms());
  required_.clear();
  double cost = 0;
  const auto require = [&](Arm winner, Arm loser) {
    const double flip_cost = beliefs_.cost(winner, loser);
    required_.push_back({winner, loser, flip_cost});
    cost += flip_cost;
  };
  for (Arm j = 0; j < num_arms; ++j) {
    if (j == arm) continue;
    if (beliefs_.favours(arm, j)) {
      require(arm, j);
    } else {
      require(j, arm);
    }
  }
  // Its score is then num_favoured(arm), so every other candidate has to lose once more than it
  // does. The losses to require are the surest; the one to the arm itself is required already. A
  // winner of all its pairs needs no more than that.
  const std::uint32_t needed = num_arms - beliefs_.num_favoured(arm);
  for (const Arm i : scores_.leaders()) {
    if (i == arm) continue;
    const std::uint32_t more = needed - (beliefs_.favours(arm, i) ? 1 : 0);
    if (more == 0) continue;
    losses_.clear();
    for (Arm j = 0; j < num_arms; ++j) {
      if (j != i && j != arm && beliefs_.favours(j, i)) {
        losses_.push_back({j, i, beliefs_.cost(j, i)});
      }
    }
    DUEL_CHECK(losses_.size() >= more);  // it has fewer likely wins than the arm
    std::nth_element(losses_.begin(), losses_.begin() + (more - 1), losses_.end(),
                     [](const Flip& x, const Flip& y) {
                       return x.cost < y.cost || (x.cost == y.cost && x.winner < y.winner);
                     });
    for (std::uint32_t k = 0; k < more; ++k) require(losses_[k].winner, losses_[k].loser);
  }
  return cost;
}

// The dominant event of a round: the tournament goes as is likely, so far as it takes for a_0, of
// the candidates C the one with most likely wins, to have the best score (probability f), and no
// sample of the second kind exceeds 1/2 against it (q). Then (a_0, a_0) is played. The rounds until
// this fails are geometric with ratio f q; in the round where it fails, either the tournament goes
// as said and some second sample exceeds 1/2, or one of the required flips goes the other way and
// everything else is free.
Jump Dts::jump(Round round, Round limit, RoundRng rng) const {
  const auto num_arms = static_cast<Arm>(counts_.num_arms());
  if (num_arms == 1) return {limit};
  const Jump stay{round};
  if (!last_.is_self()) return stay;
  const Arm a = last_.first;
  const double s = width(round);
  scores_.follow(s);
  bool is_candidate = false;
  for (const Arm i : scores_.leaders()) {
    is_candidate = is_candidate || i == a;
    if (i != a && beliefs_.num_favoured(i) >= beliefs_.num_favoured(a)) return stay;
  }
  if (!is_candidate) return stay;

  const double first_cost = require_best_score(a);  // -ln f
  // Bounds only rise: an arm with the largest possible score stays a candidate, and all may
  // challenge it. Otherwise a bound that crosses 1/2 can change both, and where the arm does not
  // win all its flips, any new candidate matters.
  Round wake_up = limit;
  double second_cost = 0;  // -ln q
  for (Arm i = 0; i < num_arms; ++i) {
    if (i != a && may_challenge(i, a, s)) second_cost += beliefs_.cost(a, i);
  }
  if (scores_.score(a) + 1 < num_arms || beliefs_.num_favoured(a) + 1 < num_arms) {
    const double crossing = scores_.next_crossing();
    wake_up = wake_up_round(crossing * crossing / options_.alpha, round, limit,
                            [&](Round t) { return width(t) > crossing; });
  }
  const double total_cost = first_cost + second_cost;
  const double gap = std::floor(-natural_log(rng.uniform_open()) / total_cost);
  if (gap >= static_cast<double>(wake_up - round)) return {wake_up};
  const Round t = round + static_cast<Round>(gap);

  const double s_then = width(t);
  scores_.follow(s_then);
  // P(tournament as said | not both) = f (1 - q)/(1 - f q).
  const double f = exponential(-first_cost);
  const bool tournament_won = rng.uniform() * complement_of_exponential(total_cost) <
                              f * complement_of_exponential(second_cost);
  if (tournament_won) {
    const Arm success = beliefs_.first_loss(a, second_cost, rng.uniform(),
                                            [&](Arm i) { return may_challenge(i, a, s); });
    return {t, Duel{a, choose_second(a, s_then, rng, success), t}};
  }
  // The first required flip that goes the other way, given that one does (see Beliefs::first_loss).
  const double reach = draw_exponential_below(first_cost, rng.uniform());
  known_.resize(static_cast<std::size_t>(num_arms) * num_arms);
  const auto mark = [&](const Flip& flip, std::int8_t sign) {
    known_[flip.winner * num_arms + flip.loser] = sign;
    known_[flip.loser * num_arms + flip.winner] = static_cast<std::int8_t>(-sign);
  };
  std::size_t turned = 0;
  for (double sum = required_[0].cost; sum <= reach && turned + 1 < required_.size();) {
    mark(required_[turned], 1);
    sum += required_[++turned].cost;
  }
  mark(required_[turned], -1);
  const Setback setback{.known = known_.data()};
  const Duel duel = choose(t, rng, &setback);
  for (std::size_t k = 0; k <= turned; ++k) mark(required_[k], 0);
  return {t, duel};
}

bool Dts::restored() {
  const std::size_t num_arms = counts_.num_arms();
  if (!counts_.consistent() || last_.first >= num_arms || last_.second >= num_arms) return false;
  beliefs_ = Beliefs(num_arms);
  scores_ = UpperScores(num_arms);
  counts_.for_each_met_pair([&](Arm i, Arm j) {
    beliefs_.refresh(i, j, counts_);
    scores_.refresh(i, j, counts_);
  });
  return true;
}

namespace {

OptionTable<DtsOptions> dts_options() {
  return OptionTable<DtsOptions>().number(
      "alpha", &DtsOptions::alpha, {.above = 0},
      "width of the confidence bounds; the theory needs alpha > 1/2", Shown::always);
}

PolicyFacts dts_facts(std::string name, std::string title, const std::string& algorithm) {
  return {
      .name = std::move(name),
      .title = std::move(title),
      .paper = "Wu, Liu: Double Thompson Sampling for Dueling Bandits. NIPS 2016, " + algorithm,
      .setting = "Copeland winners, Condorcet winner",
      .guarantee = "O(K^2 log T) Copeland, O(K log T + K^2 log log T) Condorcet, for alpha > 1/2",
      .status = "reproduced",
      .jumping = Jumping::in_law};
}

const bool dts_plain_is_registered = register_policy<Dts>(
    dts_facts("dts", "Double Thompson Sampling", "Algorithm 1"), dts_options());
const bool dts_plus_is_registered = register_policy<DtsPlus>(
    dts_facts("dts-plus", "Double Thompson Sampling, ties broken by estimated regret",
              "Algorithm 2 (D-TS+)"),
    dts_options());

}  // namespace
}  // namespace duel
