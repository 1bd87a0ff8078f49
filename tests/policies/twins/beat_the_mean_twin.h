// Beat-the-Mean as written: steps 1 to 4 of beat_the_mean.h, row sums recomputed from the table of
// pairs each time.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "duel/core/logarithm.h"
#include "tests/policies/twins/literal_exploration.h"

namespace duel {

class LiteralBeatTheMean {
 public:
  struct Rule {
    double factor;       // 1, or 3 gamma^2
    double log_1_delta;  // ln(1/delta)
    double limit;        // N
    bool literal_self;
    bool lowest;  // deterministic ties
  };

  LiteralBeatTheMean(std::size_t num_arms, Rule rule)
      : rule_(rule),
        n_(num_arms, std::vector<double>(num_arms)),
        w_(num_arms, std::vector<double>(num_arms)) {
    for (Arm b = 0; b < num_arms; ++b) working_.push_back(b);
    rows_ = sums();
  }

  // 1.
  std::pair<Arm, Arm> pair(RoundRng& rng) const {
    std::vector<Arm> tied;
    for (const Arm b : working_) {
      if (rows_.n[b] == rows_.n_star) tied.push_back(b);
    }
    const Arm b = pick(tied, rule_.lowest, rng);
    std::vector<Arm> others;
    for (const Arm other : working_) {
      if (rule_.literal_self || other != b) others.push_back(other);
    }
    return {b, others[rng.below(others.size())]};
  }

  // 2 and 3.
  void learn(Arm b, Arm other, double wins, RoundRng& rng) {
    n_[b][other] += 1;
    w_[b][other] += wins;
    rows_ = sums();
    const double c =
        rows_.n_star == 0 ? 1.0 : rule_.factor * std::sqrt(rule_.log_1_delta / rows_.n_star);
    if (working_.size() == 1 || !(rows_.low + c <= rows_.high - c)) return;
    std::vector<Arm> worst;
    for (const Arm arm : working_) {
      if (rows_.mean[arm] == rows_.low) worst.push_back(arm);
    }
    std::erase(working_, pick(worst, rule_.lowest, rng));
    rows_ = sums();
  }

  bool done() const { return working_.size() == 1 || rows_.n_star >= rule_.limit; }

  // 4.
  Arm leader(RoundRng rng) const {
    std::vector<Arm> best;
    for (const Arm arm : working_) {
      if (rows_.mean[arm] == rows_.high) best.push_back(arm);
    }
    return pick(best, rule_.lowest, rng);
  }

 private:
  struct Rows {
    std::vector<double> n;
    std::vector<double> mean;
    double n_star;
    double low;
    double high;
  };
  Rows sums() const {
    Rows rows{std::vector<double>(n_.size()), std::vector<double>(n_.size()), 1e300, 2, -1};
    for (const Arm b : working_) {
      double w = 0;
      for (const Arm other : working_) {
        rows.n[b] += n_[b][other];
        w += w_[b][other];
      }
      rows.mean[b] = rows.n[b] == 0 ? 0.5 : w / rows.n[b];
      rows.n_star = std::min(rows.n_star, rows.n[b]);
      rows.low = std::min(rows.low, rows.mean[b]);
      rows.high = std::max(rows.high, rows.mean[b]);
    }
    return rows;
  }

  Rule rule_;
  std::vector<Arm> working_;
  std::vector<std::vector<double>> n_;
  std::vector<std::vector<double>> w_;
  Rows rows_;
};

// N by plain search upwards: the smallest positive integer with N = ceil(..).
inline double literal_pac_limit(std::size_t num_arms, double gamma, double epsilon, double delta) {
  const double k = static_cast<double>(num_arms);
  for (double n = 1;; ++n) {
    const double value =
        std::ceil(36 * std::pow(gamma, 6) / (epsilon * epsilon) * std::log(k * k * k * n / delta));
    if (value == n) return n;
  }
}

}  // namespace duel
