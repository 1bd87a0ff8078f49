// Judges at work: several questions in flight, each tried until it has an answer that makes sense.
//
// A judge that hangs is ended with its whole process group, one that crashes or answers nonsense is
// asked again after a pause, and what it complained of is kept for the message. No failure is ever
// an answer.
//
// "Busy" is neither: the judge has not looked at the question, so the try counts nowhere and the
// question is asked again after a pause. A judge that stays busy for too long ends the judges.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/result.h"
#include "duel/judging/child_process.h"
#include "duel/judging/judge_command.h"
#include "duel/judging/judges.h"

namespace duel {

enum class JudgeProtocol {
  call,   // the program runs once for each question; it answers by its first line or its exit code
  jsonl,  // the program stays; a line in, a line out
};

struct JudgeOptions {
  JudgeProtocol protocol = JudgeProtocol::call;
  std::size_t parallel = 1;      // questions in flight, each with a process of its own
  double timeout_seconds = 120;  // for one answer
  std::uint64_t retries = 2;     // further tries after the first
  double retry_seconds = 0.5;    // pause before the second try; doubled each time, at most 30 s
  double busy_seconds = 600;     // how long a judge may say nothing but "busy" to one question
};

// What went wrong on the way, over all tries.
struct JudgeTroubles {
  std::uint64_t timeouts = 0;
  std::uint64_t crashes = 0;    // ended without an answer, or could not be started
  std::uint64_t senseless = 0;  // answers that make no sense
  std::uint64_t total() const { return timeouts + crashes + senseless; }
};

// Single-threaded: everything happens inside `ask` and `wait`.
class JudgePool final : public Judges {
 public:
  // REQUIRES: parallel >= 1, times > 0.
  JudgePool(JudgeCommand command, const JudgeOptions& options);

  std::size_t free() const override;
  // A program that cannot be started at all, and a question that does not fit its command line, end
  // the judges: no retry would help.
  void ask(Question question) override;
  std::vector<Judged> wait(std::chrono::milliseconds most) override;
  std::vector<Judged> abandon() override;

  const JudgeTroubles& troubles() const { return troubles_; }
  std::uint64_t times_busy() const { return times_busy_; }
  // Whether the judges ended because a question met nothing but "busy" for `busy_seconds`.
  bool stayed_busy() const { return stayed_busy_; }
  // "the judge is busy: 3 duels wait, the next try is in 12 s"; "" if no question waits for that.
  std::string busy_now() const;

  // Lets programs that stay end by themselves: closes their input and waits a moment. Whoever is
  // left is killed with the pool.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  enum class Stage { idle, asking, ending, resting };
  struct Slot {
    Stage stage = Stage::idle;
    std::optional<Question> question;
    std::optional<ChildProcess> process;
    std::uint64_t tries = 0;
    std::uint64_t busy = 0;        // tries in a row that found the judge busy; not in `tries`
    Clock::time_point busy_since;  // when the first of them began
    Clock::time_point begun;       // of the present try
    Clock::time_point deadline;    // of the stage: no answer, no end, pause over
    std::string failure;
    bool made_no_sense = false;
  };

  void begin_try(Slot& slot);
  Status start(Slot& slot);
  void turn(Slot& slot, Clock::time_point now);
  void look_for_answer(Slot& slot, Clock::time_point now);
  void answered(Slot& slot, Result<Said> answer, Clock::time_point now);
  using Trouble = std::uint64_t JudgeTroubles::*;
  void failed(Slot& slot, Trouble trouble, std::string failure, Clock::time_point now);
  void busy(Slot& slot, Clock::time_point now);
  void end_process(Slot& slot, Clock::time_point now);
  void rest_or_give_up(Slot& slot, Clock::time_point now);
  Clock::duration pause_after(std::uint64_t tries) const;
  void done(Slot& slot, std::optional<Said> said = {}, std::optional<double> response_ms = {},
            std::optional<Error> ends = {});
  Clock::time_point next_event(Clock::time_point now) const;

  JudgeCommand command_;
  JudgeOptions options_;
  std::deque<Slot> slots_;
  std::vector<Judged> done_;
  JudgeTroubles troubles_;
  std::uint64_t times_busy_ = 0;
  bool stayed_busy_ = false;
};

}  // namespace duel
