// Pairwise preference multileaving (PPM).
// Oosterhuis, de Rijke, CIKM 2017. Position i is a uniform draw from Omega(i): the documents in the
// top i of any ranking that are not shown yet.
// Credit     the user is taken to have seen all down to the document below the last click; of
//            those, clicked documents are preferred to the others. With r(x) the best rank of x by
//            any ranking, a pair (x, y) counts only where both stand at position max(r(x), r(y)) or
//            below, so that either order was possible; weighted by 1/prod (1 - 1/|Omega(i)|) over i
//            = min r .. max r - 1, the inverse probability that the one available earlier was not
//            drawn before. A ranking gets the weight of each pair it orders as the user did and
//            loses that of each it orders the other way.
// Unbiased   a ranking that no other dominates cannot lose to it in expectation (considerate,
//            fidelity).
// Departs    two public versions differ; this is the sum of gains and losses. `credit=correct` is
//            the other: gains only, averaged over the allowed pairs.
#include <algorithm>

#include "duel/ranking/interleaving/drawn_multileaver.h"
#include "duel/ranking/interleaving/methods.h"

namespace duel {
namespace {

enum class PairCredit { signed_sum, correct };

struct PairwisePreferenceMultileaveOptions {
  PairCredit credit = PairCredit::signed_sum;
};

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

class PairwisePreferenceMultileaver final
    : public DrawnMultileaver<PairwisePreferenceMultileaver, PairwisePreferenceMultileaveOptions> {
 public:
  using DrawnMultileaver::DrawnMultileaver;

  template <class Choices>
  void draw(std::size_t length, Choices& choices, Multileaving& shown) const {
    const RankingPool& pool = shown.memory.pool;
    std::vector<Index>& candidates = shown.memory.order;  // Omega(i) for the position at hand
    candidates.clear();
    while (shown.size() < length) {
      const std::size_t depth = shown.size();
      for (std::size_t r = 0; r < pool.num_rankings(); ++r) {
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

 private:
  void compare(const Multileaving& shown, std::span<const Position> clicks,
               MultileaveCredit& credit) const override {
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
  }
};

const bool pairwise_preference_multileave_is_registered =
    register_method<PairwisePreferenceMultileaver>(
        multileaver_catalogue(),
        {"pairwise-preference-multileave",
         "clicks prefer documents to those passed over; weighted pairs score the rankings",
         "Oosterhuis, de Rijke, CIKM 2017", 2017},
        OptionTable<PairwisePreferenceMultileaveOptions>().choice<PairCredit>(
            "credit", &PairwisePreferenceMultileaveOptions::credit,
            {{"signed", PairCredit::signed_sum}, {"correct", PairCredit::correct}},
            "gains less losses summed, or gains only, averaged over the allowed pairs"));

}  // namespace
}  // namespace duel
