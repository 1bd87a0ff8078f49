#include "duel/policies/watch.h"

#include <algorithm>
#include <cmath>

#include "duel/core/logarithm.h"
#include "duel/inference/evidence.h"

namespace duel {

Arm Watch::most_suspect() const {
  return static_cast<Arm>(std::max_element(sums_.begin(), sums_.end()) - sums_.begin());
}

Duel Watch::probe(Round round, RoundRng rng) const {
  const Arm champion = inner_.recommend(rng);
  Arm rival = most_suspect();
  if (!suspects() || rival == champion) {
    rival = static_cast<Arm>((last_probed_ + 1) % num_arms_);
    if (rival == champion) rival = static_cast<Arm>((rival + 1) % num_arms_);
  }
  return {rival, champion, round};
}

Watch::Choice Watch::choose(Round round, RoundRng rng) const {
  const RoundRng first = rng;
  const double rate = suspects() ? 0.5 : options_.rate;
  // Without probes the inner policy gets the same draws as by itself.
  if (num_arms_ > 1 && options_.rate > 0 && rng.uniform() < rate) {
    return {probe(round, first), true, rng};
  }
  return {inner_.select(round, rng), false, rng};
}

void Watch::went_out(const Duel& duel, bool is_probe, RoundRng rng) {
  last_round_ = duel.round;
  if (!is_probe) return inner_.issued(duel, rng);
  see_champion(duel.second);
  last_probed_ = duel.first;
  probes_.issued(duel, epoch_);
}

void Watch::see_champion(Arm champion) {
  if (champion == champion_) return;
  champion_ = champion;
  std::fill(levels_.begin(), levels_.end(), 0.0);
  std::fill(sums_.begin(), sums_.end(), 0.0);
  ++epoch_;
}

void Watch::observe(const Duel& duel, Outcome outcome, RoundRng rng) {
  if (duel.foreign) return inner_.heard(duel.first, duel.second, outcome, rng);
  const auto epoch = probes_.settled(duel);
  // The inner policy decides ties by its own option; so does this one, with the same draws.
  RoundRng ties = rng;
  if (epoch) {
    inner_.heard(duel.first, duel.second, outcome, rng);
  } else {
    inner_.observe(duel, outcome, rng);
  }
  const auto points = points_of(outcome, options_.ties, ties);
  if (duel.is_self() || !points || points->first == points->second) return;
  const bool second_is_champion = duel.second == champion_;
  // A probe of a champion before, or a duel in which the champion took no part.
  if (epoch ? *epoch != epoch_ : !second_is_champion && duel.first != champion_) return;
  if (!epoch && !inner_.knows(duel)) return;
  const bool first_won = points->first > points->second;
  met_champion(second_is_champion ? duel.first : duel.second, first_won == second_is_champion, rng);
}

void Watch::met_champion(Arm rival, bool rival_won, RoundRng rng) {
  double sum = 0;
  for (std::size_t g = 0; g < kGaps; ++g) {
    const double gap = PairEvidence::kComponents[g].gap;
    double& level = levels_[rival * kGaps + g];
    level = (1.0 + level) * (rival_won ? 1.0 + 2.0 * gap : 1.0 - 2.0 * gap);
  }
  refresh(rival);
  for (const double each : sums_) sum += each;
  if (sum >= options_.arl) {
    inner_.restart(last_round_, rng);
    std::fill(levels_.begin(), levels_.end(), 0.0);
    std::fill(sums_.begin(), sums_.end(), 0.0);
    ++epoch_;
    ++restarts_;
  }
  see_champion(inner_.recommend(rng));
}

void Watch::refresh(Arm rival) {
  double sum = 0;
  for (std::size_t g = 0; g < kGaps; ++g) {
    sum += PairEvidence::kComponents[g].weight * levels_[rival * kGaps + g];
  }
  sums_[rival] = sum;
}

Jump Watch::jump(Round round, Round limit, RoundRng rng) const {
  if (num_arms_ == 1 || options_.rate == 0) return inner_.jump(round, limit, rng);
  if (suspects() || !probes_.empty()) return {round};
  // P(gap > n) = (1 - rate)^n.
  const double u = rng.uniform_open();
  const double gap =
      options_.rate < 1 ? std::floor(natural_log(u) / natural_log(1.0 - options_.rate)) : 0;
  const Jump inner = inner_.jump(round, limit, rng);
  // Where the inner policy wakes up before the probe; in that very round the draw is still open,
  // unless the policy has drawn its duel already.
  const auto idle = static_cast<double>(inner.idle_until - round);
  if (gap > idle || (gap == idle && !inner.next)) return inner;
  const Round at = round + static_cast<Round>(gap);
  if (at >= limit) return {limit};
  return {at, probe(at, rng)};
}

bool Watch::restored() {
  if (!inner_.restored() || levels_.size() != num_arms_ * kGaps || champion_ >= num_arms_ ||
      last_probed_ >= num_arms_ ||
      !std::all_of(levels_.begin(), levels_.end(),
                   [](double level) { return level >= 0 && std::isfinite(level); }) ||
      !probes_.restored(num_arms_, [](std::uint64_t) { return true; })) {
    return false;
  }
  for (Arm rival = 0; rival < num_arms_; ++rival) refresh(rival);
  return true;
}

namespace {

const bool watch_is_registered = register_wrapper<Watch>(
    {.name = "watch",
     .title = "A policy that begins again when its champion is beaten",
     .paper = "ours; after Shin, Ramdas, Rinaldo: E-detectors: a nonparametric framework for "
              "sequential change detection. 2023",
     .setting = "preferences that change now and then",
     .guarantee = "while no arm beats the champion, at least arl of its duels to a false alarm on "
                  "average; none on regret",
     .departs = "not a published algorithm",
     .status = "tested",
     .jumping = Jumping::in_law},
    wrapper_options<WatchOptions>()
        .number("rate", &WatchOptions::rate, {.least = 0, .most = 1},
                "share of the rounds in which the champion meets another arm to see whether it "
                "still wins",
                Shown::always)
        .number("suspicion", &WatchOptions::suspicion, {.above = 0, .most = 1e12},
                "evidence against the champion from which on every other round is such a duel")
        .number("arl", &WatchOptions::arl, {.above = 1, .most = 1e12},
                "evidence that restarts the policy: the least mean number of the champion's duels "
                "to a false alarm",
                Shown::always));

}  // namespace
}  // namespace duel
