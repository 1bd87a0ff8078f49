// SAVAGE as written: the generic loop with its three criteria, every bound of every pair recomputed
// at every step; and the reduction of Borda to arms.
#pragma once

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "duel/core/logarithm.h"
#include "tests/policies/twins/literal_exploration.h"

namespace duel {

enum class Criterion { condorcet, copeland, borda };

struct SavageRule {
  Criterion criterion = Criterion::condorcet;
  bool anytime = false;
  double horizon = 1;
  double minus_log_delta = 0;
  double epsilon = 0;
  bool lowest = false;  // deterministic ties

  // c(n) with N_v unknowns; the logarithm of eta/delta as a sum.
  double radius(double unknowns, double n) const {
    constexpr double kPi = 3.14159265358979323846;
    const double log_eta_delta =
        anytime ? natural_log(kPi * kPi * unknowns / 3.0) + minus_log_delta + 2 * natural_log(n)
                : natural_log(2 * unknowns) + natural_log(horizon) + minus_log_delta;
    return std::sqrt(log_eta_delta / (2 * n));
  }
};

class LiteralSavage {
 public:
  LiteralSavage(std::size_t num_arms, SavageRule rule)
      : k_(num_arms),
        rule_(rule),
        unknowns_(0.5 * static_cast<double>(num_arms * (num_arms - 1))),
        n_(num_arms, std::vector<double>(num_arms)),
        w_(num_arms, std::vector<double>(num_arms)) {
    for (Arm i = 0; i < k_; ++i) {
      for (Arm j = i + 1; j < k_; ++j) pairs_.insert({i, j});
    }
    scores_ = all_scores();
  }

  // 2. The pair sampled least, then the lowest.
  std::pair<Arm, Arm> pair(RoundRng& /*rng*/) const {
    auto best = *pairs_.begin();
    for (const auto& [i, j] : pairs_) {
      if (n_[i][j] < n_[best.first][best.second]) best = {i, j};
    }
    return best;
  }

  // 3 and 4.
  void learn(Arm i, Arm j, double wins, RoundRng& /*rng*/) {
    n_[i][j] += 1;
    n_[j][i] += 1;
    w_[i][j] += wins;
    w_[j][i] += 1 - wins;
    scores_ = all_scores();
    std::erase_if(pairs_, [this](const auto& p) { return irrelevant(p.first, p.second); });
  }

  bool done() const {
    if (pairs_.empty()) return true;
    bool all_close = true;
    for (const auto& [i, j] : pairs_) {
      if (n_[i][j] == 0 || !(std::abs(mean(i, j) - 0.5) + c(i, j) <= rule_.epsilon)) {
        all_close = false;
      }
    }
    if (all_close) return true;
    if (rule_.criterion == Criterion::condorcet) return false;
    if (rule_.criterion == Criterion::borda) {
      return std::count_if(scores_.high.begin(), scores_.high.end(),
                           [&](double high) { return high >= scores_.best_low(); }) == 1;
    }
    for (Arm i = 0; i < k_; ++i) {
      bool wins = true;
      for (Arm other = 0; other < k_; ++other) {
        if (other != i && scores_.low[i] < scores_.high[other]) wins = false;
      }
      if (wins) return true;
    }
    return false;
  }

  Arm leader(RoundRng rng) const {
    double most = -1;
    std::vector<Arm> best;
    for (Arm i = 0; i < k_; ++i) {
      if (rule_.criterion == Criterion::condorcet && scores_.out[i]) continue;
      if (rule_.criterion == Criterion::copeland &&
          scores_.high[i] < *std::max_element(scores_.high.begin(), scores_.high.end())) {
        continue;
      }
      const double score = empirical_score(i);
      if (score > most) {
        most = score;
        best.clear();
      }
      if (score == most) best.push_back(i);
    }
    return pick(best, rule_.lowest, rng);
  }

 private:
  // C- and C+, or B- and B+; and for Condorcet who is out.
  struct Scores {
    std::vector<double> low;
    std::vector<double> high;
    std::vector<bool> out;
    double best_low() const { return *std::max_element(low.begin(), low.end()); }
  };

  double mean(Arm i, Arm j) const { return n_[i][j] == 0 ? 0.5 : w_[i][j] / n_[i][j]; }
  double c(Arm i, Arm j) const { return rule_.radius(unknowns_, n_[i][j]); }
  double u(Arm i, Arm j) const { return n_[i][j] == 0 ? 1.0 : mean(i, j) + c(i, j); }
  double l(Arm i, Arm j) const { return n_[i][j] == 0 ? 0.0 : mean(i, j) - c(i, j); }

  Scores all_scores() const {
    Scores scores{std::vector<double>(k_), std::vector<double>(k_), std::vector<bool>(k_)};
    for (Arm i = 0; i < k_; ++i) {
      for (Arm j = 0; j < k_; ++j) {
        if (j == i) continue;
        const double lower = l(i, j);
        const double upper = u(i, j);
        if (upper < 0.5) scores.out[i] = true;
        scores.low[i] += rule_.criterion == Criterion::borda ? lower : lower > 0.5;
        scores.high[i] += rule_.criterion == Criterion::borda ? upper : upper > 0.5;
      }
      if (rule_.criterion == Criterion::borda) {
        scores.low[i] /= static_cast<double>(k_ - 1);
        scores.high[i] /= static_cast<double>(k_ - 1);
      }
    }
    return scores;
  }

  bool irrelevant(Arm i, Arm j) const {
    if (rule_.criterion == Criterion::condorcet) return scores_.out[i] || scores_.out[j];
    if (rule_.criterion == Criterion::copeland && (l(i, j) > 0.5 || l(j, i) > 0.5)) return true;
    return scores_.high[i] < scores_.best_low() && scores_.high[j] < scores_.best_low();
  }

  // Empirical Copeland or Borda score.
  double empirical_score(Arm i) const {
    double sum = 0;
    for (Arm j = 0; j < k_; ++j) {
      if (j == i) continue;
      sum += rule_.criterion == Criterion::borda ? mean(i, j) : (mean(i, j) > 0.5 ? 1.0 : 0.0);
    }
    return sum;
  }

  std::size_t k_;
  SavageRule rule_;
  double unknowns_;
  std::vector<std::vector<double>> n_;
  std::vector<std::vector<double>> w_;
  std::set<std::pair<Arm, Arm>> pairs_;  // W_p
  Scores scores_;
};

// Successive elimination of arms: to sample i is to duel it with a uniform other.
class LiteralBordaArms {
 public:
  LiteralBordaArms(std::size_t num_arms, SavageRule rule)
      : k_(num_arms), rule_(rule), n_(num_arms), w_(num_arms), in_(num_arms, true) {}

  std::pair<Arm, Arm> pair(RoundRng& rng) const {
    Arm best = 0;
    while (!in_[best]) ++best;
    for (Arm i = 0; i < k_; ++i) {
      if (in_[i] && n_[i] < n_[best]) best = i;
    }
    std::vector<Arm> others;
    for (Arm j = 0; j < k_; ++j) {
      if (j != best) others.push_back(j);
    }
    return {best, others[rng.below(others.size())]};
  }
  void learn(Arm i, Arm /*j*/, double wins, RoundRng& /*rng*/) {
    n_[i] += 1;
    w_[i] += wins;
    double best = -1e9;
    for (Arm k = 0; k < k_; ++k) {
      if (in_[k]) best = std::max(best, n_[k] == 0 ? 0 : mean(k) - c(k));
    }
    for (Arm k = 0; k < k_; ++k) {
      if (in_[k] && n_[k] > 0 && mean(k) + c(k) < best) in_[k] = false;
    }
  }
  bool done() const {
    bool all_close = true;
    for (Arm k = 0; k < k_; ++k) {
      if (in_[k] && (n_[k] == 0 || !(std::abs(mean(k) - 0.5) + c(k) <= rule_.epsilon))) {
        all_close = false;
      }
    }
    return all_close || std::count(in_.begin(), in_.end(), true) == 1;
  }
  Arm leader(RoundRng rng) const {
    double most = -1;
    for (Arm k = 0; k < k_; ++k) {
      if (in_[k]) most = std::max(most, mean(k));
    }
    std::vector<Arm> best;
    for (Arm k = 0; k < k_; ++k) {
      if (in_[k] && mean(k) == most) best.push_back(k);
    }
    return pick(best, rule_.lowest, rng);
  }

 private:
  double mean(Arm k) const { return n_[k] == 0 ? 0.5 : w_[k] / n_[k]; }
  double c(Arm k) const { return rule_.radius(static_cast<double>(k_), n_[k]); }

  std::size_t k_;
  SavageRule rule_;
  std::vector<double> n_;
  std::vector<double> w_;
  std::vector<bool> in_;
};

}  // namespace duel
