#include "duel/judging/judge_pool.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <utility>

#include "duel/core/check.h"
#include "duel/core/numbers.h"
#include "duel/judging/judge_question.h"
#include "duel/judging/printable.h"

namespace duel {
namespace {

using std::chrono::milliseconds;

constexpr double kLongestRest = 30;
// Between the request to end and the end by force.
constexpr auto kGrace = milliseconds(1000);
// No descriptor tells that a program ended whose children hold its pipes; so it is asked for.
constexpr auto kTick = milliseconds(20);
// Its output is closed: it ends now, or it means to go on in silence.
constexpr auto kShortTick = milliseconds(1);

std::chrono::steady_clock::duration seconds(double value) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(value));
}

// The last line that it wrote to standard error, which mostly says why.
std::string last_error_line(const ChildProcess& process) {
  const std::string_view text = trimmed(process.complaint());
  if (text.empty()) return "";
  const std::size_t begin = text.rfind('\n');
  return fmt::format("; standard error ends with {}",
                     excerpt(begin == std::string_view::npos ? text : text.substr(begin + 1), 300));
}

}  // namespace

JudgePool::JudgePool(JudgeCommand command, const JudgeOptions& options)
    : command_(std::move(command)), options_(options) {
  DUEL_CHECK(options.parallel >= 1 && options.timeout_seconds > 0 && options.retry_seconds >= 0);
  slots_.resize(options.parallel);
}

std::size_t JudgePool::free() const {
  const auto idle = static_cast<std::size_t>(std::ranges::count(slots_, Stage::idle, &Slot::stage));
  // A place is free when `wait` has told what came of its question: otherwise a program that cannot
  // be started would be given one question after the other.
  return idle - done_.size();
}

void JudgePool::ask(Question question) {
  DUEL_CHECK(free() > 0);
  const auto slot = std::ranges::find(slots_, Stage::idle, &Slot::stage);
  slot->question = std::move(question);
  slot->tries = 0;
  slot->busy = 0;
  slot->failure.clear();
  begin_try(*slot);
}

void JudgePool::begin_try(Slot& slot) {
  ++slot.tries;
  slot.begun = Clock::now();
  slot.deadline = slot.begun + seconds(options_.timeout_seconds);
  if (slot.process) {
    // One that stays. What it said since its last answer nobody asked for: it is out of step.
    slot.process->pump();
    if (slot.process->ended() || !slot.process->output().empty()) slot.process.reset();
  }
  if (const Status started = start(slot); !started.ok()) {
    ++troubles_.crashes;
    slot.made_no_sense = false;
    slot.failure = started.error().to_string();
    if (started.error().code != ErrorCode::io) return done(slot, {}, {}, started.error());
    return rest_or_give_up(slot, slot.begun);
  }
  slot.stage = Stage::asking;
  slot.process->send(question_line(*slot.question) + "\n");
  if (options_.protocol == JudgeProtocol::call) slot.process->end_input();
  slot.process->pump();
}

Status JudgePool::start(Slot& slot) {
  if (slot.process) return Done{};
  DUEL_ASSIGN(const std::vector<std::string> words, command_.words_for(*slot.question));
  DUEL_ASSIGN(slot.process, ChildProcess::start(words));
  return Done{};
}

std::vector<Judged> JudgePool::wait(milliseconds most) {
  const auto limit = Clock::now() + most;
  do {
    std::vector<pollfd> descriptors;
    for (const Slot& slot : slots_) {
      if (slot.process) slot.process->watch(descriptors);
    }
    const auto now = Clock::now();
    const auto until = std::min(limit, next_event(now));
    const auto left = std::chrono::ceil<milliseconds>(until - now).count();
    const int ready = done_.empty()
                          ? ::poll(descriptors.data(), descriptors.size(),
                                   static_cast<int>(std::clamp<std::int64_t>(left, 0, 60000)))
                          : 0;
    for (Slot& slot : slots_) turn(slot, Clock::now());
    if (ready < 0) break;  // a signal: the caller wants to know
  } while (done_.empty() && Clock::now() < limit);
  return std::exchange(done_, {});
}

JudgePool::Clock::time_point JudgePool::next_event(Clock::time_point now) const {
  Clock::time_point next = Clock::time_point::max();
  for (const Slot& slot : slots_) {
    if (slot.stage == Stage::idle) continue;
    next = std::min(next, slot.deadline);
    if (slot.process)
      next = std::min(next, now + (slot.process->output_closed() ? kShortTick : kTick));
  }
  return next;
}

void JudgePool::turn(Slot& slot, Clock::time_point now) {
  if (slot.process) slot.process->pump();
  switch (slot.stage) {
    case Stage::idle:
      return;
    case Stage::asking:
      return look_for_answer(slot, now);
    case Stage::ending:
      if (slot.process->ended()) {
        slot.process.reset();
        rest_or_give_up(slot, now);
      } else if (now >= slot.deadline) {
        slot.process->signal_group(SIGKILL);
        slot.deadline = now + kGrace;
      }
      return;
    case Stage::resting:
      if (now >= slot.deadline) begin_try(slot);
  }
}

void JudgePool::look_for_answer(Slot& slot, Clock::time_point now) {
  ChildProcess& process = *slot.process;
  const std::size_t end = process.output().find('\n');
  const std::string_view line = std::string_view(process.output()).substr(0, end);
  if (options_.protocol == JudgeProtocol::jsonl && end != std::string::npos) {
    const bool is_busy = says_busy(line, *slot.question);
    auto answer = answer_in_json(line, *slot.question);
    process.output().erase(0, end + 1);
    return is_busy ? busy(slot, now) : answered(slot, std::move(answer), now);
  }
  if (end == std::string::npos && process.overflowed()) {
    return failed(slot, &JudgeTroubles::senseless,
                  fmt::format("its answer is longer than {} bytes", ChildProcess::kMostOutput),
                  now);
  }
  if (process.ended()) {
    if (options_.protocol == JudgeProtocol::call) {
      if (process.exit_code() == kBusyExitCode) return busy(slot, now);
      if (const auto by_code = answer_in_exit_code(process.exit_code())) {
        Said said = *by_code;
        read_remarks(process.output(), said);
        return answered(slot, std::move(said), now);
      }
      if (process.exit_code() == 0) {
        auto said = answer_in_words(line, *slot.question);
        if (said.ok()) read_remarks(process.output(), *said);
        return answered(slot, std::move(said), now);
      }
    }
    return failed(slot, &JudgeTroubles::crashes,
                  fmt::format("it gave no answer: {}", process.how_it_ended()), now);
  }
  if (now >= slot.deadline) {
    failed(slot, &JudgeTroubles::timeouts,
           fmt::format("no answer within {} s", format_number(options_.timeout_seconds)), now);
  }
}

void JudgePool::answered(Slot& slot, Result<Said> answer, Clock::time_point now) {
  if (!answer.ok()) {
    return failed(slot, &JudgeTroubles::senseless, answer.error().to_string(), now);
  }
  const double response_ms = std::chrono::duration<double, std::milli>(now - slot.begun).count();
  if (options_.protocol == JudgeProtocol::call) slot.process.reset();
  done(slot, std::move(*answer), response_ms);
}

void JudgePool::busy(Slot& slot, Clock::time_point now) {
  ++times_busy_;
  --slot.tries;
  if (options_.protocol == JudgeProtocol::call) slot.process.reset();
  if (slot.busy++ == 0) slot.busy_since = slot.begun;
  const auto latest = slot.busy_since + seconds(options_.busy_seconds);
  if (now >= latest) {
    stayed_busy_ = true;
    slot.failure =
        fmt::format("the judge stayed busy for {} s", format_number(options_.busy_seconds));
    return done(slot, {}, {},
                Error::io(slot.failure, "the judge",
                          "the same command continues later; `busy_patience` waits longer"));
  }
  slot.stage = Stage::resting;
  slot.deadline = std::min(now + pause_after(slot.busy), latest);
}

std::string JudgePool::busy_now() const {
  std::uint64_t waiting = 0;
  Clock::time_point next = Clock::time_point::max();
  for (const Slot& slot : slots_) {
    if (slot.busy == 0 || slot.stage == Stage::idle) continue;
    ++waiting;
    if (slot.stage == Stage::resting) next = std::min(next, slot.deadline);
  }
  if (waiting == 0) return "";
  const std::string text = fmt::format("the judge is busy: {} wait{}", counted(waiting, "duel"),
                                       waiting == 1 ? "s" : "");
  if (next == Clock::time_point::max()) return text + " and asks again now";
  const auto left = std::chrono::ceil<std::chrono::seconds>(next - Clock::now()).count();
  return fmt::format("{}, the next try is in {} s", text, std::max<std::int64_t>(0, left));
}

void JudgePool::failed(Slot& slot, Trouble trouble, std::string failure, Clock::time_point now) {
  ++(troubles_.*trouble);
  slot.busy = 0;
  slot.made_no_sense = trouble == &JudgeTroubles::senseless;
  slot.failure = std::move(failure) + last_error_line(*slot.process);
  end_process(slot, now);
}

// Also after nonsense: what comes next from such a program would be taken for the answer to another
// question.
void JudgePool::end_process(Slot& slot, Clock::time_point now) {
  if (slot.process->ended()) {
    slot.process.reset();
    return rest_or_give_up(slot, now);
  }
  slot.process->signal_group(SIGTERM);
  slot.stage = Stage::ending;
  slot.deadline = now + kGrace;
}

void JudgePool::rest_or_give_up(Slot& slot, Clock::time_point now) {
  if (slot.tries > options_.retries) return done(slot);
  slot.stage = Stage::resting;
  slot.deadline = now + pause_after(slot.tries);
}

JudgePool::Clock::duration JudgePool::pause_after(std::uint64_t tries) const {
  const double doubled =
      std::ldexp(options_.retry_seconds, static_cast<int>(std::min<std::uint64_t>(tries - 1, 60)));
  return seconds(std::min(kLongestRest, doubled));
}

void JudgePool::done(Slot& slot, std::optional<Said> said, std::optional<double> response_ms,
                     std::optional<Error> ends) {
  const std::uint64_t failed_tries = slot.tries - (said ? 1 : 0);
  done_.push_back({.question = std::move(*slot.question),
                   .outcome = std::move(said),
                   .response_ms = response_ms,
                   .failed_tries = failed_tries,
                   .failure = std::move(slot.failure),
                   .made_no_sense = slot.made_no_sense,
                   .ends = std::move(ends)});
  slot.question.reset();
  slot.failure.clear();
  slot.busy = 0;
  slot.stage = Stage::idle;
}

std::vector<Judged> JudgePool::abandon() {
  for (Slot& slot : slots_) {
    if (slot.stage == Stage::idle) continue;
    slot.process.reset();
    slot.failure = "interrupted";
    done(slot);
  }
  return std::exchange(done_, {});
}

void JudgePool::finish() {
  const auto limit = Clock::now() + kGrace;
  for (Slot& slot : slots_) {
    if (slot.process) slot.process->end_input();
  }
  for (bool left = true; left && Clock::now() < limit;) {
    left = false;
    std::vector<pollfd> descriptors;
    for (Slot& slot : slots_) {
      if (!slot.process) continue;
      slot.process->pump();
      left |= !slot.process->ended();
      slot.process->watch(descriptors);
    }
    if (left) ::poll(descriptors.data(), descriptors.size(), static_cast<int>(kTick.count()));
  }
  for (Slot& slot : slots_) slot.process.reset();
}

}  // namespace duel
