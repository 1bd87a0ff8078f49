// What evidence is told of a duel, seen from the arm that was shown first: a win, a loss or nothing
// (an Outcome); a graded answer; or an answer under audit, of which a program gives one and people
// some.
#pragma once

#include <variant>

#include "duel/core/duel.h"

namespace duel {

// How much better the arm shown first was: -1 < y < 1, 0 for neither.
struct GradedAnswer {
  double y = 0;

  friend bool operator==(const GradedAnswer&, const GradedAnswer&) = default;
};

// A program answers every duel and people a drawn share of them (audited_units.h).
struct AuditedAnswer {
  double share = 1;    // pi: the probability of being drawn, fixed when the duel was served
  double program = 0;  // F in [-1, 1]; 0 also where the program gave no answer
  bool drawn = false;
  double person = 0;  // Y in [-1, 1], where the duel was drawn
  bool lost = false;  // it was drawn, and for good nobody answers

  friend bool operator==(const AuditedAnswer&, const AuditedAnswer&) = default;
};

using EvidenceAnswer = std::variant<Outcome, GradedAnswer, AuditedAnswer>;

// The answer as a number; 0 of one that says nothing.
constexpr double number_of(Outcome outcome) {
  return outcome == Outcome::first_wins ? 1.0 : outcome == Outcome::second_wins ? -1.0 : 0.0;
}

// The same answer seen from the other side.
inline AuditedAnswer mirrored(AuditedAnswer answer) {
  answer.program = -answer.program;
  answer.person = -answer.person;
  return answer;
}

}  // namespace duel
