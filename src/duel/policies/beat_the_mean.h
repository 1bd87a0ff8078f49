// Beat-the-Mean (BTM), the regret form and the PAC form.
// Yue, Joachims. Beat the mean bandit. ICML 2011, Algorithm 1 with Algorithms 2 (online) and 3
// (PAC). Inside explore-then-exploit (explore_then_exploit.h).
// Assumes    a total order with relaxed stochastic transitivity (gamma >= 1; 1 is the strong form)
//            and the stochastic triangle inequality. With a gamma that is too small it can drop the
//            Condorcet winner in favour of the Borda winner.
// Guarantee  online: O(gamma^7 K/eps_12 log T) with probability >= 1 - 1/T. PAC: the arm returned
//            is within epsilon of the best with probability >= 1 - delta, after O(K N) duels.
// Cost       O(log K) per duel, O(K log K) per removed arm; 12 bytes per ordered pair.
// Departs    an arm does not meet itself, which leaves the order of the means as it is and widens
//            their gaps by |W|/(|W|-1); literal_self=true is the paper's form, where the fair coin
//            of a self-duel counts.
//
// The working set W holds all arms at first; of each arm b of W, n_b duels and the mean P_b of b
// against the arms that are still in W; n* = min n_b.
//   1. While |W| > 1 and n* < N (infinite online): b with the fewest duels, b' uniform from W.
//   2. They meet; the answer counts for b alone.
//   3. If min P + c(n*) <= max P - c(n*): the arm with the least P leaves W, and the others forget
//      their duels with it.
//   4. The arm of W with the largest P is returned.
//
// Outstanding duels: the arm asked next is the one with the fewest duels answered or pending; the
// test runs at every answer on the answers that are in. A lost duel gives its arm its turn back.
// Answers about an arm that was removed are ignored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "duel/core/logarithm.h"
#include "duel/core/radius.h"
#include "duel/core/tournament_tree.h"
#include "duel/policies/parts/explore_then_exploit.h"
#include "duel/policies/policy.h"

namespace duel {

enum class MeanRadius {
  automatic,  // the paper's own: tight at gamma = 1 (its equation 9), else general
  tight,      // sqrt(ln(1/delta) / n), whatever gamma
  general,    // 3 gamma^2 sqrt(ln(1/delta) / n)
};

struct BeatTheMeanOptions : PolicyOptions {
  std::uint64_t horizon = 0;
  double gamma = 1;
  MeanRadius radius = MeanRadius::automatic;
  bool literal_self = false;
};

struct BeatTheMeanPacOptions : PolicyOptions {
  double gamma = 1;
  double epsilon = 0.1;
  double delta = 0.1;
  bool literal_self = false;
};

// ln(1/delta) with delta = 1/(2 T K).
inline double beat_the_mean_log_term(std::size_t num_arms, Round horizon) {
  return natural_log(2.0) + natural_log(static_cast<double>(horizon)) +
         natural_log(static_cast<double>(num_arms));
}
// ln(K^3 N / delta).
inline double beat_the_mean_pac_log_term(std::size_t num_arms, double limit, double delta) {
  return 3.0 * natural_log(static_cast<double>(num_arms)) + natural_log(limit) - natural_log(delta);
}
// N: the smallest positive integer with N = ceil(36 gamma^6/epsilon^2 ln(K^3 N/delta)). At n = N
// the radius is epsilon/(2 gamma). Beyond 2^62 it is 2^62.
double beat_the_mean_pac_limit(std::size_t num_arms, double gamma, double epsilon, double delta);
// The factor before sqrt(ln(1/delta) / n).
inline double beat_the_mean_width(double gamma, MeanRadius radius) {
  const bool tight = radius == MeanRadius::tight || (radius == MeanRadius::automatic && gamma == 1);
  return tight ? 1.0 : 3.0 * (gamma * gamma);
}
// c(n), with c(0) = 1.
inline double beat_the_mean_radius(double width, double log_term, double n) {
  return n == 0 ? 1.0 : width * root_radius(1.0, log_term, n);
}

// The explorer of both forms.
class BeatTheMeanExplorer {
 public:
  struct Rule {
    double width;
    double log_term;
    double limit;  // N: stops when every arm in W has so many duels
    bool literal_self;
    bool deterministic_ties;
  };
  BeatTheMeanExplorer(const Rule& rule, std::size_t num_arms);

  struct Choice {
    Duel duel;
  };
  // Step 1: b has the fewest duels (ties uniform), b' is uniform.
  Choice choose(Round round, RoundRng rng) const;
  void commit(const Choice& choice);
  void answered(const Duel& duel, Points points, RoundRng& rng);
  void lost(const Duel& duel);
  bool finished() const {
    return working_set_.size() == 1 || static_cast<double>(means_.all().least_duels) >= rule_.limit;
  }
  // Step 4: the largest mean, ties uniform.
  Arm leader(RoundRng rng) const;

  const std::vector<Arm>& working_set() const { return working_set_; }
  std::uint64_t duels(Arm b) const { return rows_[b].duels; }

  void fields(auto& archive) { archive(working_set_, cells_); }
  bool restored(std::span<const Duel> pending);

 private:
  // What happened when b was chosen to meet b'.
  struct Cell {
    std::uint32_t duels = 0;
    std::uint32_t points = 0;  // half wins of b
  };
  // The same, over all b' in W.
  struct Row {
    std::uint64_t duels = 0;
    std::uint64_t points = 0;
    std::uint64_t pending = 0;
  };
  // The arms that were asked least, answered or not.
  struct Turn {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t tied = 0;
    friend Turn join(const Turn& a, const Turn& b) {
      if (a.least != b.least) return a.least < b.least ? a : b;
      return {a.least, a.tied + b.tied};
    }
  };
  struct Means {
    std::uint64_t least_duels = std::numeric_limits<std::uint64_t>::max();  // n*
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    friend Means join(const Means& a, const Means& b) {
      return {a.least_duels < b.least_duels ? a.least_duels : b.least_duels,
              a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
    }
  };

  static constexpr std::uint32_t kRemoved = std::numeric_limits<std::uint32_t>::max();

  bool in_working_set(Arm b) const { return place_[b] != kRemoved; }
  std::size_t index(Arm b, Arm other) const { return b * place_.size() + other; }
  double mean(const Row& row) const {
    return row.duels == 0 ? 0.5
                          : static_cast<double>(row.points) / static_cast<double>(2 * row.duels);
  }
  void refresh_turn(Arm b) { turns_.set(b, {rows_[b].duels + rows_[b].pending, 1}); }
  void refresh_mean(Arm b) {
    const double p = mean(rows_[b]);
    means_.set(b, {rows_[b].duels, p, p});
  }
  void test(RoundRng& rng);
  void remove(Arm removed);
  void rebuild_places();

  Rule rule_;
  std::vector<Arm> working_set_;      // W, ascending
  std::vector<std::uint32_t> place_;  // where an arm stands in W
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> pending_;  // of each cell; follows from the duels that are out
  std::vector<Row> rows_;
  TournamentTree<Turn> turns_;
  TournamentTree<Means> means_;
  std::uint64_t radius_duels_ = 0;  // the n whose c(n) is kept
  double radius_ = 1;
};

class BeatTheMeanOnlineExplorer : public BeatTheMeanExplorer {
 public:
  using Options = BeatTheMeanOptions;
  BeatTheMeanOnlineExplorer(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
      : BeatTheMeanExplorer({.width = beat_the_mean_width(options.gamma, options.radius),
                             .log_term = beat_the_mean_log_term(num_arms, options.horizon),
                             .limit = std::numeric_limits<double>::infinity(),
                             .literal_self = options.literal_self,
                             .deterministic_ties = options.deterministic_ties},
                            num_arms) {}
};

class BeatTheMeanPacExplorer : public BeatTheMeanExplorer {
 public:
  using Options = BeatTheMeanPacOptions;
  BeatTheMeanPacExplorer(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
      : BeatTheMeanPacExplorer(
            options, num_arms,
            beat_the_mean_pac_limit(num_arms, options.gamma, options.epsilon, options.delta)) {}

 private:
  BeatTheMeanPacExplorer(const Options& options, std::size_t num_arms, double limit)
      : BeatTheMeanExplorer({.width = beat_the_mean_width(options.gamma, MeanRadius::general),
                             .log_term = beat_the_mean_pac_log_term(num_arms, limit, options.delta),
                             .limit = limit,
                             .literal_self = options.literal_self,
                             .deterministic_ties = options.deterministic_ties},
                            num_arms) {}
};

using BeatTheMean = ExploreThenExploit<BeatTheMeanOnlineExplorer>;
using BeatTheMeanPac = ExploreThenExploit<BeatTheMeanPacExplorer>;

}  // namespace duel
