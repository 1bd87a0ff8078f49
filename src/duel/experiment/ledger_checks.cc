// Which records a log can go on with: what the ledger refuses, and how it says so.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/spelling.h"
#include "duel/experiment/features.h"
#include "duel/experiment/ledger.h"
#include "duel/experiment/slices.h"

namespace duel {

struct Ledger::Checker {
  const Ledger& ledger;

  Result<LedgerDuel> duel_of(std::string_view duel_id) const {
    DUEL_ASSIGN(const std::optional<LedgerDuel> duel, ledger.find_duel(duel_id));
    if (duel) return *duel;
    return Error::not_found(fmt::format("no duel '{}' was served", duel_id));
  }

  Status operator()(const ExperimentRecord& /*record*/) const {
    return unfit_record("a second record 'experiment'");
  }

  Status operator()(const ServeRecord& record) const {
    DUEL_RETURN_IF_ERROR(check_id("a duel", record.duel_id));
    if (ledger.parts_.space) {
      DUEL_RETURN_IF_ERROR(ledger.tuned()->check(record));
    } else {
      DUEL_RETURN_IF_ERROR(ledger.field_.arm_of(record.first));
      DUEL_RETURN_IF_ERROR(ledger.field_.arm_of(record.second));
    }
    const auto [first, second] = ledger.arms_of(record);
    if (ledger.completed())
      return unfit_record("a duel is served after the experiment was completed");
    DUEL_RETURN_IF_ERROR(ledger.duels_.check_next(record, ledger.sequence_ + 1));
    const bool alone = record.serving == Serving::aa || record.serving == Serving::exploit;
    if ((first == second) != alone) {
      return unfit_record(fmt::format("'{}' against '{}' is served as '{}'", record.first,
                                      record.second, to_word(record.serving)),
                          "one arm shown twice is 'aa' or 'exploit', and only that");
    }
    for (const Arm arm : {first, second}) {
      if (!ledger.parts_.space && !ledger.arms()[arm].active) {
        return unfit_record(fmt::format("the retired arm '{}' is served", ledger.id_of(arm)));
      }
    }
    DUEL_RETURN_IF_ERROR(check_slice_values(ledger.experiment_.slices, record.slices));
    DUEL_RETURN_IF_ERROR(check_context(ledger.field_, record.context));
    if (record.evidence) DUEL_RETURN_IF_ERROR(ledger.statement_.admits(record, first, second));
    DUEL_RETURN_IF_ERROR(check_share(record, alone));
    if (ledger.experiment_.tasks.count > 0 && record.task.empty() && first != second) {
      return unfit_record(fmt::format("the duel '{}' has no task", record.duel_id));
    }
    const std::uint64_t limit = ledger.experiment_.stopping.max_duels;
    if (limit > 0 && ledger.served() >= limit) {
      return unfit_record(fmt::format("more than max_duels = {} duels are served", limit));
    }
    return Done{};
  }

  // The probability of being drawn is fixed, or follows from prices within its bounds.
  Status check_share(const ServeRecord& record, bool alone) const {
    if (record.audit == 0) return Done{};
    const AuditRule& rule = ledger.experiment_.audit;
    // A loss of power takes the evidence from a duel that could be drawn when it was served.
    const bool evidence = record.evidence || record.around_loss;
    if (!rule.on() || !evidence || alone) {
      return unfit_record(
          fmt::format("the duel '{}' can be drawn for a person", record.duel_id),
          "only what may be evidence is audited, where the first record says that people audit");
    }
    if (rule.by_price() ? record.audit >= rule.least : record.audit == rule.share) return Done{};
    return unfit_record(fmt::format("the duel '{}' is drawn with the probability {}, and not {}",
                                    record.duel_id, record.audit,
                                    rule.by_price() ? rule.least : rule.share));
  }

  // Graded answers are for statements about means.
  Status check_graded(const Answer& answer, bool counts) const {
    if (answer.result != Answered::graded || !counts || ledger.statement_.takes_units()) {
      return Done{};
    }
    return unfit_record("a graded answer cannot count here",
                        "a panel, a margin and the goals copeland and borda take win, tie or loss");
  }

  Result<LedgerDuel> open_audit(const std::string& duel_id, AuditState::Step step) const {
    const LedgerDuel* const duel = ledger.find_open(duel_id);
    if (duel != nullptr && duel->audit.step == step) return *duel;
    return unfit_record(step == AuditState::Step::judged
                            ? fmt::format("the duel '{}' is not there to be drawn", duel_id)
                            : fmt::format("the duel '{}' waits for no person", duel_id));
  }

  Status operator()(const AuditRecord& record) const {
    DUEL_RETURN_IF_ERROR(open_audit(record.duel_id, AuditState::Step::judged));
    return Done{};
  }

  Status operator()(const OfferRecord& record) const {
    DUEL_RETURN_IF_ERROR(open_audit(record.duel_id, AuditState::Step::drawn));
    return Done{};
  }

  Status operator()(const AuditLostRecord& record) const {
    DUEL_ASSIGN(const LedgerDuel duel, open_audit(record.duel_id, AuditState::Step::drawn));
    const std::uint64_t most = ledger.experiment_.audit.give_up_after;
    if (most > 0 && duel.audit.offers >= most) return Done{};
    return unfit_record(
        fmt::format("the duel '{}' is given up after {} offers", record.duel_id, duel.audit.offers),
        "only `give_up_after` decides that, never by hand");
  }

  Status operator()(const AuditKeyRecord& /*record*/) const {
    if (ledger.parts_.audited) return Done{};
    return unfit_record("a key that draws duels for people, where nobody audits");
  }

  Status operator()(const OutcomeRecord& record) const {
    DUEL_ASSIGN(const LedgerDuel duel, duel_of(record.duel_id));
    DUEL_RETURN_IF_ERROR(ledger.outcome_of(record.answer, duel));
    DUEL_RETURN_IF_ERROR(check_graded(record.answer, duel.evidence));
    if (duel.audit.step == AuditState::Step::asked && !is_program(record.source)) {
      return unfit_record(
          fmt::format("a person answers the duel '{}' before the program", record.duel_id));
    }
    if (duel.audit.step == AuditState::Step::judged) {
      return unfit_record(
          fmt::format("whether a person is asked about '{}' is yet to be drawn", record.duel_id));
    }
    // People are asked once, in the order in which it is shown.
    if (duel.audit.waits() && !is_program(record.source)) return Done{};
    const auto [first, second] = ledger.ids_of(duel);
    return check_judgements(record, ledger.experiment_.order, first, second);
  }

  Status operator()(const ExpiredRecord& record) const {
    DUEL_ASSIGN(const LedgerDuel duel, duel_of(record.duel_id));
    if (duel.fate == Fate::pending) return Done{};
    return unfit_record(fmt::format("the duel '{}' expires after it was {}", record.duel_id,
                                    duel.fate == Fate::answered ? "answered" : "expired"));
  }

  // Whether the set of arms may change, as `change` says. The thresholds of a fixed one hold for
  // the arms that it starts with.
  Status check_set_of(std::size_t num_arms, const std::string& change) const {
    if (!ledger.parts_.fixed_set) return Done{};
    if (ledger.state_ != ExperimentState::draft) {
      return unfit_record(change,
                          "a fixed set can change only before the start, an open one at any time");
    }
    if (ledger.served() > 0 || ledger.comparisons() > 0) {
      return unfit_record(change, "a fixed set stays as it is once comparisons are recorded");
    }
    if (num_arms < 2) return unfit_record(change, "at least two arms are needed");
    return ledger.statement_.check_arms(num_arms);
  }

  Status operator()(const ArmAddedRecord& record) const {
    DUEL_RETURN_IF_ERROR(check_has_arms());
    DUEL_RETURN_IF_ERROR(check_id("an arm", record.arm.id));
    if (ledger.find_arm(record.arm.id) || ledger.find_withdrawn(record.arm.id) != nullptr) {
      return unfit_record(fmt::format("there is an arm '{}' already", record.arm.id),
                          "the id of an arm is never used again");
    }
    DUEL_RETURN_IF_ERROR(check_features(ledger.field_, record.arm));
    return check_set_of(ledger.num_arms() + 1,
                        fmt::format("the arm '{}' is added to a fixed set", record.arm.id));
  }

  Status check_has_arms() const {
    if (!ledger.parts_.space) return Done{};
    return unfit_record("points of a space are compared, not arms");
  }

  Status operator()(const ArmRetiredRecord& record) const {
    DUEL_RETURN_IF_ERROR(check_has_arms());
    DUEL_ASSIGN(const Arm arm, ledger.field_.arm_of(record.arm_id));
    if (!ledger.arms()[arm].active) {
      return unfit_record(fmt::format("the arm '{}' is retired a second time", record.arm_id));
    }
    return check_set_of(ledger.num_arms() - 1,
                        fmt::format("the arm '{}' of a fixed set is retired", record.arm_id));
  }

  Status operator()(const ComparisonRecord& record) const {
    DUEL_RETURN_IF_ERROR(check_has_arms());
    DUEL_ASSIGN(const Arm first, ledger.field_.arm_of(record.first));
    DUEL_ASSIGN(const Arm second, ledger.field_.arm_of(record.second));
    if (first == second) {
      return unfit_record(fmt::format("the arm '{}' is compared with itself", record.first));
    }
    DUEL_RETURN_IF_ERROR(ledger.outcome_of(record.answer, first, second));
    return check_graded(record.answer, ledger.parts_.comparisons_count && record.evidence);
  }

  Status operator()(const CertifiedRecord& record) const {
    if (!ledger.certificate()) {
      return unfit_record("the log says 'certified', but the records before it certify nothing");
    }
    const CertifiedRecord found = ledger.certified_record();
    if (record == found) return Done{};
    const auto arms_of = [](const CertifiedRecord& certified) {
      std::string text = certified.winner;
      for (const NamedArm& arm : certified.arms) text += (text.empty() ? "" : ", ") + arm.arm_id;
      return text;
    };
    return unfit_record(
        fmt::format("the log says '{}' '{}' at record {}, but the records before it "
                    "certify '{}' '{}' at record {}",
                    to_word(record.kind), arms_of(record), record.at, to_word(found.kind),
                    arms_of(found), found.at));
  }

  Status operator()(const TasksAddedRecord& record) const {
    if (!ledger.parts_.tasks_end) {
      return unfit_record("tasks are added where the certificate is not about tasks like these");
    }
    if (ledger.certificate() || ledger.completed())
      return unfit_record("tasks are added to an experiment at its end");
    if (record.count > ledger.tasks().count) return Done{};
    return unfit_record(
        fmt::format("{} tasks of {} before are no more", record.count, ledger.tasks().count));
  }

  Status operator()(const PanelClosedRecord& record) const {
    return ledger.statement_.check(record);
  }

  Status operator()(const AbsentRecord& record) const { return ledger.statement_.check(record); }

  Status operator()(const CandidateRecord& record) const {
    if (ledger.completed()) return unfit_record("a candidate is taken after the end");
    return ledger.statement_.check_of_space(record);
  }

  Status operator()(const GivenUpRecord& record) const {
    return ledger.statement_.check_of_space(record);
  }

  Status operator()(const RecommendedRecord& record) const {
    return ledger.statement_.check_of_space(record);
  }

  Status operator()(const CompletedRecord& record) const {
    if (ledger.completed()) return unfit_record("the experiment is completed a second time");
    const std::vector<std::string> known = {"certified", "max_duels", "stopped"};
    if (std::find(known.begin(), known.end(), record.reason) != known.end()) return Done{};
    return unfit_record(fmt::format("'{}' is not a reason to complete", record.reason),
                        spelling_hint(record.reason, known));
  }

  Status operator()(const StateRecord& record) const {
    using enum ExperimentState;
    const bool allowed =
        (record.state == running && (ledger.state_ == draft || ledger.state_ == paused)) ||
        (record.state == paused && ledger.state_ == running) ||
        (record.state == archived && ledger.state_ == completed);
    if (allowed) return Done{};
    return Error::conflict(fmt::format("an experiment that is {} cannot become {}",
                                       to_word(ledger.state_), to_word(record.state)));
  }

  Status operator()(const ConfiguredRecord& record) const {
    if (ledger.completed()) return Error::conflict("a completed experiment is configured");
    if (ledger.parts_.panel && record.guardrails.explore_floor > 0) {
      return Error::unsupported("a panel is only asked what can matter")
          .in_field("guardrails.explore_floor");
    }
    if (ledger.parts_.space && record.guardrails.explore_floor > 0) {
      return Error::unsupported("the learner of a space explores by itself")
          .in_field("guardrails.explore_floor");
    }
    return Done{};
  }

  Status operator()(const PolicyRebuiltRecord& /*record*/) const { return Done{}; }

  Status operator()(const RecoveredRecord& record) const {
    if (record.after <= ledger.sequence_) return Done{};
    return unfit_record(fmt::format("record {} is yet to come", record.after));
  }

  Status operator()(const InterleavedRecord& record) const {
    for (const OtherRanking& other : record.others)
      DUEL_RETURN_IF_ERROR(ledger.field_.arm_of(other.arm_id));
    if (ledger.find_open(record.duel_id) != nullptr) return Done{};
    return Error::not_found(fmt::format("no duel '{}' waits for its page", record.duel_id));
  }

  Status operator()(const PagedRecord& record) const {
    if (record.items.from > record.items.to) return unfit_record("a page ends before it begins");
    if (ledger.find_open(record.duel_id) != nullptr) return Done{};
    return Error::not_found(fmt::format("no duel '{}' shows another page", record.duel_id));
  }

  Status operator()(const EventRecord& record) const {
    DUEL_RETURN_IF_ERROR(check_id("a duel", record.duel_id));  // a late one's is not looked up
    if (!(record.credit >= 0) || record.place > 2 + ledger.num_arms())
      return unfit_record("the credit makes no sense");
    if (record.late || ledger.find_open(record.duel_id) != nullptr) return Done{};
    return unfit_record(fmt::format("an event after the duel '{}' was closed", record.duel_id));
  }
};

Status Ledger::check(const Record& record) const { return std::visit(Checker{*this}, record); }

}  // namespace duel
