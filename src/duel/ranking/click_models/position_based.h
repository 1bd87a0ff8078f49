// Position-based model: each rank r is examined with probability theta_r, independently of
// everything else, and an examined document of grade g is clicked with probability a_g. Richardson,
// Dominowska, Ragno. WWW 2007; Craswell et al. WSDM 2008.
#pragma once

#include <vector>

#include "duel/ranking/click_models/click_model.h"
#include "duel/ranking/click_models/examination.h"

namespace duel {

class PositionBasedUser final : public ClickModel {
 public:
  // `attraction`: a_g for each grade. REQUIRES: at least one, each in [0, 1].
  PositionBasedUser(std::string canonical, std::vector<double> attraction, Examination examination);

  // Takes one draw per document.
  void click(std::span<const Grade> grades, RoundRng& rng,
             std::vector<Position>& clicks) const override;
  UserState num_states(std::size_t) const override { return 1; }
  UserStep step(UserState state, Position position, Grade grade) const override;

 private:
  std::vector<double> attraction_;
  Examination examination_;
};

}  // namespace duel
