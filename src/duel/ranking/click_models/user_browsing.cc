#include "duel/ranking/click_models/user_browsing.h"

#include "duel/ranking/click_models/examining_user.h"

namespace duel {

UserBrowsingUser::UserBrowsingUser(std::string canonical, std::vector<double> attraction,
                                   Examination examination)
    : ClickModel(std::move(canonical), attraction.size()),
      attraction_(std::move(attraction)),
      examination_(std::move(examination)) {
  for (const double p : attraction_) DUEL_CHECK(p >= 0 && p <= 1);
}

void UserBrowsingUser::click(std::span<const Grade> grades, RoundRng& rng,
                             std::vector<Position>& clicks) const {
  clicks.clear();
  UserState last_rank = 0;
  for (Position k = 0; k < grades.size(); ++k) {
    DUEL_CHECK(grades[k] < attraction_.size());
    if (rng.bernoulli(examination_(k + 1 - last_rank) * attraction_[grades[k]])) {
      clicks.push_back(k);
      last_rank = k + 1;
    }
  }
}

UserStep UserBrowsingUser::step(UserState state, Position position, Grade grade) const {
  DUEL_CHECK(state <= position && grade < attraction_.size());
  return {examination_(position + 1 - state) * attraction_[grade], 0, 0, position + 1, state};
}

namespace {
const bool user_browsing_is_registered = register_examining_user<UserBrowsingUser>(
    {"user-browsing", "examines by the distance to the last click",
     "Dupret, Piwowarski, SIGIR 2008"},
    "distance");
}  // namespace

}  // namespace duel
