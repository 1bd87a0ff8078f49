// A gate at work: a log for each candidate, in which it meets the baseline until it has passed or
// failed.
//
// A gate's evidence is its own (inference/gate.h). The log's certificate, which decisive answers
// alone bring about, may come before the gate has decided, and does not end it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "duel/core/result.h"
#include "duel/experiment/questions.h"
#include "duel/judging/interview.h"
#include "duel/judging/interview_request.h"
#include "duel/verdict/gate_result.h"

namespace duel {

struct GateRequest {
  // What holds for each candidate. Arms, name, log, policy and alpha are the gate's to say.
  InterviewRequest interview;
  std::string baseline;                 // an item of list_arms that is one arm
  std::vector<std::string> candidates;  // the same
  GateRule rule;                        // alpha: of all candidates together
  std::string folder = ".";             // of the logs, gate-CANDIDATE.duel.jsonl
};

struct GateInterviewPlan {
  InterviewPlan interview;
  GateRule rule;  // of this candidate
  GateNames names;
};

// Reads all candidates before anybody is asked about one of them. An error names the field.
Result<std::vector<GateInterviewPlan>> plan_gate(const GateRequest& request);

// Makes the plan one of a gate: `interview` compares a baseline, its first arm, with a candidate,
// its second, at level `rule.alpha`.
std::shared_ptr<GateKeeper> keep_gate(InterviewPlan& interview, const GateRule& rule);

// One candidate.
class GateRun {
 public:
  // A new log, or the one that is there, which may have decided.
  static Result<std::unique_ptr<GateRun>> open(GateInterviewPlan plan);

  Interview& interview() { return interview_; }
  const GateKeeper& keeper() const { return *keeper_; }
  const GateNames& names() const { return names_; }
  GateResult result(GateStop ended) const;

 private:
  GateRun(Interview interview, std::shared_ptr<GateKeeper> keeper, GateRule rule, GateNames names)
      : interview_(std::move(interview)),
        keeper_(std::move(keeper)),
        rule_(rule),
        names_(std::move(names)) {}

  Interview interview_;
  std::shared_ptr<GateKeeper> keeper_;
  GateRule rule_;
  GateNames names_;
};

// Of the checks of an interview those that a gate shows.
std::vector<HealthCheck> gate_health(const Interview& interview);

// The questions of an experiment until the gate has decided.
class GateQuestions final : public Questions {
 public:
  // REQUIRES: both live longer; the keeper hears of every record.
  GateQuestions(Questions& questions, const GateKeeper& keeper)
      : questions_(questions), keeper_(keeper) {}

  Result<Next> next() override {
    return keeper_.decided() ? Next(Over{RunEnding::certified}) : questions_.next();
  }
  Result<Taken> answer(std::vector<Given> given) override {
    return questions_.answer(std::move(given));
  }
  Result<Taken> flush() override { return questions_.flush(); }
  QuestionsProgress progress() const override { return {.certified = keeper_.decided()}; }

 private:
  Questions& questions_;
  const GateKeeper& keeper_;
};

// Why a loop over them came to its end; `money_is_out`: as it says.
GateStop gate_stop(RunEnding ending, bool money_is_out);

}  // namespace duel
