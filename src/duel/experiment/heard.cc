#include "duel/experiment/heard.h"

#include <fmt/format.h>

namespace duel {
namespace {

// Of an answer that names no winner.
Outcome said_by(Answered answered) {
  return answered == Answered::tie        ? Outcome::tie
         : answered == Answered::both_bad ? Outcome::both_bad
         : answered == Answered::skip     ? Outcome::skip
                                          : Outcome::none;
}

}  // namespace

Heard heard(const LedgerDuel& duel, OnTimeout silence, const Parts& parts) {
  // Silence can be taken for a tie where duels are chosen and counted. It is never evidence: people
  // who do not answer are not people who find both alike.
  const bool tie = duel.fate == Fate::expired && silence == OnTimeout::tie;
  Heard heard{.counted = tie && parts.silence_ties ? Outcome::tie : duel.outcome};
  // An arm against itself says nothing about arms.
  if (duel.first != duel.second) heard.chooser = tie ? Outcome::tie : duel.outcome;
  if (duel.evidence) heard.evidence = duel.outcome;
  return heard;
}

Result<Outcome> outcome_of(const Answer& answer, const std::string& first,
                           const std::string& second) {
  if (answer.result != Answered::win) {
    if (answer.winner.empty() && answer.place == 0) return said_by(answer.result);
    return unfit_record(fmt::format("a result '{}' has a winner", to_word(answer.result)));
  }
  if (first == second) {
    if (answer.winner == first && (answer.place == 1 || answer.place == 2)) {
      return answer.place == 1 ? Outcome::first_wins : Outcome::second_wins;
    }
    return unfit_record(fmt::format("the winner '{}' at place {} of a duel of '{}' with itself",
                                    answer.winner, answer.place, first),
                        "name that arm, and the place 1 or 2 that won");
  }
  if (answer.place != 0) {
    return unfit_record("a place is given where the winner's id says it all");
  }
  if (answer.winner == first) return Outcome::first_wins;
  if (answer.winner == second) return Outcome::second_wins;
  return unfit_record(
      fmt::format("the winner '{}' is neither '{}' nor '{}'", answer.winner, first, second));
}

Status check_judgements(const OutcomeRecord& record, Placement order, const std::string& first,
                        const std::string& second) {
  const auto& judgements = record.judgements;
  const bool empty_handed =
      record.answer.result == Answered::skip || record.answer.result == Answered::invalid;
  if (judgements.empty() && (order != Placement::both || empty_handed)) return Done{};
  if (order != Placement::both) {
    return unfit_record(
        fmt::format("judgements in both orders, but the order is '{}'", to_word(order)));
  }
  if (judgements.size() != 2) {
    return unfit_record(
        fmt::format("{} judgements of a duel that is judged in both orders", judgements.size()),
        "two are needed, one for each order");
  }
  const bool both = (judgements[0].first == first && judgements[1].first == second) ||
                    (judgements[0].first == second && judgements[1].first == first);
  if (!both) {
    return unfit_record(
        fmt::format("the judgements do not show '{}' and '{}' first", first, second));
  }
  for (const Judgement& judgement : judgements) {
    DUEL_RETURN_IF_ERROR(outcome_of(judgement.answer, first, second));
  }
  const Answer together = combined(judgements);
  if (together == record.answer) return Done{};
  return unfit_record(fmt::format("the judgements make a '{}', not a '{}'",
                                  to_word(together.result), to_word(record.answer.result)),
                      "what both say counts; a flip is a tie");
}

}  // namespace duel
