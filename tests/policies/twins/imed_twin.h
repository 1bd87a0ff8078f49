// D-IMED as its three steps say it, all evidence computed anew in every round. Evidence is rounded
// to the grid that the policy documents (2^-36), so that sums are exact in double.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/rng.h"
#include "duel/core/ties.h"

namespace duel {

struct ImedTwinOptions {
  double c = 0.65;
  double kappa = 0.25;
  bool target = false;
  Ties ties = Ties::coin;
  bool lowest = false;
};

class ImedTwin {
 public:
  ImedTwin(const ImedTwinOptions& options, std::size_t num_arms)
      : options_(options), k_(num_arms), w_(num_arms, std::vector<double>(num_arms)) {}

  Duel next(Round t, RoundRng rng) const {
    std::vector<double> evidence(k_);
    std::vector<int> beaten_by(k_);
    std::vector<std::vector<double>> term(k_, std::vector<double>(k_));
    for (Arm i = 0; i < k_; ++i) {
      for (Arm j = 0; j < k_; ++j) {
        if (w_[i][j] >= w_[j][i]) continue;
        const double n = w_[i][j] + w_[j][i];
        term[i][j] = on_grid(n * divergence(w_[i][j] / n));
        evidence[i] += term[i][j];
        ++beaten_by[i];
      }
    }
    const Arm a = one_of(least(evidence), rng);
    if (k_ == 1) return {a, a, t};
    std::vector<double> h(k_, kNever);
    for (Arm i = 0; i < k_; ++i) {
      if (i == a) continue;
      double n = w_[i][a] + w_[a][i];
      if (n == 0) {
        h[i] = -kNever;
        continue;
      }
      if (options_.target) {
        n = 0;
        for (Arm j = 0; j < k_; ++j) {
          if (j == a || term[i][j] > 0) n += w_[i][j] + w_[j][i];
        }
      }
      const double e =
          std::max(term[i][a], evidence[i] - evidence[a] -
                                   on_grid(options_.kappa) * std::max(0, beaten_by[i] - 1));
      h[i] = e + on_grid(options_.c * std::log(n));
    }
    const std::vector<Arm> best = least(h);
    if (h[best[0]] > std::log(static_cast<double>(t))) return {a, a, t};
    const Arm b = one_of(best, rng);
    if (!options_.target) return {a, b, t};

    const auto mean = [&](Arm i, Arm j) {
      return i == j ? 0.5 : (w_[i][j] + 5) / (w_[i][j] + w_[j][i] + 10);
    };
    const auto regret = [&](Arm j) { return std::max(0.0, mean(a, j) - 0.5); };
    std::vector<double> price(k_, kNever);
    bool any = false;
    for (Arm j = 0; j < k_; ++j) {
      if (term[b][j] == 0) continue;
      price[j] = (regret(b) + regret(j) + 0.001) / divergence(mean(b, j));
      any = true;
    }
    if (!any) return {a, b, t};
    const Arm o = one_of(least(price), rng);
    const bool met = (w_[b][a] + w_[a][b]) * std::log(std::log(static_cast<double>(t) + 20)) >=
                     w_[b][o] + w_[o][b];
    return {met ? o : a, b, t};
  }

  void tell(const Duel& duel, Outcome outcome, RoundRng rng) {
    if (duel.is_self()) return;
    if (const auto points = points_of(outcome, options_.ties, rng)) {
      w_[duel.first][duel.second] += 0.5 * points->first;
      w_[duel.second][duel.first] += 0.5 * points->second;
    }
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  static double on_grid(double x) { return std::floor(x * 0x1p36 + 0.5) * 0x1p-36; }
  static double divergence(double p) {
    const auto part = [](double x) { return x == 0 ? 0 : x * std::log(2 * x); };
    return part(p) + part(1 - p);
  }
  std::vector<Arm> least(const std::vector<double>& values) const {
    std::vector<Arm> arms;
    const double value = *std::min_element(values.begin(), values.end());
    for (Arm i = 0; i < k_; ++i) {
      if (values[i] == value) arms.push_back(i);
    }
    return arms;
  }
  Arm one_of(const std::vector<Arm>& tied, RoundRng& rng) const {
    return tied.size() == 1 || options_.lowest ? tied[0] : tied[rng.below(tied.size())];
  }

  ImedTwinOptions options_;
  std::size_t k_;
  std::vector<std::vector<double>> w_;
};

}  // namespace duel
