#include "duel/policies/savage_borda.h"

#include <cmath>

#include "duel/policies/parts/arms.h"
#include "duel/policies/registry.h"

namespace duel {
namespace {

// No honest state claims more, and twice as many still fit.
constexpr std::uint64_t kMostBordaDuels = std::uint64_t{1} << 62;

}  // namespace

// --- pairs --------------------------------------------------------------------------------------

BordaCriterion::BordaCriterion(std::size_t num_arms)
    : num_arms_(num_arms),
      bounds_(num_arms * num_arms, Bounds{1.0, 0.0}),
      upper_(num_arms, 1.0),
      lower_(num_arms, 0.0),
      hopeless_(num_arms) {
  for (Arm i = 0; i < num_arms_; ++i) bounds_[i * num_arms_ + i] = {};
}

void BordaCriterion::sum_row(Arm i) {
  double upper = 0;
  double lower = 0;
  // An arm against itself adds nothing.
  for (const Bounds& bounds : std::span(bounds_).subspan(i * num_arms_, num_arms_)) {
    upper += bounds.upper;
    lower += bounds.lower;
  }
  upper_[i] = upper / static_cast<double>(num_arms_ - 1);
  lower_[i] = lower / static_cast<double>(num_arms_ - 1);
}

void BordaCriterion::update(Arm i, Arm j, const PairCounts& counts, double c, LivePairs& live) {
  set_bounds(i, j, counts.mean(i, j), c);
  set_bounds(j, i, counts.mean(j, i), c);
  sum_row(i);
  sum_row(j);
  hopeless_.find(upper_, lower_);
  hopeless_.drop_pairs(live);
}

void BordaCriterion::rebuild(const PairCounts& counts, const SavageRadius& radius) {
  *this = BordaCriterion(num_arms_);
  if (num_arms_ == 1) return;
  for (Arm i = 0; i < num_arms_; ++i) {
    for (Arm j = 0; j < num_arms_; ++j) {
      if (i == j || counts.total(i, j) == 0) continue;
      set_bounds(i, j, counts.mean(i, j), radius(counts.duels(i, j)));
    }
    sum_row(i);
  }
  hopeless_.find(upper_, lower_);
}

Arm BordaCriterion::leader(const PairCounts& counts, bool deterministic_ties, RoundRng rng) const {
  return largest_of(all_arms(num_arms_), deterministic_ties, rng, [&](Arm i) {
    double sum = 0;
    for (Arm j = 0; j < num_arms_; ++j) sum += j == i ? 0 : counts.mean(i, j);
    return sum;
  });
}

// --- arms ---------------------------------------------------------------------------------------

BordaArmsExplorer::BordaArmsExplorer(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
    : num_arms_(num_arms),
      deterministic_ties_(options.deterministic_ties),
      epsilon_(options.epsilon),
      radius_(options, static_cast<double>(num_arms)),
      records_(num_arms),
      sweep_(all_arms(num_arms)),
      bounds_(num_arms),
      wide_(num_arms, 1),
      num_alive_(num_arms),
      num_wide_(num_arms) {
  for (Arm i = 0; i < num_arms_; ++i) refresh(i);
}

BordaArmsExplorer::Choice BordaArmsExplorer::choose(Round round, RoundRng rng) const {
  const auto place = sweep_.next([this](Arm i) { return alive(i); });
  return {{place.item, draw_other(place.item, num_arms_, rng), round}, place};
}

void BordaArmsExplorer::answered(const Duel& duel, Points points, RoundRng& /*rng*/) {
  if (!alive(duel.first)) return;
  ++records_[duel.first].duels;
  records_[duel.first].points += points.first;
  refresh(duel.first);
  const Extremes extremes = bounds_.all();
  if (!(extremes.least_upper < extremes.most_lower)) return;
  for (Arm i = 0; i < num_arms_; ++i) {
    if (alive(i) && bounds_.leaf(i).least_upper < extremes.most_lower) drop(i);
  }
}

void BordaArmsExplorer::refresh(Arm i) {
  if (records_[i].duels == 0) {
    bounds_.set(i, {1.0, 0.0});
    return;
  }
  const double p = mean(i);
  const double c = radius_(static_cast<double>(records_[i].duels));
  bounds_.set(i, {p + c, p - c});
  const bool wide = !(std::abs(p - 0.5) + c <= epsilon_);
  if (wide == (wide_[i] != 0)) return;
  wide_[i] = wide ? 1 : 0;
  num_wide_ += wide ? 1 : -1;
}

void BordaArmsExplorer::drop(Arm i) {
  records_[i].alive = 0;
  bounds_.set(i, {});
  --num_alive_;
  if (wide_[i] != 0) --num_wide_;
}

Arm BordaArmsExplorer::leader(RoundRng rng) const {
  std::vector<Arm> arms = all_arms(num_arms_);
  std::erase_if(arms, [this](Arm i) { return !alive(i); });
  return largest_of(arms, deterministic_ties_, rng, [this](Arm i) { return mean(i); });
}

bool BordaArmsExplorer::restored(std::span<const Duel> /*pending*/) {
  if (records_.size() != num_arms_ || !sweep_.restored([this](Arm i) { return i < num_arms_; })) {
    return false;
  }
  bounds_ = TournamentTree<Extremes>(num_arms_);
  wide_.assign(num_arms_, 1);
  num_alive_ = num_arms_;
  num_wide_ = num_arms_;
  std::size_t scheduled = 0;
  for (const Arm i : sweep_.items()) scheduled += alive(i);
  for (Arm i = 0; i < num_arms_; ++i) {
    const Record& record = records_[i];
    if (record.alive > 1 || record.duels >= kMostBordaDuels || record.points / 2 > record.duels) {
      return false;
    }
    refresh(i);
    if (!alive(i)) drop(i);
  }
  return num_alive_ > 0 && scheduled == num_alive_;
}

namespace {
const bool savage_borda_is_registered = register_policy(
    {.name = "savage-borda",
     .title = "SAVAGE, Borda winner",
     .paper = kSavagePaper,
     .setting = "any; Borda winner",
     .guarantee = "stops on the Borda winner with probability >= 1 - delta",
     .departs = "stops when one arm alone can win, since its own pairs never become irrelevant; "
                "sampling=arms is the reduction to successive elimination of arms",
     .status = "tested",
     .jumping = Jumping::exact},
    savage_options<SavageBordaOptions>().choice<BordaSampling>(
        "sampling", &SavageBordaOptions::sampling,
        {{"pairs", BordaSampling::pairs}, {"arms", BordaSampling::arms}},
        "sample pairs in turn, or arms in turn against uniformly drawn others, which needs fewer "
        "duels"),
    [](const DescribedPolicy<SavageBordaOptions>& described, const SavageBordaOptions& options,
       std::size_t num_arms) {
      return options.sampling == BordaSampling::pairs
                 ? described.configured<SavageBordaPairs>(options, num_arms)
                 : described.configured<SavageBordaArms>(options, num_arms);
    });
}  // namespace

}  // namespace duel
