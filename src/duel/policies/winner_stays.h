// Winner Stays: WS-W (weak regret) and WS-S (strong regret).
// Chen, Frazier. Dueling bandits with weak regret. ICML 2017, Algorithms 1 and 2.
// Assumes    a Condorcet winner; the better bounds need a total order.
// Guarantee  WS-W: weak regret O(K^2), with a total order O(K log K), whatever T. WS-S: strong
//            regret O(K^2 + K log T), with a total order O(K log K + K log T).
// Cost       O(1) per duel, O(K) per challenger that leaves; 12 bytes per arm.
// Departs    nowhere.
//
// The rule: C_i = wins - losses. The duel is between the two largest C; among equals an arm of the
// last duel goes first, then chance decides. It follows that play falls into contests. In
// tournament round l the arms that did not yet take part wait at C = -(l - 1); the incumbent meets
// one of them until one of the two stands at -l and leaves. After K - 1 contests the survivor has
// C = l (K - 1) and round l + 1 begins, with the last loser as the first challenger.
//
// Outstanding duels: the pair of a contest is asked again until the contest is decided; answers
// that come after it was decided are ignored, and so are foreign duels. A tie counted as half a win
// each moves nobody.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "duel/policies/policy.h"

namespace duel {

// The tournament that both policies play; one arm alone plays itself.
class WinnerStaysTournament {
 public:
  WinnerStaysTournament(std::size_t num_arms, bool deterministic_ties);

  struct Choice {
    Duel duel;
    bool opens = false;  // a contest begins: the second arm steps out of those waiting
  };
  Choice choose(Round round, RoundRng& rng) const;
  void went_out(const Choice& choice);
  // True if this answer ended a tournament round.
  bool answered(const Duel& duel, Points points);

  std::uint64_t round() const { return round_; }  // l
  std::int64_t score(Arm i) const { return scores_[i]; }
  // The winner of the last contest. REQUIRES: one was decided.
  Arm survivor() const { return first_; }
  // The arm that would go first now.
  Arm leader(RoundRng& rng) const { return choose(0, rng).duel.first; }

  void fields(auto& archive) { archive(scores_, round_, stage_, first_, second_, waiting_); }
  bool restored() const;

 private:
  enum Stage : std::uint8_t {
    kNothingPlayed,   // every arm waits
    kContest,         // first_ and second_ are at it
    kNextChallenger,  // first_ waits for one of waiting_
  };

  std::size_t num_arms_;
  bool deterministic_ties_;
  std::vector<std::int64_t> scores_;  // C
  std::uint64_t round_ = 1;
  std::uint8_t stage_ = kNothingPlayed;
  Arm first_ = 0;  // of the last duel that went out
  Arm second_ = 0;
  std::vector<Arm> waiting_;  // ascending; not in this tournament round yet
};

struct WinnerStaysWeakOptions : PolicyOptions {};

class WinnerStaysWeak : public ChoosingPolicy<WinnerStaysWeak> {
 public:
  using Options = WinnerStaysWeakOptions;
  using Choice = WinnerStaysTournament::Choice;

  WinnerStaysWeak(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
      : ties_(options.ties), tournament_(num_arms, options.deterministic_ties) {}

  Choice choose(Round round, RoundRng rng) const { return tournament_.choose(round, rng); }
  void commit(const Choice& choice) { tournament_.went_out(choice); }
  void observe(const Duel& duel, Outcome outcome, RoundRng rng);
  Arm recommend(RoundRng rng) const { return tournament_.leader(rng); }
  const WinnerStaysTournament& tournament() const { return tournament_; }

  void fields(auto& archive) { archive(tournament_); }
  bool restored() const { return tournament_.restored(); }

 private:
  Ties ties_;
  WinnerStaysTournament tournament_;
};

struct WinnerStaysStrongOptions : PolicyOptions {
  double beta = 1.1;  // the survivor of tournament round l is then played floor(beta^l) times
};

class WinnerStaysStrong : public ChoosingPolicy<WinnerStaysStrong> {
 public:
  using Options = WinnerStaysStrongOptions;
  using Choice = WinnerStaysTournament::Choice;

  WinnerStaysStrong(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
      : options_(options), num_arms_(num_arms), tournament_(num_arms, options.deterministic_ties) {}

  Choice choose(Round round, RoundRng rng) const;
  void commit(const Choice& choice);
  void observe(const Duel& duel, Outcome outcome, RoundRng rng);
  Arm recommend(RoundRng rng) const {
    return phase_ == kTournament ? tournament_.leader(rng) : survivor_;
  }
  // Exact: to the end of the block of self-duels.
  Jump jump(Round round, Round limit, RoundRng rng) const;

  const WinnerStaysTournament& tournament() const { return tournament_; }

  void fields(auto& archive) { archive(tournament_, phase_, survivor_, block_, block_ends_); }
  bool restored() const;

 private:
  enum Phase : std::uint8_t { kTournament, kBlockDue, kBlock };

  bool exploits(Round round) const {
    return phase_ == kBlockDue || (phase_ == kBlock && round < block_ends_);
  }

  Options options_;
  std::size_t num_arms_;
  WinnerStaysTournament tournament_;
  std::uint8_t phase_ = kTournament;
  Arm survivor_ = 0;
  double block_ = 1;      // beta^l of the last tournament round that ended
  Round block_ends_ = 0;  // the first round after the block
};

}  // namespace duel
