#include "duel/judging/batched_questions.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace duel {

Result<Questions::Next> BatchedQuestions::next() {
  if (ready_.empty() && out_ > 0) return Next(Later{});
  if (ready_.empty()) {
    while (ready_.size() < size_) {
      DUEL_ASSIGN(Next next, questions_.next());
      if (auto* question = std::get_if<Question>(&next)) {
        ready_.push_back(std::move(*question));
        continue;
      }
      if (ready_.empty()) return next;
      break;
    }
  }
  Question question = std::move(ready_.front());
  ready_.pop_front();
  ++out_;
  return Next(std::move(question));
}

Result<Taken> BatchedQuestions::answer(std::vector<Given> given) {
  const std::uint64_t answered = given.size();
  DUEL_ASSIGN(Taken taken, questions_.answer(std::move(given)));
  out_ -= std::min(out_, answered);
  return taken;
}

Status BatchedQuestions::give_up(const Source& source) {
  if (ready_.empty()) return Done{};
  std::vector<Given> lost;
  for (Question& question : ready_) {
    lost.push_back({.question = std::move(question),
                    .why = "the run ended before it was asked",
                    .source = source});
  }
  ready_.clear();
  DUEL_RETURN_IF_ERROR(questions_.answer(std::move(lost)));
  DUEL_RETURN_IF_ERROR(questions_.flush());
  return Done{};
}

}  // namespace duel
