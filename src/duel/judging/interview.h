// An experiment about arms and tasks from files, and its log: opened, or gone on with.
//
// What an earlier run asked and never heard of is final: asked again, the answers that are slow to
// come would be drawn until a fast one comes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/result.h"
#include "duel/experiment/local_experiment.h"
#include "duel/experiment/local_questions.h"
#include "duel/judging/arm_changes.h"
#include "duel/judging/arm_list.h"
#include "duel/judging/task_list.h"
#include "duel/verdict/if_wrong.h"
#include "duel/verdict/repeated_answers.h"

namespace duel {

struct InterviewPlan {
  std::string log;              // file; "": in memory
  ExperimentRecord experiment;  // its arms are filled in from `arms`; of a space there are none
  std::vector<ListedArm> arms;
  ArmChanges changes{};  // of a log that is there
  // As it was asked for, where `experiment.policy` is made from it by the number of arms.
  std::string asked_policy{};
  std::optional<TaskList> tasks;
  std::uint64_t max_duels = 0;  // served in all, those of earlier runs too
  // The experiment's judge may be another one than that which began the log.
  bool allows_new_judge = false;
  // Duels of the log that have no answer stay open: an answer to them may still be reported.
  bool keeps_open_duels = false;
  // Where people audit the judge: the key that draws their duels. "": that beside the log, or a new
  // one.
  std::string audit_key{};
  // Hears of every record, those of earlier runs too.
  LocalExperiment::Follower follower{};
  AtCertificate at_certificate = AtCertificate::ends;
};

class Interview {
 public:
  // A new log, or the one that is there if it fits: the same arms with the same content, and the
  // same rules. Where it does not, the error names the first thing that differs.
  static Result<Interview> open(InterviewPlan plan);

  // Whether the log was there.
  bool resumed() const { return resumed_; }
  // Duels that earlier runs left without an answer: they have expired.
  std::size_t given_up() const { return given_up_; }
  // Arms that this run let join and leave, by their ids.
  const std::vector<std::string>& joined() const { return joined_; }
  const std::vector<std::string>& left() const { return left_; }
  // Of the line that a kill cut.
  std::uint64_t cut_bytes() const { return experiment_.cut_bytes(); }

  const Ledger& ledger() const { return experiment_.ledger(); }
  const LiveExperiment& experiment() const { return experiment_.experiment().live(); }
  LocalExperiment& local() { return experiment_; }
  const std::string& log_file() const { return plan_.log; }
  // As the log calls them.
  std::vector<std::string> task_names() const;
  // As the ledger numbers them; of one that is retired perhaps no more than its id.
  const std::vector<ListedArm>& arms() const { return plan_.arms; }
  std::uint64_t max_duels() const { return plan_.max_duels; }
  bool certified() const { return ledger().certificate().has_value(); }
  // What would overturn the certificate now; nothing is said while there is none.
  Result<IfWrong> if_wrong() const;
  // What the judges said that their answers cost, over all runs.
  const AnswerCosts& spent() const { return ledger().costs(); }
  // And what the dearest duel cost; 0 where none has told.
  double dearest_duel() const { return heard_->dearest_duel; }
  // Whether the answers look like draws that have nothing to do with each other.
  HealthCheck fresh_answers() const { return heard_->answers.check(); }
  // They do not: each is said again exactly, or in a circle.
  bool answers_repeat() const {
    return heard_->answers.exact_repeats() > 0 || fresh_answers().verdict == HealthVerdict::failed;
  }

  // What to ask, for a loop; a panel of whom: `voter`; `known`: of QuestionContents. REQUIRES: the
  // interview stays where it is.
  LocalQuestions questions(const std::string& voter = {},
                           std::function<bool(const Question&)> known = {});

 private:
  // What the records of the log tell beside the ledger.
  struct Heard {
    RepeatedAnswers answers;
    double dearest_duel = 0;
    void take(const LogEntry& entry);
  };

  Interview(InterviewPlan plan, LocalExperiment experiment, std::shared_ptr<const Heard> heard)
      : plan_(std::move(plan)), experiment_(std::move(experiment)), heard_(std::move(heard)) {}
  static Result<LocalExperiment> open_log(const InterviewPlan& plan,
                                          const std::shared_ptr<Heard>& heard, bool& resumed);

  InterviewPlan plan_;
  LocalExperiment experiment_;
  std::shared_ptr<const Heard> heard_;
  std::vector<std::string> joined_;
  std::vector<std::string> left_;
  std::size_t given_up_ = 0;
  bool resumed_ = false;
};

}  // namespace duel
