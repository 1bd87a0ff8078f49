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

Status JudgedRun::take(std::vector<JudgedQuestion> judged) {
  const bool both = interview_.ledger().experiment().order == Placement::both;
  const Source source{"judge", options_.judge};
  std::vector<Record> records;
  std::vector<JudgeQuestion> second_halves;
  std::optional<Error> error;
  for (JudgedQuestion& done : judged) {
    const std::string duel_id = done.question.duel_id;
    const auto half = halves_.find(duel_id);
    const bool is_second = half != halves_.end();
    if (!done.failure.empty()) last_failure_ = fmt::format("duel {}: {}", duel_id, done.failure);
    if (!done.outcome) {
      if (is_second) halves_.erase(half);
      ++failed_;
      ++failed_in_a_row_;
      if (options_.on_failure == FailedDuel::stop) {
        error = Error::io(fmt::format("no answer after {} tries: {}", done.tries, last_failure_),
                          "the judge", "the next run asks it again");
        continue;
      }
      if (options_.on_failure == FailedDuel::skip) {
        OutcomeRecord skipped;
        skipped.duel_id = duel_id;
        skipped.answer = {.result = Answered::skip, .winner = ""};
        skipped.source = source;
        skipped.note = done.failure;
        records.emplace_back(std::move(skipped));
      } else if (done.made_no_sense) {
        OutcomeRecord invalid;
        invalid.duel_id = duel_id;
        invalid.answer = {.result = Answered::invalid, .winner = ""};
        invalid.source = source;
        invalid.note = done.failure;
        records.emplace_back(std::move(invalid));
      } else {
        records.emplace_back(ExpiredRecord{duel_id});
      }
      continue;
    }
    failed_in_a_row_ = 0;
    if (both && !is_second) {
      halves_.emplace(duel_id, Half{*done.outcome, done.response_ms});
      second_halves.push_back(turned_round(done.question));
      continue;
    }
    if (is_second) {
      const std::array<Outcome, 2> outcomes = {half->second.outcome, *done.outcome};
      records.emplace_back(interview_.outcome_of(turned_round(done.question), outcomes, source,
                                                 half->second.response_ms + done.response_ms));
      halves_.erase(half);
    } else {
      records.emplace_back(interview_.outcome_of(done.question, std::array{*done.outcome}, source,
                                                 done.response_ms));
    }
    ++answered_;
  }
  if (!records.empty()) DUEL_RETURN_IF_ERROR(interview_.record(records));
  if (error) return *error;
  if (failed_in_a_row_ >= options_.max_failures) {
    return Error::io(
        fmt::format("no answer to {} duels in a row; {}", failed_in_a_row_, last_failure_),
        "the judge", "the log is kept; mend the judge and run again");
  }
  // Their slots were set free just now.
  for (JudgeQuestion& question : second_halves) {
    DUEL_RETURN_IF_ERROR(pool_.ask(std::move(question)));
  }
  return Done{};
}

Result<InterviewEnding> JudgedRun::run(const std::atomic<bool>& stop,
                                       const std::function<void()>& on_turn) {
  while (!interview_.certified()) {
    if (stop.load()) return InterviewEnding::interrupted;
    DUEL_RETURN_IF_ERROR(fill());
    if (pool_.busy() == 0) return InterviewEnding::undecided;
    DUEL_ASSIGN(std::vector<JudgedQuestion> judged, pool_.wait(kTurn));
    DUEL_RETURN_IF_ERROR(take(std::move(judged)));
    on_turn();
  }
  DUEL_RETURN_IF_ERROR(interview_.complete());
  return InterviewEnding::certified;
}

}  // namespace duel
