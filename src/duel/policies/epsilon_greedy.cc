#include "duel/policies/epsilon_greedy.h"

#include <algorithm>
#include <cmath>

#include "duel/policies/parts/arms.h"
#include "duel/policies/registry.h"

namespace duel {

EpsilonGreedy::EpsilonGreedy(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
    : options_(options), counts_(num_arms), victories_(num_arms) {
  leaders_.reserve(num_arms);
  find_leaders();
}

double EpsilonGreedy::exploration(Round round) const {
  const double expected = options_.c * static_cast<double>(counts_.num_arms());
  return std::min(1.0, expected / static_cast<double>(round));
}

void EpsilonGreedy::find_leaders() {
  find_arms(victories_, *std::max_element(victories_.begin(), victories_.end()), leaders_);
  if (leaders_.size() == 1) return;
  LargestArms<double> best(leaders_);  // an arm is read before its place is taken
  for (const Arm i : leaders_) {
    double sum = 0;
    for (Arm j = 0; j < counts_.num_arms(); ++j) sum += counts_.mean(i, j);
    best.offer(i, sum);
  }
  leaders_.resize(best.arms().size());
}

Arm EpsilonGreedy::leader(RoundRng& rng) const {
  return leaders_[pick_tied(leaders_.size(), options_.deterministic_ties, rng)];
}

Duel EpsilonGreedy::explore(Arm leader, Round round, RoundRng& rng) const {
  return {leader, draw_other(leader, counts_.num_arms(), rng), round};
}

Duel EpsilonGreedy::select(Round round, RoundRng rng) const {
  const Arm first = leader(rng);
  if (counts_.num_arms() > 1 && rng.bernoulli(exploration(round))) {
    return explore(first, round, rng);
  }
  return {first, first, round};
}

void EpsilonGreedy::observe(const Duel& duel, Outcome outcome, RoundRng rng) {
  if (duel.is_self()) return;
  const auto points = points_of(outcome, options_.ties, rng);
  if (!points) return;
  const Arm i = duel.first, j = duel.second;
  const auto beats = [&](Arm a, Arm b) { return counts_.points(a, b) > counts_.points(b, a); };
  victories_[i] -= beats(i, j) ? 1 : 0;
  victories_[j] -= beats(j, i) ? 1 : 0;
  counts_.add(i, j, *points);
  victories_[i] += beats(i, j) ? 1 : 0;
  victories_[j] += beats(j, i) ? 1 : 0;
  find_leaders();
}

Jump EpsilonGreedy::jump(Round round, Round limit, RoundRng rng) const {
  if (leaders_.size() != 1 && !options_.deterministic_ties) return {round};
  if (counts_.num_arms() == 1) return {limit};
  // Thinning: epsilon falls, so propose rounds at the present rate (a geometric gap) and accept a
  // proposal at round t with probability epsilon_t / rate; from a refused one, go on with its rate.
  Round t = round;
  while (t < limit) {
    const double rate = exploration(t);
    if (rate < 1.0) {
      const double gap = std::floor(std::log(rng.uniform_open()) / std::log1p(-rate));
      if (gap >= static_cast<double>(limit - t)) return {limit};
      t += static_cast<Round>(gap);
    }
    if (rng.bernoulli(exploration(t) / rate)) return {t, explore(leaders_[0], t, rng)};
    ++t;
  }
  return {limit};
}

bool EpsilonGreedy::restored() {
  if (!counts_.consistent()) return false;
  std::fill(victories_.begin(), victories_.end(), 0);
  for (Arm i = 0; i < counts_.num_arms(); ++i) {
    for (Arm j = 0; j < counts_.num_arms(); ++j) {
      victories_[i] += counts_.points(i, j) > counts_.points(j, i) ? 1 : 0;
    }
  }
  find_leaders();
  return true;
}

namespace {

const bool epsilon_greedy_is_registered = register_policy<EpsilonGreedy>(
    {.name = "epsilon-greedy",
     .title = "Epsilon-greedy on the empirical Copeland leader",
     .paper = "baseline; schedule after Auer, Cesa-Bianchi, Fischer, Machine Learning 2002",
     .setting = "Condorcet winner",
     .guarantee = "none",
     .status = "tested",
     .jumping = Jumping::in_law},
    OptionTable<EpsilonGreedyOptions>().number(
        "c", &EpsilonGreedyOptions::c, {.least = 0},
        "exploration: the leader meets another arm with probability min(1, c K / t)",
        Shown::always));

}  // namespace
}  // namespace duel
