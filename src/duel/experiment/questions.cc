#include "duel/experiment/questions.h"

#include <utility>

namespace duel {

Question turned_round(Question question) {
  std::swap(question.first, question.second);
  return question;
}

Answer answer_of(const Said& said, const std::string& first, const std::string& second) {
  if (said.score) return answer_of_score(*said.score, first, second);
  const Outcome outcome = said.outcome;
  if (outcome == Outcome::first_wins || outcome == Outcome::second_wins) {
    const bool first_won = outcome == Outcome::first_wins;
    // An arm that was shown twice has won in one of its places.
    const std::uint64_t place = first != second ? 0 : first_won ? 1 : 2;
    return {.result = Answered::win, .winner = first_won ? first : second, .place = place};
  }
  return {.result = outcome == Outcome::tie        ? Answered::tie
                    : outcome == Outcome::both_bad ? Answered::both_bad
                    : outcome == Outcome::skip     ? Answered::skip
                                                   : Answered::invalid,
          .winner = ""};
}

}  // namespace duel
