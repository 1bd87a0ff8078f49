#include "duel/ranking/interleaving/balanced.h"

#include <algorithm>

#include "duel/ranking/interleaving/every_path.h"
#include "duel/ranking/interleaving/methods.h"

namespace duel {
namespace {

template <class Choices>
void take_turns(const BalancedOptions& options, std::size_t length, Choices& choices,
                Interleaving& shown) {
  shown.clear();
  const RankingPool& pool = shown.memory.pool;
  const auto first = pool.ranking(0);
  const auto second = pool.ranking(1);
  const std::size_t common_depth = std::min(first.size(), second.size());
  const bool first_begins = choices.coin();
  std::size_t k_first = 0, k_second = 0;
  const auto goes_on = [&] {
    if (shown.size() == length) return false;
    if (!options.fill) return k_first < first.size() && k_second < second.size();
    return k_first < common_depth || k_second < common_depth;
  };
  while (goes_on()) {
    const bool first_turn = k_first < k_second || (k_first == k_second && first_begins);
    const RankingPool::Index next = first_turn ? first[k_first++] : second[k_second++];
    if (!pool.is_taken(next)) shown.append(next, Team::none);
  }
  if (!options.fill) return;
  shown.filled_from = shown.size();
  const bool contest = shown.contest;
  for (const RankingPool::Index next : first.size() > second.size() ? first : second) {
    if (shown.size() == length) break;
    if (!pool.is_taken(next)) shown.append(next, Team::none);
  }
  shown.contest = contest;  // the ranks of what only fills the page decide nothing
}

const OptionTable<BalancedOptions>& balanced_options() {
  static const auto table = [] {
    OptionTable<BalancedOptions> options;
    options.flag("fill", &BalancedOptions::fill,
                 "fill the page, without credit, when one ranking ends; false stops there, as "
                 "published");
    return options;
  }();
  return table;
}

}  // namespace

std::string BalancedInterleaver::canonical() const {
  return balanced_options().canonical("balanced", options_);
}

void BalancedInterleaver::interleave(std::span<const Document> first,
                                     std::span<const Document> second, std::size_t length,
                                     RoundRng& rng, Interleaving& shown) const {
  shown.memory.pool.assign(first, second);
  RandomChoices choices(rng);
  take_turns(options_, length, choices, shown);
}

Credit BalancedInterleaver::credit(const Interleaving& shown,
                                   std::span<const Position> clicks) const {
  DUEL_CHECK(clicks.empty() || clicks.back() < shown.size());
  Credit credit;
  const bool clicked = !clicks.empty();
  clicks = clicks.first(static_cast<std::size_t>(
      std::lower_bound(clicks.begin(), clicks.end(), shown.filled_from) - clicks.begin()));
  if (!clicks.empty()) {
    const Position lowest = clicks.back();
    const std::uint32_t k = std::min(shown.first_ranks[lowest], shown.second_ranks[lowest]);
    for (const Position position : clicks) {
      credit.first += shown.first_ranks[position] <= k ? 1 : 0;
      credit.second += shown.second_ranks[position] <= k ? 1 : 0;
    }
  }
  credit.value = credit.first - credit.second;
  credit.outcome = outcome_of(credit.value, shown.contest, clicked);
  return credit;
}

Result<std::vector<WeightedInterleaving>> BalancedInterleaver::enumerate(
    std::span<const Document> first, std::span<const Document> second, std::size_t length) const {
  return enumerate_paths<EveryPath>(*this, [&](EveryPath& path, Interleaving& shown) {
    shown.memory.pool.assign(first, second);
    take_turns(options_, length, path, shown);
  });
}

namespace {
const bool balanced_is_registered = register_interleaver<BalancedInterleaver>(
    {"balanced", "turns by depth after one coin; biased for some pairs",
     "Joachims, KDD 2002; Radlinski et al., CIKM 2008", 2002},
    balanced_options());
}  // namespace

}  // namespace duel
