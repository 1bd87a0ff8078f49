// Questions in batches: so many are asked together, and the next ones when all of them are answered.
// For judges that take their time over many at once.
//
// A batch is served as a whole before any of it is asked, so that which duels are in it depends on
// no answer to it, however many are judged at a time. It is shorter where nothing more can be asked
// before an answer comes.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "duel/core/result.h"
#include "duel/experiment/questions.h"

namespace duel {

class BatchedQuestions final : public Questions {
 public:
  // REQUIRES: `questions` lives longer; size >= 1.
  BatchedQuestions(Questions& questions, std::uint64_t size)
      : questions_(questions), size_(size) {}

  Result<Next> next() override;
  Result<Taken> answer(std::vector<Given> given) override;
  Result<Taken> flush() override { return questions_.flush(); }
  QuestionsProgress progress() const override { return questions_.progress(); }

  // What was served and will not be asked any more is lost: when a run ends within a batch.
  Status give_up(const Source& source);

 private:
  Questions& questions_;
  std::uint64_t size_;
  std::deque<Question> ready_;
  std::uint64_t out_ = 0;  // asked and not answered
};

}  // namespace duel
