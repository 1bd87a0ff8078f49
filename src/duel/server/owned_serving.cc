// How duels are served: to whom, which, and as what.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "duel/core/described_json.h"
#include "duel/core/rng.h"
#include "duel/experiment/kept_record.h"
#include "duel/server/owned_experiment.h"

namespace duel {
namespace {

Error unprocessable(std::string message) { return Error::invalid_data(std::move(message)); }

// Begins the ids that the server gives to fallbacks: they are not logged, and known all the same.
constexpr std::string_view kFallback = "f.";

}  // namespace

// Time-ordered and random: 10 letters of the time in milliseconds, 16 of chance.
std::string OwnedExperiment::new_duel_id(std::int64_t now_ms) {
  constexpr std::string_view kLetters = "0123456789abcdefghjkmnpqrstvwxyz";
  std::string id;
  for (int shift = 45; shift >= 0; shift -= 5) {
    id += kLetters[static_cast<std::uint64_t>(now_ms) >> shift & 31];
  }
  for (const char byte : random_bytes(16)) id += kLetters[static_cast<unsigned char>(byte) & 31];
  return id;
}

std::string OwnedExperiment::hash_of_body(const DuelBody& body) const {
  return hmac_sha256_hex(secrets_.subject_salt, described_json(body).dump()).substr(0, 32);
}

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

// The winner, the default arm, or the first: of those that are active, and if possible of those
// that can be shown.
std::string OwnedExperiment::fallback_arm(std::span<const Arm> excluded) const {
  std::vector<Arm> arms;
  const auto& given = ledger().certificate();
  if (given && given->winner) arms.push_back(*given->winner);
  const auto chosen = ledger().find_arm(ledger().experiment().service.default_arm);
  if (chosen) arms.push_back(*chosen);
  for (Arm arm = 0; arm < ledger().num_arms(); ++arm) arms.push_back(arm);
  const auto active = [&](Arm arm) { return ledger().arms()[arm].active; };
  const auto shown = [&](Arm arm) {
    return active(arm) && std::ranges::find(excluded, arm) == excluded.end();
  };
  auto found = std::ranges::find_if(arms, shown);
  if (found == arms.end()) found = std::ranges::find_if(arms, active);
  return ledger().id_of(found == arms.end() ? arms.front() : *found);
}

bool OwnedExperiment::is_fallback(const std::string& duel_id) const {
  if (fallback_ids_.contains(duel_id)) return true;
  return duel_id.size() == kFallback.size() + new_duel_id(0).size() &&
         duel_id.starts_with(kFallback);
}

OwnedExperiment::ServedOne OwnedExperiment::fallback(const Asked& asked,
                                                     std::span<const Arm> excluded,
                                                     std::int64_t now_ms) {
  constexpr std::size_t kRemembered = 10'000;
  const std::string known_by =
      asked.duel_id.empty() ? std::string(kFallback) + new_duel_id(now_ms) : asked.duel_id;
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
  const std::string arm = fallback_arm(excluded);
  answer.arms.push_back(duel_arm(arm, 1));
  // What a server that was started again knows it by, at any time: nothing can be late for it.
  answer.report_token = tokens_.sign({.experiment_id = id(),
                                      .duel_id = known_by,
                                      .round = 0,
                                      .first = arm,
                                      .second = {},
                                      .fallback = true,
                                      .subject = asked.subject,
                                      .served_at_ms = time_of(now_ms),
                                      .expires_at_ms = 0});
  return {std::move(answer), false};
}

// The same duel again, if it was served.
Result<std::optional<OwnedExperiment::ServedOne>> OwnedExperiment::replay(
    const std::string& duel_id, const std::string& request) const {
  DUEL_ASSIGN(const DuelRecords records, duels_->records_of(duel_id, ledger().sequence() + 1));
  DUEL_RETURN_IF_ERROR(check_kept(ledger(), duel_id, records));
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
  } else if (!items.empty()) {
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
  const TaskSet& tasks = ledger().tasks();
  const bool has_items = !tasks.items.items().empty();
  if (has_items && !body.task_id.empty() && !task_of(body.task_id)) {
    return Error::invalid_argument(fmt::format("there is no task '{}'", body.task_id), "/task_id");
  }
  // A log of `duel run` counts its tasks; who asks has to say which one it is about.
  if (tasks.count > 0 && !has_items && body.task_id.empty()) {
    return Error::invalid_argument("is missing: the experiment does not hold its tasks",
                                   "/task_id");
  }
  if (!body.task_id.empty()) {
    if (const Status named = check_id("a task", body.task_id); !named.ok()) {
      return Error::invalid_argument(named.error().message, "/task_id", named.error().hint);
    }
  }
  return Done{};
}

OwnedExperiment::Reply OwnedExperiment::serve(const DuelBody& body, bool voter,
                                              std::int64_t now_ms) {
  DUEL_RETURN_IF_ERROR(check_question(body));
  if (voter && body.subject_id.empty()) {
    return Error::invalid_argument("is missing: a voter has two open duels at most", "/subject_id");
  }
  if (voter && !body.exclude.empty()) {
    return Error::invalid_argument("a voter takes the pair that comes", "/exclude");
  }
  if (voter && !body.task_id.empty()) {
    return Error::invalid_argument("a voter takes the task that comes", "/task_id");
  }
  // Only what the caller has named can be asked for again.
  const bool named = !body.duel_id.empty() || !body.batch_id.empty();
  const Asked asked{.duel_id = body.duel_id,
                    .subject = subject_of(body),
                    .request = named ? hash_of_body(body) : std::string(),
                    .voter = voter};
  const auto headers = [](bool replayed) {
    return replayed ? HttpFields{{"Idempotent-Replayed", "true"}} : HttpFields{};
  };
  if (body.count == 1 && body.batch_id.empty()) {
    DUEL_ASSIGN(const ServedOne one, serve_one(body, asked, now_ms));
    served_fallback_ = one.duel.serving == "fallback";
    return ServerAnswer{one.replayed ? 200 : 201, described_json(one.duel), headers(one.replayed)};
  }
  if (voter) {
    return Error::invalid_argument("a voter asks for one duel at a time", "/count");
  }
  if (!body.duel_id.empty()) {
    return Error::invalid_argument("several duels have a `batch_id`, not a `duel_id`", "/duel_id");
  }
  DuelBatch batch{.batch_id = body.batch_id.empty() ? new_duel_id(now_ms) : body.batch_id,
                  .items = {}};
  DUEL_RETURN_IF_ERROR(check_id("a batch", batch.batch_id));
  DUEL_RETURN_IF_ERROR(check_id("a duel", fmt::format("{}.{}", batch.batch_id, body.count)));
  const auto id_of_duel = [&](std::uint64_t k) { return fmt::format("{}.{}", batch.batch_id, k); };
  // Before the first of them is served: one that cannot be had is an error for all.
  for (std::uint64_t k = 1; k <= body.count && !body.batch_id.empty() && !lost_; ++k) {
    DUEL_RETURN_IF_ERROR(replay(id_of_duel(k), asked.request));
  }
  bool replayed = false;
  for (std::uint64_t k = 1; k <= body.count; ++k) {
    Asked one_of_them = asked;
    one_of_them.duel_id = id_of_duel(k);
    one_of_them.only_again = replayed;
    DUEL_ASSIGN(ServedOne one, serve_one(body, one_of_them, now_ms));
    if (k == 1) replayed = one.replayed;
    batch.items.push_back(std::move(one.duel));
  }
  served_fallback_ = std::ranges::all_of(
      batch.items, [](const DuelAnswer& one) { return one.serving == "fallback"; });
  return ServerAnswer{replayed ? 200 : 201, described_json(batch), headers(replayed)};
}

Result<std::optional<OwnedExperiment::ServedOne>> OwnedExperiment::open_duel_of(
    const std::string& subject) const {
  const auto found = last_duels_of_.find(subject);
  if (found == last_duels_of_.end()) return std::optional<ServedOne>();
  std::vector<std::string> open;
  std::ranges::copy_if(found->second, std::back_inserter(open), [&](const std::string& duel_id) {
    return ledger().find_open(duel_id) != nullptr;
  });
  if (open.size() < kOpenDuelsPerVoter) return std::optional<ServedOne>();
  DUEL_ASSIGN(const DuelRecords records, duels_->records_of(open[0], ledger().sequence() + 1));
  DUEL_RETURN_IF_ERROR(check_kept(ledger(), open[0], records));
  DUEL_CHECK(records.serve.has_value());
  return std::optional(ServedOne{
      duel_answer(std::get<ServeRecord>(records.serve->record), records.serve->time_ms), true});
}

Result<OwnedExperiment::ServedOne> OwnedExperiment::serve_one(const DuelBody& body,
                                                              const Asked& asked,
                                                              std::int64_t now_ms) {
  const std::string& duel_id = asked.duel_id;
  const std::string& subject = asked.subject;
  std::vector<Arm> excluded;
  for (const std::string& arm : body.exclude) excluded.push_back(*ledger().find_arm(arm));
  if (lost_ || spoiled()) return fallback(asked, excluded, now_ms);
  if (!duel_id.empty()) {
    DUEL_ASSIGN(std::optional<ServedOne> again, replay(duel_id, asked.request));
    if (again) return std::move(*again);
  }
  if (asked.only_again) return fallback(asked, excluded, now_ms);
  if (store_refuses_) return fallback(asked, excluded, now_ms);
  DUEL_RETURN_IF_ERROR(expire(now_ms));
  if (asked.voter && !subject.empty()) {
    DUEL_ASSIGN(std::optional<ServedOne> open, open_duel_of(subject));
    if (open) return std::move(*open);
  }
  const Guardrails& guardrails = ledger().guardrails();
  if (guardrails.max_duels_per_subject_per_day > 0 && !subject.empty() &&
      time_of(now_ms) / kDayMs == day_) {
    const auto today = served_today_.find(subject);
    if (today != served_today_.end() && today->second >= guardrails.max_duels_per_subject_per_day) {
      return fallback(asked, excluded, now_ms);
    }
  }
  if (ledger().state() != ExperimentState::running ||
      ledger().num_pending() >= guardrails.max_pending) {
    return fallback(asked, excluded, now_ms);
  }
  std::optional<ServeRecord> serve =
      live_.choose(duel_id.empty() ? new_duel_id(now_ms) : duel_id, excluded);
  if (!serve) return fallback(asked, excluded, now_ms);
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
  DUEL_RETURN_IF_ERROR(check_kept(ledger(), duel_id, records));
  if (!records.serve) return Error::not_found(fmt::format("no duel '{}' was served", duel_id));
  DuelShown shown;
  shown.duel = duel_answer(std::get<ServeRecord>(records.serve->record), records.serve->time_ms);
  shown.duel.report_token = {};  // who may read may not report
  shown.state = ledger().find_open(duel_id) != nullptr ? "served" : "closed";
  if (records.settled) {
    if (const auto* outcome = std::get_if<OutcomeRecord>(&records.settled->record)) {
      shown.outcome = ToldOutcome{std::string(to_word(outcome->answer.result)),
                                  outcome->answer.winner, Timestamp{records.settled->time_ms}};
      shown.state = "reported";
    } else if (const auto& ended = std::get<ExpiredRecord>(records.settled->record);
               records.page && is_page_ending(ended.note)) {
      shown.outcome = ToldOutcome{ended.note, "", Timestamp{records.settled->time_ms}};
      shown.state = "closed";
    } else {
      // Also a duel of two rankings that were never sent: there was no page to click on.
      shown.state = "expired";
    }
  }
  return ServerAnswer{200, described_json(shown), {}};
}

}  // namespace duel
