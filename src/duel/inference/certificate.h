// Certificates: statements about the arms that are false with probability at most alpha, however
// long one waits, however often one looks, whatever chose the pairs.
//
//   winner     "arm i beats every other active arm": E_ij has reached i's threshold for every other
//              active arm j. The thresholds are such that this ever happens to an arm that does not
//              beat every other with probability at most alpha (error_budget.h). With epsilon > 0
//              the statement is "arm i loses to no active arm by more than epsilon".
//   no winner  "no active arm beats every other: i > j > .. > i": every active arm is beaten by an
//              active arm, at thresholds that make all declared pairs right with probability
//              1 - alpha. A question of its own, with an alpha of its own.
//
// "Beats" means: wins more than half of the pair's duels that got a decisive answer in time. Ties,
// both-bad, skips and missing answers are final and move nothing. Answers may also say how much:
// then it means "is graded above, on average", each answer being a unit in [-1, 1] (evidence.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "duel/core/archive_containers.h"
#include "duel/core/duel.h"
#include "duel/core/result.h"
#include "duel/inference/error_budget.h"
#include "duel/inference/evidence.h"

namespace duel {

struct CertificateOptions {
  double alpha = 0.05;
  bool arms_fixed = false;                  // no arm will be added or retired: lower thresholds
  std::uint64_t min_decisive_per_pair = 0;  // no certificate before, whatever the evidence
  bool shared_causes = false;               // answers of different pairs may hang together: K/alpha
  // Nothing is looked at before `look`, which is called once, and then the evidence of that moment
  // counts and not its maximum: for answers whose order is unknown. The certificate holds if the
  // number of each pair's answers was not chosen by looking at them.
  bool one_look = false;
  double epsilon = 0;
  // Take for granted that some arm beats every other: a lower threshold, and "no winner" is not
  // looked for. Needs a fixed set and epsilon 0.
  bool winner_exists = false;
};

// An answer that is neither a whole win nor a whole loss, of the pair (first, second) of its duel.
struct AnswerUnit {
  double unit = 0;     // evidence that the first beats the second
  double reverse = 0;  // evidence that the second beats the first; mostly -unit
  double lead = 0;     // what it adds to the first arm's lead over the second
  bool decisive = false;
};

// The answers of a pair that are units, as its first arm sees them.
struct PairUnits {
  PairEvidence::Logs logs{};
  PairEvidence::Logs logs_then{};  // when the evidence was largest
  std::uint64_t count = 0;
  std::uint64_t decisive = 0;
  double lead = 0;       // in serving order
  double score_sum = 0;  // of the first arm: (1 + y)/2 of each, in serving order

  void fields(auto& archive) {
    for (double& one : logs) archive(one);
    for (double& one : logs_then) archive(one);
    archive(count, decisive, lead, score_sum);
  }
};

// What the certificate says of one pair, at the moment it was given.
struct PairFinding {
  Arm winner = 0;
  Arm loser = 0;
  std::uint64_t wins = 0;
  std::uint64_t losses = 0;
  double log_evidence = 0;   // the largest ln E so far
  double log_threshold = 0;  // what it had to reach
  // The counts that gave the largest ln E.
  std::uint64_t wins_then = 0;
  std::uint64_t losses_then = 0;
  std::optional<PairUnits> units{};  // where some answers are no whole wins or losses

  void fields(auto& archive) {
    archive(winner, loser, wins, losses, log_evidence, log_threshold, wins_then, losses_then);
    archive_fields(archive, units);
  }
};

struct WinnerCertificate {
  Arm winner = 0;
  std::uint64_t decisive = 0;         // decisive duels counted, over all pairs
  std::vector<PairFinding> findings;  // one for each other active arm

  void fields(auto& archive) { archive(winner, decisive, findings); }
};

struct NoWinnerCertificate {
  std::uint64_t decisive = 0;
  std::vector<Arm> cycle;             // each beats the next, the last beats the first
  std::vector<PairFinding> findings;  // for each active arm, one that beats it

  void fields(auto& archive) { archive(decisive, cycle, findings); }
};

class Certifier {
 public:
  // An error names the option that is out of range.
  static Result<Certifier> make(std::size_t num_arms, const CertificateOptions& options);

  // The new arm's index. An error if the set is fixed.
  Result<Arm> add_arm();
  // The arm no longer needs to be beaten, and cannot be certified. Duels in flight still count for
  // their pairs. Repeating it changes nothing. An error if the set is fixed or the arm unknown.
  Status retire(Arm arm);

  // A duel went out. Retiring an arm costs from its first duel on.
  void served(const Duel& duel);
  // A final answer, in serving order within its pair (serving_order.h). No allocation unless a
  // certificate is given.
  void observe(const Duel& duel, Outcome outcome);
  // The same of an answer that is a unit. REQUIRES: epsilon is 0.
  void observe(const Duel& duel, const AnswerUnit& answer);
  // The one look, after which nothing counts any more. REQUIRES: the option, no look before.
  void look();

  std::size_t num_arms() const { return num_arms_; }
  bool active(Arm arm) const { return arms_[arm].active; }
  std::uint64_t wins(Arm i, Arm j) const { return pair(i, j).wins; }
  std::uint64_t decisive() const { return decisive_; }
  // Decisive answers of the pair.
  std::uint64_t decisive(Arm i, Arm j) const;
  // By how much i is ahead: wins less losses, and what units add.
  double lead(Arm i, Arm j) const;
  // Null where the pair has none.
  const PairUnits* units(Arm i, Arm j) const;
  // The largest ln E_ij so far.
  double log_evidence(Arm i, Arm j) const { return pair(i, j).best.log_evidence; }
  // The pair as a certificate shows it that asked for `log_threshold`.
  PairFinding finding(Arm i, Arm j, double log_threshold) const;
  // What E_ij has to reach now for i to be certified.
  double log_threshold(Arm i) const { return arms_[i].log_threshold; }
  // Whether the evidence against j is what a certificate of i needs; and whether "i beats j" is
  // declared, as "no winner" needs.
  bool settled(Arm i, Arm j) const { return pair(i, j).settled; }
  bool declared(Arm i, Arm j) const { return pair(i, j).edge; }

  // Given once and for good: the first stays, whatever follows.
  const std::optional<WinnerCertificate>& winner() const { return winner_; }
  const std::optional<NoWinnerCertificate>& no_winner() const { return no_winner_; }

  // The state between two calls (core/archive.h), for one made with the same options; `restored`
  // says whether it makes sense.
  void fields(auto& archive) {
    archive_fields(archive, num_arms_, num_active_, retired_after_duel_, decisive_, looked_, arms_,
                   pairs_, unbeaten_, winner_, no_winner_, units_);
  }
  bool restored() const;

 private:
  struct PairState {
    std::uint64_t wins = 0;
    PairEvidence::Maximum best;
    bool settled = false;  // counts towards the row's certificate
    bool edge = false;     // "row beats column" is declared

    void fields(auto& archive) {
      archive(wins, best.log_evidence, best.wins, best.losses, best.look_at, settled, edge);
    }
  };
  struct ArmState {
    bool active = true;
    bool served = false;
    double log_threshold = 0;
    double log_edge_threshold = 0;  // of its pairs with arms that joined before it
    std::size_t unsettled = 0;      // active rivals whose E_ij is below the threshold
    std::size_t beaten_by = 0;      // active arms that are declared to beat it

    void fields(auto& archive) {
      archive(active, served, log_threshold, log_edge_threshold, unsettled, beaten_by);
    }
  };

  Certifier(std::size_t num_arms, const CertificateOptions& options);

  PairState& pair(Arm i, Arm j) { return pairs_[i * num_arms_ + j]; }
  const PairState& pair(Arm i, Arm j) const { return pairs_[i * num_arms_ + j]; }
  bool enough(Arm i, Arm j) const { return decisive(i, j) >= options_.min_decisive_per_pair; }
  // Takes the pair's answers so far into its largest evidence; whether that rose.
  bool raise(Arm i, Arm j);
  // After an answer of the pair; `raised`: one of its two sides.
  void look_at(Arm i, Arm j, bool raised);

  double log_edge_threshold(Arm i, Arm j) const { return arms_[i < j ? j : i].log_edge_threshold; }

  void recount();  // after the set of arms changed
  void settle(Arm i, Arm j);
  void look_for_winner(Arm i);
  void look_for_no_winner();

  CertificateOptions options_;
  ErrorBudget budget_;
  PairEvidence evidence_;
  std::size_t num_arms_;
  std::size_t num_active_;
  std::uint64_t retired_after_duel_ = 0;
  std::uint64_t decisive_ = 0;
  bool looked_ = false;
  std::vector<ArmState> arms_;
  std::vector<PairState> pairs_;
  std::map<std::pair<Arm, Arm>, PairUnits> units_;  // empty where all answers are whole
  std::size_t unbeaten_ = 0;  // active arms that no active arm is declared to beat
  std::optional<WinnerCertificate> winner_;
  std::optional<NoWinnerCertificate> no_winner_;
};

}  // namespace duel
