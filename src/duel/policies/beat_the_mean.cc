#include "duel/policies/beat_the_mean.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "duel/core/pair_counts.h"
#include "duel/policies/parts/arms.h"
#include "duel/policies/registry.h"

namespace duel {

double beat_the_mean_pac_limit(std::size_t num_arms, double gamma, double epsilon, double delta) {
  constexpr double kMost = 0x1p62;
  const double gamma_2 = gamma * gamma;
  const double factor = 36.0 * (gamma_2 * gamma_2 * gamma_2) / (epsilon * epsilon);
  // The map rises with N, so that from 1 it climbs to its smallest fixed point.
  double limit = 1;
  for (;;) {
    const double next = std::ceil(factor * beat_the_mean_pac_log_term(num_arms, limit, delta));
    if (!(next < kMost)) return kMost;
    if (next <= limit) return limit;
    limit = next;
  }
}

BeatTheMeanExplorer::BeatTheMeanExplorer(const Rule& rule, std::size_t num_arms)
    : rule_(rule),
      working_set_(all_arms(num_arms)),
      place_(num_arms),
      cells_(num_arms * num_arms),
      pending_(num_arms * num_arms),
      rows_(num_arms),
      turns_(num_arms),
      means_(num_arms) {
  rebuild_places();
  for (const Arm b : working_set_) {
    refresh_turn(b);
    refresh_mean(b);
  }
}

BeatTheMeanExplorer::Choice BeatTheMeanExplorer::choose(Round round, RoundRng rng) const {
  const Turn& turn = turns_.all();
  // The k-th of the tied arms, in index order.
  std::uint64_t k = pick_tied(turn.tied, rule_.deterministic_ties, rng);
  const auto b = static_cast<Arm>(turns_.descend([&](const Turn& left, const Turn& right) {
    const std::uint64_t tied = left.least == turn.least ? left.tied : 0;
    if (k < tied || right.least != turn.least) return false;
    k -= tied;
    return true;
  }));
  std::uint64_t opponent = 0;
  if (rule_.literal_self) {
    opponent = rng.below(working_set_.size());
  } else {
    opponent = rng.below(working_set_.size() - 1);
    if (opponent >= place_[b]) ++opponent;
  }
  return {{b, working_set_[opponent], round}};
}

void BeatTheMeanExplorer::commit(const Choice& choice) {
  ++pending_[index(choice.duel.first, choice.duel.second)];
  ++rows_[choice.duel.first].pending;
  refresh_turn(choice.duel.first);
}

void BeatTheMeanExplorer::answered(const Duel& duel, Points points, RoundRng& rng) {
  if (!in_working_set(duel.first) || !in_working_set(duel.second)) return;
  // Step 2: b's record only, not that of b'.
  const std::size_t at = index(duel.first, duel.second);
  Cell& met = cells_[at];
  if (met.duels >= std::numeric_limits<std::uint32_t>::max() / 2) throw_pair_count_overflow();
  --pending_[at];
  ++met.duels;
  met.points += points.first;
  Row& row = rows_[duel.first];
  --row.pending;
  ++row.duels;
  row.points += points.first;
  refresh_mean(duel.first);
  test(rng);
}

void BeatTheMeanExplorer::lost(const Duel& duel) {
  if (!in_working_set(duel.first) || !in_working_set(duel.second)) return;
  --pending_[index(duel.first, duel.second)];
  --rows_[duel.first].pending;
  refresh_turn(duel.first);
}

// Step 3: at most one arm is removed.
void BeatTheMeanExplorer::test(RoundRng& rng) {
  const Means& all = means_.all();
  if (all.least_duels != radius_duels_) {
    radius_duels_ = all.least_duels;
    radius_ = beat_the_mean_radius(rule_.width, rule_.log_term, static_cast<double>(radius_duels_));
  }
  if (working_set_.size() == 1 || !(all.low + radius_ <= all.high - radius_)) return;
  remove(least_of(working_set_, rule_.deterministic_ties, rng,
                  [&](Arm b) { return means_.leaf(b).low; }));
}

void BeatTheMeanExplorer::remove(Arm removed) {
  turns_.set(removed, {});
  means_.set(removed, {});
  std::erase(working_set_, removed);
  rebuild_places();
  for (const Arm b : working_set_) {
    const std::size_t at = index(b, removed);
    rows_[b].duels -= cells_[at].duels;
    rows_[b].points -= cells_[at].points;
    rows_[b].pending -= pending_[at];
    refresh_turn(b);
    refresh_mean(b);
  }
}

void BeatTheMeanExplorer::rebuild_places() {
  std::fill(place_.begin(), place_.end(), kRemoved);
  for (std::uint32_t k = 0; k < working_set_.size(); ++k) place_[working_set_[k]] = k;
}

Arm BeatTheMeanExplorer::leader(RoundRng rng) const {
  return largest_of(working_set_, rule_.deterministic_ties, rng,
                    [&](Arm b) { return means_.leaf(b).high; });
}

bool BeatTheMeanExplorer::restored(std::span<const Duel> pending) {
  const std::size_t num_arms = place_.size();
  if (cells_.size() != num_arms * num_arms || working_set_.empty() ||
      working_set_.back() >= num_arms ||
      std::adjacent_find(working_set_.begin(), working_set_.end(), std::greater_equal<>()) !=
          working_set_.end()) {
    return false;
  }
  for (const Cell& met : cells_) {
    if (met.points / 2 > met.duels) return false;
  }
  rebuild_places();
  std::fill(pending_.begin(), pending_.end(), 0);
  for (const Duel& duel : pending) {
    if (in_working_set(duel.first) && in_working_set(duel.second)) {
      ++pending_[index(duel.first, duel.second)];
    }
  }
  turns_ = TournamentTree<Turn>(num_arms);
  means_ = TournamentTree<Means>(num_arms);
  rows_.assign(num_arms, {});
  for (const Arm b : working_set_) {
    for (const Arm other : working_set_) {
      const std::size_t at = index(b, other);
      rows_[b].duels += cells_[at].duels;
      rows_[b].points += cells_[at].points;
      rows_[b].pending += pending_[at];
    }
    refresh_turn(b);
    refresh_mean(b);
  }
  radius_duels_ = 0;
  radius_ = 1;
  return true;
}

namespace {

const char* const kBeatTheMeanPaper = "Yue, Joachims. Beat the mean bandit. ICML 2011, ";
const char* const kSetting =
    "total order, relaxed stochastic transitivity, stochastic triangle inequality";
const char* const kBeatTheMeanDeparts =
    "an arm does not meet itself (literal_self=true is the paper's form): the order of the means "
    "is "
    "the same and no duel is wasted";
const char* const kGammaDoc =
    "how far strong transitivity is relaxed; 1 is the strong form. If it is too small, the "
    "Condorcet winner can be dropped in favour of the Borda winner";
const char* const kLiteralSelfDoc =
    "let an arm draw itself as opponent, as the paper does; such a duel teaches nothing";

const bool beat_the_mean_online_is_registered = register_policy<BeatTheMean>(
    {.name = "btm",
     .title = "Beat-the-Mean, regret form",
     .paper = std::string(kBeatTheMeanPaper) + "Algorithms 1 and 2",
     .setting = kSetting,
     .guarantee = "O(gamma^7 K/eps_12 log T) regret with probability >= 1 - 1/T",
     .departs = kBeatTheMeanDeparts,
     .status = "tested",
     .jumping = Jumping::exact},
    OptionTable<BeatTheMeanOptions>()
        .horizon(&BeatTheMeanOptions::horizon)
        .number("gamma", &BeatTheMeanOptions::gamma, {.least = 1, .most = 1e6}, kGammaDoc,
                Shown::always)
        .choice<MeanRadius>("radius", &BeatTheMeanOptions::radius,
                            {{"auto", MeanRadius::automatic},
                             {"tight", MeanRadius::tight},
                             {"general", MeanRadius::general}},
                            "confidence radius: tight is sqrt(ln(1/delta)/n), general is 3 gamma^2 "
                            "times that, auto "
                            "is the paper's own: tight where gamma is 1, else general")
        .flag("literal_self", &BeatTheMeanOptions::literal_self, kLiteralSelfDoc));

const bool beat_the_mean_pac_is_registered = register_policy<BeatTheMeanPac>(
    {.name = "btm-pac",
     .title = "Beat-the-Mean, PAC form",
     .paper = std::string(kBeatTheMeanPaper) + "Algorithms 1 and 3",
     .setting = kSetting,
     .guarantee = "the arm it ends on is within epsilon of the best with probability >= 1 - delta, "
                  "after O(K gamma^6/epsilon^2 log(K N/delta)) duels",
     .departs = kBeatTheMeanDeparts,
     .status = "tested",
     .jumping = Jumping::exact},
    OptionTable<BeatTheMeanPacOptions>()
        .number("gamma", &BeatTheMeanPacOptions::gamma, {.least = 1, .most = 1e6}, kGammaDoc,
                Shown::always)
        .number("epsilon", &BeatTheMeanPacOptions::epsilon, {.above = 0, .most = 0.5},
                "how much worse than the best the returned arm may be", Shown::always)
        .number("delta", &BeatTheMeanPacOptions::delta, {.above = 0, .below = 1},
                "probability with which it may be worse than that", Shown::always)
        .flag("literal_self", &BeatTheMeanPacOptions::literal_self, kLiteralSelfDoc));

}  // namespace

}  // namespace duel
