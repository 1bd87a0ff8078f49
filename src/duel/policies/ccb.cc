#include "duel/policies/ccb.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "duel/core/wake_up.h"
#include "duel/policies/parts/arms.h"
#include "duel/policies/registry.h"

namespace duel {
namespace {

constexpr double kNoScore = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

Ccb::Ccb(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
    : options_(options),
      counts_(num_arms),
      deficit_(num_arms * num_arms, kNoScore),
      hypotheses_(num_arms),
      most_(num_arms, static_cast<std::uint32_t>(num_arms - 1)),
      fewest_(num_arms),
      entry_(num_arms, kInfinity),
      room_(num_arms) {
  leaders_.reserve(num_arms);
  find_leaders();
}

void Ccb::count(Arm i) const {
  const double* row = &deficit_[i * counts_.num_arms()];
  std::uint32_t lost = 0, won = 0;
  double entry = kInfinity;
  // Comparisons with a pair that never met are false: it may be won, and is not.
  for (std::size_t j = 0; j < counts_.num_arms(); ++j) {
    const double z = row[j];
    lost += z > width_ ? 1 : 0;
    won += -z >= width_ ? 1 : 0;
    const double size = std::abs(z);
    if (size >= width_ && size < entry) entry = size;
  }
  most_[i] = static_cast<std::uint32_t>(counts_.num_arms() - 1) - lost;
  fewest_[i] = won;
  entry_[i] = entry;
}

void Ccb::find_leaders() const {
  find_arms(most_, *std::max_element(most_.begin(), most_.end()), leaders_);
}

void Ccb::follow(double width) const {
  const bool back = width < width_;
  width_ = width;
  bool moved = false;
  for (Arm i = 0; i < counts_.num_arms(); ++i) {
    if (back || width >= entry_[i]) {
      count(i);
      moved = true;
    }
  }
  if (moved) find_leaders();
}

void Ccb::refresh_pair(Arm i, Arm j) {
  const double z = bound_deficit(counts_, i, j);
  deficit_[i * counts_.num_arms() + j] = z;
  deficit_[j * counts_.num_arms() + i] = -z;
  count(i);
  count(j);
  find_leaders();
}

std::optional<Ccb::Hypotheses> Ccb::revised(RoundRng& rng) const {
  const auto num_arms = static_cast<Arm>(counts_.num_arms());
  std::optional<Hypotheses> copy;
  const auto now = [&]() -> const Hypotheses& { return copy ? *copy : hypotheses_; };
  const auto change = [&]() -> Hypotheses& {
    if (!copy) copy = hypotheses_;
    return *copy;
  };

  // Step 2 (A): an arm surely beats one that was believed to beat it.
  bool disproved = false;
  for (Arm i = 0; i < num_arms && !disproved; ++i) {
    for (const Arm j : hypotheses_.conquerors[i]) disproved = disproved || surely_wins(i, j);
  }
  if (disproved) copy = Hypotheses(num_arms);

  // Step 2 (B): arms that cannot be Copeland winners leave B.
  const std::uint32_t surest = *std::max_element(fewest_.begin(), fewest_.end());
  bool any_left = false;
  for (Arm i = 0; i < num_arms; ++i) {
    if (now().candidate[i] == 0) continue;
    if (most_[i] >= surest) {
      any_left = true;
      continue;
    }
    Hypotheses& h = change();
    h.candidate[i] = 0;
    if (h.conquerors[i].size() != h.losses + 1U) {
      h.conquerors[i].clear();
      for (Arm k = 0; k < num_arms; ++k) {
        if (surely_loses(i, k)) h.conquerors[i].push_back(k);
      }
    }
  }
  if (!any_left) copy = Hypotheses(num_arms);

  // Step 2 (C): arms that surely are Copeland winners enter B.
  for (const Arm i : leaders_) {
    if (most_[i] != fewest_[i]) continue;
    const std::uint32_t losses = num_arms - 1 - most_[i];
    if (now().candidate[i] == 0) change().candidate[i] = 1;
    if (!now().conquerors[i].empty()) change().conquerors[i].clear();
    if (now().losses != losses) change().losses = losses;
    for (Arm j = 0; j < num_arms; ++j) {
      const std::size_t size = now().conquerors[j].size();
      if (j == i || size == 0 || size == losses + 1U) continue;
      std::vector<Arm>& kept = change().conquerors[j];
      if (size < losses + 1U) {
        kept.clear();
        continue;
      }
      // A uniform subset of losses + 1: the first steps of a shuffle, then in order again.
      for (std::size_t k = 0; k <= losses; ++k) {
        std::swap(kept[k], kept[k + rng.below(size - k)]);
      }
      kept.resize(losses + 1U);
      std::sort(kept.begin(), kept.end());
    }
  }
  return copy;
}

Arm Ccb::choose_second(Arm first, const std::vector<Arm>* pool, double width, RoundRng& rng) const {
  const auto num_arms = static_cast<Arm>(counts_.num_arms());
  LargestArms<double> best(room_, 0.5);
  const auto consider = [&](Arm j) {
    if (j == first || surely_wins(j, first)) return;
    const double n = counts_.duels(j, first);
    best.offer(j, n == 0 ? 2.0 : counts_.mean(j, first) + width * (1.0 / std::sqrt(n)));
  };
  if (pool != nullptr) {
    for (const Arm j : *pool) consider(j);
  } else {
    for (Arm j = 0; j < num_arms; ++j) consider(j);
  }
  return best.empty() ? first : best.pick(options_.deterministic_ties, rng);
}

Ccb::Choice Ccb::choose(Round round, RoundRng rng) const {
  // Step 1: the scores at this round's clock.
  const double s = width(round);
  follow(s);
  // Step 2, on a copy where anything changes.
  Choice choice{{0, 0, round}, revised(rng)};
  const Hypotheses& h = choice.changed ? *choice.changed : hypotheses_;
  const auto num_arms = static_cast<Arm>(counts_.num_arms());

  // Step 3: look again at what is believed and not settled.
  if (rng.below(4) == 0) {
    std::size_t open = 0;
    const auto is_open = [&](Arm i, Arm j) { return !surely_loses(i, j) && !surely_wins(i, j); };
    for (Arm i = 0; i < num_arms; ++i) {
      for (const Arm j : h.conquerors[i]) open += is_open(i, j) ? 1 : 0;
    }
    if (open > 0) {
      std::size_t n = rng.below(open);
      for (Arm i = 0; i < num_arms; ++i) {
        for (const Arm j : h.conquerors[i]) {
          if (!is_open(i, j) || n-- != 0) continue;
          choice.duel = {i, j, round};
          return choice;
        }
      }
    }
  }
  // Step 4.
  std::size_t hopeful = 0;
  for (const Arm i : leaders_) {
    if (h.candidate[i] != 0) room_[hopeful++] = i;
  }
  const bool narrowed = hopeful > 0 && rng.below(3) < 2;
  const std::span<const Arm> champions =
      narrowed ? std::span<const Arm>(room_).first(hopeful) : std::span<const Arm>(leaders_);
  // Step 5.
  const Arm first = champions.size() == 1 ? champions[0] : champions[rng.below(champions.size())];
  // Step 6.
  const bool conquerors_only = rng.coin() && !h.conquerors[first].empty();
  const Arm second = choose_second(first, conquerors_only ? &h.conquerors[first] : nullptr, s, rng);
  choice.duel = {first, second, round};
  return choice;
}

void Ccb::observe(const Duel& duel, Outcome outcome, RoundRng rng) {
  // Step 7.
  if (count_duel(counts_, duel, outcome, options_.ties, rng)) {
    refresh_pair(duel.first, duel.second);
  }
}

// With one leader, all of its pairs settled, no belief open and no hypothesis to revise, every
// round repeats its self-duel whatever is drawn, until a bound crosses 1/2.
Jump Ccb::jump(Round round, Round limit, RoundRng rng) const {
  const auto num_arms = static_cast<Arm>(counts_.num_arms());
  if (num_arms == 1) return {limit};
  const Jump stay{round};
  follow(width(round));
  if (leaders_.size() != 1 || revised(rng)) return stay;
  const Arm a = leaders_[0];
  const auto is_open = [&](Arm i, Arm j) { return !surely_loses(i, j) && !surely_wins(i, j); };
  for (Arm j = 0; j < num_arms; ++j) {
    if (j != a && is_open(a, j)) return stay;
  }
  for (Arm i = 0; i < num_arms; ++i) {
    for (const Arm j : hypotheses_.conquerors[i]) {
      if (is_open(i, j)) return stay;
    }
  }
  const double crossing = *std::min_element(entry_.begin(), entry_.end());
  return {wake_up_round(crossing * crossing / options_.alpha, round, limit,
                        [&](Round t) { return width(t) >= crossing; })};
}

bool Ccb::restored() {
  const std::size_t num_arms = counts_.num_arms();
  if (!counts_.consistent() || hypotheses_.candidate.size() != num_arms ||
      hypotheses_.conquerors.size() != num_arms || hypotheses_.losses > num_arms) {
    return false;
  }
  for (std::size_t i = 0; i < num_arms; ++i) {
    const std::vector<Arm>& list = hypotheses_.conquerors[i];
    if (hypotheses_.candidate[i] > 1) return false;
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (list[k] >= num_arms || list[k] == i || (k > 0 && list[k] <= list[k - 1])) return false;
    }
  }
  Ccb rebuilt(options_, num_arms, RoundRng(0, 0, 0));
  rebuilt.counts_ = counts_;
  rebuilt.hypotheses_ = hypotheses_;
  counts_.for_each_met_pair([&](Arm i, Arm j) { rebuilt.refresh_pair(i, j); });
  *this = std::move(rebuilt);
  return true;
}

namespace {

const bool ccb_is_registered = register_policy<Ccb>(
    {.name = "ccb",
     .title = "Copeland Confidence Bound",
     .paper = "Zoghi, Karnin, Whiteson, de Rijke: Copeland Dueling Bandits. NIPS 2015, Algorithm 1",
     .setting = "Copeland winners, no even pair",
     .guarantee = "O((K^2 + (C + L_C) K log T)/D^2) Copeland, for alpha > 1/2",
     .status = "reproduced",
     .jumping = Jumping::exact},
    OptionTable<CcbOptions>().number("alpha", &CcbOptions::alpha, {.above = 0},
                                     "width of the confidence bounds; the theory needs alpha > 1/2",
                                     Shown::always));

}  // namespace
}  // namespace duel
