// Team-draft interleaving.
// Radlinski, Kurup, Joachims, CIKM 2008. In each round both rankings add their best document that
// is not shown yet; a coin decides who picks first. The list ends when one ranking has nothing
// left. impression_draft.h has the form for production, with text ids, paging and competitive
// marks.
// Credit     clicks on each team's documents.
// Unbiased   for a user who clicks at random; blind to some real differences.
#pragma once

#include "duel/ranking/interleaving/interleaver.h"

namespace duel {

// One pick of a draft.
struct DraftPick {
  RankingPool::Index index = 0;
  Team team = Team::none;
  // False if both rankings wanted this document in this round: it would have been shown whoever
  // picked first, and says nothing about them.
  bool competitive = false;
};

// The draft itself, pick by pick.
class TeamDraft {
 public:
  explicit TeamDraft(RankingPool& pool) : pool_(pool) {}

  // Whether both rankings still have something to add.
  bool is_open() {
    first_top_ = pool_.top(0);
    second_top_ = pool_.top(1);
    return first_top_ != RankingPool::kNone && second_top_ != RankingPool::kNone;
  }

  // The next pick; `coin()` is asked once a round. The caller takes the document from the pool.
  // REQUIRES: is_open() was just asked and true.
  template <class Coin>
  DraftPick next(Coin&& coin) {
    const bool opens_round = lead_ == 0;
    const bool first_picks = lead_ < 0 || (opens_round && coin());
    lead_ += first_picks ? 1 : -1;
    // The second pick of a round meets what its ranking wanted when the round began, unless the
    // first pick was wanted by both and so took that away from both.
    const bool competitive = first_top_ != second_top_ || !(opens_round || shared_);
    shared_ = opens_round && first_top_ == second_top_;
    return {first_picks ? first_top_ : second_top_, first_picks ? Team::first : Team::second,
            competitive};
  }

 private:
  RankingPool& pool_;
  RankingPool::Index first_top_ = RankingPool::kNone;
  RankingPool::Index second_top_ = RankingPool::kNone;
  int lead_ = 0;         // size of the first team less that of the second: -1, 0 or 1
  bool shared_ = false;  // whether the pick that opened the round was wanted by both
};

class TeamDraftInterleaver final : public Interleaver {
 public:
  std::string canonical() const override { return "team-draft"; }
  void interleave(std::span<const Document> first, std::span<const Document> second,
                  std::size_t length, RoundRng& rng, Interleaving& shown) const override;
  Credit credit(const Interleaving& shown, std::span<const Position> clicks) const override {
    return additive_credit(shown, clicks);
  }
  bool is_additive() const override { return true; }
  Result<std::vector<WeightedInterleaving>> enumerate(std::span<const Document> first,
                                                      std::span<const Document> second,
                                                      std::size_t length) const override;
};

}  // namespace duel
