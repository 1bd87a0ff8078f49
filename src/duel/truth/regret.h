// Regret notions. The same run differs by a factor of two between conventions, so a number is never
// shown without the name of its notion.
//
// Every notion is linear in how often each arm was played and in how often each was the better one
// of its duel. So a trial keeps two integer tallies per arm, and regret of every notion is computed
// from them at a checkpoint, exactly alike on every machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/result.h"
#include "duel/core/trial_arena.h"
#include "duel/truth/preference_matrix.h"

namespace duel {

enum class RegretNotion {
  average,      // (D_i + D_j)/2, D_k = p_*k - 1/2 against the Condorcet winner *
  strong,       // D_i + D_j
  weak,         // min(D_i, D_j)
  copeland,     // z_max - (z_i + z_j)/2, z = normalised Copeland score
  borda,        // b_max - (b_i + b_j)/2
  von_neumann,  // max_k sum_t (p_k,it + p_k,jt - 1)/2: against the best fixed arm in hindsight
  // Where arms have utilities u, in their units and not in those of probabilities:
  utility,         // u_max - (u_i + u_j)/2
  utility_strong,  // u_max - min(u_i, u_j): with the worse arm
  utility_weak,    // u_max - max(u_i, u_j): with the better one
};

std::string to_string(RegretNotion notion);                       // "average", .., "von-neumann"
Result<RegretNotion> parse_regret_notion(std::string_view text);  // with the nearest spelling
std::vector<std::string> regret_notion_names();

// Regret under one notion for one matrix.
class RegretMeter {
 public:
  // An error where the notion needs a Condorcet winner and the matrix has none.
  static Result<RegretMeter> create(RegretNotion notion, const PreferenceMatrix& matrix);
  // From what the Condorcet winner wins more than half against each arm, and from what each arm's
  // utility falls short of the winner's. An error for a notion that needs more than that.
  static Result<RegretMeter> create(RegretNotion notion, std::vector<double> gaps_to_winner,
                                    std::vector<double> utility_gaps);

  RegretNotion notion() const { return notion_; }
  double total(const PlayTally& tally) const;
  double of_duel(Arm i, Arm j) const;  // one round's regret

 private:
  RegretNotion notion_ = RegretNotion::average;
  std::size_t num_arms_ = 0;
  std::vector<double> per_arm_;  // cost of one appearance of each arm; all but von Neumann
  std::vector<double> edge_;     // von Neumann: row-major p_kj - 1/2
};

}  // namespace duel
