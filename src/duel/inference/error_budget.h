// How the error level alpha is shared over all arms that ever join an experiment.
#pragma once

#include <cstddef>
#include <cstdint>

#include "duel/core/duel.h"

namespace duel {

// Arms 0 .. K - 1 are present at the start and share 0.8 alpha equally, or alpha if no arm may be
// added or retired. The m-th arm added later gets 0.2 alpha/(m (m + 1)), a series that sums to 0.2
// alpha.
class ErrorBudget {
 public:
  // `shared_causes`: one cause, such as a task or a person, may reach the answers of several pairs,
  // so that they are not independent of each other given the past.
  // `epsilon`: a false certificate is one of an arm that loses to another by more than that.
  // `winner_exists`: some arm is taken to beat every other.
  // REQUIRES: 0 < alpha < 1, initial_arms >= 1, epsilon >= 0; a fixed set and epsilon 0 where a
  // winner is taken to exist.
  ErrorBudget(double alpha, std::size_t initial_arms, bool arms_fixed, bool shared_causes = false,
              double epsilon = 0, bool winner_exists = false);

  double alpha() const { return alpha_; }

  // alpha_i: the chance that i is ever certified although it does not beat every other arm.
  double share(Arm i) const;

  // Each E_ij must reach this: 1/(0.9 alpha_i), or r (r + 1)/(0.1 alpha_i) after r >= 1 arms were
  // retired after their first duel. Retiring is a choice made after looking: it must cost, or one
  // could retire the rival that stands in the way.
  //
  // For a fixed set: the smaller of K/alpha and 3/alpha + 1, whatever K (the latter only for
  // epsilon 0 and without shared causes; proof in docs/certificates.md). An arm that l others beat
  // or equal must reach c against all of them, which has probability at most c^-l, and at most
  // 2 r + 1 arms can have so few as r. Where a winner exists: the smaller of (K - 1)/alpha and
  // 1/alpha + 1.
  double threshold(Arm i, std::uint64_t retired_after_duel) const;

  // E_ij >= this declares "i beats j" with all such declarations, over all ordered pairs and times,
  // right with probability 1 - alpha. Each of the K (K - 1) ordered pairs of the start has an equal
  // share; an added arm's share is spread over its pairs with the arms that joined before it.
  double edge_threshold(Arm i, Arm j) const;

 private:
  double share_of_start() const { return arms_fixed_ ? alpha_ : 0.8 * alpha_; }
  double share_of_added(Arm i) const;

  double alpha_;
  std::size_t initial_arms_;
  bool arms_fixed_;
  bool shared_causes_;
  double epsilon_;
  bool winner_exists_;
};

}  // namespace duel
