// Probabilistic multileaving.
// Schuth et al., SIGIR 2015.
// For each position a ranking is drawn uniformly, and a document from its softmax over ranks (as in
// probabilistic interleaving, which this is for two rankings).
// Credit     the rankings that drew are forgotten: a click on the document at position i belongs to
//            ranking r with probability q_r proportional to P_r. value(r, s) is the expected sign
//            of c_r - c_s, exact by adding one click after the other.
// Departs    the paper averages over 10 000 sampled assignments; `assignments=sampled` does so.
#pragma once

#include <cstdint>

#include "duel/ranking/interleaving/multileaver.h"

namespace duel {

enum class Assignments { exact, sampled };

struct ProbabilisticMultileaveOptions {
  double tau = 3;
  Assignments assignments = Assignments::exact;
  std::uint64_t samples = 10'000;
};
const OptionTable<ProbabilisticMultileaveOptions>& probabilistic_multileave_options();

class ProbabilisticMultileaver final : public Multileaver {
 public:
  explicit ProbabilisticMultileaver(const ProbabilisticMultileaveOptions& options);
  std::string canonical() const override;
  void multileave(Rankings rankings, std::size_t length, RoundRng& rng,
                  Multileaving& shown) const override;
  // `credits` are the expected clicks of each ranking.
  void credit(const Multileaving& shown, std::span<const Position> clicks,
              MultileaveCredit& credit) const override;
  Result<std::vector<WeightedMultileaving>> enumerate(Rankings rankings,
                                                      std::size_t length) const override;

 private:
  void sampled_values(const Multileaving& shown, std::span<const Position> clicks,
                      MultileaveCredit& credit) const;

  ProbabilisticMultileaveOptions options_;
  RankSoftmax softmax_;
};

}  // namespace duel
