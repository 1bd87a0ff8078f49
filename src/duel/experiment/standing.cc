#include "duel/experiment/standing.h"

#include <algorithm>
#include <cmath>
#include <tuple>

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

// The leader by its bounds, and everybody's score.
void judge_scores(Standing& standing, const ScoreCertifier& board) {
  Arm best = 0;
  for (Arm i = 0; i < standing.arms.size(); ++i) {
    standing.arms[i].score = board.scores()[i];
    const Interval& mine = board.scores()[i];
    const Interval& other = board.scores()[best];
    if (std::tie(mine.lower, mine.upper) > std::tie(other.lower, other.upper)) best = i;
  }
  standing.leader = board.winner().value_or(best);
}

// The leader of the closest contest, and how far each rival is from being beaten.
void judge_pairs(Standing& standing, const Ledger& ledger) {
  const Certifier& certifier = ledger.certifier();
  const auto contest = closest_contest(certifier);
  if (!contest) return;
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
  if (ledger.total().decisive() > 0) {
    if (ledger.experiment().goal == Goal::condorcet) {
      judge_pairs(standing, ledger);
    } else if (ledger.scores()) {
      judge_scores(standing, *ledger.scores());
    }
  }
  for (const ArmStanding& arm : standing.arms) {
    const bool beaten = arm.beaten && *arm.beaten >= 1;
    if (ledger.arms()[arm.arm].active && !beaten &&
        arm.counts.decisive() < Standing::kFewestDecisive && !standing.too_little) {
      standing.too_little = arm.arm;
    }
  }
  return standing;
}

}  // namespace duel
