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
    if (serve->serving != Serving::exploit) remember_last_duel(*serve);
    if (entry.time_ms / kDayMs != day_) {
      day_ = entry.time_ms / kDayMs;
      served_today_.clear();
    }
    if (ledger().guardrails().max_duels_per_subject_per_day > 0) ++served_today_[serve->subject];
  } else if (const auto* added = std::get_if<ArmAddedRecord>(&entry.record)) {
    duels_->add_arm(added->arm.id);
  }
}

// Bounded by what is open: what was answered is swept out when it is more than that.
void OwnedExperiment::remember_last_duel(const ServeRecord& serve) {
  last_duel_of_[serve.subject] = serve.duel_id;
  if (last_duel_of_.size() <= 1000 + 2 * ledger().num_pending()) return;
  std::erase_if(last_duel_of_,
                [&](const auto& one) { return ledger().find_open(one.second) == nullptr; });
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
  const LedgerArm& arm = ledger().arms()[*ledger().find_arm(arm_id)];
  return {.arm_id = arm_id,
          .payload = arm.entry.content,
          .state = arm.active ? "active" : "retired",
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
  return ServerAnswer{200, body_json(answer), {{"ETag", etag()}}};
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
    if (known.entry.content == body.payload) {
      return ServerAnswer{200, body_json(arm_answer(arm_id)), {}};
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
  return ServerAnswer{201, body_json(arm_answer(arm_id)), {}};
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
  return ServerAnswer{200, body_json(arm_answer(arm_id)), {}};
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

std::optional<DuelTask> OwnedExperiment::task_of(const std::string& task_id) const {
  for (const Json& item : ledger().experiment().tasks.items.items()) {
    if (item.at("task_id").get<std::string>() != task_id) continue;
    const Json* payload = item.find("payload");
    return DuelTask{task_id, payload != nullptr ? *payload : Json()};
  }
  return std::nullopt;
}

DuelArm OwnedExperiment::duel_arm(const std::string& arm_id, std::uint64_t position) const {
  return {arm_id, position, ledger().arms()[*ledger().find_arm(arm_id)].entry.content};
}

DuelAnswer OwnedExperiment::duel_answer(const ServeRecord& serve, std::int64_t served_at_ms) const {
  const bool alone = serve.serving == Serving::exploit;
  DuelAnswer answer;
  answer.duel_id = serve.duel_id;
  answer.experiment_id = id();
  answer.serving = to_word(serve.serving);
  answer.learn = !alone;
  answer.propensity = serve.propensity;
  answer.arms.push_back(duel_arm(serve.first, 1));
  if (!alone) answer.arms.push_back(duel_arm(serve.second, 2));
  if (!serve.task.empty()) answer.task = task_of(serve.task).value_or(DuelTask{serve.task, {}});
  answer.served_at = Timestamp{served_at_ms};
  if (serve.expires_at.ms != 0) answer.expires_at = serve.expires_at;
  if (!alone) answer.report_token = tokens_.sign(served_duel(serve, served_at_ms));
  return answer;
}

std::string OwnedExperiment::fallback_arm() const {
  const auto& given = ledger().certificate();
  if (given && given->winner) return ledger().id_of(*given->winner);
  const std::string& chosen = ledger().experiment().service.default_arm;
  if (!chosen.empty() && ledger().arms()[*ledger().find_arm(chosen)].active) return chosen;
  const auto active = std::find_if(ledger().arms().begin(), ledger().arms().end(),
                                   [](const LedgerArm& one) { return one.active; });
  return active == ledger().arms().end() ? ledger().arms().front().entry.id : active->entry.id;
}

OwnedExperiment::ServedOne OwnedExperiment::fallback(const std::string& duel_id,
                                                     std::int64_t now_ms) {
  constexpr std::size_t kRemembered = 10'000;
  const std::string known_by = duel_id.empty() ? new_duel_id(now_ms) : duel_id;
  if (fallback_ids_.insert(known_by).second) fallback_order_.push_back(known_by);
  if (fallback_order_.size() > kRemembered) {
    fallback_ids_.erase(fallback_order_.front());
    fallback_order_.pop_front();
  }
  DuelAnswer answer;
  answer.duel_id = known_by;
  answer.experiment_id = id();
  answer.serving = "fallback";
  answer.learn = false;
  answer.arms.push_back(duel_arm(fallback_arm(), 1));
  return {std::move(answer), false};
}

// The same duel again, if it was served.
Result<std::optional<OwnedExperiment::ServedOne>> OwnedExperiment::replay(
    const std::string& duel_id, const std::string& request) const {
  DUEL_ASSIGN(const DuelRecords records, duels_->records_of(duel_id, ledger().sequence() + 1));
  if (!records.serve) return std::optional<ServedOne>();
  const auto& serve = std::get<ServeRecord>(records.serve->record);
  if (serve.request != request) {
    return unprocessable(fmt::format("the duel '{}' was asked for with another body", duel_id));
  }
  return std::optional(ServedOne{duel_answer(serve, records.serve->time_ms), true});
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

std::string OwnedExperiment::subject_of(const DuelBody& body) const {
  if (body.subject_id.empty()) return {};
  return hmac_sha256_hex(secrets_.subject_salt, body.subject_id).substr(0, 24);
}

Status OwnedExperiment::check_question(const DuelBody& body) const {
  if (!body.duel_id.empty()) DUEL_RETURN_IF_ERROR(check_id("a duel", body.duel_id));
  for (const std::string& arm : body.exclude) {
    if (!ledger().find_arm(arm)) {
      return Error::invalid_argument(fmt::format("there is no arm '{}'", arm), "/exclude");
    }
  }
  if (!body.task_id.empty() && ledger().tasks().count > 0 && !task_of(body.task_id)) {
    return Error::invalid_argument(fmt::format("there is no task '{}'", body.task_id), "/task_id");
  }
  return Done{};
}

OwnedExperiment::Reply OwnedExperiment::serve(const DuelBody& body, bool one_per_subject,
                                              std::int64_t now_ms) {
  DUEL_RETURN_IF_ERROR(check_question(body));
  if (one_per_subject && body.subject_id.empty()) {
    return Error::invalid_argument("is missing: a voter has one open duel at a time",
                                   "/subject_id");
  }
  // Only what the caller has named can be asked for again.
  const bool named = !body.duel_id.empty() || !body.batch_id.empty();
  const Asked asked{.duel_id = body.duel_id,
                    .subject = subject_of(body),
                    .request = named ? hash_of_body(body) : std::string(),
                    .one_per_subject = one_per_subject};
  const auto headers = [](bool replayed) {
    return replayed ? HttpFields{{"Idempotent-Replayed", "true"}} : HttpFields{};
  };
  if (body.count == 1 && body.batch_id.empty()) {
    DUEL_ASSIGN(const ServedOne one, serve_one(body, asked, now_ms));
    return ServerAnswer{one.replayed ? 200 : 201, body_json(one.duel), headers(one.replayed)};
  }
  if (one_per_subject) {
    return Error::invalid_argument("a voter has one open duel at a time", "/count");
  }
  if (!body.duel_id.empty()) {
    return Error::invalid_argument("several duels have a `batch_id`, not a `duel_id`", "/duel_id");
  }
  DuelBatch batch{.batch_id = body.batch_id.empty() ? new_duel_id(now_ms) : body.batch_id,
                  .items = {}};
  DUEL_RETURN_IF_ERROR(check_id("a batch", batch.batch_id));
  DUEL_RETURN_IF_ERROR(check_id("a duel", fmt::format("{}.{}", batch.batch_id, body.count)));
  bool replayed = false;
  for (std::uint64_t k = 1; k <= body.count; ++k) {
    Asked one_of_them = asked;
    one_of_them.duel_id = fmt::format("{}.{}", batch.batch_id, k);
    DUEL_ASSIGN(ServedOne one, serve_one(body, one_of_them, now_ms));
    if (k == 1) replayed = one.replayed;
    batch.items.push_back(std::move(one.duel));
  }
  return ServerAnswer{replayed ? 200 : 201, body_json(batch), headers(replayed)};
}

// What the subject was asked and has not answered.
Result<std::optional<OwnedExperiment::ServedOne>> OwnedExperiment::open_duel_of(
    const std::string& subject) const {
  const auto found = last_duel_of_.find(subject);
  if (found == last_duel_of_.end() || ledger().find_open(found->second) == nullptr) {
    return std::optional<ServedOne>();
  }
  DUEL_ASSIGN(const DuelRecords records,
              duels_->records_of(found->second, ledger().sequence() + 1));
  DUEL_CHECK(records.serve.has_value());
  return std::optional(ServedOne{
      duel_answer(std::get<ServeRecord>(records.serve->record), records.serve->time_ms), true});
}

Result<OwnedExperiment::ServedOne> OwnedExperiment::serve_one(const DuelBody& body,
                                                              const Asked& asked,
                                                              std::int64_t now_ms) {
  const std::string& duel_id = asked.duel_id;
  const std::string& subject = asked.subject;
  if (!duel_id.empty()) {
    DUEL_ASSIGN(std::optional<ServedOne> again, replay(duel_id, asked.request));
    if (again) return std::move(*again);
  }
  if (store_refuses_) return fallback(duel_id, now_ms);
  DUEL_RETURN_IF_ERROR(expire(now_ms));
  if (asked.one_per_subject && !subject.empty()) {
    DUEL_ASSIGN(std::optional<ServedOne> open, open_duel_of(subject));
    if (open) return std::move(*open);
  }
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
  serve->request = asked.request;
  const std::int64_t time_ms = time_of(now_ms);
  if (serve->serving != Serving::exploit) {
    serve->expires_at = {time_ms + static_cast<std::int64_t>(ledger().feedback().timeout_s) * 1000};
    DUEL_RETURN_IF_ERROR(draw_task(body, *serve));
    DUEL_ASSIGN(const bool met, has_met(*serve));
    if (met) serve->evidence = false;
  }
  DuelAnswer answer = duel_answer(*serve, time_ms);
  DUEL_RETURN_IF_ERROR(stage(std::move(*serve), now_ms));
  return ServedOne{std::move(answer), false};
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
  DuelShown shown;
  shown.duel = duel_answer(std::get<ServeRecord>(records.serve->record), records.serve->time_ms);
  shown.state = ledger().find_open(duel_id) != nullptr ? "served" : "closed";
  if (records.settled) {
    if (const auto* outcome = std::get_if<OutcomeRecord>(&records.settled->record)) {
      shown.outcome = ToldOutcome{outcome->answer.result, outcome->answer.winner,
                                  Timestamp{records.settled->time_ms}};
      shown.state = "reported";
    } else {
      shown.state = "expired";
    }
  }
  return ServerAnswer{200, body_json(shown), {}};
}

// --- Reporting ----------------------------------------------------------------------------------

Result<::duel::Answer> OwnedExperiment::answer_of(const OutcomeBody& body) const {
  if (body.result.empty()) return Error::invalid_argument("is missing", "/result");
  const auto result = parse_word<Answered>(body.result);
  if (!result.ok()) return Error::invalid_argument(result.error().message, "/result");
  return ::duel::Answer{*result, body.winner, body.place};
}

ProgressAnswer OwnedExperiment::progress() const {
  const Standing standing = standing_of(ledger());
  return {.verdict = verdict_of(ledger(), standing),
          .certified = ledger().certificate().has_value(),
          .expected_duels_left = standing.duels_left};
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
  std::string subject;
  // Of an open duel everything is in memory but what a report token is compared with, and who was
  // asked.
  if (proven || options.next || ledger().find_open(duel_id) == nullptr) {
    DUEL_ASSIGN(const DuelRecords records, duels_->records_of(duel_id, ledger().sequence() + 1));
    if (!records.serve) {
      if (proven) return report_recovered(*proven, body, now_ms);
      if (fallback_ids_.contains(duel_id)) {
        const OutcomeAnswer ignored{
            .duel_id = duel_id, .status = "ignored", .applied = false, .next = {}, .progress = {}};
        return ServerAnswer{200, body_json(ignored), {}};
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
    subject = serve.subject;
  }
  const auto answer = [&](std::string_view status, bool applied) -> Reply {
    OutcomeAnswer told{.duel_id = duel_id,
                       .status = std::string(status),
                       .applied = applied,
                       .next = {},
                       .progress = {}};
    if (options.next) {
      DuelBody again;
      again.duel_id = options.next_duel_id.empty() ? next_id_after(duel_id) : options.next_duel_id;
      DUEL_RETURN_IF_ERROR(check_question(again));
      // The next duel is for whoever was asked before.
      DUEL_ASSIGN(ServedOne following, serve_one(again,
                                                 {.duel_id = again.duel_id,
                                                  .subject = subject,
                                                  .request = hash_of_body(again),
                                                  .one_per_subject = options.one_per_subject},
                                                 now_ms));
      told.next = std::move(following.duel);
      told.progress = progress();
    }
    return ServerAnswer{200, body_json(told), {}};
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
    // The duel is looked up in the store, which may fail; that is not the answer's fault.
    if (status.error().code == ErrorCode::io) return status.error();
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
  const OutcomeAnswer told{
      .duel_id = served.duel_id, .status = "applied", .applied = true, .next = {}, .progress = {}};
  return ServerAnswer{200, body_json(told), {}};
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
  return ServerAnswer{200, body_json(AcceptedAnswer{bodies.size()}), {}};
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

namespace {

// The list of an arm as it was sent.
Result<std::vector<std::string>> list_of(const InterleavingBody& body, const std::string& arm) {
  for (const auto& [name, list] : body.lists) {
    if (name != arm) continue;
    if (list.size() > 1000) {
      return Error::invalid_argument("has more than 1000 ids", "/lists/" + arm);
    }
    for (const std::string& id : list) {
      if (!id.empty() && id.size() <= 200) continue;
      return Error::invalid_argument("is not a list of ids of 1 to 200 bytes", "/lists/" + arm);
    }
    return list;
  }
  return Error::invalid_argument("is missing", "/lists/" + arm);
}

}  // namespace

// One arm's own list: nothing is compared.
Result<PageAnswer> OwnedExperiment::own_page(const std::string& duel_id, const std::string& arm,
                                             const InterleavingBody& body) const {
  DUEL_ASSIGN(const std::vector<std::string> list, list_of(body, arm));
  const std::uint64_t length = ledger().experiment().service.interleave.length;
  const DraftedPage page =
      draft_page(secrets_.draft_seed, duel_id, list, {}, body.offset, body.limit.value_or(length));
  PageAnswer answer{.query_id = duel_id, .items = {}, .next_offset = page.next_offset};
  for (const DraftedItem& item : page.items) {
    answer.items.push_back({item.object_id, item.ordinal, std::nullopt, false});
  }
  return answer;
}

Result<PageAnswer> OwnedExperiment::page_of(const std::string& duel_id,
                                            const InterleavingBody& body, bool sees_teams,
                                            std::int64_t now_ms) {
  const ExperimentRecord& experiment = ledger().experiment();
  if (experiment.service.mode != Mode::interleave) {
    return Error::conflict("pages are drafted in the mode `interleave`");
  }
  DUEL_ASSIGN(const DuelRecords records, duels_->records_of(duel_id, ledger().sequence() + 1));
  if (!records.serve) {
    if (fallback_ids_.contains(duel_id)) return own_page(duel_id, fallback_arm(), body);
    return Error::not_found(fmt::format("no duel '{}' was served", duel_id));
  }
  const auto& serve = std::get<ServeRecord>(records.serve->record);
  if (serve.serving == Serving::exploit) return own_page(duel_id, serve.first, body);
  std::vector<std::string> first, second;
  if (records.page) {
    // Lists are frozen at first use, so that the pages of one query belong together.
    first = std::get<InterleavedRecord>(records.page->record).first;
    second = std::get<InterleavedRecord>(records.page->record).second;
  } else {
    DUEL_ASSIGN(first, list_of(body, serve.first));
    DUEL_ASSIGN(second, list_of(body, serve.second));
    if (ledger().find_open(duel_id) == nullptr) {
      return Error::conflict(fmt::format("the duel '{}' is closed", duel_id));
    }
    DUEL_RETURN_IF_ERROR(stage(InterleavedRecord{duel_id, first, second}, now_ms));
  }
  const DraftedPage page = draft_page(secrets_.draft_seed, duel_id, first, second, body.offset,
                                      body.limit.value_or(experiment.service.interleave.length));
  PageAnswer answer{.query_id = duel_id, .items = {}, .next_offset = page.next_offset};
  for (const DraftedItem& item : page.items) {
    // Opaque to whoever may not read results: a team's name says nothing across duels. An item that
    // both rankings wanted next has none.
    const std::string& side = item.team == Team::first ? serve.first : serve.second;
    std::optional<std::string> team;
    if (item.team != Team::none && sees_teams) {
      team = side;
    } else if (item.team != Team::none) {
      const std::string mark = hmac_sha256_hex(secrets_.subject_salt, duel_id + "/" + side);
      team = "t_" + mark.substr(0, 4);
    }
    answer.items.push_back({item.object_id, item.ordinal, std::move(team), item.competitive()});
  }
  return answer;
}

OwnedExperiment::Reply OwnedExperiment::interleave(const std::string& duel_id,
                                                   const InterleavingBody& body, bool sees_teams,
                                                   std::int64_t now_ms) {
  DUEL_ASSIGN(const PageAnswer page, page_of(duel_id, body, sees_teams, now_ms));
  return ServerAnswer{200, body_json(page), {}};
}

OwnedExperiment::Reply OwnedExperiment::interleave_in_one(const OneShotBody& body, bool sees_teams,
                                                          std::int64_t now_ms) {
  if (ledger().experiment().service.mode != Mode::interleave) {
    return Error::conflict("pages are drafted in the mode `interleave`");
  }
  DuelBody wanted = body.duel;
  // Whoever sent no list cannot be shown.
  for (const LedgerArm& arm : ledger().arms()) {
    const bool has = std::ranges::any_of(
        body.page.lists, [&](const auto& one) { return one.first == arm.entry.id; });
    if (!has && arm.active) wanted.exclude.push_back(arm.entry.id);
  }
  // A list that cannot be drafted from is refused before a duel is served for it.
  for (const auto& [arm, list] : body.page.lists) {
    if (!ledger().find_arm(arm)) {
      return Error::invalid_argument("is no arm of the experiment", "/lists/" + arm);
    }
    DUEL_RETURN_IF_ERROR(list_of(body.page, arm));
  }
  DUEL_RETURN_IF_ERROR(check_question(wanted));
  DUEL_ASSIGN(ServedOne served,
              serve_one(wanted,
                        {.duel_id = wanted.duel_id,
                         .subject = subject_of(wanted),
                         .request = wanted.duel_id.empty() ? "" : hash_of_body(wanted),
                         .one_per_subject = false},
                        now_ms));
  OneShotAnswer answer;
  if (served.duel.serving == "fallback") {
    // The default arm, if its list came; otherwise whichever came first.
    const std::string& chosen = served.duel.arms[0].arm_id;
    const bool has = list_of(body.page, chosen).ok();
    if (!has && body.page.lists.empty()) return Error::invalid_argument("is empty", "/lists");
    const std::string arm = has ? chosen : body.page.lists.front().first;
    if (!has) served.duel.arms[0] = duel_arm(arm, 1);
    DUEL_ASSIGN(answer.page, own_page(served.duel.duel_id, arm, body.page));
  } else {
    DUEL_ASSIGN(answer.page, page_of(served.duel.duel_id, body.page, sees_teams, now_ms));
  }
  const int status = served.replayed ? 200 : 201;
  answer.duel = std::move(served.duel);
  return ServerAnswer{status, body_json(answer),
                      status == 200 ? HttpFields{{"Idempotent-Replayed", "true"}} : HttpFields{}};
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
  json["served"] = ledger().served();
  json["sequence"] = ledger().sequence();
  return ServerAnswer{200, std::move(json), {}};
}

OwnedExperiment::Reply OwnedExperiment::health() const {
  const std::vector<HealthCheck> checks = check_health(ledger());
  HealthAnswer answer;
  answer.verdict = to_word(overall(checks));
  for (const HealthCheck& check : checks) {
    answer.checks.push_back({check.name, std::string(to_word(check.verdict)), check.detail});
  }
  return ServerAnswer{200, body_json(answer), {}};
}

OwnedExperiment::Reply OwnedExperiment::certificate() const {
  if (certificate_text_.empty()) return Error::not_found("there is no certificate yet");
  auto json = Json::parse(certificate_text_);
  DUEL_CHECK(json.has_value());
  return ServerAnswer{200, std::move(*json), {}};
}

}  // namespace duel
