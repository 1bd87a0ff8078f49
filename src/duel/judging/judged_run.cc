#include "duel/judging/judged_run.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

namespace duel {
namespace {

constexpr auto kTurn = std::chrono::milliseconds(100);

}  // namespace

JudgedRun::JudgedRun(Interview& interview, JudgePool& pool, JudgedRunOptions options)
    : interview_(interview), pool_(pool), options_(std::move(options)) {}

Status JudgedRun::fill() {
  while (pool_.free() > 0) {
    DUEL_ASSIGN(std::optional<JudgeQuestion> question, interview_.next());
    if (!question) break;
    DUEL_RETURN_IF_ERROR(pool_.ask(std::move(*question)));
  }
  return Done{};
}

Record JudgedRun::without_answer(const JudgedQuestion& done, std::uint64_t failed_tries) const {
  const bool skips = options_.on_failure == FailedDuel::skip;
  if (!skips && !(done.made_no_sense && options_.on_failure == FailedDuel::missing)) {
    return ExpiredRecord{done.question.duel_id, failed_tries, done.failure};
  }
  OutcomeRecord record;
  record.duel_id = done.question.duel_id;
  record.answer = {.result = skips ? Answered::skip : Answered::invalid, .winner = ""};
  record.source = {"judge", options_.judge};
  record.note = done.failure;
  record.failed_tries = failed_tries;
  return record;
}

Status JudgedRun::take(std::vector<JudgedQuestion> judged) {
  const bool both = interview_.ledger().experiment().order == Placement::both;
  std::vector<Record> records;
  std::vector<JudgeQuestion> second_halves;
  std::optional<Error> error;
  for (JudgedQuestion& done : judged) {
    const std::string duel_id = done.question.duel_id;
    const auto half = halves_.find(duel_id);
    const bool is_second = half != halves_.end();
    std::uint64_t failed_tries = is_second ? half->second.failed_tries : 0;
    failed_tries += done.tries - (done.outcome ? 1 : 0);
    if (!done.failure.empty()) last_failure_ = fmt::format("duel {}: {}", duel_id, done.failure);
    if (!done.outcome) {
      if (is_second) halves_.erase(half);
      ++failed_;
      ++failed_in_a_row_;
      records.push_back(without_answer(done, failed_tries));
      if (options_.on_failure == FailedDuel::stop) {
        error = Error::io(fmt::format("no answer after {} tries: {}", done.tries, last_failure_),
                          "the judge");
      }
      continue;
    }
    failed_in_a_row_ = 0;
    if (const Status same = interview_.check_unchanged(done.question); !same.ok()) {
      error = same.error();
      continue;
    }
    if (both && !is_second) {
      halves_.emplace(duel_id, Half{*done.outcome, done.response_ms, failed_tries});
      second_halves.push_back(turned_round(done.question));
      continue;
    }
    const Source source{"judge", options_.judge};
    OutcomeRecord record;
    if (is_second) {
      const std::array<Outcome, 2> outcomes = {half->second.outcome, *done.outcome};
      record = interview_.outcome_of(turned_round(done.question), outcomes, source,
                                     half->second.response_ms + done.response_ms);
      halves_.erase(half);
    } else {
      record =
          interview_.outcome_of(done.question, std::array{*done.outcome}, source, done.response_ms);
    }
    record.failed_tries = failed_tries;
    records.emplace_back(std::move(record));
    ++answered_;
  }
  if (!records.empty()) DUEL_RETURN_IF_ERROR(interview_.record(records));
  if (error) return *error;
  if (failed_in_a_row_ >= options_.max_failures) {
    return Error::io(
        fmt::format("no answer to {} duels in a row; {}", failed_in_a_row_, last_failure_),
        "the judge",
        "the log is kept; when the judge is fixed, continue with `allow_new_judge`, or give "
        "another `log` to start over");
  }
  // Their slots were set free just now.
  for (JudgeQuestion& question : second_halves) {
    DUEL_RETURN_IF_ERROR(pool_.ask(std::move(question)));
  }
  return Done{};
}

Result<InterviewEnding> JudgedRun::run(const std::atomic<bool>& stop,
                                       const std::atomic<bool>& stop_now,
                                       const std::function<void()>& on_turn) {
  while (!interview_.certified()) {
    if (stop_now.load()) {
      std::vector<Record> lost;
      for (const JudgedQuestion& question : pool_.abandon()) {
        const std::string& duel_id = question.question.duel_id;
        const auto half = halves_.find(duel_id);
        const std::uint64_t before = half == halves_.end() ? 0 : half->second.failed_tries;
        lost.emplace_back(
            ExpiredRecord{duel_id, before + question.tries, "the run was interrupted"});
      }
      halves_.clear();
      if (!lost.empty()) DUEL_RETURN_IF_ERROR(interview_.record(lost));
      return InterviewEnding::interrupted;
    }
    if (!stop.load()) DUEL_RETURN_IF_ERROR(fill());
    if (pool_.busy() == 0) {
      return stop.load() ? InterviewEnding::interrupted : InterviewEnding::undecided;
    }
    DUEL_ASSIGN(std::vector<JudgedQuestion> judged, pool_.wait(kTurn));
    DUEL_RETURN_IF_ERROR(take(std::move(judged)));
    on_turn();
  }
  DUEL_RETURN_IF_ERROR(interview_.complete());
  return InterviewEnding::certified;
}

}  // namespace duel
