#include "duel/policies/mdb.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "duel/core/logarithm.h"
#include "duel/policies/parts/arms.h"

namespace duel {

MdbDesign mdb_design(const MdbOptions& options, std::size_t num_arms) {
  const auto k = static_cast<double>(num_arms);
  const auto t = static_cast<double>(std::max<Round>(options.horizon, 1));
  const auto m = static_cast<double>(options.segments);
  MdbDesign design;
  design.c = natural_log(4.0 * t + 2.0) + 0.5 * (natural_log(t) - natural_log(m)) - natural_log(k);
  // A horizon of a few rounds has no window worth the name.
  design.c = std::max(design.c, 1.0);
  const double least = 8.0 * design.c / (options.change * options.change);
  design.window = 2 * static_cast<std::uint64_t>(std::ceil(least / 2.0));
  const auto w = static_cast<double>(design.window);
  design.threshold = std::sqrt(w * design.c / 2.0);
  design.gamma = options.gamma ? *options.gamma : 0.5 * (k - 1.0) * std::sqrt(m * w / t);
  const double pairs = 0.5 * k * (k - 1.0);
  design.block = static_cast<std::uint64_t>(std::floor(std::max(pairs, pairs / design.gamma)));
  return design;
}

Mdb::Mdb(const Options& options, std::size_t num_arms, RoundRng rng)
    : options_(options), num_arms_(num_arms), inner_(options.configured, rng) {
  if (num_arms_ == 1) return;
  design_ = mdb_design(options_, num_arms_);
  for (Arm i = 0; i < num_arms_; ++i) {
    for (Arm j = i + 1; j < num_arms_; ++j) order_.push_back({i, j});
  }
  shuffle(order_, rng);
  windows_.resize(order_.size());
}

Duel Mdb::select(Round round, RoundRng rng) const {
  if (!is_monitored(round)) return inner_.select(round, rng);
  Duel duel = order_[place(round)];
  duel.round = round;
  return duel;
}

void Mdb::observe(const Duel& duel, Outcome outcome, RoundRng rng) {
  if (duel.foreign) return inner_.heard(duel.first, duel.second, outcome, rng);
  if (!inner_.knows(duel)) return;
  if (!is_monitored(duel.round)) return inner_.observe(duel, outcome, rng);
  inner_.heard(duel.first, duel.second, outcome, rng);
  // The inner policy decides ties by its own option; so does this one, with the same draws.
  const auto points = points_of(outcome, options_.ties, rng);
  if (!points) return;
  Window& window = windows_[place(duel.round)];
  add(window, points->first);
  if (!has_changed(window)) return;
  inner_.restart(last_round_, rng);
  windows_.assign(order_.size(), {});
  ++restarts_;
}

void Mdb::add(Window& window, std::uint32_t points) const {
  const std::uint64_t w = design_.window;
  if (window.points.size() < w) {
    window.points.push_back(static_cast<std::uint8_t>(points));
    if (window.points.size() == w) sum_up(window);
    return;
  }
  // The oldest one leaves the older half, and the oldest of the newer half enters it.
  std::uint8_t& oldest = window.points[window.oldest];
  const std::int64_t middle = window.points[(window.oldest + w / 2) % w];
  window.rise += static_cast<std::int64_t>(points) + oldest - 2 * middle;
  oldest = static_cast<std::uint8_t>(points);
  window.oldest = (window.oldest + 1) % w;
}

void Mdb::sum_up(Window& window) const {
  const std::uint64_t w = design_.window;
  window.rise = 0;
  for (std::uint64_t k = 0; k < w; ++k) {
    const std::int64_t points = window.points[(window.oldest + k) % w];
    window.rise += k < w / 2 ? -points : points;
  }
}

bool Mdb::has_changed(const Window& window) const {
  // In half wins.
  return window.points.size() == design_.window &&
         static_cast<double>(std::abs(window.rise)) > 2.0 * design_.threshold;
}

Jump Mdb::jump(Round round, Round limit, RoundRng rng) const {
  if (num_arms_ == 1) return inner_.jump(round, limit, rng);
  if (is_monitored(round)) return {round};
  const Round next_block = round - place(round) + design_.block;
  const Jump jump = inner_.jump(round, std::min(limit, next_block), rng);
  if (jump.idle_until < next_block) return jump;
  return {next_block};
}

bool Mdb::restored() {
  if (!inner_.restored() || order_.size() != num_arms_ * (num_arms_ - 1) / 2 ||
      windows_.size() != order_.size()) {
    return false;
  }
  std::vector<std::uint8_t> seen(num_arms_ * num_arms_);
  for (const Duel& pair : order_) {
    if (pair.first >= pair.second || pair.second >= num_arms_) return false;
    if (seen[pair.first * num_arms_ + pair.second]++ != 0) return false;
  }
  for (Window& window : windows_) {
    if (window.points.size() > design_.window ||
        window.oldest >= std::max<std::uint64_t>(design_.window, 1) ||
        (window.oldest > 0 && window.points.size() < design_.window) ||
        std::ranges::any_of(window.points, [](std::uint8_t points) { return points > 2; })) {
      return false;
    }
    if (window.points.size() == design_.window) sum_up(window);
  }
  return true;
}

namespace {

const bool mdb_is_registered = register_wrapper<Mdb>(
    {.name = "mdb",
     .title = "Monitored dueling bandits: a policy that begins again when a pair has changed",
     .paper = "Kolpaczki, Bengs, Huellermeier: Non-Stationary Dueling Bandits. 2022, Algorithm MDB",
     .setting = "preferences that change M - 1 times",
     .guarantee = "false alarms with a probability of the order 1/T; O(K sqrt(M T)) beside the "
                  "regret of the inner policy between changes",
     .departs = "gamma can be given; what the monitored rounds show is told to the inner policy",
     .status = "tested",
     .jumping = Jumping::in_law},
    wrapper_options<MdbOptions>()
        .horizon(&MdbOptions::horizon)
        .count("segments", &MdbOptions::segments, 1, 1'000'000'000,
               "M, the number of stretches between changes", Shown::always)
        .number("change", &MdbOptions::change, {.above = 0, .most = 1},
                "delta, the smallest change of a win probability that is to be noticed",
                Shown::always)
        .automatic_number("gamma", &MdbOptions::gamma, {.above = 0, .most = 1},
                          "share of the rounds that are monitored; auto is (K - 1)/2 sqrt(M w/T), "
                          "where 1 or more means all"));

}  // namespace
}  // namespace duel
