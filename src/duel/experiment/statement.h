// What an experiment is to state in the end, what may be evidence for it, and the certificate once
// it is given. Today there is one: the referee's goal, with the rule of tasks (a task is evidence
// about a pair once, where the certificate speaks of tasks like these, be they listed in the first
// record or named by the callers who ask for duels).
//
// Evidence is used in the order of serving: `served` gives a duel its place, and `final_answer`
// fills the place whenever the answer comes. A part of the ledger: only the ledger changes it, with
// records that it has checked.
//
// Where the experiment is about these people, the statement is a panel's (panel.h), which counts in
// any order, and the referee hears nothing. Nor does it where points are compared: a point has a
// proof of its own (tuned_space.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "duel/core/archive_containers.h"
#include "duel/core/duel.h"
#include "duel/core/result.h"
#include "duel/experiment/panel.h"
#include "duel/experiment/parts.h"
#include "duel/experiment/referee.h"
#include "duel/experiment/tuned_space.h"
#include "duel/inference/evidence_answer.h"
#include "duel/log/record.h"

namespace duel {

// A certificate, given once and for good. Of a space there may be several, each for another point;
// this is the last.
struct GivenCertificate : Decision {
  std::uint64_t sequence = 0;  // the record that gave it
  std::string head;            // the chain's hash there

  void fields(auto& archive) { archive_fields(archive, kind, winner, arms, sequence, head); }
};

// Duels of two arms whose answers cannot be evidence, by the reason. Known when they are served.
struct NoEvidence {
  std::uint64_t task_again = 0;     // the pair had met about the task
  std::uint64_t subject_again = 0;  // the subject had been asked about the pair
  std::uint64_t lost_serves = 0;    // served when the machine lost power
  std::uint64_t recovered = 0;      // their serve was lost, and a report brought it back
  std::uint64_t other = 0;          // the statement takes no such duel

  void fields(auto& archive) {
    archive_fields(archive, task_again, subject_again, lost_serves, recovered, other);
  }
};

class Statement {
 public:
  // An error where the goal, the rule and the arms do not go together.
  static Result<Statement> make(const ExperimentRecord& experiment, const Parts& parts);

  // Whether the answer to such a duel may be evidence. An error says why not.
  Status admits(const ServeRecord& serve, Arm first, Arm second) const;
  // Whether duels about tasks may be evidence at all: a task reaches several pairs, and the
  // thresholds have to allow for that.
  Status takes_tasks() const;
  // What is left for a pair: tasks that it has not met. REQUIRES: their number is known.
  std::uint64_t fresh_tasks(Arm i, Arm j) const;
  // Whether the pair was served the task as evidence before; false where tasks can be met again.
  // Also of logs that were allowed to count it twice: what they add now counts once.
  bool has_met(Arm i, Arm j, std::string_view task) const;
  // Whether callers have named tasks that the first record does not list, and each counted once.
  bool names_tasks() const { return parts_.tasks_once && !parts_.tasks_end && !met_.empty(); }
  bool some_pair_met_all_tasks() const { return pairs_without_fresh_tasks_ > 0; }
  const TaskSet& tasks() const { return tasks_; }
  const NoEvidence& no_evidence() const { return no_evidence_; }

  const Referee& referee() const { return referee_; }
  // Null where the statement is not a panel's.
  const Panel* panel() const { return panel_ ? &*panel_ : nullptr; }
  // Null where arms are compared.
  const TunedSpace* tuned() const { return tuned_ ? &*tuned_ : nullptr; }
  const std::optional<GivenCertificate>& certificate() const { return certificate_; }
  bool certificate_recorded() const { return certificate_recorded_; }

  // Whether it could be made about so many arms.
  Status check_arms(std::size_t num_arms) const;
  // A fixed set begins again with so many arms. REQUIRES: check_arms, and that nothing was served.
  void set_arms(std::size_t num_arms);
  void add_arm();
  void retire(Arm arm);
  void add_tasks(const TasksAddedRecord& record);

  // The place of a duel that may be evidence. REQUIRES: admits.
  std::uint64_t served(const ServeRecord& serve, Arm first, Arm second);
  // Counts a duel that may not.
  void served_in_vain(const ServeRecord& serve, Arm first, Arm second);
  // `Outcome::none`: there is none.
  void final_answer(std::uint64_t place, const EvidenceAnswer& answer);
  // Whether answers that say how much may be evidence.
  bool takes_units() const { return !panel_ && referee_.takes_units(); }
  // What the program's answers alone would show, where people audit it; otherwise null.
  const Referee* program_alone() const { return program_alone_ ? &*program_alone_ : nullptr; }
  // How long it took. Of a panel, which tells how long the rest will take.
  void answer_took(std::uint64_t response_ms) {
    if (panel_) panel_->took(response_ms);
  }
  // What only panels know. An error without one.
  Status check(const PanelClosedRecord& record) const;
  Status check(const AbsentRecord& record) const;
  // What only spaces know. An error without one.
  template <class SpaceRecord>
  Status check_of_space(const SpaceRecord& record) const {
    return tuned_ ? tuned_->check(record) : Status(no_space());
  }
  // REQUIRES: tuned().
  TunedSpace& tuned_space() { return *tuned_; }
  // REQUIRES: check.
  void close_panel() { panel_->close(); }
  void miss(const AbsentRecord& record) { panel_->miss(record.subject); }
  // A comparison made elsewhere: its place and its answer at once.
  void compare(Arm first, Arm second, const EvidenceAnswer& answer) {
    referee_.answered(referee_.served(first, second), answer);
  }
  void look() { referee_.look(); }
  // The record with this number and hash is applied: it may have brought the certificate.
  void decide(std::uint64_t sequence, const std::string& hash);
  void recorded() {
    certificate_recorded_ = true;
    if (tuned_) tuned_->recorded();
  }

  void fields(auto& archive) {
    archive_fields(archive, tasks_.count, tasks_.sha256, met_, pairs_without_fresh_tasks_, referee_,
                   certificate_recorded_, certificate_, no_evidence_);
    // Whether there are any is the first record's.
    if (panel_) archive_fields(archive, *panel_);
    if (program_alone_) archive_fields(archive, *program_alone_);
  }
  bool restored(std::size_t num_arms) const;

 private:
  // Makes a referee of any number of arms.
  struct Rule {
    Goal goal;
    StoppingRule stopping;
    bool lowest_only = false;  // the Copeland certificate of logs of format 1
  };
  Statement(const Rule& rule, const Parts& parts, TaskSet tasks, Referee referee,
            std::optional<Panel> panel, std::optional<TunedSpace> tuned);
  static Status check_audit(const ExperimentRecord& experiment, const Parts& parts);
  static Error no_space();
  static Result<Referee> referee_of(const Rule& rule, const Parts& parts, std::size_t num_arms);

  Rule rule_;
  Parts parts_;
  TaskSet tasks_;
  Referee referee_;
  std::optional<Panel> panel_;
  std::optional<Referee> program_alone_;
  std::optional<TunedSpace> tuned_;
  std::map<std::pair<Arm, Arm>, std::set<std::string, std::less<>>> met_;  // tasks, of low and high
  std::uint64_t pairs_without_fresh_tasks_ = 0;
  std::optional<GivenCertificate> certificate_;
  bool certificate_recorded_ = false;
  NoEvidence no_evidence_;
};

}  // namespace duel
