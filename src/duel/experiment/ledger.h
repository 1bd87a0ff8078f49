// What a log says: arms, duels and their answers, all counts, the evidence and the certificate. A
// pure fold over the records; no policy is needed to read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/result.h"
#include "duel/core/text_map.h"
#include "duel/experiment/referee.h"
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
  std::uint64_t moot = 0;  // of the expired ones, those that the certificate came before

  std::uint64_t decisive() const { return first_wins + second_wins; }
  std::uint64_t answered() const { return decisive() + ties + both_bad + skips + invalid; }
  std::uint64_t pending() const { return served - answered() - expired; }
  ShownCounts& operator+=(const ShownCounts& other);
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

struct LedgerArm {
  ArmEntry entry;
  bool active = true;
  std::string name;  // for people: the original name where only one arm has it, otherwise the id
};

enum class Fate { pending, answered, expired };

struct LedgerDuel {
  std::uint64_t ordinal = 0;
  Timestamp expires_at;  // 0: never
  Round round = 0;
  Arm first = 0;  // as shown
  Arm second = 0;
  Serving serving = Serving::explore;
  Fate fate = Fate::pending;
  Answered result = Answered::skip;  // where answered
  Outcome outcome = Outcome::none;   // what it says of (first, second); `none` until it is answered
  bool evidence = true;              // may its answer become evidence?
  std::uint64_t place_in_order = 0;  // then: among what may
};

// The duels of an experiment that are settled: answered or expired. The ledger holds only the open
// ones; what is told of a settled one again (a repeat, a late answer) is looked up here.
class SettledDuels {
 public:
  virtual ~SettledDuels() = default;
  virtual void add(std::string_view duel_id, const LedgerDuel& duel) = 0;
  // As of the records before number `before`. An error where the store cannot be read.
  virtual Result<std::optional<LedgerDuel>> find(std::string_view duel_id,
                                                 std::uint64_t before) const = 0;
  // Whether a new duel's id is looked for here. Where it costs much, whoever serves has done so.
  virtual bool guards_ids() const { return true; }
};

// A certificate, given once and for good.
struct GivenCertificate : Decision {
  std::uint64_t sequence = 0;  // the record that gave it
  std::string head;            // the chain's hash there
};

// What a record did.
enum class Effect {
  applied,
  duplicate,    // an outcome that was known: nothing changed
  conflicting,  // an outcome that differs from the known one: kept in the log, the first counts
  late,         // an outcome after the duel expired: kept in the log, counts for nothing
};

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
  Effect take(const LogEntry& entry);

  // The first record, with the arms that a fixed set started with.
  const ExperimentRecord& experiment() const { return experiment_; }
  // As they are now: those of the start and those that joined.
  const TaskSet& tasks() const { return tasks_; }
  const std::vector<LedgerArm>& arms() const { return arms_; }
  std::size_t num_arms() const { return arms_.size(); }
  std::size_t num_active() const { return num_active_; }
  const std::string& id_of(Arm arm) const { return arms_[arm].entry.id; }
  const std::string& name_of(Arm arm) const { return arms_[arm].name; }
  std::optional<Arm> find_arm(std::string_view id) const;
  // Arms of a fixed set that were retired while it was a draft: they have no number, no duel and no
  // part in a threshold. Their ids are not used again.
  const std::vector<ArmEntry>& withdrawn() const { return withdrawn_; }
  const ArmEntry* find_withdrawn(std::string_view id) const;
  Result<std::optional<LedgerDuel>> find_duel(std::string_view duel_id) const;
  // Of a duel that is neither answered nor expired.
  const LedgerDuel* find_open(std::string_view duel_id) const;
  // Served, neither answered nor expired: ids in serving order.
  std::vector<std::string> pending() const;
  bool has_pending() const { return !pending_.empty(); }
  std::size_t num_pending() const { return pending_.size(); }
  // Those of them that an answer is no longer waited for at `time_ms`, the earliest deadline first.
  std::vector<std::string> overdue(std::int64_t time_ms) const;
  std::optional<std::int64_t> next_deadline() const;
  // What an answer says of (first, second): `none` for an invalid one. An error if the winner is
  // neither.
  Result<Outcome> outcome_of(const Answer& answer, Arm first, Arm second) const;

  // All answers at once, as they came, between different arms; comparisons made elsewhere too where
  // they count.
  const ShownCounts& shown(Arm first, Arm second) const {
    return shown_[first * arms_.size() + second];
  }
  // Both placements, from i's side: `first_wins` are i's.
  ShownCounts pair(Arm i, Arm j) const;
  ShownCounts total() const;  // by place, over all pairs
  const ShownCounts& aa() const { return aa_; }
  // All comparisons made elsewhere, from the side of the arm named first.
  const ShownCounts& compared(Arm first, Arm second) const {
    return compared_[first * arms_.size() + second];
  }
  const FlipCounts& flips() const { return flips_; }
  // What each judge program said, by its id, of the pairs as (low, high): wins of either.
  using PairWins = std::map<std::pair<Arm, Arm>, std::pair<std::uint64_t, std::uint64_t>>;
  const std::map<std::string, PairWins>& judges() const { return judges_; }
  // Answers with a known source, by "type:id".
  std::map<std::string, std::uint64_t> answers_by_source() const {
    return {by_source_.begin(), by_source_.end()};
  }
  std::uint64_t served() const { return served_; }  // A/A duels and exploitation too
  std::uint64_t exploited() const { return exploited_; }
  // Whether the pair was served the task as evidence before, so that it cannot be evidence again.
  // Only where the certificate speaks of tasks like these.
  bool has_met(Arm i, Arm j, std::string_view task) const;
  // Tasks that are still fresh to the pair. REQUIRES: there are tasks, and the certificate speaks
  // of tasks like these.
  std::uint64_t fresh_tasks(Arm i, Arm j) const;
  bool some_pair_met_all_tasks() const { return pairs_without_fresh_tasks_ > 0; }
  std::uint64_t comparisons() const { return comparisons_; }
  std::uint64_t duplicates() const { return duplicates_; }
  std::uint64_t conflicts() const { return conflicts_; }
  std::uint64_t late() const { return late_; }
  // Duels that an arm which could not be shown has changed. Their pairs met another population.
  std::uint64_t excluded() const { return excluded_; }
  double excluded_share() const {
    return served_ == 0 ? 0 : static_cast<double>(excluded_) / static_cast<double>(served_);
  }

  // Evidence: decisive answers in serving order only.
  const Referee& referee() const { return referee_; }
  const Certifier& certifier() const { return referee_.certifier(); }
  const std::optional<GivenCertificate>& certificate() const { return certificate_; }
  // The record that says so. REQUIRES: certificate().
  CertifiedRecord certified_record() const;
  // Whether the log has it. The record follows the one that gave the certificate, unless the
  // process ended between the two.
  bool certificate_recorded() const { return certificate_recorded_; }
  // The scores' bounds; only for the goals copeland and borda.
  const std::optional<ScoreCertifier>& scores() const { return referee_.scores(); }
  // Only for the goals set, order and ranking.
  const std::optional<OrderCertifier>& orders() const { return referee_.orders(); }
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
  Ledger(const ExperimentRecord& experiment, Referee referee,
         std::unique_ptr<SettledDuels> settled);
  // Of so many arms. An error where the goal or the rule does not go with them.
  static Result<Referee> referee_of(const ExperimentRecord& experiment, std::size_t num_arms);

  template <class Archive>
  void archive_arms(Archive& archive);
  template <class Archive>
  void archive_open_duels(Archive& archive);
  void join(const ArmEntry& arm);
  void number_arms();  // those of `experiment_`
  // Makes these the arms that the fixed set starts with. REQUIRES: nothing was served or compared.
  void put_together(std::vector<ArmEntry> arms);
  Result<Arm> arm_of(std::string_view id) const;
  Result<LedgerDuel> duel_of(std::string_view duel_id) const;

  // In ledger_checks.cc.
  Status check_set_of(std::size_t num_arms, const std::string& change) const;
  Status check_judgements(const OutcomeRecord& record, const LedgerDuel& duel) const;
  Status check_kind(const ExperimentRecord& record) const;
  Status check_kind(const ServeRecord& record) const;
  Status check_kind(const OutcomeRecord& record) const;
  Status check_kind(const ExpiredRecord& record) const;
  Status check_kind(const ArmAddedRecord& record) const;
  Status check_kind(const ArmRetiredRecord& record) const;
  Status check_kind(const ComparisonRecord& record) const;
  Status check_kind(const CertifiedRecord& record) const;
  Status check_kind(const CompletedRecord& record) const;
  Status check_kind(const TasksAddedRecord& record) const;
  Status check_kind(const StateRecord& record) const;
  Status check_kind(const ConfiguredRecord& record) const;
  Status check_kind(const PolicyRebuiltRecord& record) const;
  Status check_kind(const RecoveredRecord& record) const;
  Status check_kind(const InterleavedRecord& record) const;
  Status check_kind(const PagedRecord& record) const;
  Status check_kind(const EventRecord& record) const;

  // REQUIRES: the record was checked.
  Effect take(const ExperimentRecord& record);
  Effect take(const ServeRecord& record);
  Effect take(const OutcomeRecord& record);
  Effect take(const ExpiredRecord& record);
  Effect take(const ArmAddedRecord& record);
  Effect take(const ArmRetiredRecord& record);
  Effect take(const ComparisonRecord& record);
  Effect take(const CertifiedRecord& record);
  Effect take(const CompletedRecord& record);
  Effect take(const TasksAddedRecord& record);
  Effect take(const StateRecord& record);
  Effect take(const ConfiguredRecord& record);
  Effect take(const PolicyRebuiltRecord& record);
  Effect take(const RecoveredRecord& record);
  Effect take(const InterleavedRecord& record);
  Effect take(const PagedRecord& record);
  Effect take(const EventRecord& record);

  void count_judge(const OutcomeRecord& record, const LedgerDuel& duel, Outcome outcome);
  ShownCounts& counts_of(const LedgerDuel& duel) {
    return duel.serving == Serving::aa ? aa_ : shown_[duel.first * arms_.size() + duel.second];
  }
  void finish(std::string_view duel_id, LedgerDuel duel, Outcome outcome);
  void look_for_certificate(const LogEntry& entry);

  ExperimentRecord experiment_;
  TaskSet tasks_;
  bool put_together_anew_ = false;  // the arms are not those of the first record
  std::vector<ArmEntry> withdrawn_;
  std::vector<LedgerArm> arms_;
  TextMap<Arm> arm_index_;
  std::size_t num_active_ = 0;
  std::vector<ShownCounts> shown_;     // num_arms x num_arms
  std::vector<ShownCounts> compared_;  // num_arms x num_arms
  ShownCounts aa_;
  FlipCounts flips_;
  TextMap<std::uint64_t> by_source_;
  std::map<std::string, PairWins> judges_;
  std::map<std::pair<Arm, Arm>, std::set<std::string, std::less<>>> met_;  // tasks, of low and high
  TextMap<LedgerDuel> open_;
  std::map<std::uint64_t, std::string> pending_;                // id by ordinal
  std::set<std::pair<std::int64_t, std::uint64_t>> deadlines_;  // and ordinal
  std::unique_ptr<SettledDuels> settled_;
  std::uint64_t settled_hash_ = 0;  // over all that became settled, in the order in which they did
  std::uint64_t served_ = 0;
  std::uint64_t comparisons_ = 0;
  std::uint64_t duplicates_ = 0;
  std::uint64_t conflicts_ = 0;
  std::uint64_t late_ = 0;
  std::uint64_t excluded_ = 0;
  Referee referee_;
  std::optional<GivenCertificate> certificate_;
  bool certificate_recorded_ = false;
  std::uint64_t pairs_without_fresh_tasks_ = 0;
  ExperimentState state_ = ExperimentState::running;
  std::string name_;
  FeedbackRule feedback_;
  Guardrails guardrails_;
  std::uint64_t configured_at_ = 1;
  std::uint64_t exploited_ = 0;
  std::uint64_t sequence_ = 1;
  std::string head_;
};

}  // namespace duel
