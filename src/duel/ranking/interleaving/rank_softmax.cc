#include "duel/ranking/interleaving/rank_softmax.h"

#include <algorithm>
#include <cmath>

namespace duel {
namespace {

constexpr std::size_t kTabulated = 1025;

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

void RankSoftmax::append_weights(std::size_t n, std::vector<double>& weights) const {
  const std::size_t tabulated = std::min(n + 1, weights_.size());
  weights.insert(weights.end(), weights_.begin() + 1,
                 weights_.begin() + static_cast<std::ptrdiff_t>(tabulated));
  for (std::size_t rank = tabulated; rank <= n; ++rank) {
    weights.push_back(compute(static_cast<std::uint32_t>(rank)));
  }
}

void SoftmaxPool::start(const RankSoftmax& softmax, RankingPool& pool) {
  pool_ = &pool;
  sums_.resize(pool.num_rankings());
  weights_.clear();
  for (std::size_t r = 0; r < sums_.size(); ++r) {
    const std::size_t length = pool.length(r);
    const std::size_t absent = pool.size() - length;
    const std::size_t begin = weights_.size();
    softmax.append_weights(length + 1, weights_);
    const double sum = softmax.sum(length) + static_cast<double>(absent) * weights_.back();
    sums_[r] = {sum, sum, begin, length, 0, absent};
  }
}

void SoftmaxPool::all_probabilities(std::size_t r, std::vector<double>& probabilities) const {
  probabilities.assign(pool_->size(), 0);
  for (RankingPool::Index i = 0; i < pool_->size(); ++i) {
    if (pool_->is_taken(i)) continue;
    if (r != kMean) {
      probabilities[i] = probability(r, i);
      continue;
    }
    for (std::size_t each = 0; each < sums_.size(); ++each) {
      probabilities[i] += probability(each, i);
    }
    probabilities[i] /= static_cast<double>(sums_.size());
  }
}

RankingPool::Index SoftmaxPool::draw_absent(std::size_t r, double target) const {
  const Sum& sum = sums_[r];
  const double* const weights = weights_.data() + sum.begin;
  if (sum.absent == 0) {  // rounding carried the target past the end: the last that is left
    std::size_t k = sum.length;
    while (weights[k - 1] == 0) --k;
    return pool_->ranking(r)[k - 1];
  }
  const double steps = target / weights[sum.length];
  auto skip = std::min(sum.absent - 1, static_cast<std::size_t>(std::max(0.0, steps)));
  for (RankingPool::Index i = 0;; ++i) {
    if (pool_->is_taken(i) || pool_->rank(r, i) <= sum.length) continue;
    if (skip-- == 0) return i;
  }
}

void SoftmaxPool::refresh(std::size_t r) {
  Sum& sum = sums_[r];
  const double* const weights = weights_.data() + sum.begin;
  while (sum.head < sum.length && weights[sum.head] == 0) ++sum.head;
  double left = static_cast<double>(sum.absent) * weights[sum.length];
  for (std::size_t k = sum.length; k-- > sum.head;) left += weights[k];  // from the smallest
  sum.left = sum.at_refresh = left;
}

}  // namespace duel
