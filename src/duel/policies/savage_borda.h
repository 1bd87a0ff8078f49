// SAVAGE with the Borda criterion.
// Urvoy, Clerot, Feraud, Naamane. ICML 2013, Algorithm 1 (policies/parts/savage.h).
// Assumes    nothing: a Borda winner always exists. Equal winners keep it exploring.
// Guarantee  stops on the Borda winner with probability 1 - delta.
// Cost       sampling=pairs: O(K) per duel, 25 bytes per ordered pair.
//            sampling=arms:  O(log K) per duel, 100 bytes per arm.
// Departs    stops when one arm is left that can win: its own pairs never become irrelevant, so the
//            paper's empty set of pairs is not reached. sampling=arms is the usual cheaper
//            reduction: successive elimination of arms, where to sample an arm is to duel it with a
//            uniformly drawn other arm, and only K means are unknown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "duel/core/tournament_tree.h"
#include "duel/policies/parts/savage.h"

namespace duel {

enum class BordaSampling { pairs, arms };

struct SavageBordaOptions : SavageOptions {
  BordaSampling sampling = BordaSampling::pairs;
};

// B+-(i) = mean over j of mean_ij +- c_ij (unsampled: 1/2 +- 1/2). A pair is irrelevant iff B+ <
// max B- at both its ends.
class BordaCriterion {
 public:
  explicit BordaCriterion(std::size_t num_arms);

  void update(Arm i, Arm j, const PairCounts& counts, double c, LivePairs& live);
  void rebuild(const PairCounts& counts, const SavageRadius& radius);
  // One arm alone can win.
  bool decided() const { return hopeless_.count() + 1 == num_arms_; }
  // The largest empirical Borda score, ties uniform.
  Arm leader(const PairCounts& counts, bool deterministic_ties, RoundRng rng) const;

 private:
  struct Bounds {
    double upper = 0;
    double lower = 0;
  };

  void set_bounds(Arm i, Arm j, double mean, double c) {
    bounds_[i * num_arms_ + j] = {mean + c, mean - c};
  }
  // The literal sum over the row, so that nothing drifts.
  void sum_row(Arm i);

  std::size_t num_arms_;
  std::vector<Bounds> bounds_;
  std::vector<double> upper_;  // B+
  std::vector<double> lower_;  // B-
  HopelessArms hopeless_;
};

// sampling=arms.
class BordaArmsExplorer {
 public:
  using Options = SavageOptions;
  BordaArmsExplorer(const Options& options, std::size_t num_arms, RoundRng rng);

  struct Choice {
    Duel duel;
    Sweep<Arm>::Place place;
  };
  // The arm sampled least, then the lowest, against a uniform other.
  Choice choose(Round round, RoundRng rng) const;
  void commit(const Choice& choice) {
    sweep_.asked(choice.place, [this](Arm i) { return alive(i); });
  }
  void answered(const Duel& duel, Points points, RoundRng& rng);
  void lost(const Duel& duel) {
    if (alive(duel.first)) sweep_.ask_again(duel.first);
  }
  bool finished() const { return num_alive_ == 1 || num_wide_ == 0; }
  Arm leader(RoundRng rng) const;

  void fields(auto& archive) { archive(records_, sweep_); }
  bool restored(std::span<const Duel> pending);

 private:
  struct Record {
    std::uint64_t duels = 0;
    std::uint64_t points = 0;  // half wins
    std::uint64_t alive = 1;
  };
  struct Extremes {
    double least_upper = std::numeric_limits<double>::infinity();
    double most_lower = -std::numeric_limits<double>::infinity();
    friend Extremes join(const Extremes& a, const Extremes& b) {
      return {a.least_upper < b.least_upper ? a.least_upper : b.least_upper,
              a.most_lower > b.most_lower ? a.most_lower : b.most_lower};
    }
  };

  bool alive(Arm i) const { return records_[i].alive != 0; }
  double mean(Arm i) const {
    const Record& record = records_[i];
    return record.duels == 0
               ? 0.5
               : static_cast<double>(record.points) / static_cast<double>(2 * record.duels);
  }
  void refresh(Arm i);
  void drop(Arm i);

  std::size_t num_arms_;
  bool deterministic_ties_;
  double epsilon_;
  SavageRadius radius_;
  std::vector<Record> records_;
  Sweep<Arm> sweep_;
  TournamentTree<Extremes> bounds_;
  std::vector<std::uint8_t> wide_;  // |mean - 1/2| + c <= epsilon does not hold
  std::size_t num_alive_;
  std::size_t num_wide_;
};

using SavageBordaPairs = ExploreThenExploit<SavagePairsExplorer<BordaCriterion>>;
using SavageBordaArms = ExploreThenExploit<BordaArmsExplorer>;

}  // namespace duel
