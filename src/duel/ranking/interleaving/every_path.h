// A method of interleaving asks for its random choices through an object, `coin()` or `below(n)`,
// so that the code that draws one list also walks all of them: handed `RandomChoices` it samples,
// handed `EveryPath` and run until `next()` says no it meets every sequence of choices once, with
// its exact probability.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "duel/core/check.h"
#include "duel/core/rng.h"

namespace duel {

class RandomChoices {
 public:
  explicit RandomChoices(RoundRng& rng) : rng_(rng) {}
  bool coin() { return rng_.coin(); }
  std::size_t below(std::size_t n) { return n == 1 ? 0 : static_cast<std::size_t>(rng_.below(n)); }

 private:
  RoundRng& rng_;
};

class EveryPath {
 public:
  bool coin() { return below(2) == 0; }

  std::size_t below(std::size_t n) {
    DUEL_CHECK(n > 0);
    if (depth_ == path_.size()) path_.push_back({0, n});
    const std::size_t chosen = path_[depth_++].chosen;
    probability_ /= static_cast<double>(n);
    return chosen;
  }

  // An index with the given probability; what is impossible is never chosen.
  std::size_t weighted(std::span<const double> probabilities) {
    if (depth_ == path_.size()) path_.push_back({0, probabilities.size()});
    Step& step = path_[depth_++];
    while (probabilities[step.chosen] <= 0) ++step.chosen;
    step.options = probabilities.size();
    while (!(probabilities[step.options - 1] > 0)) --step.options;
    probability_ *= probabilities[step.chosen];
    return step.chosen;
  }

  // The probability of the choices since the start of this path.
  double probability() const { return probability_; }

  // Goes to the start of the next path; false after the last.
  bool next() {
    path_.resize(depth_);
    while (!path_.empty() && path_.back().chosen + 1 >= path_.back().options) path_.pop_back();
    depth_ = 0;
    probability_ = 1;
    if (path_.empty()) return false;
    ++path_.back().chosen;
    return true;
  }

 private:
  struct Step {
    std::size_t chosen;
    std::size_t options;
  };
  std::vector<Step> path_;
  std::size_t depth_ = 0;
  double probability_ = 1;
};

}  // namespace duel
