#include "duel/ranking/interleaving/rank_softmax.h"

#include <algorithm>
#include <cmath>

namespace duel {
namespace {

constexpr std::size_t kTabulated = 1025;

// Subtracting taken weights loses digits as the sum shrinks: each subtraction errs by at most 2^-53
// of the sum at the last addition. Below this share of it the sum is added up anew, which keeps the
// relative error under 4 x 2^-53 for each document taken since.
constexpr double kRefreshBelow = 0.25;

}  // namespace

RankSoftmax::RankSoftmax(double tau) : tau_(tau) {
  weights_.resize(kTabulated);
  sums_.resize(kTabulated);
  for (std::size_t rank = 1; rank < kTabulated; ++rank) {
    weights_[rank] = compute(static_cast<std::uint32_t>(rank));
    sums_[rank] = sums_[rank - 1] + weights_[rank];
  }
}

double RankSoftmax::compute(std::uint32_t rank) const {
  const auto base = static_cast<double>(rank);
  if (tau_ != std::floor(tau_)) return std::pow(base, -tau_);
  double product = 1;
  for (double k = 0; k < tau_; ++k) product *= base;
  return 1 / product;
}

double RankSoftmax::sum(std::size_t n) const {
  if (n < sums_.size()) return sums_[n];
  double sum = sums_.back();
  for (std::size_t rank = sums_.size(); rank <= n; ++rank) {
    sum += compute(static_cast<std::uint32_t>(rank));
  }
  return sum;
}

void SoftmaxPool::start(const RankSoftmax& softmax, RankingPool& pool) {
  softmax_ = &softmax;
  pool_ = &pool;
  sums_.resize(pool.num_rankings());
  for (std::size_t r = 0; r < sums_.size(); ++r) {
    const std::size_t length = pool.length(r);
    const std::size_t absent = pool.size() - length;
    double sum = softmax.sum(length);
    if (absent > 0) {
      sum += static_cast<double>(absent) * softmax.weight(static_cast<std::uint32_t>(length + 1));
    }
    sums_[r] = {sum, sum, absent};
  }
}

RankingPool::Index SoftmaxPool::draw(std::size_t r, double u) {
  double target = u * sums_[r].left;
  const auto ranking = pool_->ranking(r);
  RankingPool::Index last = pool_->top(r);
  if (last != RankingPool::kNone) {
    for (std::size_t k = pool_->rank(r, last) - 1; k < ranking.size(); ++k) {
      if (pool_->is_taken(ranking[k])) continue;
      last = ranking[k];
      target -= softmax_->weight(static_cast<std::uint32_t>(k + 1));
      if (target < 0) return last;
    }
  }
  const std::size_t absent = sums_[r].absent;
  if (absent == 0) return last;  // rounding carried the target past the end
  const auto rank = static_cast<std::uint32_t>(ranking.size() + 1);
  const double steps = target / softmax_->weight(rank);
  auto skip = std::min(absent - 1, static_cast<std::size_t>(std::max(0.0, steps)));
  for (RankingPool::Index i = 0;; ++i) {
    if (pool_->is_taken(i) || pool_->rank(r, i) != rank) continue;
    if (skip-- == 0) return i;
  }
}

void SoftmaxPool::take(RankingPool::Index i) {
  pool_->take(i);
  for (std::size_t r = 0; r < sums_.size(); ++r) {
    Sum& sum = sums_[r];
    const std::uint32_t rank = pool_->rank(r, i);
    if (rank > pool_->length(r)) --sum.absent;
    sum.left -= softmax_->weight(rank);
    if (sum.left < kRefreshBelow * sum.at_refresh) refresh(r);
  }
}

void SoftmaxPool::refresh(std::size_t r) {
  Sum& sum = sums_[r];
  const auto ranking = pool_->ranking(r);
  double left = 0;
  if (sum.absent > 0) {
    left = static_cast<double>(sum.absent) *
           softmax_->weight(static_cast<std::uint32_t>(ranking.size() + 1));
  }
  const RankingPool::Index top = pool_->top(r);
  const std::size_t begin = top == RankingPool::kNone ? ranking.size() : pool_->rank(r, top) - 1;
  for (std::size_t k = ranking.size(); k-- > begin;) {  // from the smallest weight
    if (!pool_->is_taken(ranking[k])) left += softmax_->weight(static_cast<std::uint32_t>(k + 1));
  }
  sum.left = sum.at_refresh = left;
}

}  // namespace duel
