// Bandits with rewards in [0, 1], the "singleton bandit machines" that Doubler, MultiSBM and
// Sparring are built of: asked for an arm, told its reward.
//
// Rewards are half wins (core/ties.h), so that a shared win stays an integer. A pull may be
// outstanding; until it is answered or lost it counts as a pull in the width of the bound, and not
// in the mean.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "duel/core/beta.h"
#include "duel/core/logarithm.h"
#include "duel/core/rows.h"
#include "duel/core/xoshiro.h"
#include "duel/policies/parts/arms.h"
#include "duel/policies/policy.h"

namespace duel {

// The rewards of each arm so far.
class RewardCounts {
 public:
  explicit RewardCounts(std::size_t num_arms)
      : wins_(num_arms), answered_(num_arms), pending_(num_arms) {}

  void pulled(Arm arm) { ++pending_[arm]; }
  void rewarded(Arm arm, std::uint32_t half_wins) {
    --pending_[arm];
    ++answered_[arm];
    wins_[arm] += half_wins;
  }
  void lost(Arm arm) { --pending_[arm]; }

  double wins(Arm arm) const { return 0.5 * static_cast<double>(wins_[arm]); }
  double answered(Arm arm) const { return static_cast<double>(answered_[arm]); }
  double pulls(Arm arm) const { return static_cast<double>(answered_[arm] + pending_[arm]); }
  bool is_pending(Arm arm) const { return pending_[arm] > 0; }
  // 1/2 before the first answer.
  double mean(Arm arm) const {
    return answered_[arm] == 0 ? 0.5 : wins(arm) / static_cast<double>(answered_[arm]);
  }

  void fields(auto& archive) { archive(wins_, answered_, pending_); }
  bool consistent(std::size_t num_arms) const {
    if (wins_.size() != num_arms || answered_.size() != num_arms || pending_.size() != num_arms) {
      return false;
    }
    for (std::size_t k = 0; k < num_arms; ++k) {
      if (wins_[k] / 2 > answered_[k]) return false;
    }
    return true;
  }

 private:
  std::vector<std::uint64_t> wins_;  // half wins
  std::vector<std::uint64_t> answered_;
  std::vector<std::uint64_t> pending_;
};

// Upper confidence bounds: every arm once, then the largest mean + sqrt((alpha + 2)/2 ln s / n), s
// the number of this pull among the machine's own. The bound is computed as
// mean + sqrt((alpha + 2)/2 ln s) / sqrt(n), one multiplication per arm.
struct UcbBanditOptions : PolicyOptions {
  double alpha = 3;
};

class UcbBandit {
 public:
  using Options = UcbBanditOptions;
  using Draws = RoundRng;

  UcbBandit(const Options& options, std::size_t num_arms)
      : num_arms_(num_arms),
        coefficient_(0.5 * (options.alpha + 2.0)),
        deterministic_ties_(options.deterministic_ties),
        counts_(num_arms),
        means_(padded_row(num_arms), -kUnplayed),
        widths_(padded_row(num_arms), 0.0) {
    std::fill_n(means_.begin(), num_arms, kUnplayed);
  }

  // The next arm. Equal bounds are told apart by chance.
  Arm advance(Draws& rng) const {
    const double root =
        std::sqrt(coefficient_ * natural_log(static_cast<double>(std::max<Round>(pulls_ + 1, 1))));
    const DoubleLanes roots = {root, root};
    return static_cast<Arm>(pick_largest(
        means_.size(),
        [&](std::size_t k) {
          return load_lanes<DoubleLanes>(&means_[k]) + roots * load_lanes<DoubleLanes>(&widths_[k]);
        },
        [&](std::size_t tied) { return pick_tied(tied, deterministic_ties_, rng); }));
  }
  void pulled(Arm arm) {
    ++pulls_;
    counts_.pulled(arm);
    refresh(arm);
  }
  void rewarded(Arm arm, std::uint32_t half_wins) {
    counts_.rewarded(arm, half_wins);
    refresh(arm);
  }
  void lost(Arm arm) {
    counts_.lost(arm);
    refresh(arm);
  }
  bool expects(Arm arm) const { return counts_.is_pending(arm); }

  std::uint64_t pulls() const { return pulls_; }
  const RewardCounts& counts() const { return counts_; }

  // As if it had never been asked.
  void forget() {
    counts_ = RewardCounts(num_arms_);
    pulls_ = 0;
    for (Arm arm = 0; arm < num_arms_; ++arm) refresh(arm);
  }

  void fields(auto& archive) { archive(counts_, pulls_); }
  bool restored() {
    if (!counts_.consistent(num_arms_)) return false;
    for (Arm arm = 0; arm < num_arms_; ++arm) refresh(arm);
    return true;
  }

 private:
  static constexpr double kUnplayed = 0x1p900;  // beyond every bound

  void refresh(Arm arm) {
    const double n = counts_.pulls(arm);
    means_[arm] = n == 0 ? kUnplayed : counts_.mean(arm);
    widths_[arm] = n == 0 ? 0.0 : 1.0 / std::sqrt(n);
  }

  std::size_t num_arms_;
  double coefficient_;
  bool deterministic_ties_;
  RewardCounts counts_;
  std::uint64_t pulls_ = 0;
  // Derived from the counts, padded.
  std::vector<double> means_;
  std::vector<double> widths_;
};

// Thompson sampling: the largest draw from the beliefs Beta(wins + 1, losses + 1).
class ThompsonBandit {
 public:
  using Options = PolicyOptions;
  using Draws = Xoshiro;

  ThompsonBandit(const Options& /*options*/, std::size_t num_arms)
      : num_arms_(num_arms), counts_(num_arms) {}

  Arm advance(Draws& rng) const {
    Arm best = 0;
    double largest = -1;
    for (Arm arm = 0; arm < num_arms_; ++arm) {
      const double wins = counts_.wins(arm);
      const double draw = draw_beta(wins + 1.0, counts_.answered(arm) - wins + 1.0, rng);
      if (draw > largest) {
        largest = draw;
        best = arm;
      }
    }
    return best;
  }
  void pulled(Arm arm) { counts_.pulled(arm); }
  void rewarded(Arm arm, std::uint32_t half_wins) { counts_.rewarded(arm, half_wins); }
  void lost(Arm arm) { counts_.lost(arm); }
  bool expects(Arm arm) const { return counts_.is_pending(arm); }
  const RewardCounts& counts() const { return counts_; }

  void fields(auto& archive) { archive(counts_); }
  bool restored() const { return counts_.consistent(num_arms_); }

 private:
  std::size_t num_arms_;
  RewardCounts counts_;
};

// How often each arm was played lately, for policies that return the arm they play most: counted
// since the power of two before the last, which is the last half to three quarters of the run.
class RecentPlays {
 public:
  explicit RecentPlays(std::size_t num_arms) : before_(num_arms), since_(num_arms) {}

  void played(Arm first, Arm second) {
    ++since_[first];
    ++since_[second];
    if (++rounds_ == turn_) {
      turn_ *= 2;
      before_.swap(since_);
      std::fill(since_.begin(), since_.end(), 0);
    }
  }
  Arm most_played(bool deterministic_ties, RoundRng& rng) const {
    return largest_of(all_arms(since_.size()), deterministic_ties, rng,
                      [&](Arm arm) { return before_[arm] + since_[arm]; });
  }

  void fields(auto& archive) { archive(before_, since_, rounds_, turn_); }
  bool consistent(std::size_t num_arms) const {
    return before_.size() == num_arms && since_.size() == num_arms && turn_ > rounds_;
  }

 private:
  std::vector<std::uint64_t> before_;  // between the last two powers of two
  std::vector<std::uint64_t> since_;   // since the last one
  std::uint64_t rounds_ = 0;
  std::uint64_t turn_ = 2;
};

// How the policies of this paper describe themselves.
inline std::string cardinal_reduction_paper(int algorithm) {
  return "Ailon, Karnin, Joachims: Reducing Dueling Bandits to Cardinal Bandits. ICML 2014, "
         "Algorithm " +
         std::to_string(algorithm);
}
inline constexpr const char* kCardinalReductionDeparts =
    "nowhere; it cannot be jumped, since the coin of a self-duel is a reward. Returns the arm "
    "played most in the last half to three quarters of the run";
inline OptionTable<UcbBanditOptions> ucb_bandit_options() {
  return OptionTable<UcbBanditOptions>().number(
      "alpha", &UcbBanditOptions::alpha, {.above = -2, .most = 1e6},
      "width of the bounds: mean + sqrt((alpha + 2)/2 ln s / n)", Shown::always);
}

}  // namespace duel
