#include "duel/experiment/standing.h"

#include <algorithm>
#include <cmath>

#include "duel/core/divergence.h"
#include "duel/inference/contest.h"

namespace duel {
namespace {

// A duel adds d(p, 1/2) to ln E on average, once the mixture has found p; ties and the like add
// nothing.
std::optional<std::uint64_t> duels_to(double log_missing, const ShownCounts& pair) {
  const double wins = static_cast<double>(pair.first_wins) + 1;
  const double losses = static_cast<double>(pair.second_wins) + 1;
  const double p = wins / (wins + losses);
  if (p <= 0.5) return std::nullopt;
  const double final_ones = static_cast<double>(pair.answered() + pair.expired);
  const double decisive = (static_cast<double>(pair.decisive()) + 1) / (final_ones + 1);
  const double duels = std::max(1.0, log_missing) / (kl_bernoulli(p, 0.5) * decisive);
  if (!(duels < 1e15)) return std::nullopt;
  return static_cast<std::uint64_t>(std::ceil(duels));
}

}  // namespace

double ArmStanding::rate() const {
  return counts.decisive() == 0
             ? 0.5
             : static_cast<double>(counts.first_wins) / static_cast<double>(counts.decisive());
}

Standing standing_of(const Ledger& ledger) {
  Standing standing;
  const auto num_arms = static_cast<Arm>(ledger.num_arms());
  for (Arm i = 0; i < num_arms; ++i) {
    ArmStanding arm;
    arm.arm = i;
    for (Arm j = 0; j < num_arms; ++j) {
      if (j != i) arm.counts += ledger.pair(i, j);
    }
    standing.arms.push_back(arm);
  }
  if (ledger.total().decisive() == 0) return standing;
  if (ledger.experiment().goal != Goal::condorcet) {
    if (const auto& board = ledger.scores()) {
      Arm best = 0;
      for (Arm i = 0; i < num_arms; ++i) {
        standing.arms[i].score = board->scores()[i];
        if (board->scores()[i].lower > board->scores()[best].lower) best = i;
      }
      standing.leader = board->winner().value_or(best);
    }
    return standing;
  }
  const Certifier& certifier = ledger.certifier();
  const auto contest = closest_contest(certifier);
  if (!contest) return standing;
  standing.leader = certifier.winner() ? certifier.winner()->winner : contest->leader;
  const Arm leader = *standing.leader;
  std::uint64_t left = 0;
  bool known = true;
  for (ArmStanding& rival : standing.arms) {
    if (rival.arm == leader || !certifier.active(rival.arm)) continue;
    const double reached = certifier.log_evidence(leader, rival.arm);
    const double needed = certifier.log_threshold(leader);
    rival.beaten = std::clamp(reached / needed, 0.0, 1.0);
    if (reached >= needed) {
      rival.duels_left = 0;
      continue;
    }
    // From what the counts say now, which may be below the best so far.
    const ShownCounts pair = ledger.pair(leader, rival.arm);
    const double now = PairEvidence().log_evidence(certifier.wins(leader, rival.arm),
                                                   certifier.wins(rival.arm, leader));
    rival.duels_left = duels_to(needed - now, pair);
    known = known && rival.duels_left.has_value();
    left += rival.duels_left.value_or(0);
  }
  if (known) standing.duels_left = left;
  return standing;
}

}  // namespace duel
