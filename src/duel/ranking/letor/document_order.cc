#include "duel/ranking/letor/document_order.h"

#include <algorithm>

#include "duel/core/rng.h"

namespace duel {

std::span<const Document> DocumentOrder::top(std::span<const double> scores, std::size_t most) {
  entries_.resize(scores.size());
  for (Document d = 0; d < scores.size(); ++d) entries_[d] = {scores[d], d, d};
  return sort(most);
}

std::span<const Document> DocumentOrder::top(std::span<const double> scores, std::size_t most,
                                             std::uint64_t key) {
  const std::uint64_t mixed = mix64(key);
  entries_.resize(scores.size());
  for (Document d = 0; d < scores.size(); ++d) entries_[d] = {scores[d], mix64(mixed ^ d), d};
  return sort(most);
}

std::span<const Document> DocumentOrder::sort(std::size_t most) {
  const std::size_t k = std::min(most, entries_.size());
  // mix64 is a bijection, so that ties never tie again.
  const auto before = [](const Entry& a, const Entry& b) {
    return a.score != b.score ? a.score > b.score : a.tie < b.tie;
  };
  std::partial_sort(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(k),
                    entries_.end(), before);
  documents_.resize(k);
  for (std::size_t i = 0; i < k; ++i) documents_[i] = entries_[i].document;
  return documents_;
}

}  // namespace duel
