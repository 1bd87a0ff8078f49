// Team-draft multileaving.
// Schuth, Sietsma, Whiteson, Lefortier, de Rijke, CIKM 2014. In each round all rankings, in random
// order, add their best document that is not shown yet. The list ends when one ranking has nothing
// left. For two rankings this is team-draft interleaving.
// Credit     clicks on each team's documents; value(i, j) = c_i - c_j.
// Unbiased   for a user who clicks at random; with more rankings than positions some get no team.
#include <numeric>
#include <utility>

#include "duel/ranking/interleaving/drawn_multileaver.h"
#include "duel/ranking/interleaving/methods.h"

namespace duel {
namespace {

struct TeamDraftMultileaveOptions {
  bool common_prefix = false;
};

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

class TeamDraftMultileaver final
    : public DrawnMultileaver<TeamDraftMultileaver, TeamDraftMultileaveOptions> {
 public:
  using DrawnMultileaver::DrawnMultileaver;

  template <class Choices>
  void draw(std::size_t length, Choices& choices, Multileaving& shown) const {
    RankingPool& pool = shown.memory.pool;
    const std::size_t n = pool.num_rankings();
    if (options_.common_prefix) {
      while (shown.size() < length) {
        const RankingPool::Index i = agreed(pool, shown.size());
        if (i == RankingPool::kNone) break;
        append_for_team(i, Multileaving::kNoTeam, shown);
      }
    }
    std::vector<std::uint32_t>& order = shown.memory.order;
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
};

const bool registered = register_multileaver<TeamDraftMultileaver>(
    {"team-draft-multileave", "each round all pick their best document left, in random order",
     "Schuth et al., CIKM 2014", 2014},
    OptionTable<TeamDraftMultileaveOptions>().flag(
        "common-prefix", &TeamDraftMultileaveOptions::common_prefix,
        "show the top that all rankings share without a team"));

}  // namespace
}  // namespace duel
