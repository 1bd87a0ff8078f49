#include "duel/server/owned_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "duel/core/rng.h"
#include "duel/experiment/board.h"
#include "duel/experiment/certificate_file.h"
#include "duel/experiment/experiment_log.h"
#include "duel/experiment/experiment_result.h"
#include "duel/experiment/record_reader.h"
#include "duel/experiment/standing.h"
#include "duel/experiment/timestamp.h"
#include "duel/experiment/verdict.h"
#include "duel/ranking/interleaving/impression_draft.h"
#include "duel/server/body.h"
#include "duel/store/line.h"

namespace duel {
namespace {

constexpr std::int64_t kDayMs = 86'400'000;

// Time-ordered and random: 10 letters of the time in milliseconds, 16 of chance.
std::string new_duel_id(std::int64_t now_ms) {
  constexpr std::string_view kLetters = "0123456789abcdefghjkmnpqrstvwxyz";
  std::string id;
  for (int shift = 45; shift >= 0; shift -= 5) {
    id += kLetters[static_cast<std::uint64_t>(now_ms) >> shift & 31];
  }
  for (const char byte : random_bytes(16)) id += kLetters[static_cast<unsigned char>(byte) & 31];
  return id;
}

std::string next_id_after(const std::string& duel_id) {
  return "n." + sha256_hex(duel_id).substr(0, 52);
}

Error unprocessable(std::string message) { return Error::invalid_data(std::move(message)); }

std::string hash_of_body(const DuelBody& body) {
  Json json = body_json(body);
  return sha256_hex(json.dump()).substr(0, 32);
}

}  // namespace

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
      pages_(secrets_.draft_seed),
      head_(kHexDigits, '0'),
      stored_head_{0, head_} {
  for (const LedgerArm& arm : ledger().arms()) duels_->add_arm(arm.entry.id);
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
  if (store_refuses_) {
    refused_change_ = true;
    return Error::io("the store takes no records now");
  }
  if (!std::holds_alternative<ServeRecord>(record)) DUEL_RETURN_IF_ERROR(live_.check(record));
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
  if (ledger().certificate() && ledger().certificate()->sequence == entry.sequence) {
    certificate_text_ = certificate_text(ledger());
  }
  if (const auto* serve = std::get_if<ServeRecord>(&entry.record)) {
    if (serve->by == ServedBy::exclude) ++excluded_;
    if (serve->subject.empty()) return;
    if (entry.time_ms / kDayMs != day_) {
      day_ = entry.time_ms / kDayMs;
      served_today_.clear();
    }
    if (ledger().guardrails().max_duels_per_subject_per_day > 0) ++served_today_[serve->subject];
  } else if (const auto* added = std::get_if<ArmAddedRecord>(&entry.record)) {
    duels_->add_arm(added->arm.id);
  }
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

Json OwnedExperiment::arm_json(const std::string& arm_id, int position) const {
  const LedgerArm& arm = ledger().arms()[*ledger().find_arm(arm_id)];
  Json json;
  json["arm_id"] = arm_id;
  if (position > 0) json["position"] = position;
  json["payload"] = arm.entry.content;
  return json;
}

OwnedExperiment::Reply OwnedExperiment::show() const {
  const ExperimentRecord& experiment = ledger().experiment();
  Json json;
  json["experiment_id"] = id();
  json["name"] = ledger().name();
  json["state"] = std::string(to_word(ledger().state()));
  json["mode"] = std::string(to_word(experiment.service.mode));
  json["policy"] = experiment.policy;
  json.update(body_json(experiment.goal));  // goal, top, epsilon, assume
  Json arms = Json::array();
  for (const LedgerArm& arm : ledger().arms()) {
    Json one = arm_json(arm.entry.id, 0);
    one["state"] = arm.active ? "active" : "retired";
    if (arm.entry.id == experiment.service.default_arm) one["default"] = true;
    arms.push_back(std::move(one));
  }
  json["arms"] = std::move(arms);
  json["stopping"] = {{"alpha", experiment.stopping.alpha},
                      {"arms", experiment.stopping.arms_fixed ? "fixed" : "open"},
                      {"min_decisive_per_pair", experiment.stopping.min_decisive_per_pair},
                      {"max_duels", experiment.stopping.max_duels},
                      {"on_certified", std::string(to_word(experiment.service.on_certified))},
                      {"pairs_independent", !experiment.stopping.shared_causes}};
  json["feedback"] = {{"timeout_s", ledger().feedback().timeout_s},
                      {"on_timeout", std::string(to_word(ledger().feedback().on_timeout))},
                      {"late", "record"}};
  json["presentation"] = {{"order", std::string(to_word(experiment.order))}};
  const Guardrails& guardrails = ledger().guardrails();
  json["guardrails"] = {{"explore_floor", guardrails.explore_floor},
                        {"aa_rate", experiment.aa_rate},
                        {"max_duels_per_subject_per_day", guardrails.max_duels_per_subject_per_day},
                        {"max_pending", guardrails.max_pending}};
  if (experiment.service.mode == Mode::interleave) {
    json["interleave"] = body_json(experiment.service.interleave);
  }
  json["seed"] = experiment.seed;
  json["served"] = ledger().served();
  json["pending"] = std::uint64_t{ledger().num_pending()};
  json["sequence"] = ledger().sequence();
  json["head"] = head_;
  json["etag"] = etag();
  return ServerAnswer{200, std::move(json), {{"ETag", etag()}}};
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
  if (const auto arm = ledger().find_arm(arm_id)) {
    const LedgerArm& known = ledger().arms()[*arm];
    if (!known.active) {
      return Error::conflict(
          fmt::format("the arm '{}' was retired; its id is not used again", arm_id));
    }
    if (known.entry.content == body.payload) return ServerAnswer{200, arm_json(arm_id, 0), {}};
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
  return ServerAnswer{201, arm_json(arm_id, 0), {}};
}

OwnedExperiment::Reply OwnedExperiment::retire_arm(const std::string& arm_id, std::int64_t now_ms) {
  const auto arm = ledger().find_arm(arm_id);
  if (!arm) return Error::not_found(fmt::format("there is no arm '{}'", arm_id));
  if (ledger().arms()[*arm].active) {
    const ArmRetiredRecord record{arm_id};
    if (const Status status = live_.check(record); !status.ok()) {
      Error error = status.error();
      error.code = ErrorCode::conflict;
      return error;
    }
    DUEL_RETURN_IF_ERROR(stage(record, now_ms));
    DUEL_RETURN_IF_ERROR(stage_certificate(now_ms));
  }
  Json json = arm_json(arm_id, 0);
  json["state"] = "retired";
  return ServerAnswer{200, std::move(json), {}};
}

// --- Serving ------------------------------------------------------------------------------------

ServedDuel OwnedExperiment::served_duel(const ServeRecord& serve, std::int64_t served_at_ms) const {
  return {.experiment_id = id(),
          .duel_id = serve.duel_id,
          .round = serve.round,
          .first = serve.first,
          .second = serve.second,
          .serving = serve.serving,
          .subject = serve.subject,
          .served_at_ms = served_at_ms,
          .expires_at_ms = serve.expires_at.ms};
}

std::optional<Json> OwnedExperiment::task_json(const std::string& task_id) const {
  for (const Json& item : ledger().experiment().tasks.items.items()) {
    if (item.at("task_id").get<std::string>() == task_id) return item;
  }
  return std::nullopt;
}

Json OwnedExperiment::duel_json(const ServeRecord& serve, std::int64_t served_at_ms) const {
  const bool alone = serve.serving == Serving::exploit;
  Json json;
  json["duel_id"] = serve.duel_id;
  json["experiment_id"] = id();
  json["serving"] = std::string(to_word(serve.serving));
  json["learn"] = !alone;
  json["propensity"] = serve.propensity;
  Json arms = Json::array();
  arms.push_back(arm_json(serve.first, 1));
  if (!alone) arms.push_back(arm_json(serve.second, 2));
  json["arms"] = std::move(arms);
  if (!serve.task.empty()) {
    const auto task = task_json(serve.task);
    json["task"] = task ? *task : Json{{"task_id", serve.task}};
  }
  json["served_at"] = format_timestamp(served_at_ms);
  if (serve.expires_at.ms != 0) json["expires_at"] = format_timestamp(serve.expires_at.ms);
  if (!alone) json["report_token"] = tokens_.sign(served_duel(serve, served_at_ms));
  return json;
}

OwnedExperiment::Reply OwnedExperiment::fallback(const std::string& duel_id, std::int64_t now_ms) {
  constexpr std::size_t kRemembered = 10'000;
  const std::string known_by = duel_id.empty() ? new_duel_id(now_ms) : duel_id;
  if (fallback_ids_.insert(known_by).second) fallback_order_.push_back(known_by);
  if (fallback_order_.size() > kRemembered) {
    fallback_ids_.erase(fallback_order_.front());
    fallback_order_.pop_front();
  }
  const ServiceRule& service = ledger().experiment().service;
  std::string arm = service.default_arm;
  if (arm.empty() || !ledger().arms()[*ledger().find_arm(arm)].active) {
    const auto active = std::find_if(ledger().arms().begin(), ledger().arms().end(),
                                     [](const LedgerArm& one) { return one.active; });
    arm = active == ledger().arms().end() ? ledger().arms().front().entry.id : active->entry.id;
  }
  const auto& given = ledger().certificate();
  if (given && given->winner) arm = ledger().id_of(*given->winner);
  Json json;
  json["duel_id"] = known_by;
  json["experiment_id"] = id();
  json["serving"] = "fallback";
  json["learn"] = false;
  json["propensity"] = 1;
  json["arms"] = Json(Json::Array{arm_json(arm, 1)});
  return ServerAnswer{201, std::move(json), {}};
}

// The same duel again, if it was served.
OwnedExperiment::Reply OwnedExperiment::replay(const std::string& duel_id,
                                               const std::string& request, bool& known) {
  DUEL_ASSIGN(const DuelRecords records, duels_->records_of(duel_id, ledger().sequence() + 1));
  known = records.serve.has_value();
  if (!known) return ServerAnswer{};
  const auto& serve = std::get<ServeRecord>(records.serve->record);
  if (serve.request != request) {
    return unprocessable(fmt::format("the duel '{}' was asked for with another body", duel_id));
  }
  return ServerAnswer{
      200, duel_json(serve, records.serve->time_ms), {{"Idempotent-Replayed", "true"}}};
}

Status OwnedExperiment::draw_task(const DuelBody& body, ServeRecord& serve) const {
  const TaskSet& tasks = ledger().tasks();
  if (tasks.count == 0) {
    if (!body.task_id.empty()) serve.task = body.task_id;
    return Done{};
  }
  const Arm i = *ledger().find_arm(serve.first), j = *ledger().find_arm(serve.second);
  const auto items = tasks.items.items();
  if (!body.task_id.empty()) {
    serve.task = body.task_id;
  } else {
    // A permutation of the pair's own, so that it meets every task once before any again.
    const std::uint64_t seen = i == j ? ledger().aa().served : ledger().pair(i, j).served;
    RoundRng rng = Stream(ledger().experiment().seed, 0, Purpose::choice, "server/tasks")
                       .at((std::uint64_t{std::min(i, j)} << 32 | std::max(i, j)) + 1);
    std::vector<std::size_t> order(items.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[rng.below(k)]);
    serve.task = items[order[seen % order.size()]].at("task_id").get<std::string>();
  }
  if (i != j && ledger().has_met(i, j, serve.task)) serve.evidence = false;
  return Done{};
}

OwnedExperiment::Reply OwnedExperiment::serve(const DuelBody& body, std::int64_t now_ms) {
  // Only what the caller has named can be asked for again.
  const bool named = !body.duel_id.empty() || !body.batch_id.empty();
  const std::string request = named ? hash_of_body(body) : std::string();
  if (!body.duel_id.empty()) DUEL_RETURN_IF_ERROR(check_id("a duel", body.duel_id));
  for (const std::string& arm : body.exclude) {
    if (!ledger().find_arm(arm)) {
      return Error::invalid_argument(fmt::format("there is no arm '{}'", arm), "/exclude");
    }
  }
  if (!body.task_id.empty() && ledger().tasks().count > 0 && !task_json(body.task_id)) {
    return Error::invalid_argument(fmt::format("there is no task '{}'", body.task_id), "/task_id");
  }
  if (body.count == 1 && body.batch_id.empty()) {
    return serve_one(body, body.duel_id, request, now_ms);
  }
  if (body.count == 0 || body.count > 1000) {
    return Error::invalid_argument("is not between 1 and 1000", "/count");
  }
  if (!body.duel_id.empty()) {
    return Error::invalid_argument("several duels have a `batch_id`, not a `duel_id`", "/duel_id");
  }
  std::string batch = body.batch_id.empty() ? new_duel_id(now_ms) : body.batch_id;
  DUEL_RETURN_IF_ERROR(check_id("a batch", batch));
  Json items = Json::array();
  int status = 201;
  HttpFields headers;
  for (std::uint64_t k = 1; k <= body.count; ++k) {
    DUEL_ASSIGN(ServerAnswer one, serve_one(body, fmt::format("{}.{}", batch, k), request, now_ms));
    if (k == 1) status = one.status;
    if (k == 1) headers = one.headers;
    items.push_back(std::move(one.body));
  }
  Json json;
  json["batch_id"] = batch;
  json["items"] = std::move(items);
  return ServerAnswer{status, std::move(json), std::move(headers)};
}

OwnedExperiment::Reply OwnedExperiment::serve_one(const DuelBody& body, const std::string& duel_id,
                                                  const std::string& request, std::int64_t now_ms) {
  if (!duel_id.empty()) {
    bool known = false;
    DUEL_ASSIGN(ServerAnswer again, replay(duel_id, request, known));
    if (known) return again;
  }
  if (store_refuses_) return fallback(duel_id, now_ms);
  DUEL_RETURN_IF_ERROR(expire(now_ms));
  const std::string subject =
      body.subject_id.empty()
          ? std::string()
          : hmac_sha256_hex(secrets_.subject_salt, body.subject_id).substr(0, 24);
  const Guardrails& guardrails = ledger().guardrails();
  if (guardrails.max_duels_per_subject_per_day > 0 && !subject.empty() &&
      time_of(now_ms) / kDayMs == day_) {
    const auto today = served_today_.find(subject);
    if (today != served_today_.end() && today->second >= guardrails.max_duels_per_subject_per_day) {
      return fallback(duel_id, now_ms);
    }
  }
  if (ledger().state() != ExperimentState::running ||
      ledger().num_pending() >= guardrails.max_pending) {
    return fallback(duel_id, now_ms);
  }
  std::vector<Arm> excluded;
  for (const std::string& arm : body.exclude) excluded.push_back(*ledger().find_arm(arm));
  std::optional<ServeRecord> serve =
      live_.choose(duel_id.empty() ? new_duel_id(now_ms) : duel_id, excluded);
  if (!serve) return fallback(duel_id, now_ms);
  serve->subject = subject;
  serve->request = request;
  const std::int64_t time_ms = time_of(now_ms);
  if (serve->serving != Serving::exploit) {
    serve->expires_at = {time_ms + static_cast<std::int64_t>(ledger().feedback().timeout_s) * 1000};
    DUEL_RETURN_IF_ERROR(draw_task(body, *serve));
    DUEL_ASSIGN(const bool met, has_met(*serve));
    if (met) serve->evidence = false;
  }
  Json json = duel_json(*serve, time_ms);
  DUEL_RETURN_IF_ERROR(stage(std::move(*serve), now_ms));
  return ServerAnswer{201, std::move(json), {}};
}

// Whether the subject has been asked about the pair, so that its answer is no evidence again.
Result<bool> OwnedExperiment::has_met(const ServeRecord& serve) const {
  if (!serve.evidence || serve.subject.empty()) return false;
  const std::uint64_t tag = tag_of(serve);
  if (staged_tags_.contains(tag)) return true;
  return store_->tagged(id(), tag);
}

OwnedExperiment::Reply OwnedExperiment::show_duel(const std::string& duel_id) const {
  DUEL_ASSIGN(const DuelRecords records, duels_->records_of(duel_id, ledger().sequence() + 1));
  if (!records.serve) return Error::not_found(fmt::format("no duel '{}' was served", duel_id));
  Json json = duel_json(std::get<ServeRecord>(records.serve->record), records.serve->time_ms);
  json["state"] = ledger().find_open(duel_id) != nullptr ? "served" : "closed";
  if (records.settled) {
    if (const auto* outcome = std::get_if<OutcomeRecord>(&records.settled->record)) {
      Json told = {{"result", std::string(to_word(outcome->answer.result))}};
      if (!outcome->answer.winner.empty()) told["winner"] = outcome->answer.winner;
      told["reported_at"] = format_timestamp(records.settled->time_ms);
      json["outcome"] = std::move(told);
      json["state"] = "reported";
    } else {
      json["state"] = "expired";
    }
  }
  return ServerAnswer{200, std::move(json), {}};
}

// --- Reporting ----------------------------------------------------------------------------------

Result<::duel::Answer> OwnedExperiment::answer_of(const OutcomeBody& body) const {
  if (body.result.empty()) return Error::invalid_argument("is missing", "/result");
  const auto result = parse_word<Answered>(body.result);
  if (!result.ok()) return Error::invalid_argument(result.error().message, "/result");
  return ::duel::Answer{*result, body.winner, body.place};
}

Json OwnedExperiment::progress() const {
  const Standing standing = standing_of(ledger());
  Json json;
  json["verdict"] = verdict_of(ledger(), standing);
  json["certified"] = ledger().certificate().has_value();
  json["expected_duels_left"] = standing.duels_left;
  return json;
}

OwnedExperiment::Reply OwnedExperiment::report(const std::string& duel_id, const OutcomeBody& body,
                                               const ReportOptions& options, std::int64_t now_ms) {
  DUEL_RETURN_IF_ERROR(check_id("a duel", duel_id));
  std::optional<ServedDuel> proven;
  if (!body.report_token.empty()) {
    proven = tokens_.verify(body.report_token);
    if (!proven || proven->experiment_id != id()) {
      return refusal(401, "the report token is not of this experiment");
    }
    if (proven->duel_id != duel_id) {
      return refusal(409, "token_mismatch: the report token is of another duel");
    }
  }
  DUEL_RETURN_IF_ERROR(expire(now_ms));
  bool exploits = false;
  // Of an open duel everything is in memory but what a report token is compared with.
  if (proven || ledger().find_open(duel_id) == nullptr) {
    DUEL_ASSIGN(const DuelRecords records, duels_->records_of(duel_id, ledger().sequence() + 1));
    if (!records.serve) {
      if (proven) return report_recovered(*proven, body, now_ms);
      if (fallback_ids_.contains(duel_id)) {
        Json json;
        json["duel_id"] = duel_id;
        json["status"] = "ignored";
        json["applied"] = false;
        return ServerAnswer{200, std::move(json), {}};
      }
      return Error::not_found(fmt::format("no duel '{}' was served", duel_id));
    }
    const auto& serve = std::get<ServeRecord>(records.serve->record);
    ServedDuel stored = served_duel(serve, records.serve->time_ms);
    if (proven && serve.by == ServedBy::recovered) {
      // Its record was made from this token, later, and a retry must not be refused for that.
      stored.served_at_ms = proven->served_at_ms;
      stored.serving = proven->serving;
    }
    if (proven && !(*proven == stored)) {
      return refusal(409, "token_mismatch: the report token does not fit the duel");
    }
    exploits = serve.serving == Serving::exploit;
  }
  const auto answer = [&](std::string_view status, bool applied) -> Reply {
    Json json;
    json["duel_id"] = duel_id;
    json["status"] = std::string(status);
    json["applied"] = applied;
    if (options.next) {
      DuelBody again;
      again.duel_id = options.next_duel_id.empty() ? next_id_after(duel_id) : options.next_duel_id;
      DUEL_ASSIGN(ServerAnswer following, this->serve(again, now_ms));
      json["next"] = std::move(following.body);
      json["progress"] = progress();
    }
    return ServerAnswer{200, std::move(json), {}};
  };
  if (exploits) return answer("ignored", false);
  const LedgerDuel* open = ledger().find_open(duel_id);
  if (ledger().experiment().service.mode == Mode::interleave) {
    if (body.result != "close") {
      return Error::conflict("clicks decide a page of results; `close` ends it early");
    }
    if (open == nullptr) return answer("duplicate", false);
    DUEL_RETURN_IF_ERROR(settle(duel_id, now_ms, "closed"));
    DUEL_RETURN_IF_ERROR(stage_certificate(now_ms));
    return answer("applied", true);
  }
  OutcomeRecord record;
  record.duel_id = duel_id;
  record.source = body.source;
  record.response_ms = body.response_ms;
  if (body.note.size() > 200) return Error::invalid_argument("has more than 200 bytes", "/note");
  record.note = body.note;
  for (const JudgementBody& judgement : body.judgements) {
    record.judgements.push_back({judgement.first, {judgement.result, judgement.winner}});
  }
  if (body.result.empty() && !record.judgements.empty()) {
    record.answer = combined(record.judgements);
  } else {
    DUEL_ASSIGN(record.answer, answer_of(body));
  }
  if (const Status status = live_.check(record); !status.ok()) {
    return Error::invalid_argument(status.error().message, "/winner", status.error().hint);
  }
  if (open == nullptr) {
    // What repeats the first answer is not written again.
    DUEL_ASSIGN(const std::optional<LedgerDuel> known, ledger().find_duel(duel_id));
    const auto said = ledger().outcome_of(record.answer, known->first, known->second);
    if (known->fate == Fate::answered && known->result == record.answer.result && said.ok() &&
        known->outcome == *said) {
      return answer("duplicate", false);
    }
  }
  DUEL_ASSIGN(const Effect effect, stage(record, now_ms));
  DUEL_RETURN_IF_ERROR(stage_certificate(now_ms));
  switch (effect) {
    case Effect::applied:
      return answer("applied", true);
    case Effect::late:
      return answer("late", false);
    case Effect::duplicate:
      return answer("duplicate", false);
    case Effect::conflicting:
      break;
  }
  return refusal(409, "the duel was answered otherwise; both answers are kept, the first counts");
}

// The serve's record was lost, but the caller has the proof of it.
OwnedExperiment::Reply OwnedExperiment::report_recovered(const ServedDuel& served,
                                                         const OutcomeBody& body,
                                                         std::int64_t now_ms) {
  if (served.expires_at_ms < time_of(now_ms)) {
    return refusal(410, "the report token has expired");
  }
  if (ledger().state() != ExperimentState::running) {
    return Error::conflict("the experiment is not running");
  }
  ServeRecord serve;
  serve.duel_id = served.duel_id;
  serve.ordinal = ledger().served();
  serve.round = served.round;
  serve.first = served.first;
  serve.second = served.second;
  serve.serving = served.serving == Serving::contest ? Serving::explore : served.serving;
  serve.by = ServedBy::recovered;
  serve.evidence = false;
  serve.subject = served.subject;
  serve.expires_at = {served.expires_at_ms};
  OutcomeRecord record;
  record.duel_id = served.duel_id;
  DUEL_ASSIGN(record.answer, answer_of(body));
  record.source = body.source;
  record.response_ms = body.response_ms;
  const auto first = ledger().find_arm(serve.first), second = ledger().find_arm(serve.second);
  if (!first || !second) return Error::conflict("the arms of the report token are unknown");
  DUEL_RETURN_IF_ERROR(ledger().outcome_of(record.answer, *first, *second));
  DUEL_RETURN_IF_ERROR(live_.check(serve));
  DUEL_RETURN_IF_ERROR(stage(serve, now_ms));
  DUEL_RETURN_IF_ERROR(stage(record, now_ms));
  Json json;
  json["duel_id"] = served.duel_id;
  json["status"] = "applied";
  json["applied"] = true;
  return ServerAnswer{200, std::move(json), {}};
}

OwnedExperiment::Reply OwnedExperiment::compare(const std::vector<ComparisonBody>& bodies,
                                                std::int64_t now_ms) {
  std::vector<ComparisonRecord> records;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const ComparisonBody& body = bodies[k];
    ComparisonRecord record;
    record.first = body.first;
    record.second = body.second;
    record.answer = {body.result, body.winner};
    record.source = body.source;
    record.made_at = body.made_at;
    record.evidence = false;
    if (const Status status = live_.check(record); !status.ok()) {
      return Error::invalid_argument(status.error().message, fmt::format("/{}", k),
                                     status.error().hint);
    }
    records.push_back(std::move(record));
  }
  for (ComparisonRecord& record : records) DUEL_RETURN_IF_ERROR(stage(std::move(record), now_ms));
  Json json;
  json["accepted"] = std::uint64_t{bodies.size()};
  return ServerAnswer{200, std::move(json), {}};
}

Result<bool> OwnedExperiment::expire(std::int64_t now_ms) {
  // Where the clock was set back, recorded time stands still and says nothing of a pause.
  if (now_ms < nothing_expires_before_ms_ || store_refuses_) return false;
  const std::int64_t time_ms = time_of(now_ms);
  const auto deadline = ledger().next_deadline();
  if (!deadline || *deadline >= time_ms) return false;
  for (const std::string& duel_id : ledger().overdue(time_ms)) {
    DUEL_RETURN_IF_ERROR(settle(duel_id, now_ms, "expired"));
  }
  DUEL_RETURN_IF_ERROR(stage_certificate(now_ms));
  return true;
}

// Ends an open duel: by its clicks where it is a page of results, otherwise without an answer.
Status OwnedExperiment::settle(const std::string& duel_id, std::int64_t now_ms,
                               std::string_view why) {
  const ResultPage* page = pages_.find(duel_id);
  if (ledger().experiment().service.mode != Mode::interleave || page == nullptr) {
    DUEL_RETURN_IF_ERROR(stage(ExpiredRecord{duel_id, 0, std::string(why)}, now_ms));
    return Done{};
  }
  const LedgerDuel duel = *ledger().find_open(duel_id);
  DUEL_RETURN_IF_ERROR(stage(
      page->ending(duel_id, ledger().id_of(duel.first), ledger().id_of(duel.second), why), now_ms));
  return Done{};
}

// --- Pages of results ---------------------------------------------------------------------------

OwnedExperiment::Reply OwnedExperiment::interleave(const std::string& duel_id,
                                                   const InterleavingBody& body, bool sees_teams,
                                                   std::int64_t now_ms) {
  const ExperimentRecord& experiment = ledger().experiment();
  if (experiment.service.mode != Mode::interleave) {
    return Error::conflict("pages are drafted in the mode `interleave`");
  }
  DUEL_ASSIGN(const DuelRecords records, duels_->records_of(duel_id, ledger().sequence() + 1));
  if (!records.serve) return Error::not_found(fmt::format("no duel '{}' was served", duel_id));
  const auto& serve = std::get<ServeRecord>(records.serve->record);
  const auto list_of = [&](const std::string& arm) -> Result<std::vector<std::string>> {
    for (const auto& [name, list] : body.lists) {
      if (name != arm) continue;
      std::vector<std::string> ids;
      for (const Json& item : list.items()) {
        if (!item.is_string() || item.get<std::string>().empty() ||
            item.get<std::string>().size() > 200) {
          return Error::invalid_argument("is not a list of ids of 1 to 200 bytes", "/lists/" + arm);
        }
        ids.push_back(item.get<std::string>());
      }
      if (ids.size() > 1000) {
        return Error::invalid_argument("has more than 1000 ids", "/lists/" + arm);
      }
      return ids;
    }
    return Error::invalid_argument("is missing", "/lists/" + arm);
  };
  const std::uint64_t limit = body.limit.value_or(experiment.service.interleave.length);
  if (limit == 0 || limit > 1000)
    return Error::invalid_argument("is not between 1 and 1000", "/limit");
  std::vector<std::string> first, second;
  if (serve.serving == Serving::exploit) {
    DUEL_ASSIGN(first, list_of(serve.first));
  } else if (records.page) {
    // Lists are frozen at first use, so that the pages of one query belong together.
    first = std::get<InterleavedRecord>(records.page->record).first;
    second = std::get<InterleavedRecord>(records.page->record).second;
  } else {
    DUEL_ASSIGN(first, list_of(serve.first));
    DUEL_ASSIGN(second, list_of(serve.second));
    if (ledger().find_open(duel_id) == nullptr) {
      return Error::conflict(fmt::format("the duel '{}' is closed", duel_id));
    }
    DUEL_RETURN_IF_ERROR(stage(InterleavedRecord{duel_id, first, second}, now_ms));
  }
  const DraftedPage page =
      draft_page(secrets_.draft_seed, duel_id, first, second, body.offset, limit);
  Json items = Json::array();
  for (const DraftedItem& item : page.items) {
    Json one;
    one["object_id"] = item.object_id;
    one["ordinal"] = item.ordinal;
    // Opaque to whoever may not read results: a team's name says nothing across duels. An item that
    // both rankings wanted next has none.
    const std::string& side = item.team == Team::first ? serve.first : serve.second;
    if (item.team == Team::none) {
      one["team"] = Json();
    } else if (sees_teams) {
      one["team"] = side;
    } else {
      const std::string mark = hmac_sha256_hex(secrets_.subject_salt, duel_id + "/" + side);
      one["team"] = "t_" + mark.substr(0, 4);
    }
    one["competitive"] = item.competitive();
    items.push_back(std::move(one));
  }
  Json json;
  json["query_id"] = duel_id;
  json["items"] = std::move(items);
  if (page.next_offset) json["next_offset"] = *page.next_offset;
  return ServerAnswer{200, std::move(json), {}};
}

Result<std::optional<std::string>> OwnedExperiment::take_event(const PageEvent& event,
                                                               std::int64_t now_ms) {
  using Reason = std::optional<std::string>;
  DUEL_RETURN_IF_ERROR(expire(now_ms));
  const InterleaveRule& rule = ledger().experiment().service.interleave;
  double weight = 0;
  if (rule.actions.empty()) {
    weight = event.action == "click" ? 1 : 0;
  } else {
    for (const auto& [action, value] : rule.actions) {
      if (action == event.action) weight = value.get<double>();
    }
  }
  if (weight == 0) return Reason();  // views and the like earn nothing and are not kept
  const ResultPage* page = pages_.find(event.duel_id);
  if (page == nullptr) {
    if (ledger().find_open(event.duel_id) != nullptr) return Reason("no page was drafted yet");
    DUEL_RETURN_IF_ERROR(stage(EventRecord{.duel_id = event.duel_id,
                                           .event = event.identity,
                                           .action = event.action,
                                           .object = event.object,
                                           .late = true},
                               now_ms));
    return Reason("the duel was closed before");
  }
  ResultPages::Taken taken = ResultPages::take(*page, event, weight, rule.per_item_cap);
  if (auto* record = std::get_if<EventRecord>(&taken)) {
    DUEL_RETURN_IF_ERROR(stage(std::move(*record), now_ms));
    return Reason();
  }
  if (auto* reason = std::get_if<std::string>(&taken)) return Reason(std::move(*reason));
  return Reason();
}

// --- Results ------------------------------------------------------------------------------------

OwnedExperiment::Reply OwnedExperiment::result() const {
  Json json = result_json(ledger(), board_of(ledger()));
  json["excluded_share"] = ledger().served() == 0 ? 0.0
                                                  : static_cast<double>(excluded_) /
                                                        static_cast<double>(ledger().served());
  json["sequence"] = ledger().sequence();
  return ServerAnswer{200, std::move(json), {}};
}

OwnedExperiment::Reply OwnedExperiment::health() const {
  const std::vector<HealthCheck> checks = check_health(ledger());
  Json json;
  json["verdict"] = std::string(to_word(overall(checks)));
  json["checks"] = to_json(checks);
  return ServerAnswer{200, std::move(json), {}};
}

OwnedExperiment::Reply OwnedExperiment::certificate() const {
  if (certificate_text_.empty()) return Error::not_found("there is no certificate yet");
  auto json = Json::parse(certificate_text_);
  DUEL_CHECK(json.has_value());
  return ServerAnswer{200, std::move(*json), {}};
}

}  // namespace duel
