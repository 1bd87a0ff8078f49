// How much each of several judges goes by what the others see, too: judge m prefers i to j with
// probability sigma(gamma_m (u_i - u_j)). The arms' strengths u sum to 0, and the geometric mean of
// |gamma| is 1 (of a gamma below a hundredth of the largest, that hundredth), so that a judge of
// gamma 1 is as sharp as the others, one near 0 answers as a coin does, and one below 0 prefers
// what the others reject.
//
// The strengths weigh judges by gamma; nothing else does. A description, never a certificate: it
// takes the judges' common opinion for the truth, and where most of them share an error, the one
// who does not share it is called unreliable.
//
// Normal priors keep it finite: gamma has mean 1 and standard deviation 3, the strengths 0 and 10.
#pragma once

#include <cstddef>
#include <vector>

#include "duel/core/result.h"
#include "duel/inference/bradley_terry.h"
#include "duel/inference/interval.h"

namespace duel {

struct JudgeReliability {
  std::vector<double> strength;  // u, summing to 0
  std::vector<double> gamma;     // of each judge
  // Of gamma where the mean of |gamma|, not the geometric one, is held fixed: that of a coin among
  // the judges, whose gamma has hardly a logarithm, would make all of them uncertain.
  std::vector<double> gamma_standard_error;

  // By the normal law, at one fixed number of answers. REQUIRES: 0 < delta < 1.
  Interval interval(std::size_t judge, double delta) const;
};

// A tie is half a win each way. An error where fewer than two judges answered at all, or where all
// strengths come out equal, so that nothing tells judges apart.
// REQUIRES: the tables have equally many arms, 2 or more.
Result<JudgeReliability> fit_judge_reliability(const std::vector<DuelTable>& judges);

}  // namespace duel
