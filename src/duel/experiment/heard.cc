#include "duel/experiment/heard.h"

#include <fmt/format.h>

#include <algorithm>

#include "duel/core/rng.h"

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
  const bool graded = duel.fate == Fate::answered && duel.result == Answered::graded;
  const AuditState& audit = duel.audit;
  Heard heard{.counted = tie && parts.silence_ties ? Outcome::tie : duel.outcome};
  // An arm against itself says nothing about arms.
  if (duel.first != duel.second) {
    heard.chooser = tie ? Outcome::tie : graded ? duel.lot : duel.outcome;
    // A person's answer counts for the policy, and none is none, whatever the program said.
    if (audit.step == AuditState::Step::lost) heard.chooser = Outcome::none;
  }
  if (!duel.evidence) return heard;
  if (audit.step == AuditState::Step::none) {
    heard.evidence = graded ? EvidenceAnswer(GradedAnswer{duel.y()}) : duel.outcome;
    return heard;
  }
  const bool drawn = audit.step == AuditState::Step::drawn;
  const bool lost = audit.step == AuditState::Step::lost;
  // It was ended while a person was waited for: what comes after it in the order of serving is
  // never evidence, since the end may have had its reasons.
  const bool undrawn = audit.step == AuditState::Step::undrawn;
  if (!undrawn && !lost && duel.fate != Fate::answered) return heard;
  heard.evidence = AuditedAnswer{.share = audit.share,
                                 .program = audit.program,
                                 .drawn = drawn || lost,
                                 .person = drawn ? duel.y() : 0,
                                 .lost = lost};
  return heard;
}

Outcome lot_of(double score, std::uint64_t seed, std::string_view duel_id) {
  if (score == 0.5) return Outcome::tie;
  std::string owner = "live/score/";
  owner += duel_id;
  const double drawn = Stream(seed, 0, Purpose::choice, owner).at(0).uniform();
  return drawn < score ? Outcome::first_wins : Outcome::second_wins;
}

Result<Outcome> outcome_of(const Answer& answer, const std::string& first,
                           const std::string& second) {
  if (answer.score && answer.result == Answered::win &&
      answer != answer_of_score(*answer.score, first, second)) {
    return unfit_record(
        fmt::format("a score of {} makes another winner than '{}'", *answer.score, answer.winner),
        fmt::format("it is the score of '{}', which was shown first", first));
  }
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

namespace {

// Of several judges: each arm is shown first as the order of the experiment has it.
Status check_orders_of_jury(const std::vector<Judgement>& judgements, Placement order,
                            const std::string& first, const std::string& second) {
  std::size_t shown = 0, turned = 0;
  for (const Judgement& judgement : judgements) {
    if (judgement.judge.empty()) return unfit_record("a judgement of several does not say whose");
    ++(judgement.first == first ? shown : turned);
    if (judgement.first == first || (order == Placement::both && judgement.first == second)) {
      continue;
    }
    return unfit_record(
        fmt::format("the judge '{}' was shown '{}' first", judgement.judge, judgement.first));
  }
  if (order != Placement::both || first == second || (shown > 0 && turned > 0)) return Done{};
  return unfit_record("several judges judged in one order of two");
}

}  // namespace

Status check_judgements(const OutcomeRecord& record, Placement order, const std::string& first,
                        const std::string& second) {
  const auto& judgements = record.judgements;
  const bool empty_handed =
      record.answer.result == Answered::skip || record.answer.result == Answered::invalid;
  if (judgements.empty() && (order != Placement::both || empty_handed)) return Done{};
  const bool jury = std::ranges::any_of(
      judgements, [](const Judgement& judgement) { return !judgement.judge.empty(); });
  if (jury) {
    DUEL_RETURN_IF_ERROR(check_orders_of_jury(judgements, order, first, second));
  } else if (order != Placement::both) {
    return unfit_record(
        fmt::format("judgements in both orders, but the order is '{}'", to_word(order)));
  }
  if (!jury && judgements.size() != 2) {
    return unfit_record(
        fmt::format("{} judgements of a duel that is judged in both orders", judgements.size()),
        "two are needed, one for each order");
  }
  const bool both = jury || (judgements[0].first == first && judgements[1].first == second) ||
                    (judgements[0].first == second && judgements[1].first == first);
  if (!both) {
    return unfit_record(
        fmt::format("the judgements do not show '{}' and '{}' first", first, second));
  }
  for (const Judgement& judgement : judgements) {
    const std::string& other = judgement.first == first ? second : first;
    DUEL_RETURN_IF_ERROR(outcome_of(judgement.answer, judgement.first, other));
  }
  const Answer together = combined(judgements, first, second);
  if (together == record.answer) return Done{};
  return unfit_record(
      fmt::format("the judgements make a '{}', not a '{}'", to_word(together.result),
                  to_word(record.answer.result)),
      jury ? "the mean of what all judges say counts" : "what both say counts; a flip is a tie");
}

}  // namespace duel
