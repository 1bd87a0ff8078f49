// Questions in batches: so many are chosen together, and the next ones when all of them are
// answered. For judges that take their time over many at once.
//
// A batch is served as a whole before any of it is asked, so that which duels are in it depends on
// no answer to it, however many are judged at a time. It is shorter where nothing more can be asked
// before an answer comes. What people audit is asked as it comes, outside of batches.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "duel/core/result.h"
#include "duel/experiment/questions.h"

namespace duel {

class BatchedQuestions final : public Questions {
 public:
  // REQUIRES: `questions` lives longer; size >= 1.
  BatchedQuestions(Questions& questions, std::uint64_t size) : questions_(questions), size_(size) {}

  Result<Next> next() override;
  Result<Next> next_audit() override { return questions_.next_audit(); }
  Result<Taken> answer(std::vector<Given> given) override;
  Result<Taken> flush() override { return questions_.flush(); }
  QuestionsProgress progress() const override { return questions_.progress(); }

  // What was served and will not be asked any more is lost: when a run ends within a batch.
  // REQUIRES: nothing is asked after that.
  Status give_up(const Source& source);

 private:
  // Chooses the next batch; nothing, or why there is none.
  Result<std::optional<Next>> choose();

  Questions& questions_;
  std::uint64_t size_;
  std::deque<Question> ready_;
  std::uint64_t out_ = 0;  // asked and not answered
};

}  // namespace duel
