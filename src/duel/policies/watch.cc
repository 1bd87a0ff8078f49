#include "duel/policies/watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "duel/core/logarithm.h"
#include "duel/inference/evidence.h"

namespace duel {

// Step 2.
double Watch::probability_of_series() const {
  const double left =
      options_.share * static_cast<double>(most_ahead_) - static_cast<double>(begun_);
  return std::min(0.5, std::max(options_.rate, left / options_.span));
}

Duel Watch::probe(Round round, RoundRng rng) const {
  const Arm champion = inner_.recommend(rng);
  if (goes_on(rng)) return {rival_, champion, round};
  Arm rival = static_cast<Arm>((rival_ + 1) % num_arms_);
  if (rival == champion) rival = static_cast<Arm>((rival + 1) % num_arms_);
  return {rival, champion, round};
}

Watch::Choice Watch::choose(Round round, RoundRng rng) const {
  if (num_arms_ > 1) {
    const RoundRng first = rng;
    if (goes_on(rng)) return {probe(round, first), true, rng};
    const double probability = probability_of_series();
    // Without probes the inner policy gets the same draws as by itself.
    if (probability > 0 && rng.uniform() < probability) return {probe(round, first), true, rng};
  }
  return {inner_.select(round, rng), false, rng};
}

void Watch::went_out(const Duel& duel, bool is_probe, RoundRng rng) {
  last_round_ = duel.round;
  if (!is_probe) return inner_.issued(duel, rng);
  const bool of_series = running_ && !awaited_ && duel.first == rival_ && duel.second == champion_;
  see_champion(duel.second);
  if (!of_series) {
    ++series_;
    ++begun_;
    running_ = true;
    lead_ = 0;
    length_ = 0;
  }
  rival_ = duel.first;
  awaited_ = true;
  probes_.issued(duel, series_);
}

// Steps 4 and 5. A probe that is out then belongs to no series.
void Watch::begin_again() {
  std::fill(levels_.begin(), levels_.end(), 0.0);
  std::fill(sums_.begin(), sums_.end(), 0.0);
  ++series_;
  running_ = false;
  awaited_ = false;
}

void Watch::see_champion(Arm champion) {
  if (champion == champion_) return;
  champion_ = champion;
  begin_again();
}

void Watch::observe(const Duel& duel, Outcome outcome, RoundRng rng) {
  if (duel.foreign) return inner_.heard(duel.first, duel.second, outcome, rng);
  const auto series = probes_.settled(duel);
  const bool of_series = series && *series == series_;
  if (of_series) awaited_ = false;
  // The inner policy decides ties by its own option; so does this one, with the same draws.
  RoundRng ties = rng;
  if (series) {
    inner_.heard(duel.first, duel.second, outcome, rng);
  } else {
    inner_.observe(duel, outcome, rng);
  }
  const auto points = points_of(outcome, options_.ties, ties);
  if (duel.is_self() || !points || points->first == points->second) return;
  const bool second_is_champion = duel.second == champion_;
  // A probe of a champion before, or a duel in which the champion took no part.
  if (!second_is_champion && (series || duel.first != champion_)) return;
  if (!series && !inner_.knows(duel)) return;
  const bool rival_won = (points->first > points->second) == second_is_champion;
  if (of_series) {
    lead_ += rival_won ? 1 : -1;
    ++length_;
    running_ = running_ && lead_ >= 0 && length_ < kLongest;  // step 1
  } else if (!series) {
    ahead_ += rival_won ? -1 : 1;
    most_ahead_ = std::max(most_ahead_, ahead_);
  }
  met_champion(second_is_champion ? duel.first : duel.second, rival_won, rng);
}

// Steps 3 to 5.
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
    begin_again();
    begun_ = 0;
    ahead_ = most_ahead_ = 0;
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
  if (num_arms_ == 1) return inner_.jump(round, limit, rng);
  if (running_) return {round};
  // While the inner policy idles nothing moves the probability of a series.
  const double probability = probability_of_series();
  if (!(probability > 0)) return inner_.jump(round, limit, rng);
  // P(gap > n) = (1 - probability)^n.
  const double u = rng.uniform_open();
  const double gap = std::floor(natural_log(u) / natural_log(1.0 - probability));
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
      rival_ >= num_arms_ || ahead_ > most_ahead_ || most_ahead_ < 0 ||
      !std::all_of(
          levels_.begin(), levels_.end(),
          [](double level) { return level >= 0 && std::isfinite(level); }) ||
      !probes_.restored(num_arms_, [&](std::uint64_t series) { return series <= series_; })) {
    return false;
  }
  for (Arm rival = 0; rival < num_arms_; ++rival) refresh(rival);
  return true;
}

// A user who still sets one is told so, instead of being offered the nearest spelling.
Status WatchOptions::check_call(const CallSpec& call) {
  for (const auto& [key, value] : call.arguments) {
    if (key != "suspicion") continue;
    return Error::invalid_argument(
               fmt::format("policy '{}' no longer has the option '{}'", call.name, key))
        .with_hint(
            "a rival that wins goes on to meet the champion; `share` says how often one is "
            "tried");
  }
  return Done{};
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
        .number("share", &WatchOptions::share, {.least = 0, .most = 1e6},
                "series of probes that may be begun for each win by which the champion leads in "
                "the duels that the policy itself asks for",
                Shown::always)
        .number("span", &WatchOptions::span, {.least = 1, .most = 1e15},
                "rounds over which series that may be begun are spread: about how long preferences "
                "stay as they are",
                Shown::always)
        .number("rate", &WatchOptions::rate, {.least = 0, .most = 0.5},
                "least share of the rounds in which a series begins; above 0 the cost grows with "
                "the rounds for ever")
        .number("arl", &WatchOptions::arl, {.above = 1, .most = 1e12},
                "evidence that restarts the policy: the least mean number of the champion's duels "
                "to a false alarm",
                Shown::always));

}  // namespace
}  // namespace duel
