// ECW-RMED and CW-RMED as written: lists as sets, everything computed again in every round.
// Evidence is rounded to the grid that the policy documents. For CW-RMED every alternative is
// listed and the linear program holds them all.
#pragma once

#include <ClpSimplex.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/rng.h"
#include "duel/core/ties.h"

namespace duel {

class CopelandRmedTwin {
 public:
  using Pair = std::pair<Arm, Arm>;

  CopelandRmedTwin(bool exact, double alpha, double beta, Ties ties, bool lowest,
                   std::size_t num_arms)
      : exact_(exact),
        alpha_(alpha),
        beta_(beta),
        ties_(ties),
        lowest_(lowest),
        k_(num_arms),
        w_(num_arms, std::vector<double>(num_arms)) {
    for (Arm i = 0; i < k_; ++i) {
      for (Arm j = i + 1; j < k_; ++j) l_c_.insert({i, j});
    }
    if (k_ == 1) l_c_.insert({0, 0});
    l_r_ = l_c_;
  }

  Duel next(Round t, RoundRng /*rng*/) {
    const double log_t = std::log(static_cast<double>(t));
    const double log_log = log_t <= 1 ? 0 : std::log(log_t);
    listed_ = false;
    for (Arm i = 0; i < k_; ++i) {  // pairs to explore come first
      for (Arm j = i + 1; j < k_; ++j) {
        const double off = n(i, j) == 0 ? 0 : std::abs(w_[i][j] - w_[j][i]) / n(i, j) / 2;
        if (n(i, j) < alpha_ * std::sqrt(log_t) || off < beta_ / std::max(1.0, log_log)) {
          return {i, j, t};
        }
      }
    }
    listed_ = true;
    const Pair pair = *l_c_.begin();
    l_c_.erase(l_c_.begin());
    return {pair.first, pair.second, t};
  }

  void tell(const Duel& duel, Outcome outcome, RoundRng rng) {
    if (!duel.is_self()) {
      if (const auto points = points_of(outcome, ties_, rng)) {
        w_[duel.first][duel.second] += 0.5 * points->first;
        w_[duel.second][duel.first] += 0.5 * points->second;
      }
    }
    if (!listed_) return;
    const std::set<Pair> found = candidates(std::log(static_cast<double>(duel.round)), rng);
    l_r_.erase({duel.first, duel.second});
    for (const Pair& pair : found) {
      if (!l_r_.contains(pair)) l_n_.insert(pair);
    }
    if (l_c_.empty()) {
      l_c_ = l_r_ = l_n_;
      l_n_.clear();
    }
  }

 private:
  double n(Arm i, Arm j) const { return w_[i][j] + w_[j][i]; }
  bool beats(Arm i, Arm j) const { return w_[i][j] > w_[j][i]; }
  static Pair ordered(Arm i, Arm j) { return i < j ? Pair{i, j} : Pair{j, i}; }
  // d(mean, 1/2), taken at the loser's mean.
  double d(Arm i, Arm j) const {
    const double p = std::min(w_[i][j], w_[j][i]) / n(i, j);
    const auto x = [](double q) { return q == 0 ? 0 : q * std::log(2 * q); };
    return p == 0.5 ? 0 : x(p) + x(1 - p);
  }
  double evidence(Arm i, Arm j) const {
    return std::floor(n(i, j) * d(i, j) * 0x1p36 + 0.5) * 0x1p-36;
  }
  // r/d on the grid that the policy documents.
  double cost(Arm i, Arm j) const {
    return std::floor(std::min(r(i, j) / d(i, j), 0x1p18) * 0x1p20 + 0.5);
  }
  double r(Arm i, Arm j) const {
    return (losses_[i] + losses_[j] - 2 * fewest_) / static_cast<double>(2 * (k_ - 1));
  }

  std::set<Pair> candidates(double log_t, RoundRng& rng) {
    losses_.assign(k_, 0);
    for (Arm i = 0; i < k_; ++i) {
      for (Arm j = 0; j < k_; ++j) losses_[i] += j != i && beats(j, i) ? 1 : 0;
    }
    fewest_ = *std::min_element(losses_.begin(), losses_.end());
    std::vector<Arm> winners;
    for (Arm i = 0; i < k_; ++i) {
      if (losses_[i] == fewest_) winners.push_back(i);
    }
    for (const Arm i1 : winners) {
      if (exact_ ? is_sure_exactly(i1, log_t) : is_sure(i1, log_t)) return {{i1, i1}};
    }
    double least = std::numeric_limits<double>::infinity();
    std::vector<std::pair<Arm, std::map<Pair, double>>> cheapest;
    for (const Arm i1 : winners) {
      auto [cost, q] = exact_ ? exact_allocation(i1) : allocation(i1);
      if (cost < least) cheapest.clear();
      least = std::min(least, cost);
      if (cost == least) cheapest.push_back({i1, q});
    }
    const auto& [i1, q] =
        cheapest[cheapest.size() == 1 || lowest_ ? 0 : rng.below(cheapest.size())];
    std::set<Pair> found = {{i1, i1}};
    for (const auto& [pair, plays] : q) {
      const auto [i, j] = pair;
      // n < q ln t. For ECW in terms of evidence, as that lies on a grid.
      const bool due = exact_ ? plays * log_t > n(i, j) : evidence(i, j) * plays < log_t;
      if (due) found.insert(pair);
    }
    return found;
  }

  // ECW: (a) and (b) of copeland_rmed.h.
  bool is_sure(Arm i1, double log_t) const {
    for (Arm j = 0; j < k_; ++j) {
      if (j != i1 && beats(i1, j) && evidence(i1, j) < log_t) return false;
    }
    for (Arm i2 = 0; i2 < k_; ++i2) {
      if (i2 == i1) continue;
      std::vector<double> against;
      for (Arm j = 0; j < k_; ++j) {
        if (j != i1 && j != i2 && beats(j, i2)) against.push_back(evidence(j, i2));
      }
      const std::size_t m = static_cast<std::size_t>(losses_[i2] - losses_[i1] + 1);
      if (m > against.size()) continue;
      std::sort(against.begin(), against.end());
      double sum = 0;
      for (std::size_t x = 0; x < m; ++x) sum += against[x];
      if (sum < log_t) return false;
    }
    return true;
  }
  // ECW: the cheapest allocation: sum r q, and per pair the h - k by which 1/d is divided.
  std::pair<double, std::map<Pair, double>> allocation(Arm i1) const {
    std::map<Pair, double> divisor;
    double wins = 0;
    for (Arm j = 0; j < k_; ++j) {
      if (j == i1 || !beats(i1, j)) continue;
      divisor[ordered(i1, j)] = 1;
      wins += cost(i1, j);
    }
    double total = wins;
    for (Arm i2 = 0; i2 < k_; ++i2) {
      if (i2 == i1) continue;
      std::vector<std::pair<double, Arm>> c;
      for (Arm j = 0; j < k_; ++j) {
        if (j != i1 && j != i2 && beats(j, i2)) c.push_back({cost(j, i2), j});
      }
      std::sort(c.begin(), c.end());
      const int size = static_cast<int>(c.size());
      const int k = size - (losses_[i2] - losses_[i1] + 1);
      if (k < 0 || k >= size) continue;
      double best = 0;
      int best_h = 0;
      for (int h = k + 1; h <= size; ++h) {
        double sum = 0;
        for (int x = 0; x < h; ++x) sum += c[static_cast<std::size_t>(x)].first;
        if (best_h == 0 || sum * (best_h - k) < best * (h - k)) {
          best = sum;
          best_h = h;
        }
      }
      for (int x = 0; x < best_h; ++x) {
        divisor[ordered(c[static_cast<std::size_t>(x)].second, i2)] = best_h - k;
      }
      total += std::floor(best / (best_h - k));
    }
    return {total, divisor};
  }

  // CW: every set of results whose turning leaves some i2 with fewer losses than i1.
  std::vector<std::set<Pair>> alternatives(Arm i1) const {
    std::vector<std::set<Pair>> all;
    for (Arm i2 = 0; i2 < k_; ++i2) {
      if (i2 == i1) continue;
      std::set<Pair> results;
      for (Arm j = 0; j < k_; ++j) {
        if (j != i1 && beats(i1, j)) results.insert(ordered(i1, j));
        if (j != i2 && beats(j, i2)) results.insert(ordered(j, i2));
      }
      const std::vector<Pair> list(results.begin(), results.end());
      for (std::uint32_t subset = 1; subset < (1U << list.size()); ++subset) {
        int of_1 = losses_[i1], of_2 = losses_[i2];
        std::set<Pair> turned;
        for (std::size_t x = 0; x < list.size(); ++x) {
          if ((subset >> x & 1) == 0) continue;
          turned.insert(list[x]);
          const bool touches_1 = list[x].first == i1 || list[x].second == i1;
          const bool touches_2 = list[x].first == i2 || list[x].second == i2;
          if (touches_1) ++of_1;
          if (touches_2) --of_2;
        }
        if (of_2 < of_1) all.push_back(turned);
      }
    }
    return all;
  }
  bool is_sure_exactly(Arm i1, double log_t) const {
    for (const std::set<Pair>& turned : alternatives(i1)) {
      double sum = 0;
      for (const auto& [i, j] : turned) sum += evidence(i, j);
      if (sum < log_t) return false;
    }
    return true;
  }
  std::pair<double, std::map<Pair, double>> exact_allocation(Arm i1) const {
    std::vector<Pair> pairs;
    std::map<Pair, int> column;
    ClpSimplex solver;
    solver.setLogLevel(0);
    solver.setPrimalTolerance(1e-10);
    solver.setDualTolerance(1e-10);
    for (Arm i = 0; i < k_; ++i) {
      for (Arm j = i + 1; j < k_; ++j) {
        if (w_[i][j] == w_[j][i]) continue;
        column[{i, j}] = static_cast<int>(pairs.size());
        pairs.push_back({i, j});
      }
    }
    solver.resize(0, static_cast<int>(pairs.size()));
    std::vector<double> cost;
    for (const auto& [i, j] : pairs) {
      const double place = static_cast<double>(i * k_ + j) / static_cast<double>(k_ * k_);
      cost.push_back((r(i, j) + 1e-5 * (1 + place)) / d(i, j));
      solver.setColumnBounds(column[{i, j}], 0, COIN_DBL_MAX);
      solver.setObjectiveCoefficient(column[{i, j}], cost.back());
    }
    for (const std::set<Pair>& turned : alternatives(i1)) {
      std::vector<int> columns;
      for (const Pair& pair : turned) columns.push_back(column[pair]);
      const std::vector<double> ones(columns.size(), 1.0);
      solver.addRow(static_cast<int>(columns.size()), columns.data(), ones.data(), 1.0,
                    COIN_DBL_MAX);
    }
    solver.dual();
    std::map<Pair, double> q;
    double total = 0;
    for (std::size_t x = 0; x < pairs.size(); ++x) {
      const double y = solver.getColSolution()[x];
      total += cost[x] * y;
      if (y > 1e-9) q[pairs[x]] = y / d(pairs[x].first, pairs[x].second);
    }
    return {std::floor(total * 0x1p20 + 0.5), q};
  }

  bool exact_;
  double alpha_, beta_;
  Ties ties_;
  bool lowest_;
  std::size_t k_;
  std::vector<std::vector<double>> w_;
  std::vector<int> losses_;
  int fewest_ = 0;
  std::set<Pair> l_c_, l_r_, l_n_;
  bool listed_ = false;
};

}  // namespace duel
