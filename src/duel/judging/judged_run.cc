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

LocalExperiment::Ending JudgedRun::without_answer(const JudgedQuestion& done,
                                                  std::uint64_t failed_tries) const {
  const bool skips = options_.on_failure == FailedDuel::skip;
  if (!skips && !(done.made_no_sense && options_.on_failure == FailedDuel::missing)) {
    return LocalExperiment::Lost{done.question.duel_id, done.failure, failed_tries};
  }
  Report report;
  report.duel_id = done.question.duel_id;
  report.answer = Answer{.result = skips ? Answered::skip : Answered::invalid, .winner = ""};
  report.source = {"judge", options_.judge};
  report.note = done.failure;
  report.failed_tries = failed_tries;
  return report;
}

Status JudgedRun::take(std::vector<JudgedQuestion> judged) {
  const bool both = interview_.ledger().experiment().order == Placement::both;
  std::vector<LocalExperiment::Ending> endings;
  std::vector<JudgeQuestion> second_halves;
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
      endings.push_back(without_answer(done, failed_tries));
      if (options_.on_failure == FailedDuel::stop && !failure_) {
        failure_ = Error::io(fmt::format("no answer after {} tries: {}", done.tries, last_failure_),
                             "the judge");
      }
      continue;
    }
    failed_in_a_row_ = 0;
    if (const Status same = interview_.check_unchanged(done.question); !same.ok()) {
      if (!failure_) failure_ = same.error();
      continue;
    }
    if (both && !is_second) {
      halves_.emplace(duel_id, Half{*done.outcome, done.response_ms, failed_tries});
      second_halves.push_back(turned_round(done.question));
      continue;
    }
    const Source source{"judge", options_.judge};
    Report report;
    if (is_second) {
      const std::array<Outcome, 2> outcomes = {half->second.outcome, *done.outcome};
      report = Interview::report_of(turned_round(done.question), outcomes, source,
                                    half->second.response_ms + done.response_ms);
      halves_.erase(half);
    } else {
      report =
          Interview::report_of(done.question, std::array{*done.outcome}, source, done.response_ms);
    }
    report.failed_tries = failed_tries;
    endings.emplace_back(std::move(report));
    ++answered_;
  }
  if (!endings.empty()) DUEL_RETURN_IF_ERROR(interview_.settle(endings));
  if (failed_in_a_row_ >= options_.max_failures && !failure_) {
    failure_ = Error::io(
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

// The judges are ended; what they were asked is lost for good.
Status JudgedRun::abandon() {
  std::vector<LocalExperiment::Ending> lost;
  for (const JudgedQuestion& question : pool_.abandon()) {
    const std::string& duel_id = question.question.duel_id;
    const auto half = halves_.find(duel_id);
    const std::uint64_t before = half == halves_.end() ? 0 : half->second.failed_tries;
    lost.emplace_back(
        LocalExperiment::Lost{duel_id, "the run was interrupted", before + question.tries});
  }
  halves_.clear();
  return interview_.settle(lost);
}

Result<InterviewEnding> JudgedRun::run(const std::atomic<bool>& stop,
                                       const std::atomic<bool>& stop_now,
                                       const std::function<void()>& on_turn) {
  for (;;) {
    if (stop_now.load()) {
      DUEL_RETURN_IF_ERROR(abandon());
      return InterviewEnding::interrupted;
    }
    const bool ends = stop.load() || interview_.certified() || failure_.has_value();
    if (!ends) DUEL_RETURN_IF_ERROR(fill());
    if (pool_.busy() == 0) break;
    DUEL_ASSIGN(std::vector<JudgedQuestion> judged, pool_.wait(kTurn));
    DUEL_RETURN_IF_ERROR(take(std::move(judged)));
    on_turn();
  }
  if (failure_) return *failure_;
  if (interview_.certified()) {
    DUEL_RETURN_IF_ERROR(interview_.complete());
    return InterviewEnding::certified;
  }
  return stop.load() ? InterviewEnding::interrupted : InterviewEnding::undecided;
}

}  // namespace duel
