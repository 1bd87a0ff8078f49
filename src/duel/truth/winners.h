// Who is best, in the senses that the literature uses. Signs of p - 1/2 are compared exactly; a
// pair at exactly 1/2 is a victory for neither side.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/result.h"
#include "duel/truth/preference_matrix.h"

namespace duel {

// The arm that beats every other with probability above 1/2; there is at most one.
std::optional<Arm> condorcet_winner(const PreferenceMatrix& matrix);

// D_k = p_*k - 1/2 for every arm k against the Condorcet winner *; D_* = 0.
std::vector<double> gaps_to_winner(const PreferenceMatrix& matrix, Arm winner);

// How hard a matrix is: how close to 1/2 its entries come.
struct MatrixGaps {
  std::optional<double> winner;  // min_{j != *} D_j; nullopt without Condorcet winner or for K = 1
  std::optional<double> any;     // smallest |p_ij - 1/2| > 0; nullopt where all pairs tie
};
MatrixGaps matrix_gaps(const PreferenceMatrix& matrix);

struct CopelandScores {
  std::vector<std::uint32_t> wins;        // Cop(i) = #{j != i : p_ij > 1/2}
  std::vector<Arm> winners;               // all maximisers, ascending
  std::vector<std::pair<Arm, Arm>> ties;  // i < j with p_ij exactly 1/2

  // z_i = Cop(i)/(K - 1); 0 for a single arm.
  double normalised(Arm i) const;
};
CopelandScores copeland_scores(const PreferenceMatrix& matrix);

struct BordaScores {
  std::vector<double> scores;  // b_i = sum_{j != i} p_ij / (K - 1); 1/2 for a single arm
  std::vector<Arm> winners;    // within 1e-9 of the largest score, ascending

  double best() const;
};
BordaScores borda_scores(const PreferenceMatrix& matrix);

// The k arms that each beat every arm outside, ascending. There is at most one such set of each
// size; none where no such set is. REQUIRES: 1 <= k <= K.
std::optional<std::vector<Arm>> dominant_set(const PreferenceMatrix& matrix, std::size_t k);

// The first k of an order in which each beats all that come later and all that are not named; none
// where no such order is. REQUIRES: 1 <= k <= K.
std::optional<std::vector<Arm>> ordered_top(const PreferenceMatrix& matrix, std::size_t k);

// The arms that lose to no other by more than epsilon, ascending: p_ij >= 1/2 - epsilon for all j.
std::vector<Arm> arms_within(const PreferenceMatrix& matrix, double epsilon);

// The smallest set, not empty, whose members each beat everyone outside it; ascending.
std::vector<Arm> smith_set(const PreferenceMatrix& matrix);

struct VonNeumannWinner {
  std::vector<double> weights;  // pi, a distribution over arms
  double guarantee = 0.5;       // min_j sum_i pi_i p_ij
};

// Up to here by linear programming, which takes seconds for this many arms and minutes for four
// times as many; beyond by self-play.
inline constexpr std::size_t kMostProgrammedArms = 500;
// How far the guarantee may lie below 1/2: rounding, or what self-play leaves.
inline constexpr double kProgrammedShortfall = 1e-7;
inline constexpr double kSelfPlayShortfall = 2e-3;

// A lottery over arms that no arm beats: pi with sum_i pi_i p_ij >= 1/2 for every j, the maximin
// strategy of the game 2P - 1, found within the Smith set (no optimal lottery leaves it, and one
// that is optimal within it is optimal). The Condorcet winner's point mass where there is one.
// Beyond `kMostProgrammedArms` arms in the Smith set an arm may beat it by `kSelfPlayShortfall`.
Result<VonNeumannWinner> von_neumann_winner(const PreferenceMatrix& matrix);

// Position of each arm from best (0) to worst: by D_k against the Condorcet winner, or where there
// is none by Copeland, then Borda score. Equal arms stand in the order of their indices. Decides
// which arm of a duel is the better one (weak regret).
std::vector<std::uint32_t> merit_ranks(const PreferenceMatrix& matrix);
// The same where D_k of every arm is known.
std::vector<std::uint32_t> ranks_by_gap(const std::vector<double>& gaps);

}  // namespace duel
