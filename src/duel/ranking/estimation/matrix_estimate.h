// From rankers, judged queries and a click model to a preference matrix: entry (i, j) is the
// probability that ranker i wins a comparison by clicks against ranker j.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/result.h"
#include "duel/jobs/jobs.h"
#include "duel/ranking/estimation/click_comparison.h"
#include "duel/ranking/estimation/ranked_queries.h"
#include "duel/truth/preference_matrix.h"

namespace duel {

// How comparisons that nobody won enter the matrix.
enum class TieShare {
  half,      // half a win each, no click and no contest as well: p = 1/2 + (wins - losses)/(2 n)
  answered,  // ties are half a win each, no click and no contest count nothing; 1/2 where there was
  // no answer. A policy with `ties=coin` or `half` meets this in an environment of clicks
  drop,  // p = wins/(wins + losses), as with `ties=drop`; 1/2 where nobody ever wins
};
// half, answered or drop.
Result<TieShare> tie_share_of(std::string_view name);

struct PairEstimate {
  Arm first = 0;
  Arm second = 0;
  std::uint64_t comparisons = 0;  // 0 for an exact entry
  OutcomeShares outcomes;         // counts; of an exact entry shares, which add up to 1
  double probability = 0.5;       // that the first wins
  // Of `probability`; 0 for an exact entry, none where no comparison counts.
  std::optional<double> standard_error;
};

// p from the counts or shares of outcomes.
double win_probability(const OutcomeShares& outcomes, TieShare ties);
// The standard error of p from n comparisons: of the mean of outcomes worth 1, 1/2 and 0, of all or
// of the answered ones, or of a share of the decided ones.
std::optional<double> win_standard_error(const OutcomeShares& outcomes, std::uint64_t comparisons,
                                         TieShare ties);

struct MatrixEstimate {
  PreferenceMatrix matrix;
  std::vector<PairEstimate> pairs;  // (0,1), (0,2), .., (1,2), ..
};

struct EstimatePlan {
  std::uint64_t comparisons = 4000;  // of each pair; not used by the exact matrix
  TieShare ties = TieShare::half;
  std::uint64_t seed = 0;
  unsigned threads = 0;  // 0: one per core
  std::string name = "estimate";
};

// The pairs of all rankers, not compared yet.
std::vector<PairEstimate> pairs_of(const RankedQueries& queries);

// False where it was stopped.
using FallibleJob =
    std::function<Result<bool>(std::uint64_t number, const std::atomic<bool>& stop)>;

// Runs jobs of comparing. An error is that of the first job that has one, with its name; a run that
// was stopped counts its jobs by `noun`, "pairs of rankers".
Status run_comparisons(std::uint64_t count, std::string_view noun, unsigned threads,
                       const JobHooks& hooks, const FallibleJob& job,
                       const std::function<std::string(std::uint64_t)>& name_of);

// The matrix of pairs whose outcomes are known: fills in their probabilities and standard errors.
Result<MatrixEstimate> matrix_from(const RankedQueries& queries, const EstimatePlan& plan,
                                   std::vector<PairEstimate> pairs);

// Compares every pair. The numbers depend on the seed and the pair alone. Progress counts pairs.
Result<MatrixEstimate> estimate_matrix(const RankedQueries& queries, const ClickSetting& setting,
                                       const EstimatePlan& plan, const JobHooks& hooks = {});

// The matrix that `estimate_matrix` tends to, without sampling: every query, every list, every
// pattern of clicks. An error where the method or the length of the lists makes these too many.
Result<MatrixEstimate> exact_matrix(const RankedQueries& queries, const ClickSetting& setting,
                                    const EstimatePlan& plan, const JobHooks& hooks = {});

}  // namespace duel
