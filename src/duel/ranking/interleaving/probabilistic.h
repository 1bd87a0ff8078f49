// Probabilistic interleaving.
// Hofmann, Whiteson, de Rijke, CIKM 2011.
// For each position a coin names a ranking and a document is drawn from its softmax over ranks,
// P(x) proportional to rank(x)^-tau, over the documents of both rankings not shown yet (a ranking's
// rank of what it lacks is its length + 1). The list may go on until every document is shown.
// Credit     assignment (default): each click belongs to the ranking that drew the document.
//            marginal: the coins are forgotten again. Given the list, position i was drawn by the
//            first ranking with probability q_i = P_A/(P_A + P_B), and the value is the expected
//            sign of c_A - c_B, or its expectation, sum (2 q_i - 1), over all coins.
// Departs    the paper averages marginal values, which have the mean of the assignment's sign and
//            less variance. The outcome of one comparison is a win, though, and the sign of a
//            marginal value is biased (A = (1 2 3 4), B = (2 3 4 1), one random click: A wins 41.6
//            %). A coin that fell is itself a draw from its marginal law, so the default is fair.
// Every order of the documents has positive probability, which unbiased reuse of old clicks needs.
#pragma once

#include "duel/ranking/interleaving/interleaver.h"

namespace duel {

// `marginal`: the expected sign of c_A - c_B over all coins; `difference`: its expectation.
enum class ProbabilisticCredit { assignment, marginal, difference };
// `draft`: in each round of two positions both rankings draw once, in random order.
enum class CoinStyle { independent, draft };

struct ProbabilisticOptions {
  double tau = 3;
  ProbabilisticCredit credit = ProbabilisticCredit::assignment;
  CoinStyle coins = CoinStyle::independent;
};
const OptionTable<ProbabilisticOptions>& probabilistic_options();

struct MarginalCredit {
  double expected_sign = 0;        // P(c_A > c_B) - P(c_A < c_B)
  double expected_difference = 0;  // E[c_A - c_B]
};

class ProbabilisticInterleaver final : public Interleaver {
 public:
  explicit ProbabilisticInterleaver(const ProbabilisticOptions& options);

  std::string canonical() const override;
  void interleave(std::span<const Document> first, std::span<const Document> second,
                  std::size_t length, RoundRng& rng, Interleaving& shown) const override;
  // Without the coins `first` and `second` are the expected clicks of each side, and `value` is the
  // expected sign or their difference.
  Credit credit(const Interleaving& shown, std::span<const Position> clicks) const override;
  bool is_additive() const override;
  Result<std::vector<WeightedInterleaving>> enumerate(std::span<const Document> first,
                                                      std::span<const Document> second,
                                                      std::size_t length) const override;

  // Both marginalised values. REQUIRES: the option `credit` is not assignment.
  MarginalCredit marginal_credit(const Interleaving& shown, std::span<const Position> clicks) const;

 private:
  ProbabilisticOptions options_;
  RankSoftmax softmax_;
};

}  // namespace duel
