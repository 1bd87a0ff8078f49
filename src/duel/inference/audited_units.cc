#include "duel/inference/audited_units.h"

#include <algorithm>
#include <cmath>

#include "duel/core/check.h"

namespace duel {
namespace {

// Z for an answer of people, where the duel was drawn.
double value_of(double predicted, double person, double share) {
  return predicted + (person - predicted) / share;
}

}  // namespace

double AuditedUnits::weight() const {
  return std::min(1.0, std::max(0.0, (2.0 + people_program_) / (4.0 + program_program_)));
}

double AuditedUnits::correlation() const {
  return (2.0 + people_program_) / std::sqrt((4.0 + people_people_) * (4.0 + program_program_));
}

AuditedUnits::Unit AuditedUnits::release(const AuditedAnswer& answer) {
  const double share = answer.share;
  DUEL_CHECK(share > 0 && share <= 1);
  Unit made{.weight = weight()};
  made.scale = (1.0 + made.weight * (1.0 - share)) / share;
  const double predicted = made.weight * answer.program;
  ++duels_;
  program_ += answer.program;
  if (answer.drawn && answer.lost) {
    ++lost_;
    made.value = value_of(predicted, -1.0, share);
    made.unit = made.value / made.scale;
    made.reverse = -value_of(predicted, 1.0, share) / made.scale;
    return made;
  }
  if (!answer.drawn) {
    made.value = predicted;
  } else {
    // At a share of 1 nothing is predicted, and rounding must not say otherwise.
    made.value = share == 1.0 ? answer.person : value_of(predicted, answer.person, share);
    ++audited_;
    if (answer.person != 0) ++decisive_;
    if (answer.person != 0 && answer.program != 0) {
      ++comparable_;
      if ((answer.person > 0) == (answer.program > 0)) ++agreed_;
    }
    people_ += answer.person;
    people_program_ += answer.person * answer.program;
    program_program_ += answer.program * answer.program;
    people_people_ += answer.person * answer.person;
  }
  made.unit = made.value / made.scale;
  made.reverse = -made.unit;
  lead_ += made.value;
  return made;
}

double best_audit_share(double price_ratio, double correlation, double least) {
  if (correlation <= 0) return 1;
  const double spread = std::max(0.0, 1.0 - correlation * correlation);
  return std::clamp(std::sqrt(price_ratio * spread) / correlation, least, 1.0);
}

}  // namespace duel
