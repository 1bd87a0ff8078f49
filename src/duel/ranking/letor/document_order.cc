#include "duel/ranking/letor/document_order.h"

#include <algorithm>

#include "duel/core/rng.h"

namespace duel {

std::span<const Document> DocumentOrder::top(std::span<const double> scores, std::size_t most) {
  return sort(scores, most, [](Document d) { return std::uint64_t{d}; });
}

std::span<const Document> DocumentOrder::top(std::span<const double> scores, std::size_t most,
                                             std::uint64_t key) {
  // mix64 is a bijection, so that ties never tie again.
  return sort(scores, most, [mixed = mix64(key)](Document d) { return mix64(mixed ^ d); });
}

template <class Tie>
std::span<const Document> DocumentOrder::sort(std::span<const double> scores, std::size_t most,
                                              Tie tie) {
  // Below it, a short list that is kept sorted beats a heap: most documents fail at one comparison.
  constexpr std::size_t kShort = 24;
  const std::size_t k = std::min(most, scores.size());
  const auto before = [](const Entry& a, const Entry& b) {
    return a.score != b.score ? a.score > b.score : a.tie < b.tie;
  };
  entries_.clear();
  if (k > 0 && k <= kShort) {
    for (Document d = 0; d < scores.size(); ++d) {
      const bool full = entries_.size() == k;
      if (full && scores[d] < entries_.back().score) continue;
      const Entry entry{scores[d], tie(d), d};
      if (full && !before(entry, entries_.back())) continue;
      if (!full) entries_.push_back(entry);
      std::size_t place = entries_.size() - 1;
      for (; place > 0 && before(entry, entries_[place - 1]); --place) {
        entries_[place] = entries_[place - 1];
      }
      entries_[place] = entry;
    }
  } else {
    for (Document d = 0; d < scores.size(); ++d) entries_.push_back({scores[d], tie(d), d});
    std::partial_sort(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(k),
                      entries_.end(), before);
  }
  documents_.resize(k);
  for (std::size_t i = 0; i < k; ++i) documents_[i] = entries_[i].document;
  return documents_;
}

}  // namespace duel
