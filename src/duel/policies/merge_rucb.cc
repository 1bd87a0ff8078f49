#include "duel/policies/merge_rucb.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "duel/core/beta.h"
#include "duel/core/logarithm.h"
#include "duel/policies/parts/arms.h"
#include "duel/policies/parts/crossing.h"
#include "duel/policies/registry.h"

namespace duel {
namespace {

constexpr double kNeverAbove = -std::numeric_limits<double>::infinity();
constexpr std::size_t kNoHome = ~std::size_t{0};

// ((4 alpha - 1) K^2/((2 alpha - 1) delta))^(1/(2 alpha - 1)). Computed once, with libm's pow: its
// last bit may differ between C libraries, and moves a bound by less than 1e-15 of itself.
double clock_offset(double alpha, double delta, std::size_t num_arms) {
  const auto k = static_cast<double>(num_arms);
  const double exponent = 1.0 / (2.0 * alpha - 1.0);
  return std::pow((4.0 * alpha - 1.0) * k * k / ((2.0 * alpha - 1.0) * delta), exponent);
}

}  // namespace

Status Merge::check_as(const std::string& name, const Options& options, std::size_t num_arms) {
  if (options.c > 0) return Done{};
  if (options.alpha <= 0.5) {
    return Error::invalid_argument("policy '" + name +
                                   "': alpha <= 1/2 makes no constant C from delta")
        .with_hint("give c, as in " + name + "(alpha=0.262, c=4e5)");
  }
  if (!std::isfinite(clock_offset(options.alpha, options.delta, num_arms))) {
    return Error::invalid_argument("policy '" + name +
                                   "': alpha is so close to 1/2 that C is infinite")
        .with_hint("give c, as in " + name + "(alpha=0.51, c=4e5)");
  }
  return Done{};
}

Merge::Merge(const Options& options, std::size_t num_arms, RoundRng rng, bool samples)
    : options_(options),
      samples_(samples),
      counts_(num_arms),
      prior_(options.pseudo_counts ? 1.0 : 0.0),
      offset_(options.c > 0 ? options.c : clock_offset(options.alpha, options.delta, num_arms)),
      batches_(Batches::shuffled(num_arms, options.p, rng)),
      deficit_(num_arms * num_arms, options.pseudo_counts ? 0.0 : kNeverAbove),
      worst_(num_arms),
      room_(num_arms) {
  if (samples) beliefs_.emplace(num_arms);
  for (std::size_t i = 0; i < num_arms; ++i) deficit_[i * num_arms + i] = kNeverAbove;
  find_homes();
}

double Merge::width(Round round) const {
  const Round clock = options_.reset_clock ? round - batches_.stage_start : round;
  return std::sqrt(options_.alpha * natural_log(static_cast<double>(clock) + offset_));
}

double Merge::worst_deficit(Arm i, const std::vector<Arm>& group) const {
  double worst = kNeverAbove;
  const double* row = &deficit_[i * counts_.num_arms()];
  for (const Arm j : group) worst = std::max(worst, row[j]);
  return worst;
}

void Merge::find_homes() {
  home_.assign(counts_.num_arms(), kNoHome);
  for (std::size_t m = 0; m < batches_.groups.size(); ++m) {
    for (const Arm i : batches_.groups[m]) {
      home_[i] = m;
      worst_[i] = worst_deficit(i, batches_.groups[m]);
    }
  }
}

void Merge::refresh_pair(Arm i, Arm j) {
  // Pseudo-counts add to n alone.
  const double z = bound_deficit(counts_, i, j, std::sqrt(duels(i, j)));
  deficit_[i * counts_.num_arms() + j] = z;
  deficit_[j * counts_.num_arms() + i] = -z;
  for (const Arm a : {i, j}) {
    if (home_[a] != kNoHome) worst_[a] = worst_deficit(a, batches_.groups[home_[a]]);
  }
  if (samples_) beliefs_->refresh_shares(i, j, counts_);
}

void Merge::eliminate(std::vector<Arm>& group, double width, RoundRng& rng) const {
  for (;;) {
    std::size_t losers = 0;
    for (const Arm k : group) {
      if (worst_deficit(k, group) > width) room_[losers++] = k;
    }
    if (losers == 0) return;
    std::erase(group, room_[pick_tied(losers, false, rng)]);
  }
}

Duel Merge::pair_by_bounds(const std::vector<Arm>& group, Round round, double width,
                           RoundRng& rng) const {
  const Arm c = group[rng.below(group.size())];
  LargestArms<double> best(room_);
  for (const Arm l : group) {
    if (l == c) continue;
    const double n = duels(l, c);
    best.offer(l, n == 0 ? 2.0 : wins(l, c) / n + width * (1.0 / std::sqrt(n)));
  }
  return {c, best.pick(options_.deterministic_ties, rng), round};
}

Duel Merge::pair_by_sampling(const std::vector<Arm>& group, Round round, RoundRng& rng) const {
  const SampledTournament tournament(*beliefs_, rng, nullptr);
  LargestArms<std::size_t> best(room_);
  for (const Arm i : group) {
    std::size_t score = 0;
    for (const Arm j : group) score += j != i && tournament.beats(i, j) ? 1 : 0;
    best.offer(i, score);
  }
  const Arm c = best.pick(options_.deterministic_ties, rng);
  // The arm least likely to beat c, so that eliminations finish quickly.
  Xoshiro draws(rng);
  double least = 2;
  Arm d = c;
  for (const Arm j : group) {
    if (j == c) continue;
    const double theta = draw_beta(counts_.wins(j, c) + 1.0, counts_.wins(c, j) + 1.0, draws);
    if (theta < least) {
      least = theta;
      d = j;
    }
  }
  return {c, d, round};
}

Merge::Choice Merge::choose(Round round, RoundRng rng) const {
  Choice choice{{0, 0, round}, std::nullopt};
  const double s = width(round);
  std::size_t m = round % batches_.groups.size();
  const std::vector<Arm>* group = &batches_.groups[m];
  const bool loses =
      std::any_of(group->begin(), group->end(), [&](Arm k) { return worst_[k] > s; });
  const bool lonely = samples_ && group->size() == 1 && batches_.groups.size() > 1;
  if (loses || lonely) {
    choice.changed = batches_;
    std::vector<std::vector<Arm>>& groups = choice.changed->groups;
    eliminate(groups[m], s, rng);
    // In MergeDTS a batch of one joins the next at once.
    while (samples_ && groups[m].size() == 1 && groups.size() > 1) {
      std::vector<Arm>& next = groups[(m + 1) % groups.size()];
      next.push_back(groups[m][0]);
      groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(m));
      m %= groups.size();
      eliminate(groups[m], s, rng);
    }
    group = &groups[m];
  }
  if (group->size() == 1) {
    choice.duel = {(*group)[0], (*group)[0], round};
  } else {
    choice.duel =
        samples_ ? pair_by_sampling(*group, round, rng) : pair_by_bounds(*group, round, s, rng);
  }
  const Batches& now = choice.changed ? *choice.changed : batches_;
  if (now.is_merge_due(counts_.num_arms())) {
    if (!choice.changed) choice.changed = batches_;
    choice.changed->merge(options_.p, round, rng);
  }
  return choice;
}

void Merge::commit(const Choice& choice) {
  if (!choice.changed) return;
  batches_ = *choice.changed;
  find_homes();
}

void Merge::observe(const Duel& duel, Outcome outcome, RoundRng rng) {
  if (count_duel(counts_, duel, outcome, options_.ties, rng)) {
    refresh_pair(duel.first, duel.second);
  }
}

Arm Merge::recommend(RoundRng /*rng*/) const {
  LargestArms<std::uint64_t> best(room_);
  for (Arm i = 0; i < counts_.num_arms(); ++i) {
    if (home_[i] == kNoHome) continue;
    std::uint64_t points = 0;
    for (Arm j = 0; j < counts_.num_arms(); ++j) points += counts_.points(i, j);
    best.offer(i, points);
  }
  return best.arms().front();
}

Jump Merge::jump(Round round, Round limit, RoundRng /*rng*/) const {
  // The last arm stays.
  const bool over = batches_.groups.size() == 1 && batches_.groups[0].size() == 1;
  return {over ? limit : round};
}

bool Merge::restored() {
  const std::size_t num_arms = counts_.num_arms();
  if (!counts_.consistent() || !batches_.consistent(num_arms)) return false;
  Merge rebuilt(options_, num_arms, RoundRng(0, 0, 0), samples_);
  rebuilt.counts_ = counts_;
  rebuilt.batches_ = batches_;
  rebuilt.find_homes();
  counts_.for_each_met_pair([&](Arm i, Arm j) { rebuilt.refresh_pair(i, j); });
  *this = std::move(rebuilt);
  return true;
}

namespace {

template <class Options>
OptionTable<Options> merge_options() {
  OptionTable<Options> table;
  table.number("alpha", &Options::alpha, {.above = 0},
               "width of the confidence bounds; the theory needs alpha > 1/2", Shown::always);
  table.number("delta", &Options::delta, {.above = 0, .below = 1},
               "probability that the guarantee fails", Shown::always);
  table.count("p", &Options::p, 2, 1'000'000, "batch size; the theory needs 4 or more",
              Shown::always);
  table.number("c", &Options::c, {.least = 0},
               "added to the round in the bounds' logarithm; 0 takes it from alpha, delta and K");
  table.flag("reset_clock", &Options::reset_clock,
             "start the clock of the bounds anew with each merge, as the authors' program does");
  table.flag("pseudo_counts", &Options::pseudo_counts,
             "start every pair with a win on both sides, as the authors' program does");
  return table;
}

const bool merge_rucb_rucb_is_registered = register_policy<MergeRucb>(
    {.name = "merge-rucb",
     .title = "MergeRUCB",
     .paper = "Zoghi, Whiteson, de Rijke: MergeRUCB, a Method for Large-Scale Online Ranker "
              "Evaluation. WSDM 2015, Algorithm 1",
     .setting = "Condorcet winner, many arms",
     .guarantee = "O(K log T) with probability 1 - delta, for alpha > 1/2 and p >= 4",
     .departs = "nowhere; options reset_clock and pseudo_counts are the authors' program",
     .status = "reproduced",
     .jumping = Jumping::exact},
    merge_options<MergeOptions>());

const bool merge_rucb_dts_is_registered = register_policy<MergeDts>(
    {.name = "merge-dts",
     .title = "Merge Double Thompson Sampling",
     .paper = "Li, Markov, de Rijke, Zoghi: MergeDTS, a Method for Effective Large-scale Online "
              "Ranker Evaluation. ACM TOIS 2020, Algorithm 1",
     .setting = "Condorcet winner, many arms",
     .guarantee = "O(K log T) with probability 1 - delta, for alpha > 1/2 and p >= 4",
     .departs = "clock and first counts as in the authors' program",
     .status = "tested",
     .jumping = Jumping::exact},
    merge_options<MergeDtsOptions>());

}  // namespace
}  // namespace duel
