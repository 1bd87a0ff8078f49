// Matches: two arms meet again and again until a rule has decided between them. A tournament puts
// up rounds of matches; those of a round can go on side by side, and the next round is put up when
// all of them are decided. Knock-outs, eliminations against an anchor and insertion sorts are such
// tournaments, and `MatchPlay` makes an explorer (explore_then_exploit.h) of any of them.
//
// Outstanding duels: the next duel is of the undecided match with the fewest duels outstanding, so
// that a batch spreads over a round. Answers that come after their match was decided are ignored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/rng.h"
#include "duel/core/ties.h"
#include "duel/policies/parts/arms.h"

namespace duel {

struct Match {
  enum Verdict : std::uint8_t { undecided, first_wins, second_wins, drawn };

  Arm first = 0;
  Arm second = 0;
  std::uint64_t first_points = 0;  // half wins
  std::uint64_t second_points = 0;
  std::uint64_t ties = 0;  // duels in which both got a point
  std::uint8_t verdict = undecided;
  std::uint32_t pending = 0;  // duels that are out; follows from what is outstanding

  double duels() const { return 0.5 * static_cast<double>(first_points + second_points); }
  // The share that the first arm won. REQUIRES: a duel was answered.
  double mean() const {
    return static_cast<double>(first_points) / static_cast<double>(first_points + second_points);
  }
  Arm winner() const { return verdict == second_wins ? second : first; }
  Arm loser() const { return verdict == second_wins ? first : second; }
  // The arm that is ahead, the first where neither is.
  Arm ahead() const { return second_points > first_points ? second : first; }

  void fields(auto& archive) { archive(first, second, first_points, second_points, ties, verdict); }
};

// A tournament has a type `Options` and gives
//   first_round(rng)            the matches of the first round; none where there is nothing to play
//   judge(match, rng)           what the answers of a match decide so far
//   played(matches, rng)        all are decided: the matches of the next round; none at the end
//   leader(matches, rng)        the answer, or the best guess while `matches` are played
//   fields, restored(num_arms, matches)   its state; false where it makes no sense
// and may give found(), the whole answer.
template <class T>
class MatchPlay {
 public:
  using Options = typename T::Options;

  MatchPlay(const Options& options, std::size_t num_arms, RoundRng rng)
      : num_arms_(num_arms),
        tournament_(options, num_arms, rng),
        matches_(tournament_.first_round(rng)) {}

  struct Choice {
    Duel duel;
    std::size_t match;
  };
  Choice choose(Round round, RoundRng /*rng*/) const {
    std::size_t least = open_;
    for (std::size_t k = open_; k < matches_.size() && matches_[least].pending > 0; ++k) {
      if (matches_[k].verdict == Match::undecided &&
          matches_[k].pending < matches_[least].pending) {
        least = k;
      }
    }
    return {{matches_[least].first, matches_[least].second, round}, least};
  }
  void commit(const Choice& choice) {
    if (began_ == 0) began_ = choice.duel.round;
    ++matches_[choice.match].pending;
  }
  void answered(const Duel& duel, Points points, RoundRng& rng) {
    Match* match = match_of(duel);
    if (match == nullptr) return;
    --match->pending;
    match->first_points += points.first;
    match->second_points += points.second;
    match->ties += points.first == points.second ? 1 : 0;
    match->verdict = tournament_.judge(*match, rng);
    if (match->verdict == Match::undecided) return;
    pass_decided();
    if (open_ < matches_.size()) return;
    matches_ = tournament_.played(matches_, rng);
    open_ = 0;
    began_ = 0;
  }
  void lost(const Duel& duel) {
    if (Match* match = match_of(duel)) --match->pending;
  }
  bool finished() const { return matches_.empty(); }
  Arm leader(RoundRng rng) const { return tournament_.leader(matches_, rng); }
  std::vector<Arm> found() const {
    if constexpr (requires { tournament_.found(); }) {
      return tournament_.found();
    } else {
      return {tournament_.leader(matches_, RoundRng(0, 0, 0))};
    }
  }

  const std::vector<Match>& matches() const { return matches_; }
  const T& tournament() const { return tournament_; }

  void fields(auto& archive) { archive(matches_, began_, tournament_); }
  bool restored(std::span<const Duel> pending) {
    for (Match& match : matches_) {
      if (match.first >= num_arms_ || match.second >= num_arms_ || match.first == match.second ||
          match.verdict > Match::drawn) {
        return false;
      }
      match.pending = 0;
    }
    open_ = 0;
    pass_decided();
    if (!matches_.empty() && open_ == matches_.size()) return false;
    for (const Duel& duel : pending) {
      if (Match* match = match_of(duel)) ++match->pending;
    }
    return tournament_.restored(num_arms_, matches_);
  }

 private:
  // The undecided match that the duel was asked for; null where it was of an earlier round, in
  // which the same arms may have met under another rule.
  Match* match_of(const Duel& duel) {
    if (began_ == 0 || duel.round < began_) return nullptr;
    for (std::size_t k = open_; k < matches_.size(); ++k) {
      Match& match = matches_[k];
      if (match.first == duel.first && match.second == duel.second) {
        return match.verdict == Match::undecided ? &match : nullptr;
      }
    }
    return nullptr;
  }
  void pass_decided() {
    while (open_ < matches_.size() && matches_[open_].verdict != Match::undecided) ++open_;
  }

  std::size_t num_arms_;
  T tournament_;
  std::vector<Match> matches_;  // of the round
  std::size_t open_ = 0;        // those before it are decided
  Round began_ = 0;             // when the first duel of the round went out; 0: none did
};

// Arms in a knock-out, in the order of the next draw: neighbours meet, and one left over passes.
class Bracket {
 public:
  // In a random order.
  Bracket(std::size_t num_arms, RoundRng& rng) : standing_(all_arms(num_arms)) {
    shuffle(standing_, rng);
  }

  std::vector<Match> matches() const {
    std::vector<Match> matches;
    for (std::size_t k = 0; k + 1 < standing_.size(); k += 2) {
      matches.push_back({.first = standing_[k], .second = standing_[k + 1]});
    }
    return matches;
  }
  // The winners go on, in their order, and after them the arm that passed.
  void played(std::span<const Match> matches) {
    std::vector<Arm> winners;
    for (const Match& match : matches) winners.push_back(match.winner());
    if (standing_.size() % 2 == 1) winners.push_back(standing_.back());
    standing_ = std::move(winners);
  }
  void redraw(RoundRng& rng) { shuffle(standing_, rng); }

  const std::vector<Arm>& standing() const { return standing_; }

  void fields(auto& archive) { archive(standing_); }
  bool restored(std::size_t num_arms) const {
    std::vector<std::uint8_t> seen(num_arms);
    for (const Arm arm : standing_) {
      if (arm >= num_arms || seen[arm]++ != 0) return false;
    }
    return !standing_.empty();
  }

 private:
  std::vector<Arm> standing_;
};

}  // namespace duel
