// How duels end: by an answer, by a proof that they were served, or by the clock.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "duel/core/described_json.h"
#include "duel/experiment/kept_record.h"
#include "duel/server/owned_experiment.h"
#include "duel/verdict/standing.h"
#include "duel/verdict/verdict.h"

namespace duel {
namespace {

constexpr const char* kAnsweredOtherwise =
    "the duel was answered otherwise; both answers are kept, the first counts";

// "n." and the SHA-256 in base 32 (RFC 4648) without padding, so that a client can tell it too.
std::string next_id_after(const std::string& duel_id) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  std::string id = "n.";
  const std::string digest = sha256_hex(duel_id);
  std::uint32_t bits = 0;
  int held = 0;
  for (const char digit : digest) {
    const int value = digit <= '9' ? digit - '0' : digit - 'a' + 10;
    bits = bits << 4 | static_cast<std::uint32_t>(value);
    held += 4;
    if (held < 5) continue;
    held -= 5;
    id += kLetters[bits >> held & 31];
  }
  if (held > 0) id += kLetters[bits << (5 - held) & 31];
  return id;
}

}  // namespace

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

// Whether the id of the next duel is free, or was given to it before.
Status OwnedExperiment::check_next(const DuelBody& next) const {
  const auto served = replay(next.duel_id, hash_of_body(next));
  if (served.ok()) return Done{};
  if (served.error().code != ErrorCode::invalid_data) return served.error();
  return Error::conflict(fmt::format(
      "the next duel cannot be '{}': that was served to another request", next.duel_id));
}

OwnedExperiment::Reply OwnedExperiment::report(const std::string& duel_id, const OutcomeBody& body,
                                               const ReportOptions& options, std::int64_t now_ms) {
  DUEL_RETURN_IF_ERROR(check_id("a duel", duel_id));
  if (!body.duel_id.empty() && body.duel_id != duel_id) {
    return Error::invalid_argument("is of another duel than the address", "/duel_id");
  }
  DuelBody next;
  if (options.next) {
    next.duel_id = options.next_duel_id.empty() ? next_id_after(duel_id) : options.next_duel_id;
    // Before anything is staged: an error says that nothing was.
    if (next.duel_id == duel_id) return Error::conflict("the next duel is another one than this");
    DUEL_RETURN_IF_ERROR(check_question(next));
    DUEL_RETURN_IF_ERROR(check_next(next));
  }
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
  const auto answer = [&](std::string_view status, bool applied, bool with_next) -> Reply {
    OutcomeAnswer told{.duel_id = duel_id,
                       .status = std::string(status),
                       .applied = applied,
                       .next = {},
                       .progress = {}};
    if (with_next) {
      // The next duel is for whoever was asked before.
      DUEL_ASSIGN(ServedOne following, serve_one(next,
                                                 {.duel_id = next.duel_id,
                                                  .subject = subject,
                                                  .request = hash_of_body(next),
                                                  .voter = options.voter},
                                                 now_ms));
      told.next = std::move(following.duel);
      told.progress = progress();
    }
    return ServerAnswer{200, described_json(told), {}};
  };
  // Of an open duel everything is in memory but what a report token is compared with, and who was
  // asked.
  if (proven || options.next || ledger().find_open(duel_id) == nullptr) {
    DUEL_ASSIGN(const DuelRecords records, duels_->records_of(duel_id, ledger().sequence() + 1));
    DUEL_RETURN_IF_ERROR(check_kept(ledger(), duel_id, records));
    if (!records.serve) {
      if (proven && !proven->fallback) return report_recovered(*proven, body, now_ms);
      if (proven || is_fallback(duel_id)) {
        // A voter is known by the duel that was served to it, and here that is in the token only.
        if (proven) subject = proven->subject;
        const bool known = !options.voter || !subject.empty();
        return answer("ignored", false, options.next && known);
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
  if (exploits) return answer("ignored", false, options.next);
  const LedgerDuel* open = ledger().find_open(duel_id);
  if (ledger().experiment().service.mode == Mode::interleave) {
    if (body.result != "close") {
      return Error::conflict("clicks decide a page of results; `close` ends it early");
    }
    if (open == nullptr) return answer("duplicate", false, options.next);
    DUEL_RETURN_IF_ERROR(settle(duel_id, now_ms, "closed"));
    DUEL_RETURN_IF_ERROR(stage_certificate(now_ms));
    return answer("applied", true, options.next);
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
    const char* at = "/winner";
    if (body.place != 0) at = "/place";
    if (!body.judgements.empty()) at = "/judgements";
    return Error::invalid_argument(status.error().message, at, status.error().hint);
  }
  if (open == nullptr) {
    // What repeats the first answer is not written again.
    DUEL_ASSIGN(const std::optional<LedgerDuel> known, ledger().find_duel(duel_id));
    const auto said = ledger().outcome_of(record.answer, known->first, known->second);
    if (known->fate == Fate::answered && known->result == record.answer.result && said.ok() &&
        known->outcome == *said) {
      return answer("duplicate", false, options.next);
    }
    DUEL_ASSIGN(const DuelRecords records, duels_->records_of(duel_id, ledger().sequence() + 1));
    const bool kept = std::ranges::find(records.refused, record.answer) != records.refused.end();
    if (kept && known->fate == Fate::expired) return answer("late", false, options.next);
    if (kept) return refusal(409, kAnsweredOtherwise);
  }
  DUEL_ASSIGN(const Effect effect, stage(record, now_ms));
  DUEL_RETURN_IF_ERROR(stage_certificate(now_ms));
  switch (effect) {
    case Effect::applied:
      return answer("applied", true, options.next);
    case Effect::late:
      return answer("late", false, options.next);
    case Effect::duplicate:
      return answer("duplicate", false, options.next);
    case Effect::conflicting:
      break;
  }
  return refusal(409, kAnsweredOtherwise);
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
  return ServerAnswer{200, described_json(told), {}};
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
    if (body.made_at.size() > 64) {
      return Error::invalid_argument("has more than 64 bytes", fmt::format("/{}/made_at", k));
    }
    record.made_at = body.made_at;
    record.evidence = false;
    if (const Status status = live_.check(record); !status.ok()) {
      return Error::invalid_argument(status.error().message, fmt::format("/{}", k),
                                     status.error().hint);
    }
    records.push_back(std::move(record));
  }
  for (ComparisonRecord& record : records) DUEL_RETURN_IF_ERROR(stage(std::move(record), now_ms));
  return ServerAnswer{200, described_json(AcceptedAnswer{bodies.size()}), {}};
}

std::optional<std::int64_t> OwnedExperiment::next_deadline() const {
  const auto deadline = ledger().next_deadline();
  if (undated_.empty()) return deadline;
  return std::min(deadline.value_or(undated_.begin()->first), undated_.begin()->first);
}

Result<bool> OwnedExperiment::expire(std::int64_t now_ms) {
  // Where the clock was set back, recorded time stands still and says nothing of a pause.
  if (now_ms < nothing_expires_before_ms_ || store_refuses_) return false;
  const std::int64_t time_ms = time_of(now_ms);
  const auto deadline = next_deadline();
  if (!deadline || *deadline >= time_ms) return false;
  std::vector<std::string> overdue = ledger().overdue(time_ms);
  while (!undated_.empty() && undated_.begin()->first < time_ms) {
    const std::string& duel_id = undated_.begin()->second;
    if (ledger().find_open(duel_id) != nullptr) overdue.push_back(duel_id);
    undated_.erase(undated_.begin());
  }
  for (const std::string& duel_id : overdue) {
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
  const std::string first = ledger().id_of(duel.first), second = ledger().id_of(duel.second);
  // The page is gone once its duel has ended.
  std::vector<ComparisonRecord> others = page->side_comparisons(first, second);
  DUEL_RETURN_IF_ERROR(stage(page->ending(duel_id, first, second, why), now_ms));
  for (ComparisonRecord& other : others) DUEL_RETURN_IF_ERROR(stage(std::move(other), now_ms));
  return Done{};
}

}  // namespace duel
