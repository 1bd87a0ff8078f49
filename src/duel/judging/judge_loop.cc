#include "duel/judging/judge_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace duel {
namespace {

// Several answers to one question as one: the mean score, and all that was said beside them.
Said together(std::vector<Said> votes) {
  if (votes.size() == 1) return std::move(votes.front());
  Said mean;
  double sum = 0;
  for (Said& vote : votes) {
    for (Voice& voice : vote.voices) mean.voices.push_back(std::move(voice));
    sum += vote.score                             ? *vote.score
           : vote.outcome == Outcome::first_wins  ? 1.0
           : vote.outcome == Outcome::second_wins ? 0.0
                                                  : 0.5;
    mean.cost += vote.cost;
    mean.tokens += vote.tokens;
    mean.cached = mean.cached || vote.cached;
    if (!vote.reason.empty()) mean.reason += (mean.reason.empty() ? "" : "\n") + vote.reason;
    if (mean.features.is_null()) mean.features = std::move(vote.features);
  }
  // Of several judges each vote is recorded, and the record makes the mean.
  if (mean.voices.empty()) mean.score = sum / static_cast<double>(votes.size());
  return mean;
}

constexpr auto kTurn = std::chrono::milliseconds(100);
// With two kinds of judges one must not keep the other waiting.
constexpr auto kShortTurn = std::chrono::milliseconds(10);

}  // namespace

JudgeLoop::JudgeLoop(Questions& questions, Judges& judges, JudgeLoopOptions options,
                     Judges* auditors)
    : questions_(questions), judges_(judges), auditors_(auditors), options_(std::move(options)) {}

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
  while (judges_.free() > 0) {
    if (!can_pay()) {
      money_is_out_ = true;
      return RunEnding::undecided;
    }
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

bool JudgeLoop::can_pay() const {
  if (options_.budget <= 0) return true;
  // Each question that is out may cost as much as the dearest answer so far, in each vote and
  // order.
  const double each = dearest_ * static_cast<double>(options_.votes);
  // Sums of prices are not exact: six answers of 0.01 fit into 0.06.
  const double left = options_.budget * (1 + 1e-9) - options_.spent - cost_;
  return left > options_.budget * 2e-9 && left >= each * static_cast<double>(in_flight_ + 1);
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
    const auto held = halves_.extract(duel_id);
    Half half = held.empty() ? Half{} : std::move(held.mapped());
    half.failed_tries += done.failed_tries;
    half.response_ms += done.response_ms.value_or(0);
    if (done.outcome) {
      cost_ += done.outcome->cost;
      dearest_ = std::max(dearest_, done.outcome->cost);
      tokens_ += done.outcome->tokens;
    }
    if (!done.failure.empty()) last_failure_ = fmt::format("duel {}: {}", duel_id, done.failure);
    const bool answers = done.outcome && done.outcome->answers();
    failed_in_a_row_ = answers ? 0 : failed_in_a_row_ + 1;
    if (done.ends) end(*done.ends);
    if (!done.outcome && options_.on_failure == FailedDuel::stop) {
      end(Error::io(fmt::format("no answer after {} tries: {}", done.failed_tries, last_failure_),
                    "the judge"));
    }
    if (failed_in_a_row_ >= options_.max_failures) end(options_.broken(failed_in_a_row_, done));
    if (answers) half.votes.push_back(*done.outcome);
    if (answers && half.votes.size() < options_.votes) {
      halves_[duel_id] = std::move(half);
      ++done.question.vote;
      ask(std::move(done.question));  // its place was set free just now
      continue;
    }
    if (answers) done.outcome = together(std::exchange(half.votes, {}));
    if (answers && done.question.both_orders && !half.first) {
      half.first = std::move(*done.outcome);
      halves_[duel_id] = std::move(half);
      done.question.vote = 0;
      ask(turned_round(std::move(done.question)));
      continue;
    }
    if (half.first)
      done.question = turned_round(std::move(done.question));  // as it was asked first
    done.failed_tries = half.failed_tries;
    ++(answers ? answered_ : failed_);
    if (!done.outcome) {
      given.push_back(without_answer(std::move(done)));
      continue;
    }
    Given one{.question = std::move(done.question),
              .judgements = {std::move(*done.outcome)},
              .source = source_of(done),
              .response_ms = done.response_ms,
              .failed_tries = done.failed_tries};
    if (half.first) one.judgements.insert(one.judgements.begin(), std::move(*half.first));
    if (done.response_ms) one.response_ms = half.response_ms;
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
      if (over) return *over;
      if (stop != Stopping::no) return RunEnding::interrupted;
    }
    if (in_flight_ == 0 && sent.hopeless) return RunEnding::out_of_reach;
    DUEL_RETURN_IF_ERROR(take(wait()));
    on_turn();
  }
}

}  // namespace duel
