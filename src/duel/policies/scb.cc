#include "duel/policies/scb.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "duel/core/divergence.h"
#include "duel/core/logarithm.h"
#include "duel/core/radius.h"
#include "duel/policies/parts/arms.h"
#include "duel/policies/registry.h"

namespace duel {
namespace {

constexpr Round kForever = std::numeric_limits<Round>::max();

// ln(1/delta) of an epoch, delta = ln T/T.
double log_inverse_delta(Round length) {
  const double log_length = natural_log(static_cast<double>(length));
  return log_length - natural_log(log_length);
}

// The least q with m d(mean, q) <= budget.
double lower_end(double mean, double m, double budget) {
  double low = 0, high = mean;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    if (m * kl_bernoulli(mean, middle) > budget) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return high;
}

}  // namespace

Scb::Scb(const Options& options, std::size_t num_arms, RoundRng rng)
    : options_(options),
      counts_(num_arms),
      walk_(first_walk(options.first, 0, rng)),
      signs_(signs_at(options.first)) {}

Scb::Walk Scb::first_walk(Round length, Round start, RoundRng& rng) const {
  Walk walk;
  walk.length = length;
  walk.end = length > kForever - start ? kForever : start + length;
  walk.active = all_arms(counts_.num_arms());
  shuffle(walk.active, rng);
  walk.pulls.resize(counts_.num_arms());
  walk.scores.resize(counts_.num_arms());
  return walk;
}

int Scb::sign_at(Arm i, Arm j, Round length) const {
  const double n = counts_.duels(i, j);
  if (n == 0) return 0;
  const double log_term = natural_log(2.0 * n * (n + 1.0)) +
                          2.0 * natural_log(static_cast<double>(counts_.num_arms())) +
                          log_inverse_delta(length);
  const double excess = counts_.mean(i, j) - 0.5;
  if (std::abs(excess) <= hoeffding_radius(log_term, n)) return 0;
  return excess > 0 ? 1 : -1;
}

Scb::Signs Scb::signs_at(Round length) const {
  const std::size_t num_arms = counts_.num_arms();
  Signs signs{std::vector<std::int8_t>(num_arms * num_arms),
              std::vector<std::uint32_t>(num_arms, static_cast<std::uint32_t>(num_arms - 1))};
  if (!options_.carry) return signs;
  for (Arm i = 0; i < num_arms; ++i) {
    for (Arm j = 0; j < num_arms; ++j) {
      if (i == j) continue;
      const int sign = sign_at(i, j, length);
      signs.sign[i * num_arms + j] = static_cast<std::int8_t>(sign);
      if (sign != 0) --signs.open[i];
    }
  }
  return signs;
}

void Scb::eliminate(Walk& walk) const {
  // All active arms have the same number of pulls, one a pass, so the best mean has the best lower
  // end, and an arm's upper end lies below it iff it is out of the arm's own interval.
  double total = 0;
  std::uint64_t best = 0;
  for (const std::uint64_t pulls : walk.pulls) total += static_cast<double>(pulls);
  for (const Arm i : walk.active) best = std::max(best, walk.scores[i]);
  const auto m = static_cast<double>(walk.pulls[walk.active[0]]);
  const double log_total = natural_log(total);
  const double budget = natural_log(4.0 * total * static_cast<double>(counts_.num_arms())) +
                        log_inverse_delta(walk.length) +
                        (log_total > 1.0 ? 2.0 * natural_log(log_total) : 0.0);
  const double bar = lower_end(static_cast<double>(best) / m, m, budget);
  std::erase_if(walk.active, [&](Arm i) {
    const double mean = static_cast<double>(walk.scores[i]) / m;
    return mean < bar && m * kl_bernoulli(mean, bar) > budget;
  });
}

void Scb::go_on(Walk& walk, const Signs& signs, RoundRng& rng) const {
  const std::size_t num_arms = counts_.num_arms();
  const auto all_settled = [&] {
    return std::all_of(walk.active.begin(), walk.active.end(),
                       [&](Arm i) { return signs.open[i] == 0; });
  };
  for (;;) {
    if (walk.active.size() == 1) {
      walk.champion = walk.active[0];
      return;
    }
    if (walk.position == 0 && all_settled()) {
      std::vector<Arm> in_order = walk.active;
      std::sort(in_order.begin(), in_order.end());
      walk.champion = largest_of(in_order, options_.deterministic_ties, rng, [&](Arm i) {
        const auto row = signs.sign.begin() + static_cast<std::ptrdiff_t>(i * num_arms);
        return std::count(row, row + static_cast<std::ptrdiff_t>(num_arms), 1);
      });
      return;
    }
    while (walk.position < walk.active.size()) {
      const Arm i = walk.active[walk.position];
      const Arm j = draw_other(i, num_arms, rng);
      const std::int8_t sign = signs.sign[i * num_arms + j];
      if (sign == 0) {
        walk.first = i;
        walk.second = j;
        return;
      }
      ++walk.pulls[i];
      walk.scores[i] += sign > 0 ? 1 : 0;
      ++walk.position;
    }
    walk.position = 0;
    eliminate(walk);
  }
}

Scb::Choice Scb::choose(Round round, RoundRng rng) const {
  Choice choice{{0, 0, round}, std::nullopt, std::nullopt};
  Round end = walk_.end, length = walk_.length;
  while (round > end) {
    length = length > 0xffffffffU ? kForever : length * length;
    choice.walk = first_walk(length, end, rng);
    end = choice.walk->end;
  }
  if (choice.walk) choice.signs = signs_at(length);
  const Walk& now = choice.walk ? *choice.walk : walk_;
  if (now.champion == kNoArm && now.first == kNoArm) {
    if (!choice.walk) choice.walk = walk_;
    go_on(*choice.walk, choice.signs ? *choice.signs : signs_, rng);
  }
  const Walk& then = choice.walk ? *choice.walk : walk_;
  choice.duel = then.champion != kNoArm ? Duel{then.champion, then.champion, round}
                                        : Duel{then.first, then.second, round};
  return choice;
}

void Scb::commit(const Choice& choice) {
  if (choice.signs) {
    signs_ = *choice.signs;
    if (!options_.carry) counts_ = PairCounts(counts_.num_arms());
  }
  if (choice.walk) walk_ = *choice.walk;
  if (walk_.champion != kNoArm) winner_ = walk_.champion;
}

void Scb::observe(const Duel& duel, Outcome outcome, RoundRng rng) {
  if (!count_duel(counts_, duel, outcome, options_.ties, rng)) return;
  const std::size_t num_arms = counts_.num_arms();
  const Arm i = duel.first, j = duel.second;
  std::int8_t& sign = signs_.sign[i * num_arms + j];
  if (sign != 0) return;
  sign = static_cast<std::int8_t>(sign_at(i, j, walk_.length));
  if (sign == 0) return;
  signs_.sign[j * num_arms + i] = static_cast<std::int8_t>(-sign);
  --signs_.open[i];
  --signs_.open[j];
  const bool in_order = walk_.first == i && walk_.second == j;
  if (!in_order && !(walk_.first == j && walk_.second == i)) return;
  // The pair that was being settled: its arm has had its turn in this pass.
  const Arm pulled = walk_.first;
  ++walk_.pulls[pulled];
  walk_.scores[pulled] += signs_.sign[pulled * num_arms + walk_.second] > 0 ? 1 : 0;
  ++walk_.position;
  walk_.first = walk_.second = kNoArm;
  if (walk_.position == walk_.active.size()) {
    walk_.position = 0;
    eliminate(walk_);
  }
}

Arm Scb::recommend(RoundRng /*rng*/) const {
  return winner_ != kNoArm ? winner_ : empirical_copeland_leader(counts_);
}

Jump Scb::jump(Round round, Round limit, RoundRng /*rng*/) const {
  if (walk_.champion == kNoArm || round > walk_.end) return {round};
  return {walk_.end >= limit ? limit : walk_.end + 1};
}

bool Scb::restored() {
  const std::size_t num_arms = counts_.num_arms();
  const auto is_arm = [&](Arm i) { return i < num_arms; };
  const auto is_arm_or_none = [&](Arm i) { return i == kNoArm || is_arm(i); };
  if (!counts_.consistent() || walk_.length < 2 || walk_.end < walk_.length ||
      walk_.active.empty() || walk_.pulls.size() != num_arms || walk_.scores.size() != num_arms ||
      walk_.position >= walk_.active.size() || !is_arm_or_none(walk_.first) ||
      !is_arm_or_none(walk_.second) || (walk_.first == kNoArm) != (walk_.second == kNoArm) ||
      (walk_.first == walk_.second && walk_.first != kNoArm) || !is_arm_or_none(walk_.champion) ||
      !is_arm_or_none(winner_) || signs_.sign.size() != num_arms * num_arms) {
    return false;
  }
  std::vector<bool> seen(num_arms);
  for (const Arm i : walk_.active) {
    if (!is_arm(i) || seen[i]) return false;
    seen[i] = true;
  }
  signs_.open.assign(num_arms, 0);
  for (Arm i = 0; i < num_arms; ++i) {
    for (Arm j = 0; j < num_arms; ++j) {
      const std::int8_t sign = signs_.sign[i * num_arms + j];
      if (sign != -signs_.sign[j * num_arms + i] || sign < -1 || sign > 1) return false;
      if (i != j && sign == 0) ++signs_.open[i];
    }
  }
  return true;
}

namespace {

const bool scb_is_registered = register_policy<Scb>(
    {.name = "scb",
     .title = "Scalable Copeland Bandits",
     .paper = "Zoghi, Karnin, Whiteson, de Rijke: Copeland Dueling Bandits. NIPS 2015, Algorithms "
              "2 to 4",
     .setting = "Copeland winners, no even pair",
     .guarantee = "O(K (L_C + log K) log T/D^2) Copeland",
     .departs = "signs are settled by Hoeffding's bound with a union over the number of duels",
     .status = "tested",
     .jumping = Jumping::exact},
    OptionTable<ScbOptions>()
        .count("first", &ScbOptions::first, 4, 1'000'000'000,
               "length of the first epoch; each next one is squared. 4 gives 2^(2^r)",
               Shown::always)
        .flag("carry", &ScbOptions::carry, "keep the outcomes of earlier epochs"));

}  // namespace
}  // namespace duel
