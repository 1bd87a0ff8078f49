// A user without memory: what happens at a document depends on its grade alone. Cascade, dependent
// click and dynamic Bayesian models are this user with different numbers, and so are the field's
// perfect, navigational, informational and almost random users.
#pragma once

#include <vector>

#include "duel/ranking/click_models/click_model.h"

namespace duel {

// The user's behaviour at an examined document of one grade; all three are probabilities.
struct Reaction {
  double click = 0;
  double stop_after_click = 0;
  double stop_after_skip = 0;

  friend bool operator==(const Reaction&, const Reaction&) = default;
};

class ScanningUser final : public ClickModel {
 public:
  // One reaction per grade. REQUIRES: at least one, and probabilities in [0, 1].
  ScanningUser(std::string canonical, std::vector<Reaction> reactions);

  // Takes one draw per examined document.
  void click(std::span<const Grade> grades, RoundRng& rng,
             std::vector<Position>& clicks) const override;
  UserState num_states(std::size_t) const override { return 1; }
  UserStep step(UserState state, Position position, Grade grade) const override;

  const std::vector<Reaction>& reactions() const { return reactions_; }

 private:
  // The unit interval cut in four: click and stop | click | skip and stop | skip.
  struct Cut {
    double click_and_stop;
    double click;
    double skip_and_stop;
  };

  std::vector<Reaction> reactions_;
  std::vector<Cut> cuts_;
};

}  // namespace duel
