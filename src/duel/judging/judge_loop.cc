#include "duel/judging/judge_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace duel {
namespace {

// Several votes on one question as one answer: the mean score of those that are answers, and all
// that was said beside them. None where nothing was said.
std::optional<Said> together(std::vector<Said> votes) {
  if (votes.empty()) return std::nullopt;
  if (votes.size() == 1) return std::move(votes.front());
  Said mean;
  double sum = 0;
  std::uint64_t answers = 0;
  for (Said& vote : votes) {
    mean.cost += vote.cost;
    mean.tokens += vote.tokens;
    mean.cached = mean.cached || vote.cached;
    if (!vote.answers()) continue;
    ++answers;
    for (Voice& voice : vote.voices) mean.voices.push_back(std::move(voice));
    sum += vote.score                             ? *vote.score
           : vote.outcome == Outcome::first_wins  ? 1.0
           : vote.outcome == Outcome::second_wins ? 0.0
                                                  : 0.5;
    if (!vote.reason.empty()) mean.reason += (mean.reason.empty() ? "" : "\n") + vote.reason;
    if (mean.features.is_null()) mean.features = std::move(vote.features);
  }
  // Of several judges each vote is recorded, and the record makes the mean.
  if (answers > 0 && mean.voices.empty()) mean.score = sum / static_cast<double>(answers);
  return mean;
}

constexpr auto kTurn = std::chrono::milliseconds(100);
// With two kinds of judges one must not keep the other waiting.
constexpr auto kShortTurn = std::chrono::milliseconds(10);

}  // namespace

JudgeLoop::JudgeLoop(Questions& questions, Judges& judges, JudgeLoopOptions options,
                     Judges* auditors)
    : questions_(questions),
      judges_(judges),
      auditors_(auditors),
      options_(std::move(options)),
      is_priced_(options_.dearest_duel > 0) {}

void JudgeLoop::end(const Error& why) {
  if (!failure_) failure_ = why;
}

void JudgeLoop::ask(Question question) {
  ++in_flight_;
  judges_.ask(std::move(question));
}

void JudgeLoop::fill_auditors() {
  while (auditors_ != nullptr && !failure_ && auditors_->free() > 0) {
    auto next = questions_.next_audit();
    if (!next.ok()) return end(next.error());
    auto* question = std::get_if<Question>(&*next);
    if (question == nullptr) return;
    ++in_flight_;
    auditors_->ask(std::move(*question));
  }
}

std::optional<RunEnding> JudgeLoop::fill() {
  fill_auditors();
  while (judges_.free() > 0 && !awaits_price()) {
    if (!can_pay()) return RunEnding::undecided;
    auto next = questions_.next();
    if (!next.ok()) {
      end(next.error());
      return std::nullopt;
    }
    if (const auto* over = std::get_if<Questions::Over>(&*next)) return over->why;
    auto* question = std::get_if<Question>(&*next);
    if (question == nullptr) return std::nullopt;
    asked_.emplace(question->duel_id, Asked{});
    ask(std::move(*question));
  }
  return std::nullopt;
}

double JudgeLoop::price_of_call() const {
  const auto calls = static_cast<double>(options_.votes * options_.orders);
  return std::max(dearest_, options_.dearest_duel / calls);
}

bool JudgeLoop::can_pay() const {
  if (options_.budget <= 0) return true;
  const std::uint64_t of_each = options_.votes * options_.orders;
  std::uint64_t calls = of_each;  // of one more duel, and what is to come of those that are out
  for (const auto& [duel_id, asked] : asked_) calls += of_each - std::min(of_each, asked.calls);
  // Sums of prices are not exact: six answers of 0.01 fit into 0.06.
  const double left = options_.budget * (1 + 1e-9) - options_.spent - cost_;
  return left > options_.budget * 2e-9 && left >= price_of_call() * static_cast<double>(calls);
}

Source JudgeLoop::source_of(const Judged& done) const {
  return done.judge.empty() ? options_.source : Source{options_.source.type, done.judge};
}

Given JudgeLoop::without_answer(Judged done) const {
  Given given{.question = std::move(done.question),
              .why = std::move(done.failure),
              .source = source_of(done),
              .failed_tries = done.failed_tries};
  if (options_.on_failure == FailedDuel::skip) {
    given.missing = Missing::skipped;
  } else if (done.made_no_sense && options_.on_failure == FailedDuel::missing) {
    given.missing = Missing::invalid;
  }
  return given;
}

// What a person said, or that nobody did: then somebody else is asked, and nothing is recorded.
Given JudgeLoop::audited(Judged done) {
  Given given{.question = std::move(done.question),
              .why = std::move(done.failure),
              .source = options_.auditor,
              .response_ms = done.response_ms,
              .failed_tries = done.failed_tries};
  if (done.ends) end(*done.ends);
  if (done.outcome && done.outcome->answers()) {
    given.judgements = {std::move(*done.outcome)};
    audits_failed_in_a_row_ = 0;
    ++audited_;
    return given;
  }
  last_failure_ = fmt::format("audit of duel {}: {}", given.question.duel_id, given.why);
  if (++audits_failed_in_a_row_ >= options_.max_failures) {
    end(Error::io(
        fmt::format("no answer to {} audits in a row; {}", audits_failed_in_a_row_, last_failure_),
        "the auditor", "what waits for a person is asked again by the same command"));
  }
  return given;
}

std::vector<Judged> JudgeLoop::wait() {
  if (auditors_ == nullptr) return judges_.wait(kTurn);
  std::vector<Judged> done = judges_.wait(kShortTurn);
  for (Judged& one : auditors_->wait(kShortTurn)) done.push_back(std::move(one));
  return done;
}

Status JudgeLoop::take(std::vector<Judged> judged) {
  std::vector<Given> given;
  for (Judged& done : judged) {
    --in_flight_;
    if (done.question.audit) {
      given.push_back(audited(std::move(done)));
      continue;
    }
    const std::string duel_id = done.question.duel_id;
    Asked asked = std::move(asked_.extract(duel_id).mapped());
    ++asked.calls;
    asked.failed_tries += done.failed_tries;
    if (done.response_ms) {
      asked.response_ms = asked.response_ms.value_or(0) + *done.response_ms;
    }
    const bool answers = done.outcome && done.outcome->answers();
    if (done.outcome) {
      cost_ += done.outcome->cost;
      dearest_ = std::max(dearest_, done.outcome->cost);
      is_priced_ = is_priced_ || (answers && !done.outcome->cached);
      tokens_ += done.outcome->tokens;
      asked.votes.push_back(std::move(*done.outcome));
    }
    if (!done.failure.empty()) last_failure_ = fmt::format("duel {}: {}", duel_id, done.failure);
    if (done.ends) end(*done.ends);
    // What is paid is not given up: a vote that fails is left out, as a judge of several is. A
    // judge that is broken is not asked for more votes.
    if (done.question.vote + 1 < options_.votes && (answers || !failure_)) {
      asked_[duel_id] = std::move(asked);
      ++done.question.vote;
      ask(std::move(done.question));  // its place was set free just now
      continue;
    }
    done.question.vote = 0;
    done.outcome = together(std::exchange(asked.votes, {}));
    const bool has_answer = done.outcome && done.outcome->answers();
    if (has_answer && done.question.both_orders && !asked.first) {
      asked.first = std::move(*done.outcome);
      asked_[duel_id] = std::move(asked);
      ask(turned_round(std::move(done.question)));
      continue;
    }
    if (asked.first)
      done.question = turned_round(std::move(done.question));  // as it was asked first
    done.failed_tries = asked.failed_tries;
    failed_in_a_row_ = has_answer ? 0 : failed_in_a_row_ + 1;
    if (!done.outcome && options_.on_failure == FailedDuel::stop) {
      end(Error::io(fmt::format("no answer after {} tries: {}", done.failed_tries, last_failure_),
                    "the judge"));
    }
    if (failed_in_a_row_ >= options_.max_failures) end(options_.broken(failed_in_a_row_, done));
    ++(has_answer ? answered_ : failed_);
    if (!done.outcome) {
      given.push_back(without_answer(std::move(done)));
      continue;
    }
    Given one{.question = std::move(done.question),
              .judgements = {std::move(*done.outcome)},
              .source = source_of(done),
              .response_ms = asked.response_ms,
              .failed_tries = done.failed_tries};
    if (asked.first) one.judgements.insert(one.judgements.begin(), std::move(*asked.first));
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
    const auto asked = asked_.extract(done.question.duel_id);
    lost.push_back({.question = std::move(done.question),
                    .why = "the run was interrupted",
                    .source = options_.source,
                    .failed_tries = done.failed_tries + asked.mapped().failed_tries});
  }
  // What a person was asked is asked again in the next run, if that can still matter.
  if (auditors_ != nullptr) {
    for (Judged& asked : auditors_->abandon()) {
      lost.push_back({.question = std::move(asked.question), .source = options_.auditor});
    }
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
      if (over) {
        money_is_out_ = !can_pay();
        return *over;
      }
      if (stop != Stopping::no) return RunEnding::interrupted;
    }
    if (in_flight_ == 0 && sent.hopeless) return RunEnding::out_of_reach;
    DUEL_RETURN_IF_ERROR(take(wait()));
    on_turn();
  }
}

}  // namespace duel
