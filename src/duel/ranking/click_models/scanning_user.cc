#include "duel/ranking/click_models/scanning_user.h"

namespace duel {

ScanningUser::ScanningUser(std::string canonical, std::vector<Reaction> reactions)
    : ClickModel(std::move(canonical), reactions.size()), reactions_(std::move(reactions)) {
  for (const Reaction& r : reactions_) {
    for (const double p : {r.click, r.stop_after_click, r.stop_after_skip}) {
      DUEL_CHECK(p >= 0 && p <= 1);
    }
    // A product may round up to its factor's neighbour, never beyond the factor; the last cut is
    // written so that certainty (1) and impossibility (0) are met exactly.
    const double skip_and_stop =
        r.stop_after_skip == 1 ? 1.0 : r.click + (1 - r.click) * r.stop_after_skip;
    cuts_.push_back({r.click * r.stop_after_click, r.click, skip_and_stop});
  }
}

void ScanningUser::click(std::span<const Grade> grades, RoundRng& rng,
                         std::vector<Position>& clicks) const {
  clicks.clear();
  for (Position k = 0; k < grades.size(); ++k) {
    DUEL_CHECK(grades[k] < cuts_.size());
    const Cut& cut = cuts_[grades[k]];
    const double u = rng.uniform();
    if (u < cut.click) {
      clicks.push_back(k);
      if (u < cut.click_and_stop) return;
    } else if (u < cut.skip_and_stop) {
      return;
    }
  }
}

UserStep ScanningUser::step(UserState state, Position /*position*/, Grade grade) const {
  DUEL_CHECK(state == 0 && grade < reactions_.size());
  const Reaction& r = reactions_[grade];
  return {r.click, r.stop_after_click, r.stop_after_skip, 0, 0};
}

}  // namespace duel
