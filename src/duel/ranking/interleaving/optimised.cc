#include "duel/ranking/interleaving/optimised.h"

#include <ClpSimplex.hpp>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "duel/ranking/interleaving/methods.h"

namespace duel {
namespace {

using Index = RankingPool::Index;
using List = std::vector<Index>;

// All lists that keep the prefix constraint, depth first; stops beyond `limit`. Two ways to the
// same list would have to differ in some position, so no list comes twice.
class CandidateLister {
 public:
  CandidateLister(RankingPool& pool, std::size_t length, std::size_t limit)
      : pool_(pool), length_(length), limit_(limit), shown_(pool.size(), 0) {}

  // False if there are more than `limit`.
  bool list() { return extend(0, 0); }
  std::vector<List> take() { return std::move(lists_); }

 private:
  Index top(std::size_t r, std::size_t& at) const {
    const auto ranking = pool_.ranking(r);
    while (at < ranking.size() && shown_[ranking[at]] != 0) ++at;
    return at < ranking.size() ? ranking[at] : RankingPool::kNone;
  }

  bool extend(std::size_t first_at, std::size_t second_at) {
    if (list_.size() == length_) {
      if (lists_.size() == limit_) return false;
      lists_.push_back(list_);
      return true;
    }
    const Index first = top(0, first_at);
    const Index second = top(1, second_at);
    if (first != RankingPool::kNone && !with(first, first_at, second_at)) return false;
    return second == RankingPool::kNone || second == first || with(second, first_at, second_at);
  }

  bool with(Index next, std::size_t first_at, std::size_t second_at) {
    shown_[next] = 1;
    list_.push_back(next);
    const bool within = extend(first_at, second_at);
    list_.pop_back();
    shown_[next] = 0;
    return within;
  }

  const RankingPool& pool_;
  std::size_t length_, limit_;
  std::vector<std::uint8_t> shown_;
  List list_;
  std::vector<List> lists_;
};

// One list by a fair coin for each position.
List random_candidate(RankingPool& pool, std::size_t length, RoundRng& rng) {
  pool.restart();
  List list;
  while (list.size() < length) {
    const Index first = pool.top(0), second = pool.top(1);
    const bool takes_first =
        second == RankingPool::kNone || (first != RankingPool::kNone && rng.coin());
    list.push_back(takes_first ? first : second);
    pool.take(list.back());
  }
  return list;
}

std::vector<List> random_candidates(RankingPool& pool, std::size_t length, std::size_t count,
                                    RoundRng& rng) {
  // In the order of the set, not of the draws: the programme's vertex depends on the column order.
  std::set<List> distinct;
  for (std::size_t k = 0; k < count; ++k) distinct.insert(random_candidate(pool, length, rng));
  return {distinct.begin(), distinct.end()};
}

struct Programme {
  std::size_t length = 0;
  std::vector<double> prefix_credit;  // [list x length]: sum over the top k of delta
  std::vector<double> cost;           // [list], to be minimised
};

struct Solution {
  bool feasible = false;
  std::vector<double> probability;
  double slack = 0;
};

// Columns: one per list, then lambda_k where `relaxed`. Rows: sum p = 1, then for each k one row
// sum_l p_l D_lk = 0, or two, sum_l p_l D_lk - lambda_k <= 0 and sum_l p_l D_lk + lambda_k >= 0.
Solution solve_programme(const Programme& programme, bool relaxed) {
  const std::size_t num_lists = programme.cost.size();
  const std::size_t length = programme.length;
  const std::size_t num_columns = num_lists + (relaxed ? length : 0);
  const std::size_t num_rows = 1 + (relaxed ? 2 : 1) * length;
  std::vector<CoinBigIndex> column_start;
  std::vector<int> row_index;
  std::vector<double> value;
  const auto put = [&](std::size_t row, double entry) {
    row_index.push_back(static_cast<int>(row));
    value.push_back(entry);
  };
  for (std::size_t l = 0; l < num_lists; ++l) {
    column_start.push_back(static_cast<CoinBigIndex>(value.size()));
    put(0, 1);
    for (std::size_t k = 0; k < length; ++k) {
      const double credit = programme.prefix_credit[l * length + k];
      if (std::fabs(credit) <= kCreditRounding) continue;
      put(1 + k, credit);
      if (relaxed) put(1 + length + k, credit);
    }
  }
  for (std::size_t k = 0; k < num_columns - num_lists; ++k) {
    column_start.push_back(static_cast<CoinBigIndex>(value.size()));
    put(1 + k, -1);
    put(1 + length + k, 1);
  }
  column_start.push_back(static_cast<CoinBigIndex>(value.size()));

  std::vector<double> column_lower(num_columns, 0.0), column_upper(num_columns, COIN_DBL_MAX);
  std::vector<double> objective(programme.cost);
  objective.resize(num_columns, 1.0);
  std::vector<double> row_lower(num_rows, 0.0), row_upper(num_rows, 0.0);
  row_lower[0] = row_upper[0] = 1;
  if (relaxed) {
    std::fill_n(row_lower.begin() + 1, length, -COIN_DBL_MAX);
    std::fill(row_upper.begin() + 1 + static_cast<std::ptrdiff_t>(length), row_upper.end(),
              COIN_DBL_MAX);
  }
  ClpSimplex solver;
  solver.setLogLevel(0);
  solver.setPrimalTolerance(1e-10);
  solver.setDualTolerance(1e-10);
  solver.loadProblem(static_cast<int>(num_columns), static_cast<int>(num_rows), column_start.data(),
                     row_index.data(), value.data(), column_lower.data(), column_upper.data(),
                     objective.data(), row_lower.data(), row_upper.data());
  solver.primal();
  Solution solution;
  solution.feasible = solver.isProvenOptimal();
  if (!solution.feasible) return solution;
  const double* columns = solver.getColSolution();
  solution.probability.assign(columns, columns + num_lists);
  solution.slack = std::accumulate(columns + num_lists, columns + num_columns, 0.0);
  return solution;
}

Solution solve_programme(const Programme& programme) {
  Solution solution = solve_programme(programme, false);
  if (!solution.feasible) solution = solve_programme(programme, true);
  DUEL_CHECK(solution.feasible);  // any probabilities are feasible with enough slack
  double sum = 0;
  for (double& probability : solution.probability) {
    if (!(probability > 1e-9)) probability = 0;  // the solver's rounding
    sum += probability;
  }
  for (double& probability : solution.probability) probability /= sum;
  return solution;
}

}  // namespace

void OptimisedPlan::draw(RoundRng& rng, Interleaving& shown) const {
  const auto at = std::upper_bound(cumulative.begin(), cumulative.end() - 1, rng.uniform());
  shown = candidates[static_cast<std::size_t>(at - cumulative.begin())].shown;
}

OptimisedPlan OptimisedInterleaver::solve(std::span<const Document> first,
                                          std::span<const Document> second, std::size_t length,
                                          RoundRng& rng) const {
  Interleaving shown;
  RankingPool& pool = shown.memory.pool;
  pool.assign(first, second);
  Programme programme;
  programme.length = std::min(length, pool.size());

  OptimisedPlan plan;
  CandidateLister lister(pool, programme.length, options_.candidates);
  plan.is_sampled = !lister.list();
  const std::vector<List> lists =
      plan.is_sampled ? random_candidates(pool, programme.length, options_.candidates, rng)
                      : lister.take();
  plan.num_considered = lists.size();

  const auto credit = [&](std::size_t r, Index i) {
    return rank_credit(options_.credit, pool.rank(r, i), pool.length(r));
  };
  double weights = 0;  // f(i) = (1/i)/weights
  for (std::size_t k = 1; k <= programme.length; ++k) weights += 1.0 / static_cast<double>(k);
  for (const List& list : lists) {
    double prefix = 0, expected = 0;
    for (std::size_t k = 0; k < list.size(); ++k) {
      const double delta = credit(0, list[k]) - credit(1, list[k]);
      prefix += delta;
      expected += delta / (static_cast<double>(k + 1) * weights);
      programme.prefix_credit.push_back(prefix);
    }
    programme.cost.push_back(options_.sensitivity == Sensitivity::variance ? expected * expected / 4
                                                                           : -std::fabs(expected));
  }
  const Solution solution = solve_programme(programme);
  plan.slack = solution.slack;
  double cumulative = 0;
  for (std::size_t l = 0; l < lists.size(); ++l) {
    if (solution.probability[l] == 0) continue;
    shown.clear();
    for (const Index i : lists[l]) {
      shown.append(i, Team::none);
      shown.append_credit(credit(0, i), credit(1, i));
    }
    plan.candidates.push_back({solution.probability[l], shown});
    cumulative += solution.probability[l];
    plan.cumulative.push_back(cumulative);
  }
  return plan;
}

void OptimisedInterleaver::interleave(std::span<const Document> first,
                                      std::span<const Document> second, std::size_t length,
                                      RoundRng& rng, Interleaving& shown) const {
  solve(first, second, length, rng).draw(rng, shown);
}

std::unique_ptr<const PreparedInterleaving> OptimisedInterleaver::prepare(
    std::span<const Document> first, std::span<const Document> second, std::size_t length,
    RoundRng& rng) const {
  return std::make_unique<PreparedInterleaving>(
      PreparedInterleaving{[plan = solve(first, second, length, rng)](
                               RoundRng& draws, Interleaving& shown) { plan.draw(draws, shown); }});
}

Result<std::vector<WeightedInterleaving>> OptimisedInterleaver::enumerate(
    std::span<const Document> first, std::span<const Document> second, std::size_t length) const {
  RankingPool pool;
  pool.assign(first, second);
  CandidateLister lister(pool, std::min(length, pool.size()), options_.candidates);
  if (!lister.list()) return too_many_paths(canonical(), options_.candidates);
  RoundRng unused(0, 0, 0);
  const OptimisedPlan plan = solve(first, second, length, unused);
  return merged(plan.candidates);
}

namespace {
const bool optimised_is_registered = register_method<OptimisedInterleaver>(
    interleaver_catalogue(),
    {"optimised", "list probabilities from a linear programme: unbiased, then most sensitive",
     "Radlinski, Craswell, WSDM 2013", 2013},
    OptionTable<OptimisedOptions>()
        .choice<RankCredit>("credit", &OptimisedOptions::credit,
                            {{"inverse-rank", RankCredit::inverse_rank},
                             {"negative-rank", RankCredit::negative_rank},
                             {"linear-rank", RankCredit::linear_rank}},
                            "what a click on a document is worth to a ranking")
        .choice<Sensitivity>(
            "sensitivity", &OptimisedOptions::sensitivity,
            {{"variance", Sensitivity::variance}, {"absolute", Sensitivity::absolute}},
            "minimise the variance of the expected outcome, or maximise its mean absolute value")
        .count("candidates", &OptimisedOptions::candidates, 1, 1'000'000,
               "list at most so many candidates; where there are more, sample as many"));
}  // namespace

}  // namespace duel
