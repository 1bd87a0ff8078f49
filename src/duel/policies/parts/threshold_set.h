// The arms whose level lies at or below a rising threshold, kept up in O(1) where nothing changes:
// the candidates of a policy that compares each arm with the clock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "duel/core/duel.h"

namespace duel {

class ThresholdSet {
 public:
  // No arm is known until `rebuild`.
  explicit ThresholdSet(std::size_t num_arms) { members_.reserve(num_arms); }

  // {i : threshold >= level_i}, in ascending order.
  std::span<const Arm> members() const { return members_; }
  // Whether `members` is right for this threshold.
  bool covers(double threshold) const { return threshold >= threshold_ && threshold < entry_; }

  void rebuild(double threshold, std::span<const double> levels) {
    threshold_ = threshold;
    entry_ = std::numeric_limits<double>::infinity();
    members_.clear();
    for (Arm i = 0; i < levels.size(); ++i) {
      if (threshold >= levels[i]) {
        members_.push_back(i);
      } else {
        entry_ = std::min(entry_, levels[i]);
      }
    }
  }

  // REQUIRES: covers(threshold) or a rebuild follows; from here on the set is that of `threshold`.
  void rise(double threshold) { threshold_ = threshold; }

  // Arm i has a new level.
  void changed(Arm i, double level) {
    const auto place = std::lower_bound(members_.begin(), members_.end(), i);
    const bool was_member = place != members_.end() && *place == i;
    const bool is_member = threshold_ >= level;
    if (is_member && !was_member) members_.insert(place, i);
    if (!is_member) {
      if (was_member) members_.erase(place);
      // May lie too low afterwards, when the arm that set it has moved away: then a rebuild is due
      // a little early.
      entry_ = std::min(entry_, level);
    }
  }

 private:
  std::vector<Arm> members_;
  double threshold_ = std::numeric_limits<double>::infinity();  // covers nothing yet
  double entry_ = std::numeric_limits<double>::infinity();  // no arm outside has a level below it
};

}  // namespace duel
