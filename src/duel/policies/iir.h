// Iterative insertion ranking (IIR): the whole order of the arms.
// Ren, Liu, Shroff. On sample complexity upper and lower bounds for exact ranking from noisy
// comparisons. NeurIPS 2019, Algorithms ATC, ATI, IAI and IIR. Inside explore-then-exploit.
// Assumes    a strict total order.
// Guarantee  stops on the exact order with probability >= 1 - delta, after O(sum_i D_i^-2 (ln ln
//            1/D_i + ln(K/delta))) duels, D_i being arm i's smallest gap; optimal up to constants.
// Cost       O(log K) per comparison; 24 bytes per arm.
// Departs    the published program takes the square root of a product with a misplaced bracket;
//            the bound is the paper's.
//
// ATC(i, j; e, q): up to ceil(ln(2/q)/(2 e^2)) duels; after the t-th, i is ahead if its share
//   exceeds 1/2 + b_t, b_t = sqrt(ln(pi^2 t^2/(3 q))/(2 t)), j if it is below 1/2 - b_t; after
//   the last the arm with more wins, a coin if they are equal.
// ATI(i; e, q) of an arm into a sorted list of m arms with ends that need no duels: a walk on the
//   binary tree of the m + 1 gaps, a node being the arms to its left and right. In step t = 1 ..
//   ceil(max(4 h, (512/25) ln(2/q))), h = 1 + ceil(log2(1 + m)), Q = 15/16, with comparisons at e:
//     root   on by the arm in the middle (1 - Q);
//     leaf   if i beats the left arm and not the right one (1 - sqrt(Q) each) its counter grows,
//            and i belongs there once it exceeds 1 + t/2 + sqrt(t/2 ln(pi^2 t^2/(3 q))); if not the
//            counter falls, or at 0 the walk goes to the parent. Who loses to the left arm does
//            not meet the right one;
//     else   to the parent if i loses to the left arm or beats the right one (1 - Q^(1/3) each);
//            otherwise on by the arm in the middle.
//   After the last step the leaf with a counter of at least 1 + 5/16 of the steps, or none.
// IIR inserts the arms one by one, each by ATI with e = 2^-(s+1), q = 6 (delta/K)/(pi^2 s^2),
//   s = 1, 2, .. until it belongs somewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "duel/policies/parts/explore_then_exploit.h"
#include "duel/policies/parts/match_play.h"
#include "duel/policies/registry.h"

namespace duel {

struct IirOptions : PolicyOptions {
  double delta = 0.05;

  IirOptions() { ties = Ties::drop; }
  void set_defaults(const PolicySetting& setting) { delta = setting.alpha; }
};

// The number of duels after which ATC ends.
std::uint64_t iir_most_duels(double epsilon, double error);
// The number of steps of ATI into `sorted` arms.
std::uint64_t iir_steps(std::size_t sorted, double error);

class IirTournament {
 public:
  using Options = IirOptions;
  IirTournament(const Options& options, std::size_t num_arms, RoundRng& rng);

  std::vector<Match> first_round(RoundRng& /*rng*/) { return walk(); }
  std::uint8_t judge(const Match& match, RoundRng& rng) const;
  std::vector<Match> played(std::span<const Match> matches, RoundRng& rng);
  Arm leader(std::span<const Match> /*matches*/, RoundRng /*rng*/) const { return sorted_.back(); }
  // All arms, best first.
  std::vector<Arm> found() const { return {sorted_.rbegin(), sorted_.rend()}; }

  // From worst to best, as far as it goes.
  const std::vector<Arm>& sorted() const { return sorted_; }
  std::uint64_t steps() const { return most_steps_; }

  void fields(auto& archive) {
    archive(order_, sorted_, stage_, step_, path_, counters_, comparison_);
  }
  bool restored(std::size_t num_arms, std::span<const Match> matches);

 private:
  // Which of a node's comparisons is on.
  enum Comparison : std::uint8_t { kLeft, kRight, kMiddle };

  // A node is the places of its left and right arm in the list, counted from 1; 0 and m + 1 are
  // the ends.
  std::uint32_t left() const { return path_[path_.size() - 2]; }
  std::uint32_t right() const { return path_.back(); }
  bool is_leaf() const { return right() - left() == 1; }
  bool is_root() const { return path_.size() == 2; }
  Arm inserted() const { return order_[sorted_.size()]; }

  void set_levels();
  void begin_insertion();
  void begin_stage();
  void to_parent() { path_.resize(path_.size() - 2); }
  void to_child(bool beats_middle);
  void end_step();
  void accept(std::uint32_t leaf);
  // Takes what a comparison showed; the walk then is at the next.
  void compared(bool wins);
  // Goes on to a comparison that needs duels. None: everything is sorted.
  std::vector<Match> walk();

  double delta_;
  std::vector<Arm> order_;   // of insertion
  std::vector<Arm> sorted_;  // ascending
  std::uint64_t stage_ = 1;
  std::uint64_t step_ = 1;
  std::vector<std::uint32_t> path_;  // from the root: left and right of each node
  std::vector<std::uint64_t> counters_;
  std::uint8_t comparison_ = kLeft;
  // Derived from the above.
  double epsilon_ = 0;
  double error_ = 0;  // of ATI
  double comparison_error_ = 0;
  std::uint64_t most_steps_ = 0;
  std::uint64_t most_duels_ = 0;
};

using Iir = ExploreThenExploit<MatchPlay<IirTournament>>;

}  // namespace duel
