#include "duel/core/spelling.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace duel {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substitution});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string nearest_spelling(std::string_view word, std::span<const std::string> known) {
  std::string best;
  // Two slips, or one in three letters; but not so many that nothing of the word is left.
  std::size_t best_distance = std::min(std::max<std::size_t>(2, word.size() / 3) + 1, word.size());
  for (const std::string& name : known) {
    // The distance is at least the difference of the lengths, so a long word need not be compared
    // letter by letter with short names.
    if (word.size() >= name.size() + best_distance) continue;
    std::size_t distance = edit_distance(word, name);
    // A beginning of the name is as good as one slip: `savage` for `savage-condorcet`.
    if (word.size() >= 3 && name.starts_with(word)) distance = std::min<std::size_t>(distance, 1);
    if (distance < best_distance) {
      best_distance = distance;
      best = name;
    }
  }
  return best;
}

std::string spelling_hint(std::string_view word, std::span<const std::string> known) {
  const std::string nearest = nearest_spelling(word, known);
  const std::string all = fmt::format("known: {}", fmt::join(known, ", "));
  return nearest.empty() ? all : fmt::format("did you mean '{}'? {}", nearest, all);
}

}  // namespace duel
