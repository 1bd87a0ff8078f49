// The Bradley-Terry model by its formula, p_ij = 1/(1 + exp(u_j - u_i)), for more arms than a
// matrix of all pairs has room for: 10^4 arms are 10^8 pairs, 800 MB, and 10^4 strengths are 80 kB.
//
// `strengths(k=50,seed=1,spread=1)` is the truth of `bradley-terry(k=50,seed=1,spread=1)`, bit for
// bit, without the numbers of all pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/call_spec.h"
#include "duel/core/duel.h"
#include "duel/core/result.h"
#include "duel/core/trial_arena.h"

namespace duel {

// `count` normal numbers with deviation `spread`, from Stream(seed, 0, Purpose::generate, owner):
// random strengths of arms, from which models make preferences.
std::vector<double> normal_utilities(std::uint64_t count, std::uint64_t seed, double spread,
                                     std::string_view owner);

class Strengths {
 public:
  static constexpr const char* kName = "strengths";
  static constexpr std::uint64_t kMostArms = 1'000'000;

  static Result<std::shared_ptr<const Strengths>> create(const CallSpec& call);

  // Of these utilities. Errors: the largest is shared, or is no number.
  static Result<std::shared_ptr<const Strengths>> of(std::string name,
                                                     std::vector<double> utilities);

  const std::string& name() const { return name_; }  // canonical
  std::size_t num_arms() const { return utilities_.size(); }
  std::string arm_name(Arm arm) const;
  double chance(Arm i, Arm j) const;  // that i beats j
  // The strongest arm, which beats all others.
  Arm winner() const { return winner_; }
  // p_*j - 1/2 of the winner *.
  std::vector<double> gaps_to_winner() const;
  // u_* - u_j.
  std::vector<double> utility_gaps() const;
  // As `merit_ranks` of a matrix.
  std::vector<std::uint32_t> merit_ranks() const;

  // What answers the duels of a trial; as coins with the matrix's probabilities would. It must not
  // outlive this.
  std::unique_ptr<OutcomeSource> outcomes(std::uint64_t seed, std::uint32_t trial) const;

 private:
  Strengths(std::string name, std::vector<double> utilities)
      : name_(std::move(name)), utilities_(std::move(utilities)) {}

  std::string name_;
  std::vector<double> utilities_;
  Arm winner_ = 0;
};

}  // namespace duel
