#include "duel/reproduction/ranker_matrices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "duel/ranking/click_models/click_model_catalogue.h"
#include "duel/ranking/estimation/matrix_estimate.h"
#include "duel/ranking/interleaving/methods.h"
#include "duel/ranking/letor/ranker_catalogue.h"
#include "duel/ranking/letor/synthetic.h"
#include "duel/truth/winners.h"

namespace duel {
namespace {

constexpr std::uint64_t kComparisons = 4000;
constexpr std::size_t kShownMatrices = 10;
constexpr std::uint64_t kMostDataSets = 20;

// The judgements are binary, as those of NP2004.
SyntheticOptions data_set(std::uint64_t seed) {
  SyntheticOptions options;
  options.queries = 200;
  options.documents = 50;
  options.features = kPublishedRankers;
  options.grades = 2;
  options.seed = seed;
  return options;
}

Result<PreferenceMatrix> compare_features(const ReproductionContext& context,
                                          const SyntheticOptions& options, ProgressPart part) {
  const JudgedQueries data = make_synthetic(options);
  DUEL_ASSIGN(const Rankers rankers, resolve_rankers("features", data));
  ClickSetting setting;
  // As the paper's simulations did, whose matrices are signs of marginal values.
  DUEL_ASSIGN(setting.method, configure_interleaver("probabilistic(tau=3,credit=marginal)"));
  DUEL_ASSIGN(setting.user, configure_click_model("navigational", options.grades));
  JobHooks hooks;
  hooks.stop = context.stop;
  DUEL_ASSIGN(const RankedQueries queries,
              RankedQueries::create(data, rankers, kShownMatrices, context.threads, hooks));
  EstimatePlan plan;
  plan.comparisons = kComparisons;
  plan.seed = context.seed;
  plan.threads = context.threads;
  plan.name = "simulated";
  const double num_pairs = static_cast<double>(rankers.size() * (rankers.size() - 1)) / 2;
  hooks.on_progress = [&](std::uint64_t pairs) {
    const double share = static_cast<double>(pairs) / num_pairs;
    context.report(part.begin + share * (part.end - part.begin), "comparing rankers by clicks");
  };
  DUEL_ASSIGN(MatrixEstimate estimate, estimate_matrix(queries, setting, plan, hooks));
  return std::move(estimate.matrix);
}

}  // namespace

Result<RankerMatrices> ranker_matrices(const ReproductionContext& context, ProgressPart part) {
  RankerMatrices matrices;
  for (std::uint64_t attempt = 1; matrices.all.empty(); ++attempt) {
    if (attempt > kMostDataSets) {
      return Error::unsupported(
                 fmt::format("none of {} simulated matrices has a Condorcet winner", kMostDataSets))
          .with_hint("another `seed`");
    }
    const SyntheticOptions options = data_set(context.seed + attempt);
    // Each attempt takes half of what is left, so that progress never goes back.
    const double half = (part.begin + part.end) / 2;
    DUEL_ASSIGN(PreferenceMatrix matrix, compare_features(context, options, {part.begin, half}));
    part.begin = half;
    if (!condorcet_winner(matrix)) continue;
    matrices.remarks.push_back(fmt::format(
        "The paper's matrix (64 features of LETOR NP2004) is not public. The simulated one follows "
        "its recipe on {}: each feature is a ranker, two rankers are compared {} times by "
        "probabilistic interleaving with tau = 3 (the sign of the marginal credit) and a "
        "navigational dependent-click user, and a "
        "comparison that nobody wins counts half for each.",
        synthetic_options().canonical("synthetic", options), kComparisons));
    matrices.all.push_back({"simulated", std::move(matrix)});
  }
  std::vector<std::string> small;
  for (const GivenMatrix& given : context.matrices) {
    if (given.matrix->num_arms() < kPublishedRankers) {
      small.push_back(given.name);
    } else if (!condorcet_winner(*given.matrix)) {
      matrices.remarks.push_back(fmt::format(
          "The given matrix {} was not taken: it has no Condorcet winner.", given.name));
    } else {
      matrices.all.push_back({given.name, *given.matrix});
    }
  }
  if (!small.empty()) {
    matrices.remarks.push_back(fmt::format("Given and not taken, with fewer than {} arms: {}.",
                                           kPublishedRankers, fmt::join(small, ", ")));
  }
  return matrices;
}

}  // namespace duel
