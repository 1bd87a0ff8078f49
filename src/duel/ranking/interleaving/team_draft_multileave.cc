#include "duel/ranking/interleaving/team_draft_multileave.h"

#include <numeric>
#include <utility>

#include "duel/ranking/interleaving/every_path.h"

namespace duel {
namespace {

void append_for_team(RankingPool::Index i, std::uint32_t team, Multileaving& shown) {
  shown.append(i, team);
  for (std::uint32_t r = 0; r < shown.num_rankers; ++r) shown.credits.push_back(r == team ? 1 : 0);
}

// The document that every ranking has at this rank, or kNone.
RankingPool::Index agreed(const RankingPool& pool, std::size_t rank) {
  if (rank >= pool.length(0)) return RankingPool::kNone;
  const RankingPool::Index i = pool.ranking(0)[rank];
  for (const std::uint32_t other : pool.ranks(i)) {
    if (other != rank + 1) return RankingPool::kNone;
  }
  return i;
}

bool all_have_more(RankingPool& pool) {
  for (std::size_t r = 0; r < pool.num_rankings(); ++r) {
    if (pool.top(r) == RankingPool::kNone) return false;
  }
  return true;
}

template <class Choices>
void draft(const TeamDraftMultileaveOptions& options, std::size_t length, Choices& choices,
           std::vector<std::uint32_t>& order, Multileaving& shown) {
  RankingPool& pool = shown.memory.pool;
  const std::size_t n = pool.num_rankings();
  shown.clear(n);
  if (options.common_prefix) {
    while (shown.size() < length) {
      const RankingPool::Index i = agreed(pool, shown.size());
      if (i == RankingPool::kNone) break;
      append_for_team(i, Multileaving::kNoTeam, shown);
    }
  }
  order.resize(n);
  std::iota(order.begin(), order.end(), 0U);
  std::size_t turn = 0;
  while (shown.size() < length && all_have_more(pool)) {
    // One step of a Fisher-Yates shuffle a pick: who comes next among those that have not picked
    // yet.
    std::swap(order[turn], order[turn + choices.below(n - turn)]);
    append_for_team(pool.top(order[turn]), order[turn], shown);
    turn = (turn + 1) % n;
  }
}

}  // namespace

const OptionTable<TeamDraftMultileaveOptions>& team_draft_multileave_options() {
  static const auto table = [] {
    OptionTable<TeamDraftMultileaveOptions> options;
    options.flag("common-prefix", &TeamDraftMultileaveOptions::common_prefix,
                 "show the top that all rankings share without a team");
    return options;
  }();
  return table;
}

std::string TeamDraftMultileaver::canonical() const {
  return team_draft_multileave_options().canonical("team-draft-multileave", options_);
}

void TeamDraftMultileaver::multileave(Rankings rankings, std::size_t length, RoundRng& rng,
                                      Multileaving& shown) const {
  shown.memory.pool.assign(rankings);
  RandomChoices choices(rng);
  draft(options_, length, choices, shown.memory.order, shown);
}

void TeamDraftMultileaver::credit(const Multileaving& shown, std::span<const Position> clicks,
                                  MultileaveCredit& credit) const {
  start_credit(shown, credit);
  add_click_credits(shown, clicks, credit);
  take_differences(credit);
  set_outcomes(shown, clicks, credit);
}

Result<std::vector<WeightedMultileaving>> TeamDraftMultileaver::enumerate(
    Rankings rankings, std::size_t length) const {
  return enumerate_paths<EveryPath>(*this, [&](EveryPath& path, Multileaving& shown) {
    shown.memory.pool.assign(rankings);
    draft(options_, length, path, shown.memory.order, shown);
  });
}

}  // namespace duel
