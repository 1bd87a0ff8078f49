// Active ranking: the k arms with the highest Borda scores.
// Heckel, Shah, Ramchandran, Wainwright. Active ranking from pairwise comparisons and when
// parametric assumptions do not help. Annals of Statistics 2019, Algorithm 1. Inside
// explore-then-exploit.
// Assumes    nothing but that the k-th and the next Borda score differ.
// Guarantee  stops on the k arms with the highest Borda scores with probability >= 1 - delta, after
//            O(sum_i D_i^-2 log(K/(delta D_i))) duels, D_i being arm i's distance from the cut.
// Cost       O(K) per duel; 24 bytes per arm.
// Departs    one cut only, the top k. The radius has the factor 2 of the authors' program, whose
//            margin of 2 radii, for one cut, is the default too.
//
// Sweep t = 1, 2, ..: each undecided arm meets one drawn uniformly from all others; the answer
// counts for it alone. With its share of wins s_i,
//   a_t = sqrt((ln(K/delta) + 3/4 ln ln(K/delta) + 3/2 ln(1 + ln(t/2)))/(2 t)),
// and k' places at the top left, the undecided arms sorted by s: arm i is at the top if s_i exceeds
// the (k' + 1)-th by more than margin a_t, and out if the k'-th exceeds s_i by more. It ends when
// no place is left, or no more arms than places.
//
// Outstanding duels: the arm with the fewest duels asked for is next; the test runs when the fewest
// answers of an undecided arm grow, each share being of the answers that are in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "duel/policies/parts/explore_then_exploit.h"
#include "duel/policies/registry.h"

namespace duel {

struct ActiveRankingOptions : PolicyOptions {
  std::uint64_t k = 1;
  double delta = 0.05;
  double margin = 2;

  ActiveRankingOptions() { ties = Ties::half; }
  void set_defaults(const PolicySetting& setting) { delta = setting.alpha; }
};

// a_t. REQUIRES: t >= 1.
double active_ranking_radius(std::size_t num_arms, double delta, double t);

class ActiveRankingExplorer {
 public:
  using Options = ActiveRankingOptions;
  ActiveRankingExplorer(const Options& options, std::size_t num_arms, RoundRng rng);

  struct Choice {
    Duel duel;
  };
  Choice choose(Round round, RoundRng rng) const;
  void commit(const Choice& choice) { ++records_[choice.duel.first].asked; }
  void answered(const Duel& duel, Points points, RoundRng& rng);
  void lost(const Duel& duel) { --records_[duel.first].asked; }
  bool finished() const { return undecided_.empty(); }
  Arm leader(RoundRng rng) const;
  // The top k, best first.
  std::vector<Arm> found() const { return by_share(top_); }

  const std::vector<Arm>& undecided() const { return undecided_; }
  const std::vector<Arm>& top() const { return top_; }

  void fields(auto& archive) { archive(records_, undecided_, top_, tested_); }
  bool restored(std::span<const Duel> pending);

 private:
  struct Record {
    std::uint64_t duels = 0;
    std::uint64_t points = 0;  // half wins
    std::uint64_t asked = 0;   // answered or out
    void fields(auto& archive) { archive(duels, points, asked); }
  };
  double share(Arm arm) const {
    const Record& record = records_[arm];
    return record.duels == 0
               ? 0.5
               : static_cast<double>(record.points) / static_cast<double>(2 * record.duels);
  }
  std::vector<Arm> by_share(std::vector<Arm> arms) const;
  void test(double t);

  std::size_t num_top_;
  double delta_;
  double margin_;
  std::vector<Record> records_;
  std::vector<Arm> undecided_;  // ascending
  std::vector<Arm> top_;        // in the order in which they were decided
  std::uint64_t tested_ = 0;    // sweeps
};

using ActiveRanking = ExploreThenExploit<ActiveRankingExplorer>;

}  // namespace duel
