// MDB, monitored dueling bandits: restarts a policy when some pair's share of wins has changed.
// Kolpaczki, Bengs, Huellermeier. Non-stationary dueling bandits. 2022, Algorithm 1.
// Assumes    what the inner policy assumes, between M - 1 changes; each changes some p_ij by delta
//            or more, and they lie far enough apart to be noticed.
// Guarantee  a false alarm has a probability of the order 1/T; on regret O(K sqrt(M T)) beside
//            that of the inner policy between changes.
// Cost       that of the inner policy and O(1) per round; w bytes per pair.
// Departs    gamma can be given. The inner policy's clock counts the monitored rounds too, and it
//            hears of their outcomes, which the paper leaves open.
//
// With N = K (K - 1)/2 pairs,
//   C = ln((4 T + 2) sqrt(T)/(sqrt(M) K)),  w = the smallest even number >= 8 C/delta^2,
//   b = sqrt(w C/2),  gamma = (K - 1)/2 sqrt(M w/T).
// Rounds since the last restart go by in blocks of floor(N/gamma). The first N of a block play the
// pairs, in an order drawn once, the rest is the inner policy's. Each pair keeps its last w
// monitored outcomes. If there are w, and the wins among the newer half and among the older one
// differ by more than b, the policy begins again. With gamma = 1 or more all rounds are monitored
// ones: so it is where T is small for K, M and delta.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "duel/policies/parts/inner_policy.h"

namespace duel {

struct MdbOptions : InnerPolicyOptions {
  std::uint64_t horizon = 0;
  std::uint64_t segments = 10;  // M
  double change = 0.3;          // delta
  std::optional<double> gamma;
};

// What the options mean for a number of arms.
struct MdbDesign {
  double c = 0;
  std::uint64_t window = 0;  // w
  double threshold = 0;      // b
  double gamma = 0;
  std::uint64_t block = 0;  // rounds
};
// REQUIRES: two arms or more.
MdbDesign mdb_design(const MdbOptions& options, std::size_t num_arms);

class Mdb : public SelectingPolicy<Mdb> {
 public:
  using Options = MdbOptions;

  Mdb(const Options& options, std::size_t num_arms, RoundRng rng);

  Duel select(Round round, RoundRng rng) const;
  void issued(const Duel& duel, RoundRng rng) {
    last_round_ = duel.round;
    if (!is_monitored(duel.round)) inner_.issued(duel, rng);
  }
  void observe(const Duel& duel, Outcome outcome, RoundRng rng);
  Arm recommend(RoundRng rng) const { return inner_.recommend(rng); }
  // To the next monitored round at most.
  Jump jump(Round round, Round limit, RoundRng rng) const;

  std::uint64_t restarts() const { return restarts_; }

  void fields(auto& archive) { archive(inner_, order_, windows_, last_round_, restarts_); }
  bool restored();

 private:
  // The last outcomes of a pair, in half wins of its lower arm; a ring once it is full.
  struct Window {
    std::vector<std::uint8_t> points;
    std::uint64_t oldest = 0;
    std::int64_t rise = 0;  // sum over the newer half less that over the older, once full; derived
    void fields(auto& archive) { archive(points, oldest); }
  };
  // Which of the pairs round `round` is for; N or more: none.
  std::uint64_t place(Round round) const { return (round - inner_.start() - 1) % design_.block; }
  bool is_monitored(Round round) const { return num_arms_ > 1 && place(round) < order_.size(); }
  void add(Window& window, std::uint32_t points) const;
  void sum_up(Window& window) const;
  bool has_changed(const Window& window) const;

  Options options_;
  std::size_t num_arms_;
  InnerPolicy inner_;
  MdbDesign design_;
  std::vector<Duel> order_;      // the pairs, lower arm first
  std::vector<Window> windows_;  // in that order
  Round last_round_ = 0;         // that went out
  std::uint64_t restarts_ = 0;
};

}  // namespace duel
