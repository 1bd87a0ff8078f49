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
  // Ranks stay below 2^30, so that a product of two weights is a normal double up to this.
  static constexpr double kLargestTau = 16;

  // REQUIRES: 0 <= tau <= kLargestTau.
  explicit RankSoftmax(double tau);

  // Sum of the weights of ranks 1 to n.
  double sum(std::size_t n) const;
  // Appends the weights of ranks 1 to n.
  void append_weights(std::size_t n, std::vector<double>& weights) const;

 private:
  double compute(std::uint32_t rank) const;

  double tau_;
  std::vector<double> weights_;  // [rank]; rank 0 is not used
  std::vector<double> sums_;     // [n]
};

// The softmaxes of all rankings of a pool while documents are taken from it.
class SoftmaxPool {
 public:
  // REQUIRES: `pool` outlives the use; nothing of it is taken.
  void start(const RankSoftmax& softmax, RankingPool& pool);

  // P_r(x) among what is left. REQUIRES: i is not taken.
  double probability(std::size_t r, RankingPool::Index i) const {
    return weight(r, i) / sums_[r].left;
  }
  // The same for all documents, 0 for what is taken. For kMean the mean over the rankings.
  static constexpr std::size_t kMean = ~std::size_t{0};
  void all_probabilities(std::size_t r, std::vector<double>& probabilities) const;
  // P_r(x)/(P_r(x) + P_s(x)) in one division.
  double share(std::size_t r, std::size_t s, RankingPool::Index i) const {
    const double mine = weight(r, i) * sums_[s].left;
    return mine / (mine + weight(s, i) * sums_[r].left);
  }
  // The document at quantile u in [0, 1) of ranking r's softmax, in the order of r.
  // REQUIRES: something is left.
  RankingPool::Index draw(std::size_t r, double u) const {
    const Sum& sum = sums_[r];
    const double* const weights = weights_.data() + sum.begin;
    double target = u * sum.left;
    for (std::size_t k = sum.head; k < sum.length; ++k) {
      target -= weights[k];  // what is taken weighs 0 and is passed over
      if (target < 0) return pool_->ranking(r)[k];
    }
    return draw_absent(r, target);
  }
  // Takes a document out of every softmax.
  void take(RankingPool::Index i) {
    pool_->take(i);
    for (std::size_t r = 0; r < sums_.size(); ++r) {
      Sum& sum = sums_[r];
      const std::size_t k = pool_->rank(r, i) - 1;
      double* const weights = weights_.data() + sum.begin;
      sum.left -= weights[k];
      if (k < sum.length) {
        weights[k] = 0;
      } else {
        --sum.absent;
      }
      if (sum.left < kRefreshBelow * sum.at_refresh) refresh(r);
    }
  }

 private:
  // Subtracting taken weights loses digits as the sum shrinks: each subtraction errs by at most
  // 2^-53 of the sum at the last addition. Below this share of it the sum is added up again, which
  // keeps the relative error under 16 x 2^-53 for each document taken since.
  static constexpr double kRefreshBelow = 1.0 / 16;

  struct Sum {
    double left;         // the sum of the weights of the documents that are left
    double at_refresh;   // its value when it was last added up
    std::size_t begin;   // of the ranking's weights in weights_
    std::size_t length;  // of the ranking
    std::size_t head;    // everything above is taken
    std::size_t absent;  // documents left that the ranking lacks
  };
  double weight(std::size_t r, RankingPool::Index i) const {
    return weights_[sums_[r].begin + pool_->rank(r, i) - 1];
  }
  RankingPool::Index draw_absent(std::size_t r, double target) const;
  void refresh(std::size_t r);

  RankingPool* pool_ = nullptr;
  std::vector<Sum> sums_;
  // For each ranking its weights by rank, 0 if taken, then the weight of a document that it lacks.
  std::vector<double> weights_;
};

}  // namespace duel
