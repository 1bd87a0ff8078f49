#include "duel/ranking/interleaving/pairwise_preference_multileave.h"

#include <algorithm>

#include "duel/ranking/interleaving/every_path.h"

namespace duel {
namespace {

using Index = RankingPool::Index;

struct BestRank {
  std::uint32_t rank = 0;
  std::size_t ranker = 0;  // the first that has the document there
};

// Rankings that lack the document do not count, whatever their length.
BestRank best_rank(const RankingPool& pool, Index i) {
  BestRank best;
  for (std::size_t r = 0; r < pool.num_rankings(); ++r) {
    const std::uint32_t rank = pool.rank(r, i);
    if (rank <= pool.length(r) && (best.rank == 0 || rank < best.rank)) best = {rank, r};
  }
  return best;
}

// `candidates` holds Omega(i) for the position at hand.
template <class Choices>
void draw_list(std::size_t length, Choices& choices, std::vector<Index>& candidates,
               Multileaving& shown) {
  RankingPool& pool = shown.memory.pool;
  const std::size_t n = pool.num_rankings();
  shown.clear(n);
  candidates.clear();
  while (shown.size() < length) {
    const std::size_t depth = shown.size();
    for (std::size_t r = 0; r < n; ++r) {
      if (depth >= pool.length(r)) continue;
      const Index i = pool.ranking(r)[depth];
      const BestRank best = best_rank(pool, i);  // it enters once
      if (best.rank == depth + 1 && best.ranker == r) candidates.push_back(i);
    }
    if (candidates.empty()) break;
    shown.num_candidates.push_back(static_cast<std::uint32_t>(candidates.size()));
    const std::size_t chosen = choices.below(candidates.size());
    shown.best_ranks.push_back(best_rank(pool, candidates[chosen]).rank);
    shown.append(candidates[chosen], Multileaving::kNoTeam);
    candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(chosen));
  }
}

// The weight of a pair of positions, or 0 where it may not be used.
double pair_weight(const Multileaving& shown, std::size_t a, std::size_t b) {
  const auto [low, high] = std::minmax(shown.best_ranks[a], shown.best_ranks[b]);
  if (std::min(a, b) + 1 < high) return 0;
  double survival = 1;
  for (std::uint32_t i = low; i < high; ++i) {
    survival *= 1 - 1.0 / static_cast<double>(shown.num_candidates[i - 1]);
  }
  return 1 / survival;
}

}  // namespace

const OptionTable<PairwisePreferenceMultileaveOptions>& pairwise_preference_multileave_options() {
  static const auto table = [] {
    OptionTable<PairwisePreferenceMultileaveOptions> options;
    options.choice<PairCredit>(
        "credit", &PairwisePreferenceMultileaveOptions::credit,
        {{"signed", PairCredit::signed_sum}, {"correct", PairCredit::correct}},
        "gains less losses summed, or gains only, averaged over the allowed pairs");
    return options;
  }();
  return table;
}

std::string PairwisePreferenceMultileaver::canonical() const {
  return pairwise_preference_multileave_options().canonical("pairwise-preference-multileave",
                                                            options_);
}

void PairwisePreferenceMultileaver::multileave(Rankings rankings, std::size_t length, RoundRng& rng,
                                               Multileaving& shown) const {
  shown.memory.pool.assign(rankings);
  RandomChoices choices(rng);
  draw_list(length, choices, shown.memory.order, shown);
}

void PairwisePreferenceMultileaver::credit(const Multileaving& shown,
                                           std::span<const Position> clicks,
                                           MultileaveCredit& credit) const {
  start_credit(shown, credit);
  DUEL_CHECK(clicks.empty() || clicks.back() < shown.size());
  const std::size_t seen =
      clicks.empty() ? 0 : std::min<std::size_t>(shown.size(), clicks.back() + std::size_t{2});
  std::size_t pairs = 0;
  for (const Position x : clicks) {
    std::size_t next_click = 0;
    for (std::size_t y = 0; y < seen; ++y) {
      while (next_click < clicks.size() && clicks[next_click] < y) ++next_click;
      if (next_click < clicks.size() && clicks[next_click] == y) continue;
      const double weight = pair_weight(shown, x, y);
      if (weight == 0) continue;
      ++pairs;
      const auto ranks_x = shown.ranks_at(x);
      const auto ranks_y = shown.ranks_at(y);
      for (std::size_t r = 0; r < shown.num_rankers; ++r) {
        if (ranks_x[r] < ranks_y[r]) credit.credits[r] += weight;
        if (ranks_x[r] > ranks_y[r] && options_.credit == PairCredit::signed_sum) {
          credit.credits[r] -= weight;
        }
      }
    }
  }
  if (options_.credit == PairCredit::correct && pairs > 0) {
    for (double& value : credit.credits) value /= static_cast<double>(pairs);
  }
  take_differences(credit);
  set_outcomes(shown, clicks, credit);
}

Result<std::vector<WeightedMultileaving>> PairwisePreferenceMultileaver::enumerate(
    Rankings rankings, std::size_t length) const {
  return enumerate_paths<EveryPath>(*this, [&](EveryPath& path, Multileaving& shown) {
    shown.memory.pool.assign(rankings);
    draw_list(length, path, shown.memory.order, shown);
  });
}

}  // namespace duel
