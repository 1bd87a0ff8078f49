#include "duel/cli/served_run.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "duel/judging/interview.h"

namespace duel::cli {
namespace {

constexpr auto kTurn = std::chrono::milliseconds(100);
constexpr auto kAskAgain = std::chrono::seconds(1);
constexpr int kConflict = 409;
constexpr int kNoSuchThing = 404;
constexpr int kGone = 410;

using Clock = std::chrono::steady_clock;

}  // namespace

ServedRun::ServedRun(ServedExperiment& experiment, JudgedRunOptions options)
    : experiment_(experiment), options_(std::move(options)) {}

ServedCounts ServedRun::counts() const {
  return {.answered = answered_,
          .failed = failed_,
          .undelivered = outbox_.size(),
          .stopped = false,
          .verdict = verdict_};
}

void ServedRun::take_duel(const Json& duel) {
  auto asked = question_of(duel);
  if (asked) {
    ready_.push_back(std::move(*asked));
  } else {
    nothing_to_ask_ = true;
  }
}

Result<bool> ServedRun::begin(const std::atomic<bool>& stop) {
  const auto stops = [&] { return stop.load(); };
  DUEL_ASSIGN(const std::optional<bool> certified, experiment_.certified(stops));
  if (certified.value_or(false)) return false;
  wanted_id_ = new_client_id();
  Json body;
  body["duel_id"] = wanted_id_;
  DUEL_ASSIGN(const std::optional<Json> duel,
              experiment_.client().keep_trying(HttpMethod::post, experiment_.target("/duels"), body,
                                               stops));
  if (!duel) return false;
  wanted_id_.clear();
  take_duel(*duel);
  return !ready_.empty();
}

// Sends what was answered, in its order.
Status ServedRun::deliver(bool wants_more) {
  while (!outbox_.empty()) {
    Report& report = outbox_.front();
    std::string target = experiment_.outcome_target(report.duel_id);
    // The id stays with the report: a repeated one brings the same next duel.
    if (wants_more && !certified_ && !nothing_to_ask_ && report.next_id.empty()) {
      report.next_id = new_client_id();
    }
    if (!report.next_id.empty()) target += "?next=1&next_duel_id=" + report.next_id;
    auto told = experiment_.client().try_now(HttpMethod::put, target, report.body);
    if (!told.ok()) {
      const int status = experiment_.client().status();
      const bool lost = status == kConflict || status == kNoSuchThing || status == kGone;
      if (!lost) return told.error();
      last_failure_ = fmt::format("duel {}: {}", report.duel_id, told.error().message);
      ++failed_;
      outbox_.pop_front();
      continue;
    }
    if (!*told) return Done{};
    const Json answer = std::move(**told);
    outbox_.pop_front();
    if (const Json* progress = answer.find("progress")) {
      certified_ = certified_ || progress->at("certified").get<bool>();
      verdict_ = progress->at("verdict").get<std::string>();
    }
    if (const Json* next = answer.find("next")) take_duel(*next);
  }
  return Done{};
}

// A duel for every judge who has none.
Status ServedRun::ask_server(const JudgePool& pool) {
  while (!certified_ && !nothing_to_ask_ && outbox_.empty() && pool.free() > ready_.size()) {
    if (wanted_id_.empty()) wanted_id_ = new_client_id();
    Json body;
    body["duel_id"] = wanted_id_;
    DUEL_ASSIGN(const std::optional<Json> duel,
                experiment_.client().try_now(HttpMethod::post, experiment_.target("/duels"), body));
    if (!duel) return Done{};
    wanted_id_.clear();
    take_duel(*duel);
  }
  return Done{};
}

void ServedRun::report_failure(const ServedQuestion& asked) {
  Json body;
  body["result"] = options_.on_failure == FailedDuel::skip ? "skip" : "invalid";
  if (!options_.judge.empty()) body["source"] = {{"type", "judge"}, {"id", options_.judge}};
  if (!asked.report_token.empty()) body["report_token"] = asked.report_token;
  outbox_.push_back({asked.question.duel_id, std::move(body), ""});
}

Status ServedRun::take(std::vector<Judged> judged, JudgePool& pool) {
  for (Judged& done : judged) {
    const std::string duel_id = done.question.duel_id;
    const auto found = asked_.find(duel_id);
    if (!done.failure.empty()) last_failure_ = fmt::format("duel {}: {}", duel_id, done.failure);
    if (!done.outcome) {
      ++failed_;
      ++failed_in_a_row_;
      if (done.ends && !failure_) failure_ = *done.ends;
      report_failure(found->second);
      asked_.erase(found);
      halves_.erase(duel_id);
      if (options_.on_failure == FailedDuel::stop && !failure_) {
        failure_ =
            Error::io(fmt::format("no answer after {} tries: {}", done.failed_tries, last_failure_),
                      "the judge");
      }
      continue;
    }
    failed_in_a_row_ = 0;
    const auto half = halves_.find(duel_id);
    if (experiment_.both_orders() && half == halves_.end()) {
      halves_.emplace(duel_id, Half{*done.outcome, *done.response_ms});
      // Its slot was set free just now.
      pool.ask(turned_round(done.question));
      continue;
    }
    std::vector<Outcome> outcomes;
    double response_ms = *done.response_ms;
    if (half != halves_.end()) {
      outcomes.push_back(half->second.outcome);
      response_ms += half->second.response_ms;
      halves_.erase(half);
    }
    outcomes.push_back(*done.outcome);
    outbox_.push_back(
        {duel_id,
         experiment_.outcome_body(found->second, outcomes, "judge", options_.judge, response_ms),
         ""});
    asked_.erase(found);
    ++answered_;
  }
  if (failed_in_a_row_ >= options_.max_failures && !failure_) {
    failure_ = Error::io(
        fmt::format("no answer to {} duels in a row; {}", failed_in_a_row_, last_failure_),
        "the judge", "fix the judge and run again");
  }
  return Done{};
}

void ServedRun::give_up(JudgePool& pool) {
  pool.abandon();
  for (const auto& [duel_id, asked] : asked_) report_failure(asked);
  asked_.clear();
  halves_.clear();
}

Result<ServedEnding> ServedRun::run(JudgePool& pool, const std::atomic<bool>& stop,
                                    const std::atomic<bool>& stop_now,
                                    const std::function<void()>& on_turn) {
  const auto stops = [&] { return stop.load(); };
  for (;;) {
    if (stop_now.load()) {
      give_up(pool);
      DUEL_RETURN_IF_ERROR(deliver(false));
      return ServedEnding::interrupted;
    }
    // Answers are paid for, so that none is thrown away: at the end nothing new is asked, and what
    // is out is awaited and delivered. The certificate may be others' work.
    bool ends = stop.load() || certified_ || failure_.has_value();
    DUEL_RETURN_IF_ERROR(deliver(!ends));
    if (experiment_.client().given_up()) return ServedEnding::out_of_reach;
    ends = ends || certified_;
    if (asked_.empty() && outbox_.empty()) {
      if (failure_) return *failure_;
      if (certified_) return ServedEnding::certified;
    }
    if (!ends) DUEL_RETURN_IF_ERROR(ask_server(pool));
    while (!ends && !ready_.empty() && pool.free() > 0) {
      ServedQuestion asked = std::move(ready_.front());
      ready_.pop_front();
      Question question = asked.question;
      asked_.emplace(question.duel_id, std::move(asked));
      pool.ask(std::move(question));
    }
    if (asked_.empty() && outbox_.empty()) {
      if (stop.load()) return ServedEnding::interrupted;
      if (nothing_to_ask_ && Clock::now() >= ask_again_) {
        DUEL_ASSIGN(const bool later, experiment_.may_ask_later(stops));
        if (!later && !experiment_.client().given_up()) return ServedEnding::undecided;
        nothing_to_ask_ = false;
        ask_again_ = Clock::now() + kAskAgain;
      }
    }
    DUEL_RETURN_IF_ERROR(take(pool.wait(kTurn), pool));
    on_turn();
  }
}

}  // namespace duel::cli
