// What a Thompson sampler believes about each pair, theta_ij ~ Beta(w_ij + 1, w_ji + 1), seen from
// the side of 1/2 on which a sample falls: that is all a sampled tournament needs. A sample is
// drawn as a coin with probability pi_ij = P(theta_ij > 1/2); its value, where it matters, is drawn
// afterwards given its side, which is the same law.
//
// Draws are keyed by what they are for (a pair, an arm) and not taken in turn, so that a sampled
// tournament can be asked for one pair and leave the rest undecided.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/pair_counts.h"
#include "duel/core/rng.h"

namespace duel {

// Draws of one round that may be asked for in any order: number k is the k-th output of SplitMix64.
class KeyedDraws {
 public:
  explicit KeyedDraws(RoundRng& rng) : base_(rng.bits()) {}

  std::uint64_t bits(std::uint64_t k) const { return mix64(base_ + k * 0x9e3779b97f4a7c15ULL); }
  // Uniform on [0, 1), a multiple of 2^-53.
  double uniform(std::uint64_t k) const { return static_cast<double>(bits(k) >> 11) * 0x1p-53; }

 private:
  std::uint64_t base_;
};

// Index of an unordered pair among all pairs.
inline std::uint64_t pair_index(Arm i, Arm j) {
  const std::uint64_t low = i < j ? i : j;
  const std::uint64_t high = i < j ? j : i;
  return high * (high - 1) / 2 + low;
}

// An exponential variable with rate 1, given that it is less than `below`, from a uniform u.
// REQUIRES: below > 0.
double draw_exponential_below(double below, double u);

class Beliefs {
 public:
  explicit Beliefs(std::size_t num_arms);

  // The pair has new counts, in wins. O(K), and O(sqrt(n)) for the new shares.
  void refresh(Arm i, Arm j, double wins, double losses);
  void refresh(Arm i, Arm j, const PairCounts& counts) {
    refresh(i, j, counts.wins(i, j), counts.wins(j, i));
  }

  // The same without the costs, O(1) apart from the shares; for a sampler that does not jump.
  void refresh_shares(Arm i, Arm j, const PairCounts& counts) {
    set_shares(i, j, counts.wins(i, j), counts.wins(j, i));
  }

  // pi_ij = P(theta_ij > 1/2).
  double above_half(Arm i, Arm j) const {
    const double share = underdog_[i * num_arms_ + j];
    return share > 0 ? share : 1.0 + share;
  }
  // Whether a sample with the uniform draw u has theta_ij > 1/2: the underdog wins iff u is less
  // than its share. The same draw seen from the other side gives the other answer.
  bool exceeds(Arm i, Arm j, double u) const {
    const double share = underdog_[i * num_arms_ + j];
    return (u < std::abs(share)) == (share > 0);  // no branch: it could not be predicted
  }
  // Whether i beats j in the tournament sampled from `draws`.
  bool beats(Arm i, Arm j, const KeyedDraws& draws) const {
    return exceeds(i, j, draws.uniform(pair_index(i, j)));
  }

  std::size_t num_arms() const { return num_arms_; }

  // -ln pi_ij, and its sum over j: exp(-row_cost(i)) is the probability that i beats all others.
  double cost(Arm i, Arm j) const { return cost_[i * num_arms_ + j]; }
  double row_cost(Arm i) const { return row_cost_[i]; }
  // Whether i is likelier to beat j than to lose, and how many opponents that holds for.
  bool favours(Arm i, Arm j) const { return underdog_[i * num_arms_ + j] < 0; }
  std::uint32_t num_favoured(Arm i) const { return num_favoured_[i]; }
  // The first opponent, in index order and among those that take part, to whom i loses a sample,
  // given that it loses one; `cost` is the sum of cost(i, j) over them, u uniform. The costs add up
  // along the opponents, and the first sum beyond an exponential variable, known to be less than
  // all of it, is the one. REQUIRES: somebody takes part.
  Arm first_loss(Arm i, double cost, double u, auto takes_part) const {
    const double reach = draw_exponential_below(cost, u);
    double sum = 0;
    Arm opponent = i;
    for (Arm j = 0; j < num_arms_; ++j) {
      if (j == i || !takes_part(j)) continue;
      sum += cost_[i * num_arms_ + j];
      opponent = j;
      if (sum > reach) break;
    }
    return opponent;
  }

 private:
  // Returns the underdog's share, and whether it is i.
  std::pair<double, bool> set_shares(Arm i, Arm j, double wins, double losses);

  std::size_t num_arms_;
  // The smaller of pi_ij and pi_ji; positive if i is the underdog, negative if j is. In an even
  // pair the lower index counts as the underdog, so that share_ij = -share_ji always. 0 on the
  // diagonal, where nobody loses.
  std::vector<double> underdog_;
  std::vector<double> cost_;
  std::vector<double> row_cost_;
  std::vector<std::uint32_t> num_favoured_;
};

// What is known of a tournament before it is sampled: `arm` beats the opponents before `lost_to`
// and loses to that one. Or, where `known` is given, a table over ordered pairs says it: 1 where
// the row wins, -1 where it loses, 0 where nothing is known; `arm` is then not used.
struct Setback {
  Arm arm = 0;
  Arm lost_to = 0;
  const std::int8_t* known = nullptr;
};

// A tournament sampled from beliefs, each pair decided when it is asked for.
class SampledTournament {
 public:
  // `setback` may be null.
  SampledTournament(const Beliefs& beliefs, RoundRng& rng, const Setback* setback)
      : beliefs_(beliefs), draws_(rng), setback_(setback) {}

  bool beats(Arm i, Arm j) const {
    if (setback_ != nullptr && setback_->known != nullptr) {
      const std::int8_t sign = setback_->known[i * beliefs_.num_arms() + j];
      if (sign != 0) return sign > 0;
    } else if (setback_ != nullptr) {
      if (i == setback_->arm && j <= setback_->lost_to) return j != setback_->lost_to;
      if (j == setback_->arm && i <= setback_->lost_to) return i == setback_->lost_to;
    }
    return beliefs_.beats(i, j, draws_);
  }
  // How many pairs i loses; not counted to the end once there are more than `enough`.
  std::uint32_t losses(Arm i, std::uint32_t enough) const;
  // How many pairs each arm wins. REQUIRES: wins has a place for every arm.
  void count_wins(std::vector<std::uint32_t>& wins) const;

 private:
  const Beliefs& beliefs_;
  KeyedDraws draws_;
  const Setback* setback_;
};

}  // namespace duel
