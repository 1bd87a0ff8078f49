#include "duel/policies/multi_rucb.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "duel/core/wake_up.h"
#include "duel/policies/parts/arms.h"
#include "duel/policies/registry.h"

namespace duel {

std::vector<Arm> MultiRucb::possible(double width, Round round) const {
  const auto num_arms = static_cast<Arm>(counts_.num_arms());
  const double log = log_round(round);
  std::vector<Arm> arms;
  for (Arm i = 0; i < num_arms; ++i) {
    bool is_possible = true;
    for (Arm j = 0; is_possible && j < num_arms; ++j) {
      const double duels = counts_.duels(i, j);
      if (j == i || duels == 0) continue;
      is_possible = counts_.mean(i, j) + std::sqrt(width * log / duels) >= 0.5;
    }
    if (is_possible) arms.push_back(i);
  }
  return arms;
}

double MultiRucb::entry(Arm i) const {
  double level = 0;
  for (Arm j = 0; j < counts_.num_arms(); ++j) {
    const double duels = counts_.duels(i, j);
    if (j == i || duels == 0) continue;
    const double shortfall = std::max(0.0, 0.5 - counts_.mean(i, j));
    level = std::max(level, duels * shortfall * shortfall / options_.alpha);
  }
  return level;
}

std::vector<Arm> MultiRucb::select_set(Round round, std::size_t most, RoundRng rng) const {
  const std::size_t num_arms = counts_.num_arms();
  std::vector<Arm> best = possible(options_.alpha, round);
  if (best.size() == 1) return best;
  std::vector<Arm> shown = possible(options_.alpha * options_.beta, round);
  if (shown.empty()) shown = all_arms(num_arms);
  const std::size_t size = std::min<std::size_t>(most, options_.max);
  if (shown.size() <= size) return shown;
  std::vector<double> duels(num_arms);
  for (const Arm i : shown) {
    for (Arm j = 0; j < num_arms; ++j) {
      if (j != i) duels[i] += counts_.duels(i, j);
    }
  }
  if (!options_.deterministic_ties) shuffle(shown, rng);
  std::stable_sort(shown.begin(), shown.end(), [&](Arm a, Arm b) { return duels[a] < duels[b]; });
  shown.resize(std::max<std::size_t>(size, 1));
  std::sort(shown.begin(), shown.end());
  return shown;
}

// Two of the set: those of the fewest duels would meet one another alone.
Duel MultiRucb::select(Round round, RoundRng rng) const {
  std::vector<Arm> shown = select_set(round, counts_.num_arms(), rng);
  if (shown.size() == 1) return {shown[0], shown[0], round};
  if (!options_.deterministic_ties) shuffle(shown, rng);
  return {shown[0], shown[1], round};
}

Arm MultiRucb::recommend(RoundRng rng) const {
  const std::vector<Arm> all = all_arms(counts_.num_arms());
  const auto share = [&](Arm i) {
    double sum = 0;
    for (Arm j = 0; j < counts_.num_arms(); ++j) sum += counts_.mean(i, j);
    return sum;
  };
  std::vector<double> entries;
  for (const Arm i : all) entries.push_back(entry(i));
  const double least = *std::min_element(entries.begin(), entries.end());
  std::vector<Arm> first;
  for (const Arm i : all) {
    if (entries[i] == least) first.push_back(i);
  }
  return largest_of(first, options_.deterministic_ties, rng, share);
}

Jump MultiRucb::jump(Round round, Round limit, RoundRng /*rng*/) const {
  const std::vector<Arm> alone = possible(options_.alpha, round);
  // By itself for want of another in F: what comes then is not worked out.
  if (alone.size() != 1) return {round};
  double level = std::numeric_limits<double>::infinity();
  for (Arm i = 0; i < counts_.num_arms(); ++i) {
    if (i != alone[0]) level = std::min(level, entry(i));
  }
  return {wake_up_round(level, round, limit,
                        [&](Round t) { return possible(options_.alpha, t).size() > 1; })};
}

namespace {

const bool multi_rucb_is_registered = register_policy<MultiRucb>(
    {.name = "multi-rucb",
     .title = "Multi-dueling bandits (MDB)",
     .paper = "Brost, Seldin, Cox, Lioma: Multi-Dueling Bandits and Their Application to Online "
              "Ranker Evaluation. CIKM 2016, Algorithm 1",
     .setting = "Condorcet winner; several arms shown together",
     .guarantee = "none proved",
     .departs = "at most `max` arms are shown, those of the fewest duels; where only two can be, "
                "any two of them",
     .status = "tested",
     .jumping = Jumping::exact,
     .chooses_sets = true},
    OptionTable<MultiRucbOptions>()
        .number("alpha", &MultiRucbOptions::alpha, {.above = 0, .most = 1e6},
                "width of the bounds that decide whether one arm is shown alone", Shown::always)
        .number("beta", &MultiRucbOptions::beta, {.least = 1, .most = 1e6},
                "how many times alpha those bounds have that keep an arm in the set", Shown::always)
        .count("max", &MultiRucbOptions::max, 2, 1000, "most arms shown together", Shown::always));

}  // namespace
}  // namespace duel
