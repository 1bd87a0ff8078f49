// Team-draft multileaving.
// Schuth, Sietsma, Whiteson, Lefortier, de Rijke, CIKM 2014. In each round all rankings, in random
// order, add their best document that is not shown yet. For two rankings this is team-draft
// interleaving.
// Credit     clicks on each team's documents; value(i, j) = c_i - c_j.
// Unbiased   in the mean, for a user who clicks without looking at the documents: a position that
//            counts is the pick of each ranking with probability 1/n given the rounds before. With
//            more rankings than positions some get no team.
// Departs    the published loop stops as soon as one ranking has nothing left, which favours those
//            that end early. Here the page is filled without credit, and a pick counts only if no
//            order of the round could have left a ranking without a pick at or before its turn;
//            `fill=false` is the paper's.
#include <algorithm>
#include <numeric>
#include <utility>

#include "duel/ranking/interleaving/drawn_multileaver.h"
#include "duel/ranking/interleaving/methods.h"

namespace duel {
namespace {

struct TeamDraftMultileaveOptions {
  bool common_prefix = false;
  bool fill = true;
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

// How many picks of the round that begins now, up to `most`, are certain to be made by the ranking
// whose turn it is, in any order. Turn t is certain for a ranking that has t documents left, since
// t - 1 earlier picks cannot take them all, and for one that has a document out of reach: a ranking
// that picks among the first t - 1 takes one of its best t - 1. It depends on what is shown when
// the round begins and not on the order, or it would favour those that end early.
std::size_t certain_picks(const RankingPool& pool, std::size_t most,
                          std::vector<RankingPool::Index>& left) {
  const std::size_t n = pool.num_rankings();
  const auto count_left = [&](std::size_t r) {
    left.clear();
    for (const RankingPool::Index i : pool.ranking(r)) {
      if (left.size() == most) break;
      if (!pool.is_taken(i)) left.push_back(i);
    }
    return left.size();
  };
  // Whether another ranking has document i among its best `depth` that are left.
  const auto is_in_reach = [&](std::size_t r, RankingPool::Index i, std::size_t depth) {
    for (std::size_t other = 0; other < n; ++other) {
      if (other == r) continue;
      std::size_t seen = 0;
      for (const RankingPool::Index j : pool.ranking(other)) {
        if (seen == depth) break;
        if (pool.is_taken(j)) continue;
        if (j == i) return true;
        ++seen;
      }
    }
    return false;
  };
  std::size_t certain = most;
  for (std::size_t r = 0; r < n; ++r) {
    std::size_t turns = count_left(r);
    if (turns == 0) return 0;
    while (turns < certain &&
           std::any_of(
               left.begin(), left.end(),
               [&](RankingPool::Index i) { return !is_in_reach(r, i, turns); })) {
      ++turns;
    }
    certain = std::min(certain, turns);
  }
  return certain;
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
    std::size_t turn = 0, certain = 0;
    while (shown.size() < length &&
           (options_.fill ? shown.size() < pool.size() : all_have_more(pool))) {
      if (turn == 0 && options_.fill) {
        certain = certain_picks(pool, std::min(n, length - shown.size()), shown.memory.left);
      }
      // One step of a Fisher-Yates shuffle a pick: who comes next among those that have not picked
      // yet.
      std::swap(order[turn], order[turn + choices.below(n - turn)]);
      const RankingPool::Index pick = pool.top(order[turn]);
      const bool counts = !options_.fill || turn < certain;
      turn = (turn + 1) % n;
      if (pick == RankingPool::kNone) continue;  // the turn of a ranking that has ended
      append_for_team(pick, counts ? order[(turn + n - 1) % n] : Multileaving::kNoTeam, shown);
    }
  }
};

const bool team_draft_multileave_is_registered = register_method<TeamDraftMultileaver>(
    multileaver_catalogue(),
    {"team-draft-multileave", "each round all pick their best document left, in random order",
     "Schuth et al., CIKM 2014", 2014},
    OptionTable<TeamDraftMultileaveOptions>()
        .flag("common-prefix", &TeamDraftMultileaveOptions::common_prefix,
              "show the top that all rankings share without a team")
        .flag("fill", &TeamDraftMultileaveOptions::fill,
              "fill the page, without credit, when one ranking ends; false stops there, as "
              "published, which favours rankings that end early"));

}  // namespace
}  // namespace duel
