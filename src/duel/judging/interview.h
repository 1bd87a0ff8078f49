// An experiment's questions one after the other, for whoever answers them: a program or a person.
//
// It opens the log or goes on with it, gives each duel its task, and knows what is left to ask:
// first the duels that went out and were never answered, then what the policy wants to know.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "duel/core/result.h"
#include "duel/experiment/recorded_experiment.h"
#include "duel/judging/arm_list.h"
#include "duel/judging/judge_question.h"
#include "duel/judging/task_list.h"

namespace duel {

struct InterviewPlan {
  std::string log;              // file
  ExperimentRecord experiment;  // its arms are filled in from `arms`
  std::vector<ListedArm> arms;
  std::optional<TaskList> tasks;
  std::uint64_t max_duels = 0;  // served in all, those of earlier runs too
};

enum class InterviewEnding { certified, undecided, interrupted };

class Interview {
 public:
  // A new log, or the one that is there if it fits: the same arms with the same content, and the
  // same rules. Where it does not, the error names the first thing that differs.
  static Result<Interview> open(InterviewPlan plan);

  // Whether the log was there.
  bool resumed() const { return resumed_; }
  // Duels that earlier runs left without an answer.
  std::size_t asked_again() const { return asked_again_; }
  // Of the line that a kill cut.
  std::uint64_t cut_bytes() const { return experiment_.log().cut_bytes(); }

  const Ledger& ledger() const { return experiment_.ledger(); }
  const LiveExperiment& experiment() const { return experiment_.experiment(); }
  const std::string& log_file() const { return plan_.log; }
  const std::vector<ListedArm>& arms() const { return plan_.arms; }
  std::uint64_t max_duels() const { return plan_.max_duels; }
  bool certified() const { return ledger().certificate().has_value(); }

  // The next question; its duel is in the log. Nothing while the experiment is certified or its
  // duels are used up.
  Result<std::optional<JudgeQuestion>> next();

  // The records of an answer, given as seen: `first_wins` is the arm shown first. In the order
  // `both` two of them, the second of the question turned round.
  OutcomeRecord outcome_of(const JudgeQuestion& question, std::span<const Outcome> outcomes,
                           const Source& source, double response_ms) const;

  // Written, on disk, and only then counted.
  Status record(std::span<const Record> records);

  // Closes a certified experiment: what is still out has expired, nothing more is asked.
  Status complete();

 private:
  Interview(InterviewPlan plan, RecordedExperiment experiment)
      : plan_(std::move(plan)), experiment_(std::move(experiment)) {}

  Status find_unanswered();
  JudgeQuestion question_of(const ServeRecord& serve) const;

  InterviewPlan plan_;
  RecordedExperiment experiment_;
  std::deque<ServeRecord> unanswered_;  // of earlier runs
  std::size_t asked_again_ = 0;
  bool resumed_ = false;
};

// The same question with the arms in the other order.
JudgeQuestion turned_round(const JudgeQuestion& question);

}  // namespace duel
