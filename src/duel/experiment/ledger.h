// What a log says: arms, duels and their answers, all counts, the evidence and the certificate. A
// pure fold over the records; no policy is needed to read it.
//
// The ledger is made of parts (parts.h): `ArmField`, `Duels`, `Tally` and `Statement`. It checks a
// record, hands it to the parts that it concerns, and keeps what belongs to none of them: the
// configuration, the state, and which record was the last. Not to be used by two threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/result.h"
#include "duel/experiment/duels.h"
#include "duel/experiment/field.h"
#include "duel/experiment/heard.h"
#include "duel/experiment/pace.h"
#include "duel/experiment/parts.h"
#include "duel/experiment/referee.h"
#include "duel/experiment/statement.h"
#include "duel/experiment/tally.h"
#include "duel/log/record.h"

namespace duel {

class Ledger {
 public:
  // The state after the first record. An error names the field that is out of range. Without
  // `settled` they are kept in memory.
  static Result<Ledger> make(const ExperimentRecord& experiment,
                             std::unique_ptr<SettledDuels> settled = nullptr);

  // Whether `apply` would take the record. Ask before writing it.
  Status check(const Record& record) const;
  // An error (unknown arm, outcome without serve, an id twice, an ordinal that leaves a gap, ..)
  // changes nothing.
  Result<Effect> apply(const LogEntry& entry);
  // The same for a record that was checked. REQUIRES: check(entry.record).ok().
  Effect take(const LogEntry& entry) { return fold(entry).effect; }
  // The same, with the duel that the record settled or the comparison that it brought, for the
  // chooser.
  struct Folded {
    Effect effect = Effect::applied;
    std::optional<LedgerDuel> settled{};
  };
  Folded fold(const LogEntry& entry);

  // The record is about a part of the experiment that this ledger is not of: only the end of the
  // log moves.
  void pass(const LogEntry& entry);

  // The first record, with the arms that a fixed set started with.
  const ExperimentRecord& experiment() const { return experiment_; }
  const Parts& parts() const { return parts_; }

  // As they are now: those of the start and those that joined.
  const ArmField& field() const { return field_; }
  const std::vector<LedgerArm>& arms() const { return field_.arms(); }
  std::size_t num_arms() const { return field_.num_arms(); }
  std::size_t num_active() const { return field_.num_active(); }
  const std::string& id_of(Arm arm) const { return field_.id_of(arm); }
  const std::string& name_of(Arm arm) const { return arms()[arm].name; }
  std::optional<Arm> find_arm(std::string_view id) const { return field_.find(id); }
  // Arms of a fixed set that were retired while it was a draft: they have no number, no duel and no
  // part in a threshold.
  const std::vector<ArmEntry>& withdrawn() const { return field_.withdrawn(); }
  const ArmEntry* find_withdrawn(std::string_view id) const { return field_.find_withdrawn(id); }

  Result<std::optional<LedgerDuel>> find_duel(std::string_view duel_id) const {
    return duels_.find(duel_id, sequence_ + 1);
  }
  // Calls visit(duel) for all that are neither answered nor expired, in any order.
  template <class Visit>
  void visit_open(Visit&& visit) const {
    duels_.visit_open(visit);
  }
  // Of a duel that is neither answered nor expired.
  const LedgerDuel* find_open(std::string_view duel_id) const { return duels_.find_open(duel_id); }
  // Served, neither answered nor expired: ids in serving order.
  std::vector<std::string> pending() const { return duels_.pending(); }
  bool has_pending() const { return num_pending() > 0; }
  std::size_t num_pending() const { return duels_.num_pending(); }
  std::optional<std::int64_t> next_deadline() const { return duels_.next_deadline(); }
  // The duel of the next deadline. REQUIRES: there is one.
  const std::string& first_to_expire() const { return duels_.first_to_expire(); }
  // What an answer says of (first, second): `none` for an invalid one. An error if the winner is
  // neither.
  Result<Outcome> outcome_of(const Answer& answer, Arm first, Arm second) const {
    return duel::outcome_of(answer, id_of(first), id_of(second));
  }
  Result<Outcome> outcome_of(const Answer& answer, const LedgerDuel& duel) const {
    const auto [first, second] = ids_of(duel);
    return duel::outcome_of(answer, first, second);
  }
  // The ids of the two sides that the duel shows: of arms, or of points of a space.
  std::pair<std::string, std::string> ids_of(const LedgerDuel& duel) const {
    if (!parts_.space) return {id_of(duel.first), id_of(duel.second)};
    return {TunedPoint::id_of(duel.first_point), TunedPoint::id_of(duel.second_point)};
  }

  // All answers at once, as they came, between different arms; comparisons made elsewhere too where
  // they count.
  const ShownCounts& shown(Arm first, Arm second) const { return tally_.shown(first, second); }
  // Both placements, from i's side: `first_wins` are i's.
  ShownCounts pair(Arm i, Arm j) const { return tally_.pair(i, j); }
  // The arm's duels with all others; `first_wins` are its own.
  const ShownCounts& of_arm(Arm arm) const { return tally_.of_arm(arm); }
  const ShownCounts& total() const { return tally_.total(); }  // by place, over all pairs
  const ShownCounts& aa() const { return tally_.aa(); }
  // All comparisons made elsewhere, from the side of the arm named first.
  const ShownCounts& compared(Arm first, Arm second) const {
    return tally_.compared(first, second);
  }
  const FlipCounts& flips() const { return tally_.flips(); }
  // What each judge program said, by its id.
  const std::map<std::string, Tally::PairWins>& judges() const { return tally_.judges(); }
  const std::map<std::string, JudgeCounts>& judge_counts() const { return tally_.judge_counts(); }
  const Tally::Agreements& agreements() const { return tally_.agreements(); }
  const AnswerCosts& costs() const { return tally_.costs(); }
  // Answers with a known source, by "type:id".
  std::map<std::string, std::uint64_t> answers_by_source() const {
    return {tally_.by_source().begin(), tally_.by_source().end()};
  }
  std::uint64_t served() const { return duels_.served(); }  // A/A duels and exploitation too
  std::uint64_t exploited() const { return tally_.exploited(); }
  const Pace& pace() const { return pace_; }  // of the serves
  std::uint64_t comparisons() const { return tally_.comparisons(); }
  std::uint64_t duplicates() const { return duels_.duplicates(); }
  std::uint64_t conflicts() const { return duels_.conflicts(); }
  std::uint64_t late() const { return duels_.late(); }
  // Duels that an arm which could not be shown has changed. Their pairs met another population.
  std::uint64_t excluded() const { return tally_.excluded(); }
  double excluded_share() const {
    return served() == 0 ? 0 : static_cast<double>(excluded()) / static_cast<double>(served());
  }

  const Statement& statement() const { return statement_; }
  // Where people audit a program: duels that wait for a person, ids by their place in the order of
  // serving; and the key that draws them, as its SHA-256.
  const std::map<std::uint64_t, std::string>& drawn() const { return duels_.drawn(); }
  const std::string& audit_key_sha256() const { return audit_key_sha256_; }
  // Where points of a space are compared; otherwise null.
  const TunedSpace* tuned() const { return statement_.tuned(); }
  // Where the experiment is about these people; otherwise null.
  const Panel* panel() const { return statement_.panel(); }
  // As they are now: those of the start or what was added since.
  const TaskSet& tasks() const { return statement_.tasks(); }
  // Whether the pair was served the task as evidence before, so that it cannot be evidence again.
  // Only where the certificate speaks of tasks like these.
  bool has_met(Arm i, Arm j, std::string_view task) const { return statement_.has_met(i, j, task); }
  // Tasks that are still fresh to the pair. REQUIRES: there are tasks, and the certificate speaks
  // of tasks like these.
  std::uint64_t fresh_tasks(Arm i, Arm j) const { return statement_.fresh_tasks(i, j); }
  bool some_pair_met_all_tasks() const { return statement_.some_pair_met_all_tasks(); }
  // Evidence: decisive answers in serving order only.
  const Referee& referee() const { return statement_.referee(); }
  const Certifier& certifier() const { return referee().certifier(); }
  // The scores' bounds; only for the goals copeland and borda.
  const std::optional<ScoreCertifier>& scores() const { return referee().scores(); }
  // Only for the goals set, order and ranking.
  const std::optional<OrderCertifier>& orders() const { return referee().orders(); }
  const std::optional<GivenCertificate>& certificate() const { return statement_.certificate(); }
  // The record that says so. REQUIRES: certificate().
  CertifiedRecord certified_record() const;
  // Whether the log has it. The record follows the one that gave the certificate, unless the
  // process ended between the two.
  bool certificate_recorded() const { return statement_.certificate_recorded(); }

  bool completed() const {
    return state_ == ExperimentState::completed || state_ == ExperimentState::archived;
  }
  ExperimentState state() const { return state_; }
  // As they are now: those of the start or what was configured since.
  const std::string& name() const { return name_; }
  const FeedbackRule& feedback() const { return feedback_; }
  const Guardrails& guardrails() const { return guardrails_; }
  // Of the last record that changed the configuration, the state or the arms.
  std::uint64_t configured_at() const { return configured_at_; }
  std::uint64_t sequence() const { return sequence_; }  // of the last record applied
  const std::string& head() const { return head_; }

  // Over all integers of the state: equal for a log that was read and one that was lived through.
  std::uint64_t state_hash() const;

  // The state between two records (core/archive.h), for one made from the same first record and
  // nothing else; `restored` says whether it makes sense. Settled duels are not in it: they are
  // where `SettledDuels` finds them.
  template <class Archive>
  void fields(Archive& archive);
  bool restored() const;

 private:
  Ledger(const ExperimentRecord& experiment, ArmField field, Statement statement,
         std::unique_ptr<SettledDuels> settled);

  std::pair<Arm, Arm> arms_of(const ServeRecord& serve) const;

  struct Checker;  // in ledger_checks.cc
  struct Folder;

  ExperimentRecord experiment_;
  Parts parts_;
  ArmField field_;
  Duels duels_;
  Tally tally_;
  Statement statement_;
  ExperimentState state_ = ExperimentState::running;
  std::string name_;
  FeedbackRule feedback_;
  Guardrails guardrails_;
  std::uint64_t configured_at_ = 1;
  std::uint64_t sequence_ = 1;
  std::string head_;
  Pace pace_;
  std::string audit_key_sha256_;
};

}  // namespace duel
