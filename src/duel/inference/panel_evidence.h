// Evidence about a panel before everybody was asked: "i beats j among these N people", from the
// answers in an order that was drawn before the first of them.
// Sampling without replacement: Waudby-Smith and Ramdas, NeurIPS 2020; the bets are ours.
//
// Before answer t, n = N - t + 1 are left and S is the sum so far. If i does not beat j, the sum of
// all answers is at most 0, so that the next one, each of those that are left being as likely, has
// mean at most m = -S/n. The unit (Y - m)/(1 + m) is at least -1 with mean at most 0, and
//     E = sum_k w_k prod_t (1 + 2 gap_k u_t),   u_t = (Y n + S)/(n - S)   (0 where n <= S),
// with the gaps and weights of PairEvidence, is expected never to grow. Only the drawn order makes
// that true: in the order in which people come, those who come sooner may be of one mind.
//
// With T tasks the answer of a member is the mean over all tasks, once it is complete.
#pragma once

#include <array>
#include <cstdint>

#include "duel/core/archive_containers.h"
#include "duel/inference/evidence.h"

namespace duel {

class PanelEvidence {
 public:
  PanelEvidence() = default;
  explicit PanelEvidence(std::uint64_t members, std::uint64_t tasks = 1)
      : left_(static_cast<double>(members)), tasks_(static_cast<double>(tasks)) {}

  // The next member's answer, in the drawn order: the sum over their tasks, from -T for j to T for
  // i. REQUIRES: not more members than there are.
  void observe(std::int64_t answer);

  double log_evidence() const;                         // ln E now
  double log_maximum() const { return log_maximum_; }  // the largest so far

  void fields(auto& archive) {
    archive(left_, tasks_, sum_, wins_, losses_, log_maximum_);
    for (double& one : graded_) archive(one);
  }

 private:
  double left_ = 0;  // n
  double tasks_ = 1;
  double sum_ = 0;                                                 // S, in T-ths
  double wins_ = 0, losses_ = 0;                                   // units of exactly 1 and -1
  std::array<double, PairEvidence::kComponents.size()> graded_{};  // logarithms of the others
  double log_maximum_ = 0;
};

}  // namespace duel
