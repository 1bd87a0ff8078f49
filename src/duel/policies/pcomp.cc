#include "duel/policies/pcomp.h"

#include <algorithm>
#include <cmath>

#include "duel/core/exponential.h"
#include "duel/core/logarithm.h"
#include "duel/core/radius.h"
#include "duel/policies/parts/arms.h"
#include "duel/policies/registry.h"

namespace duel {

PcompExplorer::PcompExplorer(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
    : options_(options),
      counts_(num_arms),
      left_(num_arms, 1),
      sweep_(all_pairs(num_arms)),
      num_left_(num_arms),
      target_(duels_until(1)),
      open_(count_open()) {}

std::uint64_t PcompExplorer::duels_of_batch(std::uint64_t batch) const {
  const double log_q = natural_log(static_cast<double>(std::max<Round>(options_.horizon, 1))) /
                       static_cast<double>(options_.batches);
  // A power that is a whole number must not be rounded up for its last bits.
  const double power = exponential(static_cast<double>(batch) * log_q) * (1.0 - 1e-12);
  return static_cast<std::uint64_t>(std::ceil(std::min(power, 1e18)));
}

std::uint64_t PcompExplorer::duels_until(std::uint64_t batch) const {
  constexpr std::uint64_t kMost = 1'000'000'000'000'000'000;
  std::uint64_t sum = 0;
  for (std::uint64_t r = 1; r <= batch && sum < kMost; ++r) sum += duels_of_batch(r);
  return std::min(sum, kMost);
}

double PcompExplorer::radius(std::uint64_t batch) const {
  const double log_term = 2.0 * natural_log(static_cast<double>(left_.size())) +
                          natural_log(static_cast<double>(options_.batches)) +
                          natural_log(static_cast<double>(std::max<Round>(options_.horizon, 1)));
  return hoeffding_radius(log_term, static_cast<double>(duels_until(batch)));
}

std::uint64_t PcompExplorer::count_open() const {
  std::uint64_t open = 0;
  for (Arm i = 0; i < left_.size(); ++i) {
    for (Arm j = i + 1; j < left_.size() && left_[i] != 0; ++j) {
      if (left_[j] != 0 && counts_.total(i, j) < 2 * target_) ++open;
    }
  }
  return open;
}

std::vector<Arm> PcompExplorer::arms_left() const {
  std::vector<Arm> arms;
  find_arms(left_, std::uint8_t{1}, arms);
  return arms;
}

void PcompExplorer::answered(const Duel& duel, Points points, RoundRng& rng) {
  if (!is_left(duel)) return;
  counts_.add(duel.first, duel.second, points);
  if (counts_.total(duel.first, duel.second) != 2 * target_) return;
  --open_;
  while (open_ == 0 && num_left_ > 1) {
    drop(rng);
    ++batch_;
    target_ = duels_until(batch_);
    open_ = count_open();
  }
}

void PcompExplorer::drop(RoundRng& rng) {
  const double bar = 0.5 + radius(batch_);
  const std::vector<Arm> arms = arms_left();
  std::vector<Arm> beaten;
  for (const Arm j : arms) {
    const auto beats_j = [&](Arm i) { return i != j && counts_.mean(i, j) > bar; };
    if (std::ranges::any_of(arms, beats_j)) beaten.push_back(j);
  }
  if (beaten.size() == arms.size()) {
    nobody_wins_ = 1;
    const Arm best = largest_of(arms, options_.deterministic_ties, rng, [&](Arm i) {
      std::uint64_t points = 0;
      for (Arm j = 0; j < left_.size(); ++j) points += counts_.points(i, j);
      return points;
    });
    std::erase(beaten, best);
  }
  for (const Arm arm : beaten) left_[arm] = 0;
  num_left_ -= beaten.size();
  if (!beaten.empty() && num_left_ > 1) sweep_.forget_dead(alive());
}

Arm PcompExplorer::leader(RoundRng rng) const {
  return empirical_copeland_leader_among(arms_left(), counts_, options_.deterministic_ties, rng);
}

bool PcompExplorer::restored(std::span<const Duel> /*pending*/) {
  const std::size_t num_arms = counts_.num_arms();
  const auto is_flag = [](std::uint8_t value) { return value <= 1; };
  if (!counts_.consistent() || left_.size() != num_arms || batch_ < 1 ||
      !std::ranges::all_of(left_, is_flag) || !is_flag(nobody_wins_)) {
    return false;
  }
  num_left_ = static_cast<std::size_t>(std::ranges::count(left_, 1));
  if (num_left_ == 0 || !sweep_.restored([=](const ArmPair& pair) {
        return pair.low < pair.high && pair.high < num_arms;
      })) {
    return false;
  }
  std::size_t scheduled = 0;
  for (const ArmPair& pair : sweep_.items()) scheduled += alive()(pair) ? 1 : 0;
  if (scheduled != num_left_ * (num_left_ - 1) / 2) return false;
  target_ = duels_until(batch_);
  open_ = count_open();
  return open_ > 0 || num_left_ == 1;
}

namespace {

const bool pcomp_is_registered = register_policy<Pcomp>(
    {.name = "pcomp",
     .title = "PCOMP: all pairs in a few batches",
     .paper = "Agarwal, Ghuge, Nagarajan: Batched Dueling Bandits. ICML 2022, Algorithm 1",
     .setting = "Condorcet winner; answers come in a few batches",
     .guarantee = "O(K T^(1/B) ln(K B T) sum_j 1/D_j) in B batches",
     .departs = "the constant of the radius is ours",
     .status = "tested",
     .jumping = Jumping::exact},
    OptionTable<PcompOptions>()
        .horizon(&PcompOptions::horizon)
        .count("batches", &PcompOptions::batches, 1, 1000,
               "B: how often somebody waits until all answers are in", Shown::always));

}  // namespace
}  // namespace duel
