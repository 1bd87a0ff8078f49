// Everything that a reader of results wants to see, from a ledger alone. Only the certificate
// decides; strengths and posterior probabilities are views.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "duel/experiment/ledger.h"
#include "duel/inference/bradley_terry.h"
#include "duel/inference/interval.h"
#include "duel/verdict/health.h"
#include "duel/verdict/standing.h"

namespace duel {

struct BoardArm {
  Arm arm = 0;
  // Its row. The leader and the arms that are tied with it share the first place.
  std::size_t rank = 1;
  ShownCounts counts;  // against all others; `first_wins` are its own
  double rate = 0.5;   // of its decisive duels
  double probability_best = 0;
  std::optional<double> elo;             // Bradley-Terry, 0 for the average arm
  std::optional<Interval> elo_interval;  // 95 %, as if the number of duels had been fixed
  RankRange rank_range;                  // the places that the evidence leaves open
};

struct BoardPair {
  Arm first = 0;
  Arm second = 0;
  ShownCounts counts;  // from the side of `first`, both places
  double rate = 0.5;
  Interval interval;  // of the win probability, at all times, each pair for itself
};

struct Board {
  // The active ones: the leader, those that are tied with it, and the others by strength (where
  // none are fitted, by how many arms each seems to beat), as far as their ranges of places allow.
  // Shares of duels won order nothing: a policy gives strong arms strong opponents.
  std::vector<BoardArm> arms;
  std::vector<BoardPair> pairs;  // that met, each once
  Standing standing;             // who leads, and how far it is ahead
  // Other active arms that may be first, by rank; none once there is a certificate.
  std::vector<Arm> not_ruled_out;
  TieModel tie_model = TieModel::halves;  // davidson if there are ties, unless halves are wanted
  std::optional<BradleyTerryFit> strengths;
  std::string no_strengths;  // why there are none
  std::string no_position;   // why they lack the effect of places, if it was asked for
  std::vector<HealthCheck> health;

  static constexpr double kDelta = 0.05;  // of each interval
};

// How the strengths are fitted.
struct BoardOptions {
  std::optional<GammaPrior> prior{};  // with one there are strengths whatever the duels are
  bool position = false;              // with the effect of being shown first
  // Ties are half wins, as arenas of language models count them, and so is what was bad on both
  // sides. Without it ties have a probability of their own (Davidson).
  bool ties_are_halves = false;
};

Board board_of(const Ledger& ledger, const BoardOptions& options = {});

// From the side of `row`; nothing if the two never met.
std::optional<BoardPair> pair_of(const Board& board, Arm row, Arm column);

// 400 points are odds of ten to one.
double elo_points(double log_odds);

}  // namespace duel
