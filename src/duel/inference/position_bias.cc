#include "duel/inference/position_bias.h"

#include "duel/inference/confidence_sequence.h"

namespace duel {

PositionBias estimate_position_bias(std::uint64_t first_wins, std::uint64_t second_wins,
                                    double delta) {
  PositionBias bias;
  bias.first_wins = first_wins;
  bias.second_wins = second_wins;
  const std::uint64_t decisive = first_wins + second_wins;
  if (decisive > 0) bias.share = static_cast<double>(first_wins) / static_cast<double>(decisive);
  bias.interval = beta_binomial_sequence(first_wins, second_wins, delta);
  bias.log_evidence = beta_binomial_log_evidence(first_wins, second_wins, 0.5);
  return bias;
}

}  // namespace duel
