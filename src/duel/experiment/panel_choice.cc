#include "duel/experiment/panel_choice.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace duel {

PanelChoice::PanelChoice(std::size_t num_arms, RoundRng rng) : sequence_(num_arms) {
  std::iota(sequence_.begin(), sequence_.end(), Arm{0});
  for (std::size_t left = num_arms; left > 1; --left) {
    std::swap(sequence_[left - 1], sequence_[rng.below(left)]);
  }
}

std::optional<Duel> PanelChoice::next(const Panel& panel, const std::string& subject,
                                      const std::function<bool(Arm)>& cannot_be_shown,
                                      RoundRng rng) const {
  if (!panel.seats(subject)) return std::nullopt;
  const PanelCount& count = panel.count();
  const std::vector<bool> may_win = count.possible_winners();
  // Shown by the evidence of an early panel, not of the first arm, lead: the least first.
  using Need = std::tuple<bool, bool, std::int64_t>;
  std::optional<Need> least;
  std::vector<Duel> tied;
  for (std::size_t a = 0; a < sequence_.size(); ++a) {
    const Arm i = sequence_[a];
    if (cannot_be_shown(i)) continue;
    for (std::size_t b = a + 1; b < sequence_.size(); ++b) {
      const Arm j = sequence_[b];
      if (!count.open(may_win, i, j) || !panel.may_ask(subject, i, j) || cannot_be_shown(j)) {
        continue;
      }
      const Need need{panel.shown(i, j) || panel.shown(j, i), a > 0, count.lead(i, j)};
      if (least && need > *least) continue;
      if (!least || need < *least) tied.clear();
      least = need;
      tied.push_back({.first = i, .second = j});
    }
  }
  if (tied.empty()) return std::nullopt;
  return tied[rng.below(tied.size())];
}

void PanelChoice::heard(const PanelCount& count, Arm i, Arm j) {
  const auto one = std::ranges::find(sequence_, i), other = std::ranges::find(sequence_, j);
  const bool later_leads = one < other ? count.lead(i, j) < 0 : count.lead(j, i) < 0;
  if (later_leads) std::iter_swap(one, other);
}

std::uint64_t PanelChoice::hash(std::uint64_t hash) const {
  for (const Arm arm : sequence_) hash = mix64(hash ^ arm);
  return hash;
}

bool PanelChoice::restored(std::size_t num_arms) const {
  std::vector<Arm> sorted = sequence_;
  std::ranges::sort(sorted);
  for (Arm arm = 0; arm < sorted.size(); ++arm) {
    if (sorted[arm] != arm) return false;
  }
  return sorted.size() == num_arms;
}

}  // namespace duel
