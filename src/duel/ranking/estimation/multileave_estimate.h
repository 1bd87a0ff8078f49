// The preference matrix of rankers that are all merged into one list: every impression compares
// every pair at once.
#pragma once

#include <cstdint>
#include <memory>

#include "duel/core/result.h"
#include "duel/jobs/jobs.h"
#include "duel/ranking/click_models/click_model.h"
#include "duel/ranking/estimation/matrix_estimate.h"
#include "duel/ranking/estimation/ranked_queries.h"
#include "duel/ranking/interleaving/multileaver.h"

namespace duel {

// Immutable and shared between threads.
struct MultileaveSetting {
  std::shared_ptr<const Multileaver> method;
  std::shared_ptr<const ClickModel> user;
};

// Progress counts blocks of impressions.
inline constexpr std::uint64_t kImpressionsPerBlock = 1024;

// `plan.comparisons` impressions, each an outcome of every pair. The numbers depend on the seed
// alone. Outcomes of different pairs share their impressions, so that their errors are not
// independent.
Result<MatrixEstimate> multileave_matrix(const RankedQueries& queries,
                                         const MultileaveSetting& setting, const EstimatePlan& plan,
                                         const JobHooks& hooks = {});

// The matrix that it tends to: every query, every list, every pattern of clicks. An error where
// these are too many. Progress counts queries.
Result<MatrixEstimate> exact_multileave_matrix(const RankedQueries& queries,
                                               const MultileaveSetting& setting,
                                               const EstimatePlan& plan,
                                               const JobHooks& hooks = {});

}  // namespace duel
