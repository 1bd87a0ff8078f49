// The questions of an experiment in this process. An answer is on the disk when `answer` returns.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/experiment/local_experiment.h"
#include "duel/experiment/questions.h"

namespace duel {

// What a judge sees. The log has no more than ids and hashes of what lies in files; points of a
// space it has whole.
struct QuestionContents {
  std::function<ShownArm(const std::string& arm_id)> arm;
  std::function<Json(const std::string& task)> task{};  // not asked where there are no tasks
  // Who answers the next question, as a keyed hash; nothing where nobody is left. Not asked: nobody
  // is told apart.
  std::function<std::optional<std::string>()> subject{};
  // Whether the answer is known before anybody is asked, so that it is no evidence. Not asked: no
  // answer is known.
  std::function<bool(const Question&)> known{};
};

// What becomes of an experiment once its log is certified.
enum class AtCertificate {
  ends,     // nothing more is asked, and the experiment is closed
  goes_on,  // somebody else decides when it ends, such as a gate
};

class LocalQuestions final : public Questions {
 public:
  // REQUIRES: `experiment` lives longer. `max_duels` are served in all, those of earlier runs too;
  // 0: as many as the experiment allows.
  LocalQuestions(LocalExperiment& experiment, QuestionContents contents, std::uint64_t max_duels,
                 AtCertificate at_certificate = AtCertificate::ends)
      : experiment_(experiment),
        contents_(std::move(contents)),
        max_duels_(max_duels),
        at_certificate_(at_certificate) {}

  Result<Next> next() override;
  Result<Next> next_audit() override;
  Result<Taken> answer(std::vector<Given> given) override;
  // Closes the experiment once it is certified and nothing is out.
  Result<Taken> flush() override;
  QuestionsProgress progress() const override;

 private:
  // So many duels may wait for people before programs are asked for more: what they say could not
  // be evidence before.
  static constexpr std::size_t kMostWaiting = 8;
  Question question_of(ServeRecord serve) const;
  bool certified() const {
    return at_certificate_ == AtCertificate::ends && experiment_.ledger().certificate().has_value();
  }

  LocalExperiment& experiment_;
  QuestionContents contents_;
  std::uint64_t max_duels_;
  AtCertificate at_certificate_;
  std::set<std::string> offered_;  // duels that a person is asked about now
};

}  // namespace duel
