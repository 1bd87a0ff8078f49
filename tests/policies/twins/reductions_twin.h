// The reductions to cardinal bandits as written: lists of rewards, means computed each time, epochs
// with their multiset as a list.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "duel/core/beta.h"
#include "duel/core/duel.h"
#include "duel/core/rng.h"
#include "duel/core/ties.h"
#include "duel/core/xoshiro.h"

namespace duel {

// Every arm once, then mean + sqrt((a + 2)/2 ln s)/sqrt(n).
class LiteralUcb {
 public:
  LiteralUcb(std::size_t num_arms, double a, bool lowest)
      : a_(a), lowest_(lowest), rewards_(num_arms) {}

  Arm advance(RoundRng& rng) {
    ++s_;
    std::vector<Arm> tied;
    double best = -1;
    for (Arm k = 0; k < rewards_.size(); ++k) {
      const auto n = static_cast<double>(rewards_[k].size());
      double bound = std::numeric_limits<double>::infinity();
      if (n > 0) {
        const double sum = std::accumulate(rewards_[k].begin(), rewards_[k].end(), 0.0);
        bound = sum / n + std::sqrt((a_ + 2) / 2 * std::log(s_)) * (1 / std::sqrt(n));
      }
      if (bound > best) {
        best = bound;
        tied.clear();
      }
      if (bound == best) tied.push_back(k);
    }
    last_ = tied.size() == 1 || lowest_ ? tied[0] : tied[rng.below(tied.size())];
    return last_;
  }
  void feedback(double reward) { rewards_[last_].push_back(reward); }
  // The pull is taken back: it was counted in s alone.
  std::size_t answers() const {
    std::size_t sum = 0;
    for (const auto& list : rewards_) sum += list.size();
    return sum;
  }

 private:
  double a_;
  bool lowest_;
  double s_ = 0;
  Arm last_ = 0;
  std::vector<std::vector<double>> rewards_;
};

class LiteralThompson {
 public:
  explicit LiteralThompson(std::size_t num_arms) : wins_(num_arms), losses_(num_arms) {}
  Arm advance(Xoshiro& rng) {
    std::vector<double> theta;
    for (std::size_t k = 0; k < wins_.size(); ++k) {
      theta.push_back(draw_beta(wins_[k] + 1, losses_[k] + 1, rng));
    }
    last_ = static_cast<Arm>(std::max_element(theta.begin(), theta.end()) - theta.begin());
    return last_;
  }
  void feedback(double reward) {
    wins_[last_] += reward;
    losses_[last_] += 1 - reward;
  }

 private:
  Arm last_ = 0;
  std::vector<double> wins_, losses_;
};

// `Draws`: what the bandits draw from.
template <class Bandit, class Draws>
class SparringTwin {
 public:
  SparringTwin(const Bandit& bandit, Ties ties) : ties_(ties), left_(bandit), right_(bandit) {}
  Duel next(Round t, RoundRng rng) {
    Draws draws(rng);
    const Arm x = left_.advance(draws);
    const Arm y = right_.advance(draws);
    return {x, y, t};
  }
  void tell(const Duel&, Outcome outcome, RoundRng rng) {
    if (const auto points = points_of(outcome, ties_, rng)) {
      left_.feedback(0.5 * points->first);
      right_.feedback(0.5 * points->second);
    }
  }

 private:
  Ties ties_;
  Bandit left_, right_;
};
using SparringUcbTwin = SparringTwin<LiteralUcb, RoundRng>;
using SparringTsTwin = SparringTwin<LiteralThompson, Xoshiro>;

class MultiSbmTwin {
 public:
  MultiSbmTwin(std::size_t num_arms, double a, Ties ties, bool lowest)
      : ties_(ties), machines_(num_arms, LiteralUcb(num_arms, a, lowest)) {}
  Duel next(Round t, RoundRng rng) {
    x_ = t == 1 ? static_cast<Arm>(rng.below(machines_.size())) : y_;
    y_ = machines_[x_].advance(rng);
    return {x_, y_, t};
  }
  void tell(const Duel&, Outcome outcome, RoundRng rng) {
    if (const auto points = points_of(outcome, ties_, rng)) {
      machines_[x_].feedback(0.5 * points->second);
    }
  }

 private:
  Ties ties_;
  Arm x_ = 0, y_ = 0;
  std::vector<LiteralUcb> machines_;
};

class DoublerTwin {
 public:
  DoublerTwin(std::size_t num_arms, double a, Ties ties, bool lowest, RoundRng rng)
      : num_arms_(num_arms),
        a_(a),
        ties_(ties),
        lowest_(lowest),
        multiset_{static_cast<Arm>(rng.below(num_arms))},
        machine_(num_arms, a, lowest) {}
  Duel next(Round t, RoundRng rng) {
    if (left_ == 0) {  // epoch 2^i
      left_ = epoch_;
      epoch_ *= 2;
      if (!drawn_.empty()) multiset_ = drawn_;
      // A uniform member of a multiset: kept in order, so that the draw is the policy's.
      std::sort(multiset_.begin(), multiset_.end());
      drawn_.clear();
      machine_ = LiteralUcb(num_arms_, a_, lowest_);
    }
    --left_;
    const Arm x = multiset_[rng.below(multiset_.size())];
    const Arm y = machine_.advance(rng);
    drawn_.push_back(y);
    return {x, y, t};
  }
  void tell(const Duel&, Outcome outcome, RoundRng rng) {
    if (const auto points = points_of(outcome, ties_, rng)) {
      machine_.feedback(0.5 * points->second);
    }
  }

 private:
  std::size_t num_arms_;
  double a_;
  Ties ties_;
  bool lowest_;
  std::vector<Arm> multiset_, drawn_;
  Round epoch_ = 2, left_ = 0;
  LiteralUcb machine_;
};

class SelfSparringTwin {
 public:
  SelfSparringTwin(std::size_t num_arms, double eta, Ties ties)
      : eta_(eta), ties_(ties), s_(num_arms), f_(num_arms) {}
  Duel next(Round t, RoundRng rng) {
    Xoshiro draws(rng);
    const Arm x = sample(draws);
    const Arm y = sample(draws);
    return {x, y, t};
  }
  void tell(const Duel& duel, Outcome outcome, RoundRng rng) {
    if (duel.is_self()) return;
    if (const auto points = points_of(outcome, ties_, rng)) {
      s_[duel.first] += eta_ * 0.5 * points->first;
      f_[duel.second] += eta_ * 0.5 * points->first;
      s_[duel.second] += eta_ * 0.5 * points->second;
      f_[duel.first] += eta_ * 0.5 * points->second;
    }
  }

 private:
  Arm sample(Xoshiro& rng) const {
    std::vector<double> theta;
    for (std::size_t k = 0; k < s_.size(); ++k) {
      theta.push_back(draw_beta(s_[k] + 1, f_[k] + 1, rng));
    }
    return static_cast<Arm>(std::max_element(theta.begin(), theta.end()) - theta.begin());
  }
  double eta_;
  Ties ties_;
  std::vector<double> s_, f_;
};

}  // namespace duel
