#include "duel/server/owned_experiment.h"

#include <fmt/format.h>

#include <algorithm>

#include "duel/core/described_json.h"
#include "duel/core/rng.h"
#include "duel/log/experiment_log.h"
#include "duel/store/line.h"
#include "duel/verdict/board.h"
#include "duel/verdict/certificate_file.h"
#include "duel/verdict/experiment_result.h"

namespace duel {
std::string OwnedExperiment::key_of(const Record& record) {
  return std::visit(
      []<class Kind>(const Kind& kind) -> std::string {
        if constexpr (requires { kind.duel_id; }) return kind.duel_id;
        return "";
      },
      record);
}

std::uint64_t OwnedExperiment::tag_of(const Record& record) {
  const auto* serve = std::get_if<ServeRecord>(&record);
  if (serve == nullptr || serve->subject.empty() || !serve->evidence) return 0;
  const auto& [low, high] = std::minmax(serve->first, serve->second);
  const std::uint64_t hash =
      mix64(hash_text(low) ^ mix64(hash_text(high) ^ mix64(hash_text(serve->subject))));
  return hash == 0 ? 1 : hash;
}

OwnedExperiment::OwnedExperiment(std::shared_ptr<Store> store, LiveExperiment live,
                                 StoredDuels* duels, ExperimentSecrets secrets,
                                 const ReportTokens& tokens)
    : store_(std::move(store)),
      live_(std::move(live)),
      duels_(duels),
      secrets_(std::move(secrets)),
      tokens_(tokens),
      pages_(secrets_.draft_seed, ledger().experiment().service.interleave.method),
      head_(kHexDigits, '0'),
      stored_head_{0, head_} {
  duels_->know_arms(ledger().arms());
}

Result<std::unique_ptr<OwnedExperiment>> OwnedExperiment::create(std::shared_ptr<Store> store,
                                                                 const ExperimentRecord& record,
                                                                 std::int64_t now_ms,
                                                                 ExperimentSecrets secrets,
                                                                 const ReportTokens& tokens) {
  auto duels = std::make_unique<StoredDuels>(store, record.experiment_id);
  StoredDuels* const found = duels.get();
  DUEL_ASSIGN(LiveExperiment live, LiveExperiment::make(record, std::move(duels)));
  auto owned = std::unique_ptr<OwnedExperiment>(
      new OwnedExperiment(std::move(store), std::move(live), found, std::move(secrets), tokens));
  owned->last_time_ms_ = now_ms;
  DUEL_ASSIGN(std::string line, log_line(1, now_ms, record, owned->head_, owned->sha_));
  line.pop_back();
  owned->lines_.push_back({std::move(line), "", 0});
  return owned;
}

std::vector<Line> OwnedExperiment::staged_lines() const {
  std::vector<Line> lines;
  lines.reserve(lines_.size());
  for (const StagedLine& line : lines_) lines.push_back({line.text, line.key, line.tag});
  return lines;
}

void OwnedExperiment::committed() {
  stored_head_ = {stored_head_.sequence + lines_.size(), head_};
  lines_.clear();
  staged_tags_.clear();
  duels_->committed();
}

Result<Effect> OwnedExperiment::stage(Record record, std::int64_t now_ms) {
  const auto* serve = std::get_if<ServeRecord>(&record);
  // After a choice that was not served nothing else may follow: the next fold would not know of it.
  // Nor may a serve that is proven by a token be taken for the one that was chosen.
  const bool is_choice = serve != nullptr && serve->by != ServedBy::recovered;
  if (store_refuses_ || (spoiled() && !is_choice)) {
    refused_change_ = true;
    return Error::io("the store takes no records now");
  }
  if (serve == nullptr) DUEL_RETURN_IF_ERROR(live_.check(record));
  LogEntry entry{ledger().sequence() + 1, time_of(now_ms), std::move(record), head_};
  DUEL_ASSIGN(std::string line,
              log_line(entry.sequence, entry.time_ms, entry.record, entry.hash, sha_));
  line.pop_back();  // ends of lines are the store's
  std::string key = key_of(entry.record);
  DUEL_ASSIGN(const Effect effect, live_.apply(entry));
  if (!key.empty()) duels_->staged(key, entry);
  const std::uint64_t tag = tag_of(entry.record);
  if (tag != 0) staged_tags_.insert(tag);
  lines_.push_back({std::move(line), std::move(key), tag});
  note(entry);
  return effect;
}

// What is held beside the ledger.
void OwnedExperiment::note(const LogEntry& entry) {
  head_ = entry.hash;
  last_time_ms_ = entry.time_ms;
  pages_.note(entry);
  timeline_.note(ledger(), entry.time_ms);
  if (ledger().certificate() && ledger().certificate()->sequence == entry.sequence) {
    certificate_text_ = certificate_text(ledger());
  }
  if (const auto* serve = std::get_if<ServeRecord>(&entry.record)) {
    if (serve->subject.empty()) return;
    if (serve->serving != Serving::exploit) remember_for_subject(*serve);
    if (entry.time_ms / kDayMs != day_) {
      day_ = entry.time_ms / kDayMs;
      served_today_.clear();
    }
    if (ledger().guardrails().max_duels_per_subject_per_day > 0) ++served_today_[serve->subject];
  } else if (std::holds_alternative<ArmAddedRecord>(entry.record) ||
             std::holds_alternative<ArmRetiredRecord>(entry.record)) {
    duels_->know_arms(ledger().arms());
  }
}

// Bounded by what is open: what was answered is swept out when it is more than that.
void OwnedExperiment::remember_for_subject(const ServeRecord& serve) {
  const auto answered = [&](const std::string& duel_id) {
    return ledger().find_open(duel_id) == nullptr;
  };
  std::vector<std::string>& duels = last_duels_of_[serve.subject];
  std::erase_if(duels, answered);
  if (duels.size() == kOpenDuelsPerVoter) duels.erase(duels.begin());
  duels.push_back(serve.duel_id);
  if (last_duels_of_.size() <= 1000 + 2 * ledger().num_pending()) return;
  std::erase_if(last_duels_of_,
                [&](const auto& one) { return std::ranges::all_of(one.second, answered); });
}

Status OwnedExperiment::stage_certificate(std::int64_t now_ms) {
  const auto& given = ledger().certificate();
  if (!given || given->sequence != ledger().sequence()) return Done{};
  DUEL_RETURN_IF_ERROR(stage(ledger().certified_record(), now_ms));
  if (ledger().experiment().service.on_certified == OnCertified::complete) {
    DUEL_RETURN_IF_ERROR(stage(CompletedRecord{"certified"}, now_ms));
  }
  return Done{};
}

// --- Configuration, states, arms ----------------------------------------------------------------

std::string OwnedExperiment::etag() const {
  return fmt::format("\"{}\"", ledger().configured_at());
}

ArmAnswer OwnedExperiment::arm_answer(const std::string& arm_id) const {
  const ArmEntry* entry = ledger().find_withdrawn(arm_id);
  bool active = false;
  if (entry == nullptr) {
    const LedgerArm& arm = ledger().arms()[*ledger().find_arm(arm_id)];
    entry = &arm.entry;
    active = arm.active;
  }
  return {.arm_id = arm_id,
          .payload = entry->content,
          .state = active ? "active" : "retired",
          .is_default = arm_id == ledger().experiment().service.default_arm};
}

OwnedExperiment::Reply OwnedExperiment::show() const {
  const ExperimentRecord& experiment = ledger().experiment();
  ExperimentAnswer answer;
  answer.experiment_id = id();
  answer.name = ledger().name();
  answer.state = ledger().state();
  answer.mode = experiment.service.mode;
  answer.policy = experiment.policy;
  answer.goal = experiment.goal;
  for (const LedgerArm& arm : ledger().arms()) answer.arms.push_back(arm_answer(arm.entry.id));
  for (const ArmEntry& arm : ledger().withdrawn()) answer.arms.push_back(arm_answer(arm.id));
  answer.stopping.alpha = experiment.stopping.alpha;
  answer.stopping.arms = experiment.stopping.arms_fixed ? "fixed" : "open";
  answer.stopping.min_decisive_per_pair = experiment.stopping.min_decisive_per_pair;
  answer.stopping.max_duels = experiment.stopping.max_duels;
  answer.stopping.on_certified = experiment.service.on_certified;
  answer.stopping.pairs_independent = !experiment.stopping.shared_causes;
  answer.feedback.rule = ledger().feedback();
  answer.presentation.order = experiment.order;
  answer.guardrails.rule = ledger().guardrails();
  answer.guardrails.aa_rate = experiment.aa_rate;
  if (experiment.service.mode == Mode::interleave) {
    answer.interleave.emplace().rule = experiment.service.interleave;
  }
  answer.num_tasks = ledger().tasks().count;
  answer.seed = experiment.seed;
  answer.served = ledger().served();
  answer.pending = ledger().num_pending();
  answer.sequence = ledger().sequence();
  answer.head = head_;
  answer.etag = etag();
  return ServerAnswer{200, described_json(answer), {{"ETag", etag()}}};
}

OwnedExperiment::Reply OwnedExperiment::patch(const PatchBody& body, const std::string& if_match,
                                              std::int64_t now_ms) {
  if (if_match != etag() && if_match != "*") {
    return refusal(412, fmt::format("the experiment is at {}, not at {}", etag(), if_match));
  }
  ConfiguredRecord changed{ledger().name(), ledger().feedback(), ledger().guardrails()};
  if (body.name) changed.name = *body.name;
  if (body.feedback) changed.feedback = body.feedback->rule;
  if (body.guardrails) changed.guardrails = body.guardrails->rule;
  if (body.guardrails && body.guardrails->aa_rate != ledger().experiment().aa_rate &&
      body.guardrails->aa_rate != 0) {
    return Error::conflict("the share of A/A duels cannot change", "/guardrails/aa_rate");
  }
  DUEL_RETURN_IF_ERROR(stage(changed, now_ms));
  return show();
}

OwnedExperiment::Reply OwnedExperiment::change_state(std::string_view verb, std::int64_t now_ms) {
  using enum ExperimentState;
  const ExperimentState wanted = verb == "start" || verb == "resume" ? running
                                 : verb == "pause"                   ? paused
                                 : verb == "complete"                ? completed
                                                                     : archived;
  if (ledger().state() == wanted) return show();
  if (wanted == completed) {
    if (ledger().state() == archived) {
      return Error::conflict("an archived experiment cannot be completed");
    }
    DUEL_RETURN_IF_ERROR(stage(CompletedRecord{"stopped"}, now_ms));
    return show();
  }
  if (verb == "start" && ledger().state() == paused) {
    return Error::conflict("a paused experiment is resumed, not started");
  }
  if (verb == "resume" && ledger().state() == draft) {
    return Error::conflict("a draft is started, not resumed");
  }
  DUEL_RETURN_IF_ERROR(stage(StateRecord{wanted}, now_ms));
  return show();
}

OwnedExperiment::Reply OwnedExperiment::add_arm(const std::string& arm_id, const NewArmBody& body,
                                                std::int64_t now_ms) {
  DUEL_RETURN_IF_ERROR(check_id("an arm", arm_id));
  const auto arm = ledger().find_arm(arm_id);
  if ((arm && !ledger().arms()[*arm].active) || ledger().find_withdrawn(arm_id) != nullptr) {
    return Error::conflict(
        fmt::format("the arm '{}' was retired; its id is not used again", arm_id));
  }
  if (arm) {
    const LedgerArm& known = ledger().arms()[*arm];
    if (known.entry.content == body.payload) {
      return ServerAnswer{200, described_json(arm_answer(arm_id)), {}};
    }
    return Error::conflict(
        fmt::format("the arm '{}' has another payload; arms never change", arm_id));
  }
  const ArmAddedRecord record{{.id = arm_id, .payload = "", .sha256 = "", .content = body.payload}};
  if (const Status status = live_.check(record); !status.ok()) {
    Error error = status.error();
    error.code = ErrorCode::conflict;
    return error;
  }
  DUEL_RETURN_IF_ERROR(stage(record, now_ms));
  return ServerAnswer{201, described_json(arm_answer(arm_id)), {}};
}

OwnedExperiment::Reply OwnedExperiment::retire_arm(const std::string& arm_id, std::int64_t now_ms) {
  if (ledger().find_withdrawn(arm_id) != nullptr) {
    return ServerAnswer{200, described_json(arm_answer(arm_id)), {}};
  }
  const auto arm = ledger().find_arm(arm_id);
  if (!arm) return Error::not_found(fmt::format("there is no arm '{}'", arm_id));
  if (ledger().arms()[*arm].active) {
    if (ledger().num_active() == 1) {
      return Error::conflict(fmt::format("'{}' is the last arm that can be shown", arm_id));
    }
    const ArmRetiredRecord record{arm_id};
    if (const Status status = live_.check(record); !status.ok()) {
      Error error = status.error();
      error.code = ErrorCode::conflict;
      return error;
    }
    DUEL_RETURN_IF_ERROR(stage(record, now_ms));
    DUEL_RETURN_IF_ERROR(stage_certificate(now_ms));
  }
  return ServerAnswer{200, described_json(arm_answer(arm_id)), {}};
}

// --- Results ------------------------------------------------------------------------------------

OwnedExperiment::Reply OwnedExperiment::result() const {
  Json json = result_json(ledger(), board_of(ledger()));
  json["served"] = ledger().served();
  json["sequence"] = ledger().sequence();
  return ServerAnswer{200, std::move(json), {}};
}

OwnedExperiment::Reply OwnedExperiment::health() const {
  const std::vector<HealthCheck> checks = check_health(ledger());
  return ServerAnswer{
      200, {{"verdict", to_word(overall(checks))}, {"checks", to_json(checks)}}, {}};
}

OwnedExperiment::Reply OwnedExperiment::certificate() const {
  if (certificate_text_.empty()) return Error::not_found("there is no certificate yet");
  auto json = Json::parse(certificate_text_);
  DUEL_CHECK(json.has_value());
  return ServerAnswer{200, std::move(*json), {}};
}

OwnedExperiment::Reply OwnedExperiment::timeline(std::size_t points) const {
  return ServerAnswer{200, timeline_.to_json(ledger(), last_time_ms_, points), {}};
}

}  // namespace duel
