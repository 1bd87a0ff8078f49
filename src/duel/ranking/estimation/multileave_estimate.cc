#include "duel/ranking/estimation/multileave_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "duel/core/check.h"
#include "duel/ranking/click_models/exact_clicks.h"
#include "duel/ranking/estimation/click_comparison.h"

namespace duel {
namespace {

std::vector<std::span<const Document>> rankings_of(const RankedQueries& queries,
                                                   std::size_t query) {
  std::vector<std::span<const Document>> rankings;
  for (std::size_t ranker = 0; ranker < queries.num_rankers(); ++ranker) {
    rankings.push_back(queries.top(ranker, query));
  }
  return rankings;
}

// Outcomes by pair: (0,1), (0,2), .., (1,2), ..
void add_outcomes(const MultileaveCredit& credit, double amount,
                  std::vector<OutcomeShares>& pairs) {
  std::size_t pair = 0;
  for (std::size_t i = 0; i < credit.num_rankers; ++i) {
    for (std::size_t j = i + 1; j < credit.num_rankers; ++j) {
      pairs[pair++].add(credit.outcome(i, j), amount);
    }
  }
}

// Every list and pattern of clicks of one query.
Result<std::vector<OutcomeShares>> exact_outcomes(const RankedQueries& queries,
                                                  const MultileaveSetting& setting,
                                                  std::size_t query) {
  std::vector<OutcomeShares> shares(queries.num_rankers() * (queries.num_rankers() - 1) / 2);
  const auto rankings = rankings_of(queries, query);
  DUEL_ASSIGN(const std::vector<WeightedMultileaving> lists,
              setting.method->enumerate(rankings, queries.length()));
  std::vector<Grade> grades;
  MultileaveCredit credit;
  for (const WeightedMultileaving& list : lists) {
    DUEL_RETURN_IF_ERROR(check_pattern_length(list.shown.size()));
    grades_of(list.shown.documents, queries.grades(query), grades);
    for_each_click_pattern(*setting.user, grades,
                           [&](std::span<const Position> clicks, double probability) {
                             setting.method->credit(list.shown, clicks, credit);
                             add_outcomes(credit, list.probability * probability, shares);
                           });
  }
  return shares;
}

}  // namespace

Result<MatrixEstimate> multileave_matrix(const RankedQueries& queries,
                                         const MultileaveSetting& setting, const EstimatePlan& plan,
                                         const JobHooks& hooks) {
  DUEL_CHECK(plan.comparisons >= 1 && queries.num_queries() >= 1);
  const std::uint64_t blocks = (plan.comparisons + kImpressionsPerBlock - 1) / kImpressionsPerBlock;
  const Stream draws(plan.seed, 0, Purpose::impression, "multileave");
  std::mutex mutex;  // guards what follows; counts are whole numbers, so their order is no matter
  std::vector<PairEstimate> pairs = pairs_of(queries);
  for (PairEstimate& pair : pairs) pair.comparisons = plan.comparisons;
  const auto block = [&](std::uint64_t number, const std::atomic<bool>& stop) {
    std::vector<OutcomeShares> of_block(pairs.size());
    Multileaving shown;
    MultileaveCredit credit;
    std::vector<Grade> grades;
    std::vector<Position> clicks;
    const std::uint64_t end = std::min(plan.comparisons, (number + 1) * kImpressionsPerBlock);
    for (std::uint64_t n = number * kImpressionsPerBlock; n < end; ++n) {
      if (n % 64 == 0 && stop.load(std::memory_order_relaxed)) return false;
      RoundRng rng = draws.at(n);
      const auto query = static_cast<std::size_t>(rng.below(queries.num_queries()));
      setting.method->multileave(rankings_of(queries, query), queries.length(), rng, shown);
      grades_of(shown.documents, queries.grades(query), grades);
      setting.user->click(grades, rng, clicks);
      setting.method->credit(shown, clicks, credit);
      add_outcomes(credit, 1.0, of_block);
    }
    const std::scoped_lock lock(mutex);
    for (std::size_t k = 0; k < pairs.size(); ++k) pairs[k].outcomes += of_block[k];
    return true;
  };
  const auto name_of = [](std::uint64_t number) { return fmt::format("block {}", number + 1); };
  DUEL_RETURN_IF_ERROR(
      run_comparisons(blocks, "blocks of impressions", plan.threads, hooks, block, name_of));
  return matrix_from(queries, plan, std::move(pairs));
}

Result<MatrixEstimate> exact_multileave_matrix(const RankedQueries& queries,
                                               const MultileaveSetting& setting,
                                               const EstimatePlan& plan, const JobHooks& hooks) {
  std::vector<std::vector<OutcomeShares>> by_query(queries.num_queries());
  const auto name_of = [](std::uint64_t number) { return fmt::format("query {}", number + 1); };
  const auto job = [&](std::uint64_t query, const std::atomic<bool>& stop) -> Result<bool> {
    if (stop.load(std::memory_order_relaxed)) return false;
    DUEL_ASSIGN(by_query[query], exact_outcomes(queries, setting, static_cast<std::size_t>(query)));
    return true;
  };
  DUEL_RETURN_IF_ERROR(
      run_comparisons(by_query.size(), "queries", plan.threads, hooks, job, name_of));
  std::vector<PairEstimate> pairs = pairs_of(queries);
  for (const auto& outcomes : by_query) {
    for (std::size_t k = 0; k < pairs.size(); ++k) pairs[k].outcomes += outcomes[k];
  }
  for (PairEstimate& pair : pairs) {
    pair.outcomes = pair.outcomes.scaled(1.0 / static_cast<double>(queries.num_queries()));
  }
  return matrix_from(queries, plan, std::move(pairs));
}

}  // namespace duel
