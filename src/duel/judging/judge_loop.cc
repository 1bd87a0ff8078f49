#include "duel/judging/judge_loop.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

namespace duel {
namespace {

constexpr auto kTurn = std::chrono::milliseconds(100);

}  // namespace

JudgeLoop::JudgeLoop(Questions& questions, Judges& judges, JudgeLoopOptions options)
    : questions_(questions), judges_(judges), options_(std::move(options)) {}

void JudgeLoop::end(const Error& why) {
  if (!failure_) failure_ = why;
}

void JudgeLoop::ask(Question question) {
  ++in_flight_;
  judges_.ask(std::move(question));
}

std::optional<RunEnding> JudgeLoop::fill() {
  while (judges_.free() > 0) {
    auto next = questions_.next();
    if (!next.ok()) {
      end(next.error());
      return std::nullopt;
    }
    if (const auto* over = std::get_if<Questions::Over>(&*next)) return over->why;
    auto* question = std::get_if<Question>(&*next);
    if (question == nullptr) return std::nullopt;
    ask(std::move(*question));
  }
  return std::nullopt;
}

Given JudgeLoop::without_answer(Judged done) const {
  Given given{.question = std::move(done.question),
              .why = std::move(done.failure),
              .source = options_.source,
              .failed_tries = done.failed_tries};
  if (options_.on_failure == FailedDuel::skip) {
    given.missing = Missing::skipped;
  } else if (done.made_no_sense && options_.on_failure == FailedDuel::missing) {
    given.missing = Missing::invalid;
  }
  return given;
}

Status JudgeLoop::take(std::vector<Judged> judged) {
  std::vector<Given> given;
  for (Judged& done : judged) {
    --in_flight_;
    const std::string duel_id = done.question.duel_id;
    const auto half = halves_.extract(duel_id);
    if (!half.empty()) {
      done.question = turned_round(std::move(done.question));  // as it was asked first
      done.failed_tries += half.mapped().failed_tries;
    }
    if (!done.failure.empty()) last_failure_ = fmt::format("duel {}: {}", duel_id, done.failure);
    const bool answers = done.outcome && *done.outcome != Outcome::none;
    failed_in_a_row_ = answers ? 0 : failed_in_a_row_ + 1;
    if (done.ends) end(*done.ends);
    if (!done.outcome && options_.on_failure == FailedDuel::stop) {
      end(Error::io(fmt::format("no answer after {} tries: {}", done.failed_tries, last_failure_),
                    "the judge"));
    }
    if (failed_in_a_row_ >= options_.max_failures) end(options_.broken(failed_in_a_row_, done));
    if (answers && done.question.both_orders && half.empty()) {
      halves_[duel_id] = {*done.outcome, done.response_ms.value_or(0), done.failed_tries};
      ask(turned_round(std::move(done.question)));  // its place was set free just now
      continue;
    }
    ++(answers ? answered_ : failed_);
    if (!done.outcome) {
      given.push_back(without_answer(std::move(done)));
      continue;
    }
    Given one{.question = std::move(done.question),
              .judgements = {*done.outcome},
              .source = options_.source,
              .response_ms = done.response_ms,
              .failed_tries = done.failed_tries};
    if (!half.empty()) {
      one.judgements.insert(one.judgements.begin(), half.mapped().outcome);
      one.response_ms = half.mapped().response_ms + done.response_ms.value_or(0);
    }
    given.push_back(std::move(one));
  }
  if (given.empty()) return Done{};
  DUEL_ASSIGN(const Taken taken, questions_.answer(std::move(given)));
  if (taken.ends) end(*taken.ends);
  return Done{};
}

Status JudgeLoop::abandon() {
  std::vector<Given> lost;
  for (Judged& done : judges_.abandon()) {
    const auto half = halves_.extract(done.question.duel_id);
    lost.push_back(
        {.question = std::move(done.question),
         .why = "the run was interrupted",
         .source = options_.source,
         .failed_tries = done.failed_tries + (half.empty() ? 0 : half.mapped().failed_tries)});
  }
  DUEL_RETURN_IF_ERROR(questions_.answer(std::move(lost)));
  DUEL_RETURN_IF_ERROR(questions_.flush());
  return Done{};
}

Result<RunEnding> JudgeLoop::run(const std::function<Stopping()>& stopping,
                                 const std::function<void()>& on_turn) {
  for (;;) {
    const Stopping stop = stopping();
    if (stop == Stopping::at_once) {
      DUEL_RETURN_IF_ERROR(abandon());
      return RunEnding::interrupted;
    }
    std::optional<RunEnding> over;
    if (stop == Stopping::no && !failure_) over = fill();
    DUEL_ASSIGN(const Taken sent, questions_.flush());
    if (sent.ends) end(*sent.ends);
    if (in_flight_ == 0 && sent.unsent == 0) {
      if (failure_) return *failure_;
      if (questions_.progress().certified) return RunEnding::certified;
      if (over) return *over;
      if (stop != Stopping::no) return RunEnding::interrupted;
    }
    if (in_flight_ == 0 && sent.hopeless) return RunEnding::out_of_reach;
    DUEL_RETURN_IF_ERROR(take(judges_.wait(kTurn)));
    on_turn();
  }
}

}  // namespace duel
