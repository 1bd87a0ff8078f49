// An interview whose questions are answered one after the other, without a loop.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "duel/judging/interview.h"

namespace duel {

// Nothing where nothing is left to ask; `why` then says so. Of a panel `voter` is asked.
inline std::optional<Question> next_of(Interview& interview, RunEnding* why = nullptr,
                                       const std::string& voter = {}) {
  Questions::Next next = interview.questions(voter).next().value();
  if (auto* question = std::get_if<Question>(&next)) return std::move(*question);
  if (why != nullptr) *why = std::get<Questions::Over>(next).why;
  return std::nullopt;
}

// Whether an open pair has met every task. REQUIRES: nothing is left to ask.
inline bool needs_more_tasks(Interview& interview) {
  return std::get<Questions::Over>(interview.questions().next().value()).why ==
         RunEnding::tasks_used_up;
}

inline void answer(Interview& interview, const Question& question, std::vector<Said> judgements) {
  interview.questions()
      .answer({{.question = question,
                .judgements = std::move(judgements),
                .source = {"judge", "j"},
                .response_ms = 1}})
      .value();
}

}  // namespace duel
