// The softmax over ranks of probabilistic inter- and multileaving, P(x) proportional to
// rank(x)^-tau over the documents not yet taken (Hofmann, Whiteson, de Rijke, CIKM 2011).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "duel/ranking/interleaving/ranking_pool.h"

namespace duel {

// rank^-tau and its sums, tabulated once per method. A whole tau uses products and one division, so
// the draws have the same bits everywhere; another tau goes through libm's pow.
class RankSoftmax {
 public:
  explicit RankSoftmax(double tau);

  double weight(std::uint32_t rank) const {
    return rank < weights_.size() ? weights_[rank] : compute(rank);
  }
  // Sum of the weights of ranks 1 to n.
  double sum(std::size_t n) const;

 private:
  double compute(std::uint32_t rank) const;

  double tau_;
  std::vector<double> weights_;  // [rank]; rank 0 is not used
  std::vector<double> sums_;     // [n]
};

// The softmaxes of all rankings of a pool while documents are taken from it.
class SoftmaxPool {
 public:
  // REQUIRES: both outlive the use; nothing of `pool` is taken.
  void start(const RankSoftmax& softmax, RankingPool& pool);

  // P_r(x) among what is left. REQUIRES: i is not taken.
  double probability(std::size_t r, RankingPool::Index i) const {
    return softmax_->weight(pool_->rank(r, i)) / sums_[r].left;
  }
  // The document at quantile u in [0, 1) of ranking r's softmax, in the order of r.
  // REQUIRES: something is left.
  RankingPool::Index draw(std::size_t r, double u);
  // Takes a document out of every softmax.
  void take(RankingPool::Index i);

 private:
  struct Sum {
    double left;         // of the weights of what is left
    double at_refresh;   // its value when it was last added up
    std::size_t absent;  // documents left that the ranking lacks
  };
  void refresh(std::size_t r);

  const RankSoftmax* softmax_ = nullptr;
  RankingPool* pool_ = nullptr;
  std::vector<Sum> sums_;
};

}  // namespace duel
