// The documents of a query by score, best first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "duel/ranking/document.h"

namespace duel {

// Holds the memory for sorting, so that a loop over queries allocates nothing once it is warm.
class DocumentOrder {
 public:
  // The `most` documents of highest score, best first; all of them where there are fewer. Equal
  // scores are ordered by index, the lower first. The answer lives until the next call.
  // REQUIRES: no score is NaN.
  std::span<const Document> top(std::span<const double> scores, std::size_t most);

  // Equal scores are ordered at random: by a hash of (key, document), so that one key always gives
  // one order, and the order of two documents does not depend on which others are there.
  std::span<const Document> top(std::span<const double> scores, std::size_t most,
                                std::uint64_t key);

 private:
  struct Entry {
    double score;
    std::uint64_t tie;  // the lower first
    Document document;
  };

  // `tie(d)` orders equal scores, and is asked for only where it may matter.
  template <class Tie>
  std::span<const Document> sort(std::span<const double> scores, std::size_t most, Tie tie);

  std::vector<Entry> entries_;
  std::vector<Document> documents_;
};

}  // namespace duel
