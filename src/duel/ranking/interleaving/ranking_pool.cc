#include "duel/ranking/interleaving/ranking_pool.h"

#include <algorithm>
#include <bit>

namespace duel {

RankingPool::Index RankingPool::number_of(Document document) {
  // Multiplicative hashing (Knuth 6.4); at most half of the slots are ever full.
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = static_cast<std::uint32_t>(document * 0x9e3779b1U) >> shift_;
  for (;; slot = (slot + 1) & mask) {
    if (slots_[slot] == 0) break;
    if (documents_[slots_[slot] - 1] == document) return slots_[slot] - 1;
  }
  const auto index = static_cast<Index>(documents_.size());
  slots_[slot] = index + 1;
  documents_.push_back(document);
  ranks_.resize(ranks_.size() + num_rankings_, 0);
  return index;
}

void RankingPool::assign(std::span<const std::span<const Document>> rankings) {
  num_rankings_ = rankings.size();
  std::size_t total = 0;
  for (const auto ranking : rankings) total += ranking.size();
  DUEL_CHECK(total < (std::size_t{1} << 30));
  const std::size_t num_slots = std::bit_ceil(std::max<std::size_t>(2 * total, 16));
  slots_.assign(num_slots, 0);
  shift_ = 32 - static_cast<unsigned>(std::countr_zero(num_slots));
  documents_.clear();
  ranks_.clear();
  entries_.clear();
  begin_.clear();
  for (std::size_t r = 0; r < num_rankings_; ++r) {
    begin_.push_back(entries_.size());
    for (const Document document : rankings[r]) {
      const Index i = number_of(document);
      std::uint32_t& rank = ranks_[i * num_rankings_ + r];
      if (rank != 0) continue;
      entries_.push_back(i);
      rank = static_cast<std::uint32_t>(entries_.size() - begin_[r]);
    }
  }
  begin_.push_back(entries_.size());
  for (std::size_t r = 0; r < num_rankings_; ++r) {
    if (length(r) == size()) continue;
    const auto absent = static_cast<std::uint32_t>(length(r) + 1);
    for (std::size_t at = r; at < ranks_.size(); at += num_rankings_) {
      if (ranks_[at] == 0) ranks_[at] = absent;
    }
  }
  restart();
}

void RankingPool::restart() {
  taken_.assign(size(), 0);
  cursor_.assign(begin_.begin(), begin_.end() - 1);
}

}  // namespace duel
