#include "duel/ranking/click_models/position_based.h"

#include "duel/ranking/click_models/examining_user.h"

namespace duel {

PositionBasedUser::PositionBasedUser(std::string canonical, std::vector<double> attraction,
                                     Examination examination)
    : ClickModel(std::move(canonical), attraction.size()),
      attraction_(std::move(attraction)),
      examination_(std::move(examination)) {
  for (const double p : attraction_) DUEL_CHECK(p >= 0 && p <= 1);
}

void PositionBasedUser::click(std::span<const Grade> grades, RoundRng& rng,
                              std::vector<Position>& clicks) const {
  clicks.clear();
  for (Position k = 0; k < grades.size(); ++k) {
    DUEL_CHECK(grades[k] < attraction_.size());
    if (rng.bernoulli(examination_(k + 1) * attraction_[grades[k]])) clicks.push_back(k);
  }
}

UserStep PositionBasedUser::step(UserState state, Position position, Grade grade) const {
  DUEL_CHECK(state == 0 && grade < attraction_.size());
  return {examination_(position + 1) * attraction_[grade], 0, 0, 0, 0};
}

namespace {
const bool position_based_is_registered = register_examining_user<PositionBasedUser>(
    {"position-based", "examines each rank independently of the others",
     "Craswell, Zoeter, Taylor, Ramsey, WSDM 2008"},
    "rank");
}  // namespace

}  // namespace duel
