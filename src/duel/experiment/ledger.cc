#include "duel/experiment/ledger.h"

#include <fmt/format.h>

#include <utility>

#include "duel/core/archive_containers.h"
#include "duel/core/rng.h"
#include "duel/experiment/features.h"
#include "duel/experiment/result_pages.h"
#include "duel/experiment/slices.h"

namespace duel {

Result<Ledger> Ledger::make(const ExperimentRecord& experiment,
                            std::unique_ptr<SettledDuels> settled) {
  const Parts parts = parts_of(experiment);
  DUEL_RETURN_IF_ERROR(check_id("an experiment", experiment.experiment_id));
  std::optional<ArmField> field;
  if (!parts.space) {
    DUEL_ASSIGN(field, ArmField::make(experiment.arms, parts.fixed_set));
    DUEL_RETURN_IF_ERROR(check_features(experiment.arms));
  }
  if (!(experiment.aa_rate >= 0 && experiment.aa_rate <= 0.5)) {
    return Error::invalid_argument(fmt::format("{} is out of range", experiment.aa_rate), "aa_rate",
                                   "0 .. 0.5");
  }
  DUEL_RETURN_IF_ERROR(check_slices(experiment));
  DUEL_ASSIGN(Statement statement, Statement::make(experiment, parts));
  const ServiceRule& service = experiment.service;
  if (service.starts != ExperimentState::draft && service.starts != ExperimentState::running) {
    return Error::invalid_argument(
               fmt::format("an experiment does not start as '{}'", to_word(service.starts)))
        .in_field("service.starts")
        .with_hint("draft or running");
  }
  // What may be shown: the point in use, and a candidate.
  if (parts.space) field = ArmField::of_roles(statement.tuned()->entries(), 2);
  return Ledger(experiment, std::move(*field), std::move(statement), std::move(settled));
}

Ledger::Ledger(const ExperimentRecord& experiment, ArmField field, Statement statement,
               std::unique_ptr<SettledDuels> settled)
    : experiment_(experiment),
      parts_(parts_of(experiment)),
      field_(std::move(field)),
      duels_(std::move(settled)),
      tally_(field_.num_arms()),
      statement_(std::move(statement)),
      state_(experiment.service.starts),
      name_(experiment.service.name),
      feedback_(experiment.service.feedback),
      guardrails_(experiment.service.guardrails),
      audit_key_sha256_(experiment.audit.key_sha256) {}

// As the parts number them. REQUIRES: the record was checked.
std::pair<Arm, Arm> Ledger::arms_of(const ServeRecord& serve) const {
  if (parts_.space) return tuned()->roles_of(serve);
  return {*find_arm(serve.first), *find_arm(serve.second)};
}

CertifiedRecord Ledger::certified_record() const {
  DUEL_CHECK(certificate().has_value());
  const GivenCertificate& given = *certificate();
  CertifiedRecord record{
      .kind = given.kind, .winner = given.winner ? id_of(*given.winner) : "", .at = given.sequence};
  for (const Arm arm : given.arms) record.arms.push_back({id_of(arm)});
  return record;
}

Result<Effect> Ledger::apply(const LogEntry& entry) {
  DUEL_RETURN_IF_ERROR(check(entry.record));
  return take(entry);
}

// What a record does, by its kind. REQUIRES: the record was checked.
struct Ledger::Folder {
  Ledger& ledger;

  Folded configured() {
    ledger.configured_at_ = ledger.sequence_ + 1;
    return {};
  }

  Folded arms_changed() {
    ledger.tally_.set_arms(ledger.num_arms());
    if (ledger.parts_.fixed_set) ledger.experiment_.arms = ledger.field_.entries();
    return configured();
  }

  Folded settle(std::string_view duel_id, const LedgerDuel& duel, const Heard& heard) {
    if (heard.evidence) ledger.statement_.final_answer(duel.place_in_order, *heard.evidence);
    ledger.duels_.settle(duel_id, duel);
    return {Effect::applied, duel};
  }

  Folded operator()(const ExperimentRecord& /*record*/) {
    DUEL_CHECK(false);
    return {};
  }

  Folded operator()(const ServeRecord& record) {
    const auto [first, second] = ledger.arms_of(record);
    LedgerDuel duel{.ordinal = ledger.duels_.served(),
                    .expires_at = record.expires_at,
                    .round = record.round,
                    .first = first,
                    .second = second,
                    .serving = record.serving};
    if (ledger.parts_.space) {
      duel.first_point = *TunedSpace::ordinal_of_id(record.first);
      duel.second_point = *TunedSpace::ordinal_of_id(record.second);
    }
    duel.evidence = record.evidence && duel.first != duel.second;
    if (record.audit > 0) duel.audit = {.step = AuditState::Step::asked, .share = record.audit};
    ledger.tally_.served(record, duel.first, duel.second);
    if (record.serving == Serving::exploit) {
      ledger.duels_.pass();
      return {};
    }
    if (duel.evidence) {
      duel.place_in_order = ledger.statement_.served(record, duel.first, duel.second);
    } else if (duel.first != duel.second) {
      ledger.statement_.served_in_vain(record, duel.first, duel.second);
    }
    if (ledger.parts_.space) ledger.statement_.tuned_space().served(record);
    ledger.duels_.open(record.duel_id, duel);
    return {};
  }

  // What an answer says of the duel.
  void fill(LedgerDuel& duel, const OutcomeRecord& record) {
    duel.fate = Fate::answered;
    duel.result = record.answer.result;
    duel.outcome = *ledger.outcome_of(record.answer, duel);
    if (duel.result != Answered::graded) return;
    duel.score = *record.answer.score;
    duel.lot = lot_of(duel.score, ledger.experiment_.seed, record.duel_id);
  }

  Folded operator()(const OutcomeRecord& record) {
    using enum AuditState::Step;
    LedgerDuel duel = **ledger.find_duel(record.duel_id);
    LedgerDuel said = duel;
    fill(said, record);
    const bool by_program = is_program(record.source);
    const AuditState& audit = duel.audit;
    if (audit.step == asked) return hear_program(record, said);
    if (audit.step != none && by_program && audit.step != undrawn) {
      // The program has answered before. What a person says is in the other fields.
      return {ledger.duels_.answered_again(program_of(audit.program), program_of(said.y()))};
    }
    // A person's answer to a duel that was not drawn, or after it was given up.
    if (!by_program && (audit.step == undrawn || audit.step == lost)) {
      return {ledger.duels_.came_late()};
    }
    if (duel.fate != Fate::pending) return {ledger.duels_.answered_again(duel, said)};
    // Somebody else is asked, for as long as it takes.
    if (audit.step == drawn && said.result == Answered::invalid) return {Effect::applied};
    const Heard answer = heard(said, ledger.feedback_.on_timeout, ledger.parts_);
    if (ledger.parts_.audited && by_program && said.first != said.second) {
      ledger.tally_.judged(record, said, answer.counted);
      ledger.tally_.not_drawn(said);
    } else {
      ledger.tally_.answered(record, said, answer.counted);
    }
    if (answer.evidence && record.response_ms) ledger.statement_.answer_took(*record.response_ms);
    return settle(record.duel_id, said, answer);
  }

  // Of a duel under audit: the program's answer.
  Folded hear_program(const OutcomeRecord& record, LedgerDuel said) {
    ledger.tally_.judged(record, said, said.outcome);
    said.audit.step = AuditState::Step::judged;
    said.audit.program = said.y();
    said.fate = Fate::pending;
    ledger.duels_.change(record.duel_id, said);
    return {Effect::applied};
  }

  static LedgerDuel program_of(double y) {
    LedgerDuel one;
    one.fate = Fate::answered;
    one.score = y;
    return one;
  }

  Folded operator()(const AuditRecord& record) {
    LedgerDuel duel = *ledger.find_open(record.duel_id);
    if (record.drawn) {
      duel.audit.step = AuditState::Step::drawn;
      duel.result = Answered::skip;
      duel.outcome = duel.lot = Outcome::none;
      duel.score = 0.5;
      duel.expires_at = {};  // people are waited for by offers
      ledger.duels_.change(record.duel_id, duel);
      return {};
    }
    duel.audit.step = AuditState::Step::undrawn;
    duel.fate = duel.audit.silent ? Fate::expired : Fate::answered;
    ledger.tally_.not_drawn(duel);
    return settle(record.duel_id, duel, heard(duel, ledger.feedback_.on_timeout, ledger.parts_));
  }

  Folded operator()(const OfferRecord& record) {
    LedgerDuel duel = *ledger.find_open(record.duel_id);
    ++duel.audit.offers;
    ledger.duels_.change(record.duel_id, duel);
    return {};
  }

  Folded operator()(const AuditLostRecord& record) {
    LedgerDuel duel = *ledger.find_open(record.duel_id);
    duel.audit.step = AuditState::Step::lost;
    duel.fate = Fate::expired;
    ledger.tally_.lost(duel);
    return settle(record.duel_id, duel, heard(duel, ledger.feedback_.on_timeout, ledger.parts_));
  }

  Folded operator()(const AuditKeyRecord& record) {
    ledger.audit_key_sha256_ = record.sha256;
    return {};
  }

  Folded operator()(const ExpiredRecord& record) {
    LedgerDuel duel = *ledger.find_open(record.duel_id);
    if (duel.audit.step == AuditState::Step::asked) {
      // It is drawn or not all the same: otherwise the program would choose what is audited.
      duel.audit.step = AuditState::Step::judged;
      duel.audit.silent = true;
      ledger.duels_.change(record.duel_id, duel);
      return {Effect::applied};
    }
    duel.fate = Fate::expired;
    const Heard silence = heard(duel, ledger.feedback_.on_timeout, ledger.parts_);
    const bool moot = ledger.certificate() && ledger.experiment_.format > 1;
    const bool clickless =
        ledger.experiment_.service.mode == Mode::interleave && is_page_ending(record.note);
    ledger.tally_.expired(record, duel, silence.counted, moot, clickless);
    return settle(record.duel_id, duel, silence);
  }

  Folded operator()(const ArmAddedRecord& record) {
    ledger.field_.add(record.arm);
    ledger.statement_.add_arm();
    return arms_changed();
  }

  Folded operator()(const ArmRetiredRecord& record) {
    const Arm arm = *ledger.find_arm(record.arm_id);
    ledger.field_.retire(arm);
    ledger.statement_.retire(arm);
    return arms_changed();
  }

  Folded operator()(const ComparisonRecord& record) {
    LedgerDuel made{.ordinal = kMadeElsewhere,
                    .first = *ledger.find_arm(record.first),
                    .second = *ledger.find_arm(record.second),
                    .fate = Fate::answered,
                    .result = record.answer.result};
    made.outcome = *ledger.outcome_of(record.answer, made.first, made.second);
    if (made.result == Answered::graded) {
      made.score = *record.answer.score;
      made.lot = lot_of(made.score, ledger.experiment_.seed,
                        fmt::format("comparison/{}", ledger.sequence_ + 1));
    }
    made.evidence = ledger.parts_.comparisons_count && record.evidence;
    const Heard answer = heard(made, ledger.feedback_.on_timeout, ledger.parts_);
    ledger.tally_.compare(record, made, answer.counted, ledger.parts_.comparisons_count);
    if (answer.evidence) ledger.statement_.compare(made.first, made.second, *answer.evidence);
    if (ledger.comparisons() == ledger.experiment_.one_look_after) ledger.statement_.look();
    return {Effect::applied, made};
  }

  Folded operator()(const CertifiedRecord& /*record*/) {
    ledger.statement_.recorded();
    return {};
  }

  Folded operator()(const TasksAddedRecord& record) {
    ledger.statement_.add_tasks(record);
    return {};
  }

  Folded operator()(const PanelClosedRecord& /*record*/) {
    ledger.statement_.close_panel();
    return {};
  }

  Folded operator()(const AbsentRecord& record) {
    ledger.statement_.miss(record);
    return {};
  }

  Folded operator()(const CandidateRecord& record) {
    ledger.statement_.tuned_space().take(record);
    return {};
  }

  Folded operator()(const GivenUpRecord& record) {
    ledger.statement_.tuned_space().give_up(record);
    return {};
  }

  Folded operator()(const RecommendedRecord& record) {
    ledger.statement_.tuned_space().recommend(record, ledger.served());
    return {};
  }

  Folded operator()(const CompletedRecord& /*record*/) {
    ledger.state_ = ExperimentState::completed;
    return configured();
  }

  Folded operator()(const StateRecord& record) {
    ledger.state_ = record.state;
    return configured();
  }

  Folded operator()(const ConfiguredRecord& record) {
    ledger.name_ = record.name;
    ledger.feedback_ = record.feedback;
    ledger.guardrails_ = record.guardrails;
    return configured();
  }

  // All others change nothing here. Where power was lost, the reader of a log knows of the record
  // `recovered` beforehand and takes evidence from the serves before it (experiment_log.h).
  Folded operator()(const auto& /*record*/) { return {}; }
};

void Ledger::pass(const LogEntry& entry) {
  DUEL_CHECK(entry.sequence == sequence_ + 1);
  sequence_ = entry.sequence;
  head_ = entry.hash;
}

Ledger::Folded Ledger::fold(const LogEntry& entry) {
  DUEL_CHECK(entry.sequence == sequence_ + 1);
  Folded folded = std::visit(Folder{*this}, entry.record);
  sequence_ = entry.sequence;
  head_ = entry.hash;
  if (std::holds_alternative<ServeRecord>(entry.record)) pace_.served(entry.time_ms);
  statement_.decide(entry.sequence, entry.hash);
  const bool renames = parts_.space && (statement_.tuned()->proof().certified() ||
                                        std::holds_alternative<CertifiedRecord>(entry.record) ||
                                        std::holds_alternative<CandidateRecord>(entry.record));
  if (renames) field_.rename(statement_.tuned()->entries());
  return folded;
}

// Hashes of one log by two versions of Duel are compared: what is added, and in which order, stays
// the same however the parts hold it.
std::uint64_t Ledger::state_hash() const {
  std::uint64_t hash = 0;
  const auto add = [&](auto... values) {
    ((hash = mix64(hash ^ static_cast<std::uint64_t>(values))), ...);
  };
  add(num_arms());
  for (const LedgerArm& arm : arms()) add(hash_text(arm.entry.id), arm.active);
  hash = tally_.hash(hash);
  const ServingOrder& order = referee().order();
  add(tasks().count, flips().judged, flips().to_first, flips().to_second, served(), comparisons(),
      duplicates(), conflicts(), late(), order.released() + order.waiting(), order.released(),
      order.waiting(), certifier().decisive(), sequence_, state_, configured_at_, exploited(),
      duels_.settled_hash(), certificate().has_value(),
      certificate() ? certificate()->sequence : 0);
  for (Arm i = 0; i < num_arms(); ++i) {
    for (Arm j = 0; j < num_arms(); ++j) {
      if (i != j) add(certifier().wins(i, j));
    }
  }
  for (const auto& [ordinal, id] : duels_.pending_by_ordinal()) add(ordinal, hash_text(id));
  for (const ArmEntry& arm : withdrawn()) add(hash_text(arm.id));
  if (panel() != nullptr) hash = panel()->hash(hash);
  if (tuned() != nullptr) hash = tuned()->hash(hash);
  return hash;
}

template <class Archive>
void Ledger::fields(Archive& archive) {
  archive(field_);
  if constexpr (kReadsState<Archive>) {
    if (parts_.fixed_set) experiment_.arms = field_.entries();
    // The thresholds of a fixed set are made for its number of arms, and not saved.
    const bool other = parts_.fixed_set && num_arms() != certifier().num_arms();
    if (other && statement_.check_arms(num_arms()).ok()) statement_.set_arms(num_arms());
  }
  archive(duels_, tally_, statement_);
  archive(state_, name_, feedback_.timeout_s, feedback_.on_timeout, guardrails_.explore_floor,
          guardrails_.max_duels_per_subject_per_day, guardrails_.max_pending);
  archive(configured_at_, sequence_, head_, pace_, audit_key_sha256_);
}
template void Ledger::fields(StateWriter& archive);
template void Ledger::fields(StateReader& archive);

bool Ledger::restored() const {
  return num_arms() >= 2 && duels_.restored(num_arms()) && tally_.restored(num_arms()) &&
         statement_.restored(num_arms());
}

}  // namespace duel
