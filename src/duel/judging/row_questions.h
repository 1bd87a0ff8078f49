// What a judge is asked to be compared with people: every row of their votes, perhaps in the other
// order, too, and again. Each of these is a question of its own, so that an answer that came counts
// whatever becomes of the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "duel/core/result.h"
#include "duel/experiment/questions.h"
#include "duel/verdict/judge_check.h"

namespace duel {

struct RowAsking {
  bool turned = false;        // in the other order, too
  std::uint64_t repeats = 0;  // and so often again as shown
  // Whether answers that a cache knows may be taken for those of this judge.
  bool from_cache = false;
};

class RowQuestions final : public Questions {
 public:
  // REQUIRES: `rows` live longer.
  RowQuestions(const std::vector<JudgedRow>& rows, RowAsking asking);

  Result<Next> next() override;
  Result<Taken> answer(std::vector<Given> given) override;
  Result<Taken> flush() override { return Taken{}; }
  QuestionsProgress progress() const override { return {}; }

  std::size_t all() const { return rows_.size() * of_each_; }  // questions
  std::size_t answered() const { return answered_; }           // of them, with or without an answer
  // Rows of which it is known what the judge says as they are shown, or that it says nothing.
  std::uint64_t rows() const;
  // By what is answered so far.
  JudgeFigures figures(const std::string& judge, std::uint64_t least_of_pair) const;

 private:
  bool is_turned(std::size_t number) const { return asking_.turned && number % of_each_ == 1; }

  struct Reply {
    bool is_in = false;
    Outcome outcome = Outcome::none;  // as the row shows the two
    double cost = 0;
    std::uint64_t tokens = 0;
    bool cached = false;
  };

  const std::vector<JudgedRow>& rows_;
  RowAsking asking_;
  std::size_t of_each_;
  std::size_t next_ = 0;
  std::size_t answered_ = 0;
  std::vector<Reply> replies_;              // of each row: as shown, turned, again
  std::map<std::string, std::size_t> out_;  // their numbers, by duel
};

}  // namespace duel
