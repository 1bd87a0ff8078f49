// MergeRUCB and MergeDTS, step by step, all bounds computed again in every round.
#pragma once

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "duel/core/beta.h"
#include "duel/core/duel.h"
#include "duel/core/rng.h"
#include "duel/core/ties.h"
#include "duel/policies/parts/beliefs.h"

namespace duel {

struct MergeTwinOptions {
  bool dts = false;
  double alpha = 1.01;
  double delta = 0.01;
  std::size_t p = 4;
  double c = 0;
  bool reset_clock = false;
  bool pseudo_counts = false;
  Ties ties = Ties::coin;
  bool lowest = false;
};

class MergeTwin {
 public:
  MergeTwin(const MergeTwinOptions& options, std::size_t num_arms, RoundRng rng)
      : options_(options), k_(num_arms), w_(num_arms, std::vector<double>(num_arms)) {
    const double k = static_cast<double>(num_arms), a = options.alpha;
    c_ = options.c > 0
             ? options.c
             : std::pow((4 * a - 1) * k * k / ((2 * a - 1) * options.delta), 1 / (2 * a - 1));
    std::vector<Arm> arms;
    for (Arm i = 0; i < k_; ++i) arms.push_back(i);
    shuffle(arms, rng);
    for (std::size_t n = 0; n < k_; ++n) {
      if (n % options.p == 0) batches_.emplace_back();
      batches_.back().push_back(arms[n]);
    }
  }

  Duel next(Round t, RoundRng rng) {
    const double clock = static_cast<double>(options_.reset_clock ? t - stage_start_ : t);
    s_ = std::sqrt(options_.alpha * std::log(clock + c_));
    std::size_t m = t % batches_.size();
    eliminate(batches_[m], rng);
    while (options_.dts && batches_[m].size() == 1 && batches_.size() > 1) {
      batches_[(m + 1) % batches_.size()].push_back(batches_[m][0]);
      batches_.erase(batches_.begin() + static_cast<std::ptrdiff_t>(m));
      m %= batches_.size();
      eliminate(batches_[m], rng);
    }
    const std::vector<Arm> batch = batches_[m];
    Duel duel{batch[0], batch[0], t};
    if (batch.size() > 1) duel = options_.dts ? sampled(batch, t, rng) : by_bounds(batch, t, rng);
    std::size_t survivors = 0;
    for (const auto& b : batches_) survivors += b.size();
    if (batches_.size() > 1 &&
        static_cast<double>(survivors) <= static_cast<double>(k_) / std::pow(2.0, stage_) + 1) {
      merge(rng);
      std::size_t smallest = k_;
      for (const auto& b : batches_) smallest = std::min(smallest, b.size());
      if (batches_.size() > 1 &&
          static_cast<double>(smallest) <= 0.5 * static_cast<double>(options_.p)) {
        merge(rng);
      }
      ++stage_;
      stage_start_ = t;
    }
    return duel;
  }

  void tell(const Duel& duel, Outcome outcome, RoundRng rng) {
    if (duel.is_self()) return;
    if (const auto points = points_of(outcome, options_.ties, rng)) {
      w_[duel.first][duel.second] += 0.5 * points->first;
      w_[duel.second][duel.first] += 0.5 * points->second;
    }
  }

 private:
  template <class T>
  static void shuffle(std::vector<T>& items, RoundRng& rng) {
    for (std::size_t n = items.size(); n > 1; --n) std::swap(items[n - 1], items[rng.below(n)]);
  }
  double u(Arm i, Arm j) const {
    if (i == j) return 0.5;
    const double prior = options_.pseudo_counts ? 1 : 0;
    const double n = w_[i][j] + w_[j][i] + 2 * prior;
    return n == 0 ? 2 : (w_[i][j] + prior) / n + s_ * (1 / std::sqrt(n));
  }
  void eliminate(std::vector<Arm>& batch, RoundRng& rng) const {
    for (;;) {
      std::vector<Arm> losers;
      for (const Arm k : batch) {
        bool loses = false;
        for (const Arm l : batch) loses = loses || (l != k && u(k, l) < 0.5);
        if (loses) losers.push_back(k);
      }
      if (losers.empty()) return;
      std::erase(batch, losers.size() == 1 ? losers[0] : losers[rng.below(losers.size())]);
    }
  }
  Arm one_of(const std::vector<Arm>& tied, RoundRng& rng) const {
    return tied.size() == 1 || options_.lowest ? tied[0] : tied[rng.below(tied.size())];
  }
  Duel by_bounds(const std::vector<Arm>& batch, Round t, RoundRng& rng) const {
    const Arm c = batch[rng.below(batch.size())];
    std::vector<Arm> best;
    for (const Arm l : batch) {
      if (l == c) continue;
      if (!best.empty() && u(l, c) > u(best[0], c)) best.clear();
      if (best.empty() || u(l, c) == u(best[0], c)) best.push_back(l);
    }
    return {c, one_of(best, rng), t};
  }
  Duel sampled(const std::vector<Arm>& batch, Round t, RoundRng& rng) const {
    const KeyedDraws draws(rng);
    const auto wins = [&](Arm i, Arm j) {  // theta_ij > 1/2, the less likely iff the draw is small
      const Arm low = std::min(i, j), high = std::max(i, j);
      const double x = draws.uniform(pair_index(i, j));
      const bool low_wins = w_[low][high] <= w_[high][low]
                                ? x < beta_above_half(w_[low][high], w_[high][low])
                                : x >= beta_above_half(w_[high][low], w_[low][high]);
      return low_wins == (i == low);
    };
    std::vector<Arm> best;
    int most = -1;
    for (const Arm i : batch) {
      int score = 0;
      for (const Arm j : batch) score += j != i && wins(i, j) ? 1 : 0;
      if (score > most) {
        most = score;
        best.clear();
      }
      if (score == most) best.push_back(i);
    }
    const Arm c = one_of(best, rng);
    Xoshiro values(rng);
    Arm d = c;
    double least = 1;  // theta_cc
    for (const Arm j : batch) {
      if (j == c) continue;
      const double theta = draw_beta(w_[j][c] + 1, w_[c][j] + 1, values);
      if (theta < least) {
        least = theta;
        d = j;
      }
    }
    return {c, d, t};
  }
  void merge(RoundRng& rng) {
    shuffle(batches_, rng);
    std::vector<std::vector<Arm>> sorted;  // equal sizes stay in their random order
    for (std::size_t size = 0; size <= k_; ++size) {
      for (const auto& b : batches_) {
        if (b.size() == size) sorted.push_back(b);
      }
    }
    batches_ = sorted;
    std::vector<std::vector<Arm>> merged;
    while (!batches_.empty()) {
      std::vector<Arm> largest = batches_.back();
      batches_.pop_back();
      if (!batches_.empty() && static_cast<double>(batches_.front().size() + largest.size()) <=
                                   1.5 * static_cast<double>(options_.p)) {
        largest.insert(largest.end(), batches_.front().begin(), batches_.front().end());
        batches_.erase(batches_.begin());
      }
      merged.push_back(largest);
    }
    batches_ = merged;
  }

  MergeTwinOptions options_;
  std::size_t k_;
  std::vector<std::vector<double>> w_;
  std::vector<std::vector<Arm>> batches_;
  double c_ = 0, s_ = 0;
  int stage_ = 1;
  Round stage_start_ = 0;
};

}  // namespace duel
