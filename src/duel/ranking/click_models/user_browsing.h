// User browsing model: a document is examined with a probability that depends on its distance d to
// the last click above it (to the top of the list, rank 0, where there was none), and an examined
// document of grade g is clicked with probability a_g. Dupret, Piwowarski. SIGIR 2008.
// Departs    from the paper's gamma_{r,d}, fitted for every rank r and distance d, in that gamma
//            depends on d alone.
#pragma once

#include <vector>

#include "duel/ranking/click_models/click_model.h"
#include "duel/ranking/click_models/examination.h"

namespace duel {

class UserBrowsingUser final : public ClickModel {
 public:
  // `attraction`: a_g for each grade. REQUIRES: at least one, each in [0, 1].
  UserBrowsingUser(std::string canonical, std::vector<double> attraction, Examination examination);

  // Takes one draw per document.
  void click(std::span<const Grade> grades, RoundRng& rng,
             std::vector<Position>& clicks) const override;
  // The state is the rank of the last click, 0 before the first.
  UserState num_states(std::size_t length) const override {
    return static_cast<UserState>(length) + 1;
  }
  UserStep step(UserState state, Position position, Grade grade) const override;

 private:
  std::vector<double> attraction_;
  Examination examination_;
};

}  // namespace duel
