// Balanced interleaving.
// Joachims, KDD 2002; Radlinski, Kurup, Joachims, CIKM 2008.
// A coin names who goes first; then the rankings take turns by depth, and what is shown already is
// passed over.
// Credit     with k the smaller rank of the lowest click: clicks within each ranking's top k.
// Biased     A = (a,b,c), B = (b,c,a): a user who clicks at random prefers B.
// Departs    the published loop stops as soon as one ranking is through. Here both take their turn
//            at the last common depth, and the page is then filled from the longer ranking without
//            credit; `fill=false` is the paper's.
#include <algorithm>

#include "duel/ranking/interleaving/drawn_interleaver.h"
#include "duel/ranking/interleaving/methods.h"

namespace duel {
namespace {

struct BalancedOptions {
  bool fill = true;
};

class BalancedInterleaver final : public DrawnInterleaver<BalancedInterleaver, BalancedOptions> {
 public:
  using DrawnInterleaver::DrawnInterleaver;

  template <class Choices>
  void draw(std::size_t length, Choices& choices, Interleaving& shown) const {
    shown.clear();
    const RankingPool& pool = shown.memory.pool;
    const auto first = pool.ranking(0);
    const auto second = pool.ranking(1);
    const std::size_t common_depth = std::min(first.size(), second.size());
    const bool first_begins = choices.coin();
    std::size_t k_first = 0, k_second = 0;
    const auto goes_on = [&] {
      if (shown.size() == length) return false;
      if (!options_.fill) return k_first < first.size() && k_second < second.size();
      return k_first < common_depth || k_second < common_depth;
    };
    while (goes_on()) {
      const bool first_turn = k_first < k_second || (k_first == k_second && first_begins);
      const RankingPool::Index next = first_turn ? first[k_first++] : second[k_second++];
      if (!pool.is_taken(next)) shown.append(next, Team::none);
    }
    if (!options_.fill) return;
    shown.filled_from = shown.size();
    const bool contest = shown.contest;
    for (const RankingPool::Index next : first.size() > second.size() ? first : second) {
      if (shown.size() == length) break;
      if (!pool.is_taken(next)) shown.append(next, Team::none);
    }
    shown.contest = contest;  // the ranks of what only fills the page decide nothing
  }

  Credit credit(const Interleaving& shown, std::span<const Position> clicks) const override {
    DUEL_CHECK(clicks.empty() || clicks.back() < shown.size());
    Credit earned;
    const bool clicked = !clicks.empty();
    clicks = clicks.first(static_cast<std::size_t>(
        std::lower_bound(clicks.begin(), clicks.end(), shown.filled_from) - clicks.begin()));
    if (!clicks.empty()) {
      const Position lowest = clicks.back();
      const std::uint32_t k = std::min(shown.first_ranks[lowest], shown.second_ranks[lowest]);
      for (const Position position : clicks) {
        earned.first += shown.first_ranks[position] <= k ? 1 : 0;
        earned.second += shown.second_ranks[position] <= k ? 1 : 0;
      }
    }
    earned.value = earned.first - earned.second;
    earned.outcome = outcome_of(earned.value, shown.contest, clicked);
    return earned;
  }

  bool is_additive() const override { return false; }
};

const bool balanced_is_registered = register_method<BalancedInterleaver>(
    interleaver_catalogue(),
    {"balanced", "turns by depth after one coin; biased for some pairs",
     "Joachims, KDD 2002; Radlinski et al., CIKM 2008", 2002},
    OptionTable<BalancedOptions>().flag(
        "fill", &BalancedOptions::fill,
        "fill the page, without credit, when one ranking ends; false stops there, as published"));

}  // namespace
}  // namespace duel
