// Sample-only scored multileaving (SOSM).
// Brost, Cox, Seldin, Lioma, SIGIR 2016. For each position a ranking is drawn uniformly and adds
// its best document that is not shown yet. The list may go on until every document is shown.
// Credit     each click gives every ranking 1/rank, or -rank, divided by the mean size of that over
//            the rankings, so that all clicks weigh alike; value(i, j) is the difference of the
//            sums.
// Cost       O(rankings) for a click: made for hundreds of rankings.
// Departs    the paper leaves the credit function open; dividing by the mean is our reading.
#pragma once

#include "duel/ranking/interleaving/multileaver.h"
#include "duel/ranking/interleaving/rank_credit.h"

namespace duel {

struct SampleScoredMultileaveOptions {
  RankCredit credit = RankCredit::inverse_rank;
};
const OptionTable<SampleScoredMultileaveOptions>& sample_scored_multileave_options();

class SampleScoredMultileaver final : public Multileaver {
 public:
  explicit SampleScoredMultileaver(const SampleScoredMultileaveOptions& options)
      : options_(options) {}
  std::string canonical() const override;
  void multileave(Rankings rankings, std::size_t length, RoundRng& rng,
                  Multileaving& shown) const override;
  void credit(const Multileaving& shown, std::span<const Position> clicks,
              MultileaveCredit& credit) const override;
  Result<std::vector<WeightedMultileaving>> enumerate(Rankings rankings,
                                                      std::size_t length) const override;

 private:
  SampleScoredMultileaveOptions options_;
};

}  // namespace duel
