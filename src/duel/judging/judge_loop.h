// The one loop between questions and those who answer them: `duel run` and `duel vote`, here or on
// a server's experiment, and Python's `duel.run`.
//
// Answers are paid for, so that none is thrown away: at the certificate, when the user wants to
// stop and when a judge fails, nothing new is asked, and the loop ends when all that is out is
// answered and recorded. Asking it again in a later run would favour the answers that come fast.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/result.h"
#include "duel/experiment/questions.h"
#include "duel/judging/judges.h"

namespace duel {

// What becomes of a duel whose every try failed. Never a loss.
enum class FailedDuel {
  missing,  // recorded as expired, or as invalid where the last answer made no sense
  skip,     // recorded as skipped
  stop,     // recorded as expired, and the run ends
};

enum class Stopping {
  no,
  after_answers,  // what is out is awaited
  at_once,        // what is out is lost for good
};

struct JudgeLoopOptions {
  FailedDuel on_failure = FailedDuel::missing;
  // The run ends when so many duels in a row got no answer: the judge is broken.
  std::uint64_t max_failures = 5;
  Source source{};              // who answers, for the log
  Source auditor{"human", ""};  // and who audits
  // So many answers to each question and order. Those that fail are left out; the mean of the rest
  // counts as one answer that says how much.
  std::uint64_t votes = 1;
  std::uint64_t orders = 1;  // in which each question is asked; a budget must last for all of them
  // Nothing new is asked once what is out, and one more duel, could cost more than is left of it if
  // each answer were as dear as the dearest so far. While no price is known, one duel is out at a
  // time. 0: no limit.
  double budget = 0;
  double spent = 0;         // by earlier runs
  double dearest_duel = 0;  // of earlier runs, asked as often as now; 0: no price is known
  // What the user is told when the judge is broken.
  std::function<Error(std::uint64_t in_a_row, const Judged& last)> broken;
};

class JudgeLoop {
 public:
  // `auditors`: people who are asked what `questions` draw for them, or null. REQUIRES: all live
  // longer.
  JudgeLoop(Questions& questions, Judges& judges, JudgeLoopOptions options,
            Judges* auditors = nullptr);

  // `stopping` is asked in every turn; `on_turn` is called about ten times a second and after every
  // answer. An error is why the run ended; what was answered is recorded unless recording itself
  // failed.
  Result<RunEnding> run(const std::function<Stopping()>& stopping,
                        const std::function<void()>& on_turn);

  std::uint64_t in_flight() const { return in_flight_; }
  std::uint64_t answered() const { return answered_; }  // duels with an answer in this run
  std::uint64_t failed() const { return failed_; }      // duels without
  const std::string& last_failure() const { return last_failure_; }
  std::uint64_t audited() const { return audited_; }  // answers of people in this run
  double cost() const { return cost_; }               // of this run, as the judge says
  std::uint64_t tokens() const { return tokens_; }
  // Whether the run ended because of the budget.
  bool money_is_out() const { return money_is_out_; }

 private:
  // Asks as long as somebody is free. Why there is nothing to ask, where there is nothing for good.
  std::optional<RunEnding> fill();
  void fill_auditors();
  void ask(Question question);
  Status take(std::vector<Judged> judged);
  Status abandon();
  Source source_of(const Judged& done) const;
  Given without_answer(Judged done) const;
  Given audited(Judged done);
  std::vector<Judged> wait();
  // Nothing new is asked from now on.
  void end(const Error& why);

  // A duel that judges are asked about, and what they have said so far.
  struct Asked {
    std::optional<Said> first{};  // in the first of both orders
    std::vector<Said> votes{};    // in this order
    std::uint64_t calls = 0;      // that are done, in both orders
    std::optional<double> response_ms{};
    std::uint64_t failed_tries = 0;
  };
  double price_of_call() const;
  bool can_pay() const;
  // Whether the next duel has to wait for the first price.
  bool awaits_price() const { return options_.budget > 0 && !is_priced_ && !asked_.empty(); }

  Questions& questions_;
  Judges& judges_;
  Judges* auditors_;
  JudgeLoopOptions options_;
  std::map<std::string, Asked> asked_;  // by duel
  std::uint64_t in_flight_ = 0;
  std::uint64_t answered_ = 0;
  std::uint64_t failed_ = 0;
  std::uint64_t failed_in_a_row_ = 0;
  std::uint64_t audited_ = 0;
  std::uint64_t audits_failed_in_a_row_ = 0;
  std::string last_failure_;
  double cost_ = 0;
  double dearest_ = 0;      // of one answer in this run
  bool is_priced_ = false;  // it is known what an answer costs
  std::uint64_t tokens_ = 0;
  bool money_is_out_ = false;
  std::optional<Error> failure_;
};

}  // namespace duel
