#include "duel/policies/active_ranking.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "duel/core/logarithm.h"
#include "duel/policies/parts/arms.h"
#include "duel/policies/stopping.h"

namespace duel {

double active_ranking_radius(std::size_t num_arms, double delta, double t) {
  const double log_arms = natural_log(static_cast<double>(num_arms) / delta);
  const double beta =
      log_arms + 0.75 * natural_log(log_arms) + 1.5 * natural_log(1.0 + natural_log(t / 2));
  return std::sqrt(std::max(0.0, beta) / (2 * t));
}

ActiveRankingExplorer::ActiveRankingExplorer(const Options& options, std::size_t num_arms,
                                             RoundRng /*rng*/)
    : num_top_(std::min<std::size_t>(options.k, num_arms)),
      delta_(options.delta),
      margin_(options.margin),
      records_(num_arms),
      undecided_(all_arms(num_arms)) {
  if (num_top_ == num_arms) {
    top_ = undecided_;
    undecided_.clear();
  }
}

ActiveRankingExplorer::Choice ActiveRankingExplorer::choose(Round round, RoundRng rng) const {
  const Arm arm = *std::min_element(undecided_.begin(), undecided_.end(), [&](Arm a, Arm b) {
    return records_[a].asked < records_[b].asked;
  });
  return {{arm, draw_other(arm, records_.size(), rng), round}};
}

void ActiveRankingExplorer::answered(const Duel& duel, Points points, RoundRng& /*rng*/) {
  Record& record = records_[duel.first];
  ++record.duels;
  record.points += points.first;
  std::uint64_t fewest = record.duels;
  for (const Arm arm : undecided_) fewest = std::min(fewest, records_[arm].duels);
  if (fewest <= tested_) return;
  tested_ = fewest;
  test(static_cast<double>(fewest));
}

std::vector<Arm> ActiveRankingExplorer::by_share(std::vector<Arm> arms) const {
  std::stable_sort(arms.begin(), arms.end(), [&](Arm a, Arm b) { return share(a) > share(b); });
  return arms;
}

void ActiveRankingExplorer::test(double t) {
  const std::size_t places = num_top_ - top_.size();
  const double bar = margin_ * active_ranking_radius(records_.size(), delta_, t);
  const std::vector<Arm> sorted = by_share(undecided_);
  const double first_out = share(sorted[places]);
  const double last_in = share(sorted[places - 1]);
  std::vector<Arm> left;
  for (const Arm arm : sorted) {
    if (share(arm) - first_out > bar) {
      top_.push_back(arm);
    } else if (!(last_in - share(arm) > bar)) {
      left.push_back(arm);
    }
  }
  if (top_.size() == num_top_) left.clear();
  if (top_.size() + left.size() == num_top_) {
    top_.insert(top_.end(), left.begin(), left.end());
    left.clear();
  }
  std::sort(left.begin(), left.end());
  undecided_ = std::move(left);
}

Arm ActiveRankingExplorer::leader(RoundRng rng) const {
  return largest_of(top_.empty() ? undecided_ : top_, false, rng,
                    [&](Arm arm) { return share(arm); });
}

bool ActiveRankingExplorer::restored(std::span<const Duel> pending) {
  const std::size_t num_arms = records_.size();
  std::vector<std::uint8_t> seen(num_arms);
  for (const std::vector<Arm>* arms : {&undecided_, &top_}) {
    for (const Arm arm : *arms) {
      if (arm >= num_arms || seen[arm]++ != 0) return false;
    }
  }
  if (std::adjacent_find(undecided_.begin(), undecided_.end(), std::greater_equal<>()) !=
          undecided_.end() ||
      top_.size() > num_top_ || (undecided_.empty() && top_.size() != num_top_) ||
      (!undecided_.empty() && top_.size() + undecided_.size() <= num_top_)) {
    return false;
  }
  std::vector<std::uint64_t> out(num_arms);
  for (const Duel& duel : pending) ++out[duel.first];
  for (Arm arm = 0; arm < num_arms; ++arm) {
    const Record& record = records_[arm];
    const std::uint64_t known = record.duels + out[arm];
    // Nobody remembers the duels that were out when the last arm was decided.
    const bool asked_fits = finished() ? record.asked >= known : record.asked == known;
    if (record.points > 2 * record.duels || !asked_fits) return false;
  }
  return true;
}

namespace {

const bool active_ranking_is_registered = register_stopping_policy<ActiveRanking>(
    {.name = "active-ranking",
     .title = "Active ranking, the arms with the highest Borda scores",
     .paper = "Heckel, Shah, Ramchandran, Wainwright: Active Ranking from Pairwise Comparisons and "
              "When Parametric Assumptions Do Not Help. Ann. Stat. 2019, Algorithm 1",
     .setting = "any; top k by Borda score",
     .guarantee = "stops on the top k with probability >= 1 - delta, after O(sum_i D_i^-2 "
                  "log(K/(delta D_i))) duels",
     .departs = "one cut only, the top k; factor 2 in the radius, as in the authors' program",
     .status = "tested",
     .jumping = Jumping::exact,
     .keeps_pairs = false},
    Finds::borda,
    OptionTable<ActiveRankingOptions>()
        .count("k", &ActiveRankingOptions::k, 1, 1'000'000, "how many arms are looked for",
               Shown::always)
        .number("delta", &ActiveRankingOptions::delta, {.above = 0, .below = 1},
                "probability of stopping on others; a run that certifies gives its level",
                Shown::always)
        .number("margin", &ActiveRankingOptions::margin, {.above = 0, .most = 100},
                "how many radii decide; the paper has 4"));

}  // namespace
}  // namespace duel
