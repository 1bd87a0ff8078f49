#include "duel/ranking/interleaving/ranking_pool.h"

#include <algorithm>
#include <bit>

namespace duel {

void RankingPool::assign(std::span<const std::span<const Document>> rankings) {
  num_rankings_ = rankings.size();
  std::size_t total = 0;
  for (const auto ranking : rankings) total += ranking.size();
  DUEL_CHECK(total < (std::size_t{1} << 30));
  const std::size_t num_slots = std::bit_ceil(std::max<std::size_t>(2 * total, 16));
  slots_.assign(num_slots, 0);
  const auto shift = 32 - static_cast<unsigned>(std::countr_zero(num_slots));
  const std::size_t mask = num_slots - 1;

  std::size_t num_documents = 0, num_entries = 0;
  ranks_.clear();
  entries_.resize(total);
  begin_.resize(num_rankings_ + 1);
  for (std::size_t r = 0; r < num_rankings_; ++r) {
    const std::size_t begin = begin_[r] = num_entries;
    // Room for as many new documents as this ranking can bring.
    const std::size_t room = num_documents + rankings[r].size();
    if (documents_.size() < room) documents_.resize(room);
    if (ranks_.size() < room * num_rankings_) ranks_.resize(room * num_rankings_, 0);
    for (const Document document : rankings[r]) {
      // Multiplicative hashing (Knuth 6.4); at most half of the slots are ever full.
      std::size_t slot = static_cast<std::uint32_t>(document * 0x9e3779b1U) >> shift;
      while (slots_[slot] != 0 && documents_[slots_[slot] - 1] != document) {
        slot = (slot + 1) & mask;
      }
      if (slots_[slot] == 0) {
        documents_[num_documents] = document;
        slots_[slot] = static_cast<Index>(++num_documents);
      }
      const Index i = slots_[slot] - 1;
      std::uint32_t& rank = ranks_[i * num_rankings_ + r];
      if (rank != 0) continue;  // a repeat
      entries_[num_entries++] = i;
      rank = static_cast<std::uint32_t>(num_entries - begin);
    }
  }
  begin_[num_rankings_] = num_entries;
  entries_.resize(num_entries);
  documents_.resize(num_documents);
  ranks_.resize(num_documents * num_rankings_);
  for (std::size_t r = 0; r < num_rankings_; ++r) {
    if (length(r) == size()) continue;
    const auto absent = static_cast<std::uint32_t>(length(r) + 1);
    for (std::size_t at = r; at < ranks_.size(); at += num_rankings_) {
      ranks_[at] = ranks_[at] == 0 ? absent : ranks_[at];
    }
  }
  restart();
}

void RankingPool::restart() {
  taken_.assign(size(), 0);
  cursor_.assign(begin_.begin(), begin_.end() - 1);
}

}  // namespace duel
