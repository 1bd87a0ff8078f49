// The documents of two or more rankings, numbered from 0 without repeats, with the rank that every
// ranking gives to each, and which of them are taken. All methods draw from one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "duel/core/check.h"
#include "duel/ranking/document.h"

namespace duel {

class RankingPool {
 public:
  using Index = std::uint32_t;  // of a document within the pool
  static constexpr Index kNone = std::numeric_limits<Index>::max();

  // Starts over with nothing taken. A document that a ranking repeats counts where it comes first.
  // Reuses its memory. Cost O(sum of lengths + rankings x documents).
  void assign(std::span<const std::span<const Document>> rankings);
  void assign(std::span<const Document> first, std::span<const Document> second) {
    const std::span<const Document> both[] = {first, second};
    assign(both);
  }
  // Nothing taken again.
  void restart();

  std::size_t num_rankings() const { return num_rankings_; }
  std::size_t size() const { return documents_.size(); }
  Document document(Index i) const { return documents_[i]; }
  // A ranking, best first, without repeats.
  std::span<const Index> ranking(std::size_t r) const {
    return {entries_.data() + begin_[r], begin_[r + 1] - begin_[r]};
  }
  std::size_t length(std::size_t r) const { return begin_[r + 1] - begin_[r]; }
  // From 1; `length(r) + 1` for a document that the ranking lacks.
  std::uint32_t rank(std::size_t r, Index i) const { return ranks_[i * num_rankings_ + r]; }
  std::span<const std::uint32_t> ranks(Index i) const {
    return {ranks_.data() + i * num_rankings_, num_rankings_};
  }

  bool is_taken(Index i) const { return taken_[i] != 0; }
  void take(Index i) { taken_[i] = 1; }
  // The best document of a ranking that is not taken, or kNone.
  Index top(std::size_t r) {
    std::size_t& at = cursor_[r];
    while (at < begin_[r + 1] && is_taken(entries_[at])) ++at;
    return at < begin_[r + 1] ? entries_[at] : kNone;
  }

 private:
  std::size_t num_rankings_ = 0;
  std::vector<Document> documents_;
  std::vector<std::uint32_t> ranks_;  // [document x rankings]
  std::vector<Index> entries_;        // the rankings, one after the other
  std::vector<std::size_t> begin_, cursor_;
  std::vector<std::uint8_t> taken_;
  std::vector<Index> slots_;  // open addressing: number + 1, or 0
};

}  // namespace duel
