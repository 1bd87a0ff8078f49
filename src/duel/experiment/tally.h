// The counts that boards show: what became of the duels of each pair, of duels of an arm with
// itself and of comparisons made elsewhere; who answered; what judges said and what the places did.
// All answers at once, as they came: nothing here is evidence.
//
// A part of the ledger: only the ledger changes it, with records that it has checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/archive_containers.h"
#include "duel/core/duel.h"
#include "duel/core/text_map.h"
#include "duel/experiment/duels.h"
#include "duel/log/record.h"

namespace duel {

// What became of the duels that were shown as (first, second). Win, tie, both-bad, skip, invalid
// and expired are different things everywhere.
struct ShownCounts {
  std::uint64_t served = 0;
  std::uint64_t first_wins = 0;
  std::uint64_t second_wins = 0;
  std::uint64_t ties = 0;
  std::uint64_t both_bad = 0;
  std::uint64_t skips = 0;
  std::uint64_t invalid = 0;
  std::uint64_t expired = 0;
  // Answers that were tried for in vain, of duels that got one later or never did.
  std::uint64_t failed_tries = 0;
  std::uint64_t moot = 0;         // of the expired ones, those that the certificate came before
  std::uint64_t silent_ties = 0;  // of the ties, those that are silence
  // Of the expired ones and the silent ties, pages of results that ended without a click that could
  // have told: nothing was lost with them.
  std::uint64_t clickless = 0;
  std::uint64_t graded = 0;  // answers that say how much
  double score_sum = 0;      // of the arm shown first, over the graded ones
  // Where people audit a program: duels that the program alone has answered. All other answers are
  // people's.
  std::uint64_t program_alone = 0;

  // Duels that nobody answered, whatever that is taken for.
  std::uint64_t unanswered() const { return expired + silent_ties; }

  // Answers that speak for an arm.
  std::uint64_t decisive() const { return first_wins + second_wins + graded; }
  // The share of the decisive ones that the arm shown first won, graded ones being won in part; one
  // half before the first.
  double rate() const {
    return decisive() == 0
               ? 0.5
               : (static_cast<double>(first_wins) + score_sum) / static_cast<double>(decisive());
  }
  std::uint64_t answered() const {
    return decisive() + ties + both_bad + skips + invalid + program_alone;
  }
  std::uint64_t pending() const { return served - answered() - expired; }
  ShownCounts& operator+=(const ShownCounts& other);
  void fields(auto& archive) {
    archive(served, first_wins, second_wins, ties, both_bad, skips, invalid, expired, failed_tries,
            moot, silent_ties, clickless, graded, score_sum, program_alone);
  }
  friend bool operator==(const ShownCounts&, const ShownCounts&) = default;
};
// The same seen from the other side.
ShownCounts mirrored(const ShownCounts& counts);

// Judgements of one duel in both orders: what the places did to them.
struct FlipCounts {
  std::uint64_t judged = 0;    // duels judged in both orders
  std::uint64_t to_first = 0;  // the first place won both times
  std::uint64_t to_second = 0;
};

// What one of several judges said, whichever arms it was about. A judge answers a duel once in each
// order.
struct JudgeCounts {
  std::uint64_t answers = 0;
  std::uint64_t first = 0;  // for the arm shown first
  std::uint64_t second = 0;
  std::uint64_t both_orders = 0;  // duels that it answered in both orders
  std::uint64_t flips = 0;        // of these, those with two different answers
  void fields(auto& archive) { archive(answers, first, second, both_orders, flips); }
};

// What judges said that their answers cost.
struct AnswerCosts {
  std::uint64_t answers = 0;  // that said so
  double cost = 0;
  std::uint64_t tokens = 0;
  std::uint64_t cached = 0;  // answers that were known, and cost nothing
  void fields(auto& archive) { archive(answers, cost, tokens, cached); }
};

class Tally {
 public:
  // What a judge program said of the pairs as (low, high): wins of either.
  using PairWins = std::map<std::pair<Arm, Arm>, std::pair<std::uint64_t, std::uint64_t>>;

  explicit Tally(std::size_t num_arms) { set_arms(num_arms); }

  const ShownCounts& shown(Arm first, Arm second) const {
    return shown_[first * num_arms_ + second];
  }
  ShownCounts pair(Arm i, Arm j) const;
  // The arm's duels with all others, as if it had been shown first in each.
  const ShownCounts& of_arm(Arm arm) const { return of_arm_[arm]; }
  // Over all pairs, as they were shown.
  const ShownCounts& total() const { return total_; }
  const ShownCounts& aa() const { return aa_; }
  const ShownCounts& compared(Arm first, Arm second) const {
    return compared_[first * num_arms_ + second];
  }
  const FlipCounts& flips() const { return flips_; }
  const std::map<std::string, PairWins>& judges() const { return judges_; }
  const std::map<std::string, JudgeCounts>& judge_counts() const { return judge_counts_; }
  // Of duels that both judges answered, and not by a tie: how often they named the same arm, and
  // how often not.
  using Agreements =
      std::map<std::pair<std::string, std::string>, std::pair<std::uint64_t, std::uint64_t>>;
  const Agreements& agreements() const { return agreements_; }
  const AnswerCosts& costs() const { return costs_; }
  const TextMap<std::uint64_t>& by_source() const { return by_source_; }
  std::uint64_t comparisons() const { return comparisons_; }
  std::uint64_t exploited() const { return exploited_; }
  std::uint64_t excluded() const { return excluded_; }
  // Over the counts of all pairs, and of duels of an arm with itself.
  std::uint64_t hash(std::uint64_t hash) const;

  // There are so many arms now. REQUIRES: of arms that are no more, nothing was counted.
  void set_arms(std::size_t num_arms);
  void served(const ServeRecord& record, Arm first, Arm second);
  // `duel`: as it is settled. `counted`: of an expired one a tie, or none. `moot`: it was not
  // needed any more. `clickless`: a page that nobody clicked on.
  void answered(const OutcomeRecord& record, const LedgerDuel& duel, Outcome counted);
  // Of a duel under audit: the program's answer, of which a board says nothing; that it is all
  // there will be; and that the person who was to answer, too, never will.
  void judged(const OutcomeRecord& record, const LedgerDuel& duel, Outcome said);
  void not_drawn(const LedgerDuel& duel);
  void lost(const LedgerDuel& duel);
  void expired(const ExpiredRecord& record, const LedgerDuel& duel, Outcome counted, bool moot,
               bool clickless);
  // A comparison made elsewhere; `shown`: it counts as if it had been served here.
  void compare(const ComparisonRecord& record, const LedgerDuel& made, Outcome counted, bool shown);

  template <class Archive>
  void fields(Archive& archive) {
    archive(num_arms_, shown_, compared_, aa_, flips_.judged, flips_.to_first, flips_.to_second);
    archive_fields(archive, by_source_, judges_, comparisons_, exploited_, excluded_);
    archive_fields(archive, judge_counts_, agreements_);
    archive(costs_);
    if constexpr (kReadsState<Archive>) sum_up();
  }
  bool restored(std::size_t num_arms) const;

 private:
  // Adds to the counts of a duel of that kind, and to the sums over them.
  void add(Serving serving, Arm first, Arm second, const ShownCounts& counts);
  void add_to_sums(Arm first, Arm second, const ShownCounts& counts);
  // Makes the sums from the table, if that has the size it should have (see `restored`).
  void sum_up();
  void count_source(const Source& source);
  void count_judge(const OutcomeRecord& record, const LedgerDuel& duel, Outcome counted);
  void count_costs(const OutcomeRecord& record);
  void count_judges(const OutcomeRecord& record, const LedgerDuel& duel);

  std::size_t num_arms_ = 0;
  std::vector<ShownCounts> shown_;     // num_arms x num_arms
  std::vector<ShownCounts> compared_;  // num_arms x num_arms
  // Sums over shown_, kept because verdicts and metrics ask for them often; they are not saved.
  std::vector<ShownCounts> of_arm_;  // without duels of the arm with itself
  ShownCounts total_;
  ShownCounts aa_;
  FlipCounts flips_;
  TextMap<std::uint64_t> by_source_;
  std::map<std::string, PairWins> judges_;
  std::map<std::string, JudgeCounts> judge_counts_;
  Agreements agreements_;
  AnswerCosts costs_;
  std::uint64_t comparisons_ = 0;
  std::uint64_t exploited_ = 0;
  std::uint64_t excluded_ = 0;
};

}  // namespace duel
