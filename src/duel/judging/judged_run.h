// An interview answered by judge programs, several at a time, until there is a certificate.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/result.h"
#include "duel/judging/interview.h"
#include "duel/judging/judge_pool.h"

namespace duel {

// What becomes of a duel whose every try failed. Never a loss.
enum class FailedDuel {
  missing,  // recorded as expired, or as invalid where the last answer made no sense
  skip,     // recorded as skipped
  stop,     // recorded as expired, and the run ends
};

struct JudgedRunOptions {
  FailedDuel on_failure = FailedDuel::missing;
  // The run ends when so many duels in a row got no answer: the judge is broken.
  std::uint64_t max_failures = 5;
  std::string judge;  // who answers, for the log
};

class JudgedRun {
 public:
  // REQUIRES: both outlive the run.
  JudgedRun(Interview& interview, JudgePool& pool, JudgedRunOptions options);

  // Answers are paid for, so that none is thrown away: at the certificate, when `stop` is set and
  // when a judge fails, nothing new is asked, and the run ends when all that is out is answered and
  // recorded. `stop_now` set: the judges are ended, and what they were asked has expired for good.
  // Asking it again would favour the answers that come fast. `on_turn` is called about ten times a
  // second and after every answer. An error ends the run; what was answered is in the log.
  Result<InterviewEnding> run(const std::atomic<bool>& stop, const std::atomic<bool>& stop_now,
                              const std::function<void()>& on_turn);

  std::uint64_t in_flight() const { return pool_.busy(); }
  std::uint64_t answered() const { return answered_; }  // duels with an answer in this run
  std::uint64_t failed() const { return failed_; }      // duels without
  const std::string& last_failure() const { return last_failure_; }

 private:
  Status fill();
  // What judges have answered. `failure_` says why nothing more is to be asked.
  Status take(std::vector<JudgedQuestion> judged);
  Status abandon();
  // What is recorded of a duel that got no answer.
  LocalExperiment::Ending without_answer(const JudgedQuestion& done,
                                         std::uint64_t failed_tries) const;

  Interview& interview_;
  JudgePool& pool_;
  JudgedRunOptions options_;
  // In the order `both`: the first judgement of a duel whose second is out.
  struct Half {
    Outcome outcome;
    double response_ms;
    std::uint64_t failed_tries;
  };
  std::map<std::string, Half> halves_;
  std::uint64_t answered_ = 0;
  std::uint64_t failed_ = 0;
  std::uint64_t failed_in_a_row_ = 0;
  std::string last_failure_;
  std::optional<Error> failure_;
};

}  // namespace duel
