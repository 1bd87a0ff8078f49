// Team-draft interleaving.
// Radlinski, Kurup, Joachims, CIKM 2008. In each round both rankings add their best document that
// is not shown yet; a coin decides who picks first. impression_draft.h has the form for production,
// with text ids, paging and competitive marks.
// Credit     clicks on each team's documents.
// Unbiased   for a user who clicks without looking at the documents: see TeamDraft.
// Departs    the published loop stops as soon as one ranking has nothing left, in the middle of a
//            round if need be, which favours the shorter ranking. Here the round is finished and
//            the page is filled from the longer ranking without credit; `fill=false` is the
//            paper's.
#pragma once

#include "duel/ranking/interleaving/drawn_interleaver.h"

namespace duel {

// What happens to a document that both rankings want next.
enum class SharedTop {
  picked,  // the ranking that the coin names gets it as its pick of the round, as published
  passed,  // it is shown for nobody, and the round begins after it
};

struct TeamDraftOptions {
  bool fill = true;
  SharedTop shared = SharedTop::picked;
};

// One pick of a draft. `Team::none`: the document earns nothing, because both wanted it, or because
// it only fills the page.
struct DraftPick {
  RankingPool::Index index = 0;
  Team team = Team::none;
};

// The draft itself, pick by pick, to the end of both rankings.
//
// Let clicks depend on positions alone. With `picked`, each position that counts belongs to either
// team with probability 1/2 given the rounds before, because whether it counts does not depend on
// the coin of its round: the value has mean 0. With `passed`, the documents shown after a round do
// not depend on its coin either (tops a != b are both shown, in either order), so that which
// positions count is fixed and every round is a fair coin of its own: the value is symmetric about
// 0, and not just its mean but its sign favours nobody (docs/interleaving.md has the proof).
class TeamDraft {
 public:
  TeamDraft(RankingPool& pool, SharedTop shared) : pool_(pool), shared_top_(shared) {}

  // Whether both rankings still have something to add.
  bool is_open() {
    return pool_.top(0) != RankingPool::kNone && pool_.top(1) != RankingPool::kNone;
  }

  // The next pick; `coin()` is asked once a round. The caller takes the document from the pool.
  // REQUIRES: a document is left.
  template <class Coin>
  DraftPick next(Coin&& coin) {
    const RankingPool::Index tops[] = {pool_.top(0), pool_.top(1)};
    const bool is_shared = tops[0] == tops[1];
    if (picks_second_ == Team::none) {
      if (!is_open()) return {tops[0] != RankingPool::kNone ? tops[0] : tops[1], Team::none};
      if (is_shared && shared_top_ == SharedTop::passed) return {tops[0], Team::none};
      const bool first_picks = coin();
      picks_second_ = first_picks ? Team::second : Team::first;
      opened_shared_ = is_shared;
      return first_picks ? DraftPick{tops[0], Team::first} : DraftPick{tops[1], Team::second};
    }
    const Team team = picks_second_;
    picks_second_ = Team::none;
    const RankingPool::Index mine = tops[team == Team::first ? 0 : 1];
    const RankingPool::Index other = tops[team == Team::first ? 1 : 0];
    // A shared document may have been the last of either ranking, and who opened the round decides
    // whether there is a second pick. It counts for nobody, or the longer ranking alone could earn
    // it. Rankings with different tops both pick, whatever the coin says.
    const bool counts =
        mine != RankingPool::kNone && (other != RankingPool::kNone || !opened_shared_);
    return {mine != RankingPool::kNone ? mine : other, counts ? team : Team::none};
  }

 private:
  RankingPool& pool_;
  SharedTop shared_top_;
  Team picks_second_ = Team::none;  // who closes the round; none between rounds
  bool opened_shared_ = false;      // whether the pick that opened the round was wanted by both
};

class TeamDraftInterleaver final : public DrawnInterleaver<TeamDraftInterleaver, TeamDraftOptions> {
 public:
  using DrawnInterleaver::DrawnInterleaver;
  TeamDraftInterleaver() : DrawnInterleaver("team-draft", {}) {}

  template <class Choices>
  void draw(std::size_t length, Choices& choices, Interleaving& shown) const {
    shown.clear();
    const RankingPool& pool = shown.memory.pool;
    TeamDraft draft(shown.memory.pool, options_.shared);
    while (shown.size() < length &&
           (options_.fill ? shown.size() < pool.size() : draft.is_open())) {
      const DraftPick pick = draft.next([&] { return choices.coin(); });
      const bool contest = shown.contest;
      shown.append(pick.index, pick.team);
      shown.append_credit(pick.team == Team::first ? 1 : 0, pick.team == Team::second ? 1 : 0);
      if (pick.team == Team::none) shown.contest = contest;  // its ranks decide nothing
    }
  }
};

}  // namespace duel
