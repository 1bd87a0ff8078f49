// The click models transcribed from their papers, hidden events and all: every value of every
// hidden variable is enumerated, and the probabilities of the visible clicks are added up. Knows
// nothing of chains.
#pragma once

#include <cmath>
#include <map>
#include <span>
#include <vector>

#include "duel/ranking/document.h"

namespace duel {

using Pattern = std::vector<Position>;
using PatternDistribution = std::map<Pattern, double>;

// Dependent click model; `stop_without_click` is the other convention.
inline void literal_dependent_click(std::span<const Grade> grades, const std::vector<double>& click,
                                    const std::vector<double>& stop, bool stop_without_click,
                                    Position k, Pattern clicks, double p,
                                    PatternDistribution& out) {
  if (p == 0) return;
  if (k == grades.size()) {
    out[clicks] += p;
    return;
  }
  const double c = click[grades[k]];
  const double s = stop[grades[k]];
  Pattern with = clicks;
  with.push_back(k);
  out[with] += p * c * s;
  literal_dependent_click(grades, click, stop, stop_without_click, k + 1, with, p * c * (1 - s),
                          out);
  const double s_skip = stop_without_click ? s : 0;
  out[clicks] += p * (1 - c) * s_skip;
  literal_dependent_click(grades, click, stop, stop_without_click, k + 1, clicks,
                          p * (1 - c) * (1 - s_skip), out);
}

// Dynamic Bayesian network: E_1 = 1; C = A and E; S only after C; E_{k+1} = 1 with probability
// gamma if E_k and not S_k. All (A, S, goes on) are enumerated at every rank, examined or not.
inline void literal_dynamic_bayesian(std::span<const Grade> grades,
                                     const std::vector<double>& attraction,
                                     const std::vector<double>& satisfaction, double gamma,
                                     Position k, bool examined, Pattern clicks, double p,
                                     PatternDistribution& out) {
  if (k == grades.size()) {
    out[clicks] += p;
    return;
  }
  for (const bool attracted : {false, true}) {
    for (const bool satisfying : {false, true}) {
      for (const bool persistent : {false, true}) {
        const double a = attraction[grades[k]];
        const double s = satisfaction[grades[k]];
        const double q = p * (attracted ? a : 1 - a) * (satisfying ? s : 1 - s) *
                         (persistent ? gamma : 1 - gamma);
        const bool clicked = examined && attracted;
        Pattern next = clicks;
        if (clicked) next.push_back(k);
        const bool satisfied = clicked && satisfying;
        literal_dynamic_bayesian(grades, attraction, satisfaction, gamma, k + 1,
                                 examined && !satisfied && persistent, next, q, out);
      }
    }
  }
}

// Position-based and user browsing: examination is drawn at every rank, from the rank or from the
// distance to the last click.
inline void literal_examination(std::span<const Grade> grades,
                                const std::vector<double>& attraction, double eta,
                                bool from_last_click, Position k, Pattern clicks, double p,
                                PatternDistribution& out) {
  if (k == grades.size()) {
    out[clicks] += p;
    return;
  }
  const int rank = static_cast<int>(k) + 1;
  const int last_rank = clicks.empty() ? 0 : static_cast<int>(clicks.back()) + 1;
  const double theta = std::pow(from_last_click ? rank - last_rank : rank, -eta);
  for (const bool examined : {false, true}) {
    for (const bool attracted : {false, true}) {
      const double a = attraction[grades[k]];
      const double q = p * (examined ? theta : 1 - theta) * (attracted ? a : 1 - a);
      Pattern next = clicks;
      if (examined && attracted) next.push_back(k);
      literal_examination(grades, attraction, eta, from_last_click, k + 1, next, q, out);
    }
  }
}

}  // namespace duel
