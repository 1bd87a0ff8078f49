// Sample-only scored multileaving (SOSM).
// Brost, Cox, Seldin, Lioma, SIGIR 2016. For each position a ranking is drawn uniformly and adds
// its best document that is not shown yet. The list may go on until every document is shown.
// Credit     each click gives every ranking 1/rank, or -rank, divided by the mean size of that over
//            the rankings, so that all clicks weigh alike; value(i, j) is the difference of the
//            sums.
// Cost       O(rankings) for a click: made for hundreds of rankings.
// Departs    the paper leaves the credit function open; dividing by the mean is our reading.
#include <algorithm>
#include <cmath>

#include "duel/ranking/interleaving/drawn_multileaver.h"
#include "duel/ranking/interleaving/methods.h"
#include "duel/ranking/interleaving/rank_credit.h"

namespace duel {
namespace {

struct SampleScoredMultileaveOptions {
  RankCredit credit = RankCredit::inverse_rank;
};

class SampleScoredMultileaver final
    : public DrawnMultileaver<SampleScoredMultileaver, SampleScoredMultileaveOptions> {
 public:
  using DrawnMultileaver::DrawnMultileaver;

  template <class Choices>
  void draw(std::size_t length, Choices& choices, Multileaving& shown) const {
    RankingPool& pool = shown.memory.pool;
    const std::size_t size = std::min(length, pool.size());
    std::vector<std::uint32_t>& open = shown.memory.order;  // the rankings with something left
    while (shown.size() < size) {
      open.clear();
      for (std::uint32_t r = 0; r < pool.num_rankings(); ++r) {
        if (pool.top(r) != RankingPool::kNone) open.push_back(r);
      }
      const std::uint32_t r = open[choices.below(open.size())];
      shown.append(pool.top(r), Multileaving::kNoTeam);
      append_credits(shown);
    }
  }

 private:
  void append_credits(Multileaving& shown) const {
    const auto ranks = shown.ranks_at(shown.size() - 1);
    const std::size_t begin = shown.credits.size();
    double sum = 0;
    for (const std::uint32_t rank : ranks) {
      shown.credits.push_back(rank_credit(options_.credit, rank, 0));
      sum += std::fabs(shown.credits.back());
    }
    const double mean = sum / static_cast<double>(ranks.size());
    for (std::size_t k = begin; k < shown.credits.size(); ++k) shown.credits[k] /= mean;
  }
};

const bool sample_scored_multileave_is_registered = register_method<SampleScoredMultileaver>(
    multileaver_catalogue(),
    {"sample-scored-multileave", "a random ranking adds its best; clicks score all by rank",
     "Brost, Cox, Seldin, Lioma, SIGIR 2016", 2016},
    OptionTable<SampleScoredMultileaveOptions>().choice<RankCredit>(
        "credit", &SampleScoredMultileaveOptions::credit,
        {{"inverse-rank", RankCredit::inverse_rank}, {"negative-rank", RankCredit::negative_rank}},
        "what a click on a document is worth to a ranking"));

}  // namespace
}  // namespace duel
