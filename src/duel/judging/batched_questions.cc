#include "duel/judging/batched_questions.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace duel {

Result<Questions::Next> BatchedQuestions::next() {
  if (ready_.empty()) {
    if (out_ > 0) return Next(Later{});
    DUEL_ASSIGN(const std::optional<Next> none, choose());
    if (none) return *none;
  }
  // The rest of the batch would be paid for in vain.
  if (questions_.progress().certified) return Next(Over{RunEnding::certified});
  Question question = std::move(ready_.front());
  ready_.pop_front();
  ++out_;
  return Next(std::move(question));
}

Result<std::optional<Questions::Next>> BatchedQuestions::choose() {
  // A server has to know all answers to the last batch first.
  DUEL_ASSIGN(const Taken sent, questions_.flush());
  if (sent.unsent > 0) return std::optional(Next(Later{}));
  while (ready_.size() < size_) {
    DUEL_ASSIGN(Next next, questions_.next());
    auto* const question = std::get_if<Question>(&next);
    if (question != nullptr) {
      ready_.push_back(std::move(*question));
    } else if (ready_.empty()) {
      return std::optional(std::move(next));
    } else {
      break;
    }
  }
  return std::optional<Next>();
}

Result<Taken> BatchedQuestions::answer(std::vector<Given> given) {
  const auto of_batch =
      std::ranges::count_if(given, [](const Given& one) { return !one.question.audit; });
  DUEL_ASSIGN(const Taken taken, questions_.answer(std::move(given)));
  out_ -= std::min(out_, static_cast<std::uint64_t>(of_batch));
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
