// SAVAGE (Sensitivity Analysis of VAriables for Generic Exploration): what its three forms share.
// Urvoy, Clerot, Feraud, Naamane. Generic exploration and K-armed voting bandits. ICML 2013,
// Algorithm 1. Inside explore-then-exploit (policies/parts/explore_then_exploit.h).
//
// W_p holds all pairs at first.
//   1. While W_p is not empty: 2. the pair of W_p sampled least meets; 3. its mean and its bounds
//   mean +- c(n) are brought up to date; 4. pairs leave W_p for good once no answer about them can
//   change who wins.
// What that means is the criterion's affair: savage_condorcet.h, savage_copeland.h,
// savage_borda.h.
//
// Outstanding duels: the turn passes on when a duel goes out; the tests run at every answer. A lost
// duel is asked again first. Answers about a pair that was dropped are ignored.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "duel/core/pair_counts.h"
#include "duel/policies/parts/explore_then_exploit.h"
#include "duel/policies/parts/sweep.h"
#include "duel/policies/policy.h"

namespace duel {

enum class SavageBound {
  horizon,  // eta = 2 N_v T
  anytime,  // eta = pi^2 N_v n^2 / 3: the radius does not use T
};

struct SavageOptions : PolicyOptions {
  std::uint64_t horizon = 0;
  std::optional<double> delta;  // 1/horizon unless given
  SavageBound bound = SavageBound::horizon;
  double epsilon = 0;
};

// c(n) = sqrt(ln(eta/delta) / (2 n)) for one of N_v unknown means.
class SavageRadius {
 public:
  SavageRadius(const SavageOptions& options, double num_unknowns);

  // ln(eta/delta). REQUIRES: n > 0.
  double log_term(double n) const;
  double operator()(double n) const;

 private:
  bool anytime_;
  double constant_;  // ln(eta/delta) without what depends on n
};

// An unordered pair of different arms.
struct ArmPair {
  Arm low = 0;
  Arm high = 0;
  friend auto operator<=>(const ArmPair&, const ArmPair&) = default;
};

std::vector<ArmPair> all_pairs(std::size_t num_arms);  // lexicographic

// W_p, the pairs still in question, and how many of those are too far from 1/2 for the
// epsilon-relaxed stop. One byte per ordered pair.
class LivePairs {
 public:
  explicit LivePairs(std::size_t num_arms);

  bool contains(Arm i, Arm j) const { return (state_[index(i, j)] & kLive) != 0; }
  std::size_t size() const { return size_; }
  // Pairs for which |mean - 1/2| + c <= epsilon does not hold.
  std::size_t num_wide() const { return num_wide_; }

  void drop(Arm i, Arm j);
  // REQUIRES: the pair is live.
  void set_wide(Arm i, Arm j, bool wide);

  void fields(auto& archive) { archive(state_); }
  bool restored();

 private:
  static constexpr std::uint8_t kLive = 1;
  static constexpr std::uint8_t kWide = 2;

  std::size_t index(Arm i, Arm j) const { return i < j ? i * num_arms_ + j : j * num_arms_ + i; }

  std::size_t num_arms_;
  std::vector<std::uint8_t> state_;
  std::size_t size_ = 0;
  std::size_t num_wide_ = 0;
};

// The arms that cannot win any more: their score is surely less than that of another arm. A pair
// between two of them is irrelevant.
class HopelessArms {
 public:
  explicit HopelessArms(std::size_t num_arms) : hopeless_(num_arms) { fresh_.reserve(num_arms); }

  std::size_t count() const { return count_; }
  // From upper and lower bounds of all scores.
  template <class Score>
  void find(const std::vector<Score>& upper, const std::vector<Score>& lower) {
    const Score bar = *std::max_element(lower.begin(), lower.end());
    fresh_.clear();
    count_ = 0;
    for (Arm i = 0; i < hopeless_.size(); ++i) {
      const bool hopeless = upper[i] < bar;
      if (hopeless && hopeless_[i] == 0) fresh_.push_back(i);
      hopeless_[i] = hopeless ? 1 : 0;
      count_ += hopeless_[i];
    }
  }
  // A pair between two that were hopeless before the last `find` was dropped then.
  void drop_pairs(LivePairs& live) const {
    for (const Arm i : fresh_) {
      for (Arm j = 0; j < hopeless_.size(); ++j) {
        if (hopeless_[j] != 0) live.drop(i, j);
      }
    }
  }

 private:
  std::vector<std::uint8_t> hopeless_;
  std::vector<Arm> fresh_;  // hopeless since the last `find`
  std::size_t count_ = 0;
};

// The arm with the largest empirical Copeland score #{j : mean(i, j) > 1/2} among `candidates`,
// ties uniform. REQUIRES: there is a candidate.
Arm empirical_copeland_leader_among(std::span<const Arm> candidates, const PairCounts& counts,
                                    bool deterministic_ties, RoundRng rng);

// A criterion gives
//   update(i, j, counts, c, live)     the pair (live, i < j) has a new mean and the radius c: drops
//                                     every pair that has become irrelevant
//   rebuild(counts, radius)           the same state from the counts of all pairs, after a restore
//   decided()                         the winner is known though some pairs are live
//   leader(counts, ties, rng)         the winner, or the best guess so far
template <class Criterion>
class SavagePairsExplorer {
 public:
  using Options = SavageOptions;

  SavagePairsExplorer(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
      : deterministic_ties_(options.deterministic_ties),
        epsilon_(options.epsilon),
        radius_(options, 0.5 * static_cast<double>(num_arms) * static_cast<double>(num_arms - 1)),
        counts_(num_arms),
        live_(num_arms),
        sweep_(all_pairs(num_arms)),
        criterion_(num_arms) {}

  struct Choice {
    Duel duel;
    Sweep<ArmPair>::Place place;
  };
  // Step 2: the pair sampled least, then the lowest. Live pairs are sampled in turn, so that their
  // counts differ by one at most and it is the next in the sweep.
  Choice choose(Round round, RoundRng /*rng*/) const {
    const auto place = sweep_.next(alive());
    return {{place.item.low, place.item.high, round}, place};
  }
  void commit(const Choice& choice) { sweep_.asked(choice.place, alive()); }
  // Steps 3 and 4.
  void answered(const Duel& duel, Points points, RoundRng& /*rng*/) {
    const Arm i = duel.first;
    const Arm j = duel.second;
    if (!live_.contains(i, j)) return;
    counts_.add(i, j, points);
    const double c = radius_(counts_.duels(i, j));
    if (epsilon_ > 0) {
      const double mean = counts_.mean(i, j);
      live_.set_wide(i, j, !((mean < 0.5 ? 0.5 - mean : mean - 0.5) + c <= epsilon_));
    }
    criterion_.update(i, j, counts_, c, live_);
  }
  void lost(const Duel& duel) {
    if (live_.contains(duel.first, duel.second)) sweep_.ask_again({duel.first, duel.second});
  }
  bool finished() const { return live_.num_wide() == 0 || criterion_.decided(); }
  Arm leader(RoundRng rng) const { return criterion_.leader(counts_, deterministic_ties_, rng); }

  const PairCounts& counts() const { return counts_; }
  const LivePairs& live() const { return live_; }
  const Criterion& criterion() const { return criterion_; }

  void fields(auto& archive) { archive(counts_, live_, sweep_); }
  bool restored(std::span<const Duel> /*pending*/) {
    const std::size_t num_arms = counts_.num_arms();
    if (!counts_.consistent() || !live_.restored() || !sweep_.restored([=](const ArmPair& pair) {
          return pair.low < pair.high && pair.high < num_arms;
        })) {
      return false;
    }
    std::size_t scheduled = 0;
    for (const ArmPair& pair : sweep_.items()) scheduled += live_.contains(pair.low, pair.high);
    if (scheduled != live_.size()) return false;
    criterion_.rebuild(counts_, radius_);
    return true;
  }

 private:
  auto alive() const {
    return [this](const ArmPair& pair) { return live_.contains(pair.low, pair.high); };
  }

  bool deterministic_ties_;
  double epsilon_;
  SavageRadius radius_;
  PairCounts counts_;
  LivePairs live_;
  Sweep<ArmPair> sweep_;
  Criterion criterion_;
};

// How the forms of SAVAGE describe themselves.
inline constexpr const char* kSavagePaper =
    "Urvoy, Clerot, Feraud, Naamane. Generic exploration and K-armed voting bandits. ICML 2013, "
    "Algorithm 1";

template <class Options>
OptionTable<Options> savage_options() {
  OptionTable<Options> table;
  table.horizon(&Options::horizon);
  table.automatic_number("delta", &Options::delta, {.above = 0, .below = 1},
                         "probability of naming a wrong winner; auto is 1/horizon", Shown::always);
  table.template choice<SavageBound>(
      "bound", &Options::bound,
      {{"horizon", SavageBound::horizon}, {"anytime", SavageBound::anytime}},
      "confidence radius sqrt(ln(eta/delta)/(2n)) of N unknown means: eta = 2 N horizon, or "
      "pi^2 N n^2/3 without the horizon");
  table.number("epsilon", &Options::epsilon, {.least = 0, .most = 0.5},
               "also stop when everything undecided is within epsilon of 1/2 with confidence");
  return table;
}

}  // namespace duel
