#include "duel/experiment/questions.h"

#include <utility>

namespace duel {

Question turned_round(Question question) {
  std::swap(question.first, question.second);
  return question;
}

Answer answer_of(Outcome outcome, const std::string& first, const std::string& second) {
  // An arm that was shown twice has won in one of its places.
  const auto win = [&](const std::string& winner, std::uint64_t place) {
    return Answer{.result = Answered::win, .winner = winner, .place = first == second ? place : 0};
  };
  const auto plain = [](Answered result) { return Answer{.result = result, .winner = ""}; };
  switch (outcome) {
    case Outcome::first_wins:
      return win(first, 1);
    case Outcome::second_wins:
      return win(second, 2);
    case Outcome::tie:
      return plain(Answered::tie);
    case Outcome::both_bad:
      return plain(Answered::both_bad);
    case Outcome::skip:
      return plain(Answered::skip);
    case Outcome::none:
      break;
  }
  return plain(Answered::invalid);
}

}  // namespace duel
