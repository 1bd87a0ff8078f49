#include "duel/policies/rcs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "duel/core/logarithm.h"
#include "duel/core/wake_up.h"
#include "duel/policies/parts/arms.h"
#include "duel/policies/registry.h"

namespace duel {

Rcs::Rcs(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
    : options_(options),
      counts_(num_arms),
      beliefs_(num_arms),
      share_(num_arms * num_arms, 2.0),
      inverse_root_(num_arms * num_arms),
      championships_(num_arms),
      room_(num_arms) {
  for (std::size_t i = 0; i < num_arms; ++i) share_[i * num_arms + i] = -1.0;
}

void Rcs::refresh_pair(Arm i, Arm j) {
  const std::size_t num_arms = counts_.num_arms();
  beliefs_.refresh(i, j, counts_);
  share_[i * num_arms + j] = counts_.mean(j, i);
  share_[j * num_arms + i] = counts_.mean(i, j);
  inverse_root_[i * num_arms + j] = inverse_root_[j * num_arms + i] =
      1.0 / std::sqrt(counts_.duels(i, j));
}

std::uint64_t Rcs::championships(Arm i, Round round) const {
  const bool reigned = !last_.foreign && last_.is_self() && last_.first == i;
  return championships_[i] + (reigned && round > last_.round + 1 ? round - last_.round - 1 : 0);
}

Arm Rcs::choose_champion(Round round, RoundRng& rng, const Setback* setback) const {
  const auto num_arms = static_cast<Arm>(counts_.num_arms());
  const SampledTournament tournament(beliefs_, rng, setback);
  // An arm that loses a pair is out, so one pass leaves the only arm that can have beaten all.
  Arm candidate = 0;
  for (Arm i = 1; i < num_arms; ++i) {
    if (tournament.beats(i, candidate)) candidate = i;
  }
  bool beats_all = true;
  for (Arm i = 0; i < candidate && beats_all; ++i) beats_all = tournament.beats(candidate, i);
  if (beats_all) return candidate;

  LeastArms<std::uint64_t> fewest(room_);
  for (Arm i = 0; i < num_arms; ++i) fewest.offer(i, championships(i, round));
  return fewest.pick(options_.deterministic_ties, rng);
}

Arm Rcs::choose_challenger(Arm champion, double width, RoundRng& rng) const {
  LargestArms<double> best(room_, 0.5);
  for (Arm j = 0; j < counts_.num_arms(); ++j) {
    if (j != champion) best.offer(j, upper(champion, j, width));
  }
  return best.empty() ? champion : best.pick(options_.deterministic_ties, rng);
}

Duel Rcs::choose(Round round, RoundRng& rng, const Setback* setback) const {
  const Arm champion = choose_champion(round, rng, setback);
  return {champion, choose_challenger(champion, width(round), rng), round};
}

void Rcs::issued(const Duel& duel, RoundRng /*rng*/) {
  if (!last_.foreign) championships_[last_.first] = championships(last_.first, duel.round);
  ++championships_[duel.first];
  last_ = duel;
}

void Rcs::observe(const Duel& duel, Outcome outcome, RoundRng rng) {
  if (count_duel(counts_, duel, outcome, options_.ties, rng)) {
    refresh_pair(duel.first, duel.second);
  }
}

// While no bound against c reaches 1/2, (c, c) is played in every round in which c wins all its
// samples: a geometric number of rounds. The round in which it loses one is drawn given that.
Jump Rcs::jump(Round round, Round limit, RoundRng rng) const {
  if (counts_.num_arms() == 1) return {limit};
  if (last_.foreign || !last_.is_self()) return {round};
  const Arm champion = last_.first;
  const auto challenged = [&](Round t) {
    const double s = width(t);
    for (Arm j = 0; j < counts_.num_arms(); ++j) {
      if (upper(champion, j, s) >= 0.5) return true;
    }
    return false;
  };
  double level = std::numeric_limits<double>::infinity();
  for (Arm j = 0; j < counts_.num_arms(); ++j) {
    if (j == champion) continue;
    const double n = counts_.duels(champion, j);
    const double lead = 0.5 - share_[champion * counts_.num_arms() + j];
    level = std::min(level, lead <= 0 ? 0.0 : n * lead * lead / options_.alpha);
  }
  const Round wake_up = wake_up_round(level, round, limit, challenged);
  const double cost = beliefs_.row_cost(champion);
  const double gap = std::floor(-natural_log(rng.uniform_open()) / cost);
  if (gap >= static_cast<double>(wake_up - round)) return {wake_up};
  const Round t = round + static_cast<Round>(gap);
  const Setback setback{
      champion, beliefs_.first_loss(champion, cost, rng.uniform(), [](Arm) { return true; })};
  return {t, choose(t, rng, &setback)};
}

bool Rcs::restored() {
  const std::size_t num_arms = counts_.num_arms();
  if (!counts_.consistent() || championships_.size() != num_arms) return false;
  if (last_.first >= num_arms || last_.second >= num_arms) return false;
  Rcs rebuilt(options_, num_arms, RoundRng(0, 0, 0));
  rebuilt.counts_ = counts_;
  counts_.for_each_met_pair([&](Arm i, Arm j) { rebuilt.refresh_pair(i, j); });
  rebuilt.championships_ = championships_;
  rebuilt.last_ = last_;
  *this = std::move(rebuilt);
  return true;
}

namespace {

const bool rcs_is_registered = register_policy<Rcs>(
    {.name = "rcs",
     .title = "Relative Confidence Sampling",
     .paper =
         "Zoghi, Whiteson, de Rijke, Munos: Relative Confidence Sampling for Efficient On-Line "
         "Ranker Evaluation. WSDM 2014, Algorithm 1",
     .setting = "Condorcet winner",
     .guarantee = "none proved",
     .status = "reproduced",
     .jumping = Jumping::in_law},
    OptionTable<RcsOptions>().number(
        "alpha", &RcsOptions::alpha, {.above = 0},
        "width of the confidence bounds; published 0.501, comparisons use 0.51", Shown::always));

}  // namespace
}  // namespace duel
