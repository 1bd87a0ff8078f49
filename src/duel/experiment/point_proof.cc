#include "duel/experiment/point_proof.h"

#include "duel/core/check.h"
#include "duel/core/logarithm.h"

namespace duel {

double PointProof::level(std::uint64_t m) const {
  double alpha = alpha_;
  for (std::uint64_t g = 0; generations_ && g < generation_; ++g) alpha /= 2;
  const auto number = static_cast<double>(m);
  return alpha / (number * (number + 1));
}

double PointProof::log_threshold() const { return -natural_log(level(number_)); }

void PointProof::take() {
  DUEL_CHECK(!stands_);
  ++number_;
  ++candidates_;
  stands_ = true;
  certified_ = false;
  wins_ = losses_ = 0;
  order_ = {};
  first_place_ = next_place_;
}

void PointProof::give_up() {
  DUEL_CHECK(stands_ && !certified_);
  stands_ = false;
  first_place_ = next_place_;
}

void PointProof::adopt() {
  DUEL_CHECK(certified_);
  ++generation_;
  number_ = 0;
  certified_ = false;
  first_place_ = next_place_;
}

std::uint64_t PointProof::served(bool candidate_first) {
  DUEL_CHECK(candidates_ > 0);
  const Arm first = candidate_first ? 0 : 1;
  order_.served(next_place_ - first_place_, first, 1 - first, [](const Duel&, Outcome) {});
  return next_place_++;
}

void PointProof::answered(std::uint64_t place, Outcome outcome) {
  if (place < first_place_) return;
  order_.answered(place - first_place_, outcome, [&](const Duel& duel, Outcome shown) {
    if (certified_) return;
    const Outcome released = duel.first == 0 ? shown : mirrored(shown);
    if (released == Outcome::first_wins) ++wins_;
    if (released == Outcome::second_wins) ++losses_;
    if (released != Outcome::first_wins || log_evidence() < log_threshold()) return;
    certified_ = ever_certified_ = true;
    at_certificate_ = log_evidence();
    stands_ = false;
  });
}

}  // namespace duel
