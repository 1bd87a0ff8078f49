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
#pragma once

#include "duel/ranking/interleaving/multileaver.h"

namespace duel {

enum class PairCredit { signed_sum, correct };

struct PairwisePreferenceMultileaveOptions {
  PairCredit credit = PairCredit::signed_sum;
};
const OptionTable<PairwisePreferenceMultileaveOptions>& pairwise_preference_multileave_options();

class PairwisePreferenceMultileaver final : public Multileaver {
 public:
  explicit PairwisePreferenceMultileaver(const PairwisePreferenceMultileaveOptions& options)
      : options_(options) {}
  std::string canonical() const override;
  void multileave(Rankings rankings, std::size_t length, RoundRng& rng,
                  Multileaving& shown) const override;
  void credit(const Multileaving& shown, std::span<const Position> clicks,
              MultileaveCredit& credit) const override;
  Result<std::vector<WeightedMultileaving>> enumerate(Rankings rankings,
                                                      std::size_t length) const override;

 private:
  PairwisePreferenceMultileaveOptions options_;
};

}  // namespace duel
