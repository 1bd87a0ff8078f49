// The judges of this machine at work on an experiment of a server.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "duel/cli/served_experiment.h"
#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/judging/judge_loop.h"
#include "duel/judging/judge_pool.h"

namespace duel::cli {

struct JudgedRunOptions {
  FailedDuel on_failure = FailedDuel::missing;
  std::uint64_t max_failures = 5;
  std::string judge;
};

// Duels are asked for under ids of our own and reports repeat the same body, so that whatever is
// lost on the way can be sent again: a serve is one serve, an answer one answer.
class ServedRun {
 public:
  // REQUIRES: `experiment` lives longer. Of the options, `stop` ends the run and the others say
  // what is reported of a duel that got no answer: `skip`, or `invalid`, which counts for nothing.
  ServedRun(ServedExperiment& experiment, JudgedRunOptions options);

  // Gets the first duel, by which is known whether there are tasks. False where there is none to
  // get, or `stop` came first.
  Result<bool> begin(const std::atomic<bool>& stop);
  bool has_tasks() const { return !ready_.empty() && ready_.front().has_task; }

  // At the certificate, when `stop` is set and when a judge fails nothing new is asked, and the run
  // ends when all that is out is answered and reported. `stop_now` set: the judges are ended, and
  // what they were asked is reported as invalid if the server can be reached.
  Result<ServedEnding> run(JudgePool& pool, const std::atomic<bool>& stop,
                           const std::atomic<bool>& stop_now, const std::function<void()>& on_turn);

  std::uint64_t in_flight() const { return asked_.size(); }
  ServedCounts counts() const;
  const std::string& verdict() const { return verdict_; }
  const std::string& last_failure() const { return last_failure_; }

 private:
  struct Report {
    std::string duel_id;
    Json body;
    std::string next_id;  // under which the next duel is asked for with it; "": none
  };
  struct Half {
    Outcome outcome;
    double response_ms;
  };

  void take_duel(const Json& duel);
  Status deliver(bool wants_more);
  Status ask_server(const JudgePool& pool);
  Status take(std::vector<Judged> judged, JudgePool& pool);
  void report_failure(const ServedQuestion& asked);
  void give_up(JudgePool& pool);

  ServedExperiment& experiment_;
  JudgedRunOptions options_;
  std::deque<ServedQuestion> ready_;             // served, and not with a judge yet
  std::map<std::string, ServedQuestion> asked_;  // with a judge
  std::map<std::string, Half> halves_;
  std::deque<Report> outbox_;
  std::string wanted_id_;  // of the duel that was asked for and has not come yet
  bool certified_ = false;
  bool nothing_to_ask_ = false;
  std::chrono::steady_clock::time_point ask_again_{};
  std::string verdict_;
  std::string last_failure_;
  std::uint64_t answered_ = 0;
  std::uint64_t failed_ = 0;
  std::uint64_t failed_in_a_row_ = 0;
  std::optional<Error> failure_;  // why nothing more is to be asked
};

}  // namespace duel::cli
