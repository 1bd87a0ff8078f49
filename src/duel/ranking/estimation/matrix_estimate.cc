#include "duel/ranking/estimation/matrix_estimate.h"

#include <fmt/format.h>

#include <cmath>
#include <mutex>
#include <utility>

#include "duel/core/check.h"
#include "duel/core/spelling.h"

namespace duel {
namespace {

using CompareJob =
    std::function<Result<bool>(PairEstimate& pair, std::uint64_t number, const std::atomic<bool>&)>;

// Fills all pairs by `compare` and makes the matrix of them.
Result<MatrixEstimate> matrix_of_pairs(const RankedQueries& queries, const EstimatePlan& plan,
                                       const JobHooks& hooks, const CompareJob& compare) {
  std::vector<PairEstimate> pairs = pairs_of(queries);
  DUEL_RETURN_IF_ERROR(run_comparisons(
      pairs.size(), "pairs of rankers", plan.threads, hooks,
      [&](std::uint64_t number, const std::atomic<bool>& stop) {
        return compare(pairs[number], number, stop);
      },
      [&](std::uint64_t number) {
        const PairEstimate& pair = pairs[number];
        return fmt::format("{} against {}", queries.names()[pair.first],
                           queries.names()[pair.second]);
      }));
  return matrix_from(queries, plan, std::move(pairs));
}

// The comparisons that enter the matrix.
double counted_by(TieShare ties, const OutcomeShares& outcomes) {
  if (ties == TieShare::half) return outcomes.total();
  if (ties == TieShare::answered) return outcomes.answered();
  return outcomes.first_wins + outcomes.second_wins;
}

}  // namespace

std::vector<PairEstimate> pairs_of(const RankedQueries& queries) {
  std::vector<PairEstimate> pairs;
  for (Arm i = 0; i < queries.num_rankers(); ++i) {
    for (Arm j = i + 1; j < queries.num_rankers(); ++j) pairs.push_back({.first = i, .second = j});
  }
  return pairs;
}

Status run_comparisons(std::uint64_t count, std::string_view noun, unsigned threads,
                       const JobHooks& hooks, const FallibleJob& job,
                       const std::function<std::string(std::uint64_t)>& name_of) {
  std::mutex mutex;                                        // guards what follows
  std::optional<std::pair<std::uint64_t, Error>> failure;  // of the first job that has one
  const auto guarded = [&](std::uint64_t number, const std::atomic<bool>& stop) {
    const auto done = job(number, stop);
    if (done.ok()) return *done;
    const std::scoped_lock lock(mutex);
    if (!failure || number < failure->first) failure = {number, done.error()};
    return false;
  };
  DUEL_ASSIGN(const JobsRun jobs, run_jobs(count, threads, hooks, guarded, name_of));
  if (failure) {
    Error error = failure->second;
    error.where = name_of(failure->first) + (error.where.empty() ? "" : ", " + error.where);
    return error;
  }
  if (jobs.finished < count) {
    return Error::interrupted(
        fmt::format("interrupted after {} of {} {}", jobs.finished, count, noun));
  }
  return Done{};
}

Result<MatrixEstimate> matrix_from(const RankedQueries& queries, const EstimatePlan& plan,
                                   std::vector<PairEstimate> pairs) {
  const std::size_t num_arms = queries.num_rankers();
  std::vector<double> p(num_arms * num_arms, 0.5);
  for (PairEstimate& pair : pairs) {
    pair.probability = win_probability(pair.outcomes, plan.ties);
    pair.standard_error = win_standard_error(pair.outcomes, pair.comparisons, plan.ties);
    p[pair.first * num_arms + pair.second] = pair.probability;
    p[pair.second * num_arms + pair.first] = 1.0 - pair.probability;
  }
  DUEL_ASSIGN(PreferenceMatrix matrix,
              PreferenceMatrix::create(plan.name, queries.names(), std::move(p)));
  return MatrixEstimate{std::move(matrix), std::move(pairs)};
}

Result<TieShare> tie_share_of(std::string_view name) {
  if (name == "half") return TieShare::half;
  if (name == "answered") return TieShare::answered;
  if (name == "drop") return TieShare::drop;
  const std::string known[] = {"half", "answered", "drop"};
  return Error::invalid_argument(fmt::format("there is no rule '{}' for ties", name))
      .with_hint(spelling_hint(name, known));
}

double win_probability(const OutcomeShares& outcomes, TieShare ties) {
  const double counted = counted_by(ties, outcomes);
  if (counted == 0) return 0.5;
  if (ties == TieShare::drop) return outcomes.first_wins / counted;
  // Wins and losses enter alike, so that identical rankers give exactly 1/2.
  return 0.5 + 0.5 * (outcomes.first_wins - outcomes.second_wins) / counted;
}

std::optional<double> win_standard_error(const OutcomeShares& outcomes, std::uint64_t comparisons,
                                         TieShare ties) {
  if (comparisons == 0) return 0.0;
  const double counted = counted_by(ties, outcomes);
  if (counted == 0) return std::nullopt;
  const double n = static_cast<double>(comparisons) * (counted / outcomes.total());
  if (ties == TieShare::drop) {
    const double p = win_probability(outcomes, ties);
    return std::sqrt(p * (1 - p) / n);
  }
  // Outcomes 1, 1/2, 0: variance of (1 + s)/2 with s = 1, 0, -1.
  const double decided = (outcomes.first_wins + outcomes.second_wins) / counted;
  const double mean = (outcomes.first_wins - outcomes.second_wins) / counted;
  return std::sqrt(std::max(0.0, decided - mean * mean) / (4 * n));
}

Result<MatrixEstimate> estimate_matrix(const RankedQueries& queries, const ClickSetting& setting,
                                       const EstimatePlan& plan, const JobHooks& hooks) {
  DUEL_CHECK(plan.comparisons >= 1 && queries.num_queries() >= 1);
  constexpr std::uint64_t kStopInterval = 1024;
  return matrix_of_pairs(
      queries, plan, hooks,
      [&](PairEstimate& pair, std::uint64_t number, const std::atomic<bool>& stop) -> Result<bool> {
        const auto key = static_cast<std::uint32_t>(number);
        const Stream draws(plan.seed, key, Purpose::impression);
        PreparedLists lists(queries, setting, plan.seed);  // of this pair alone: they may be large
        ClickComparison comparison(queries, setting, lists);
        OutcomeShares counts;
        for (std::uint64_t n = 0; n < plan.comparisons; ++n) {
          if (n % kStopInterval == 0 && stop.load(std::memory_order_relaxed)) return false;
          RoundRng rng = draws.at(n);
          counts.add(comparison.draw(pair.first, pair.second, rng), 1.0);
        }
        pair.comparisons = plan.comparisons;
        pair.outcomes = counts;
        return true;
      });
}

Result<MatrixEstimate> exact_matrix(const RankedQueries& queries, const ClickSetting& setting,
                                    const EstimatePlan& plan, const JobHooks& hooks) {
  DUEL_CHECK(queries.num_queries() >= 1);
  return matrix_of_pairs(
      queries, plan, hooks,
      [&](PairEstimate& pair, std::uint64_t, const std::atomic<bool>& stop) -> Result<bool> {
        OutcomeShares sum;
        for (std::size_t query = 0; query < queries.num_queries(); ++query) {
          if (stop.load(std::memory_order_relaxed)) return false;
          DUEL_ASSIGN(const OutcomeShares shares,
                      exact_comparison(queries, setting, pair.first, pair.second, query));
          sum += shares;
        }
        pair.outcomes = sum.scaled(1.0 / static_cast<double>(queries.num_queries()));
        return true;
      });
}

}  // namespace duel
