#include "duel/truth/winners.h"

#include <ClpSimplex.hpp>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <tuple>

#include "duel/core/rng.h"

namespace duel {
namespace {

// Solves: maximise v subject to sum_i pi_i (p_ij - 1/2) >= v for every j, sum pi = 1, pi >= 0, with
// i and j in `arms`. Row and column `arms.size()` are sum pi and v.
std::vector<double> solve_maximin(const PreferenceMatrix& matrix, std::span<const Arm> arms) {
  const int n = static_cast<int>(arms.size());
  std::vector<int> row_index;
  std::vector<double> value;
  std::vector<CoinBigIndex> column_start;
  const auto put = [&](int row, double entry) {
    row_index.push_back(row);
    value.push_back(entry);
  };
  for (const Arm i : arms) {
    column_start.push_back(static_cast<CoinBigIndex>(value.size()));
    for (int j = 0; j < n; ++j) {
      if (const double gap = matrix.gap(i, arms[static_cast<std::size_t>(j)]); gap != 0) {
        put(j, gap);
      }
    }
    put(n, 1.0);
  }
  column_start.push_back(static_cast<CoinBigIndex>(value.size()));
  for (int j = 0; j < n; ++j) put(j, -1.0);
  column_start.push_back(static_cast<CoinBigIndex>(value.size()));

  const auto size = arms.size();
  std::vector<double> column_lower(size + 1, 0.0), column_upper(size + 1, 1.0);
  std::vector<double> row_lower(size + 1, 0.0), row_upper(size + 1, COIN_DBL_MAX);
  std::vector<double> objective(size + 1, 0.0);
  column_lower[size] = -1.0;
  row_lower[size] = row_upper[size] = 1.0;
  objective[size] = 1.0;

  ClpSimplex solver;
  solver.setLogLevel(0);
  solver.setOptimizationDirection(-1);  // maximise
  solver.setPrimalTolerance(1e-10);
  solver.setDualTolerance(1e-10);
  solver.loadProblem(n + 1, n + 1, column_start.data(), row_index.data(), value.data(),
                     column_lower.data(), column_upper.data(), objective.data(), row_lower.data(),
                     row_upper.data());
  solver.primal();
  const double* solution = solver.getColSolution();
  return {solution, solution + n};
}

// Multiplicative weights against themselves (Grigoriadis and Khachiyan, Operations Research Letters
// 18, 1995): an arm is drawn from the weights, every weight moves by how its arm fares against the
// drawn one, and the share of draws tends to an optimal strategy. The number of draws needed is
// 4 ln n / eps^2 in expectation, each O(n); the draws end as soon as nobody gains more than eps.
std::vector<double> approximate_maximin(const PreferenceMatrix& matrix, std::span<const Arm> arms) {
  const std::size_t n = arms.size();
  // In the game 2P - 1; half a shortfall is left to the rounding of the check.
  const double eps = 1.9 * kSelfPlayShortfall;
  const double expected = 4.0 * std::log(static_cast<double>(n)) / (eps * eps);
  const auto most = static_cast<std::uint64_t>(8.0 * expected);
  const Stream stream(0, 0, Purpose::generate, "von-neumann");
  std::vector<double> weights(n, 1.0), gains(n, 0.0), draws(n, 0.0);
  double sum = static_cast<double>(n);
  for (std::uint64_t step = 1; step <= most; ++step) {
    RoundRng rng = stream.at(step);
    double mark = rng.uniform() * sum;
    std::size_t drawn = 0;
    while (drawn + 1 < n && mark >= weights[drawn]) mark -= weights[drawn++];
    ++draws[drawn];
    const auto row = matrix.row(arms[drawn]);
    double largest_gain = 0;
    sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double gain = 1.0 - 2.0 * row[arms[i]];  // of i against the drawn arm
      gains[i] += gain;
      largest_gain = std::max(largest_gain, gains[i]);
      const double x = 0.5 * eps * gain;
      weights[i] *= 1.0 + x + 0.5 * x * x;  // exp(x) to 1e-9
      sum += weights[i];
    }
    if (largest_gain <= eps * static_cast<double>(step)) break;
    if (!(sum < 1e200 && sum > 1e-200)) {
      for (double& weight : weights) weight /= sum;
      sum = 1.0;
    }
  }
  return draws;
}

// Drops what is only the solver's rounding, and makes the rest add up to 1.
void clean_distribution(std::vector<double>& weights) {
  constexpr double kRounding = 1e-9;
  for (double& weight : weights) {
    if (!(weight > kRounding)) weight = 0;
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (sum <= 0) return;
  for (double& weight : weights) weight /= sum;
}

// The place of each arm in the order of `before`.
template <class Before>
std::vector<std::uint32_t> ranks_of(std::size_t num_arms, Before before) {
  std::vector<Arm> order(num_arms);
  std::iota(order.begin(), order.end(), Arm{0});
  std::sort(order.begin(), order.end(), before);
  std::vector<std::uint32_t> ranks(num_arms);
  for (std::uint32_t place = 0; place < num_arms; ++place) ranks[order[place]] = place;
  return ranks;
}

double worst_reply(const PreferenceMatrix& matrix, std::span<const double> weights) {
  std::vector<double> replies(matrix.num_arms(), 0.0);
  for (Arm i = 0; i < matrix.num_arms(); ++i) {
    if (weights[i] == 0) continue;
    const auto row = matrix.row(i);
    for (Arm j = 0; j < matrix.num_arms(); ++j) replies[j] += weights[i] * row[j];
  }
  return *std::min_element(replies.begin(), replies.end());
}

}  // namespace

std::optional<Arm> condorcet_winner(const PreferenceMatrix& matrix) {
  // An arm that loses or ties is out, so one pass leaves one candidate, and a second checks it.
  Arm candidate = 0;
  for (Arm i = 1; i < matrix.num_arms(); ++i) {
    if (matrix(candidate, i) <= 0.5) candidate = i;
  }
  for (Arm j = 0; j < matrix.num_arms(); ++j) {
    if (j != candidate && matrix(candidate, j) <= 0.5) return std::nullopt;
  }
  return candidate;
}

std::vector<double> gaps_to_winner(const PreferenceMatrix& matrix, Arm winner) {
  std::vector<double> gaps;
  for (const double p : matrix.row(winner)) gaps.push_back(p - 0.5);
  return gaps;
}

MatrixGaps matrix_gaps(const PreferenceMatrix& matrix) {
  const auto lower = [](std::optional<double>& smallest, double gap) {
    if (gap > 0 && (!smallest || gap < *smallest)) smallest = gap;
  };
  MatrixGaps gaps;
  const auto winner = condorcet_winner(matrix);
  for (Arm i = 0; i < matrix.num_arms(); ++i) {
    for (const double p : matrix.row(i)) {
      lower(gaps.any, p - 0.5);  // one of p_ij and p_ji is above 1/2, or neither
      if (i == winner) lower(gaps.winner, p - 0.5);
    }
  }
  return gaps;
}

double CopelandScores::normalised(Arm i) const {
  return wins.size() < 2 ? 0.0 : wins[i] / static_cast<double>(wins.size() - 1);
}

CopelandScores copeland_scores(const PreferenceMatrix& matrix) {
  CopelandScores copeland;
  copeland.wins.resize(matrix.num_arms());
  for (Arm i = 0; i < matrix.num_arms(); ++i) {
    for (Arm j = i + 1; j < matrix.num_arms(); ++j) {
      if (matrix(i, j) > 0.5) {
        ++copeland.wins[i];
      } else if (matrix(i, j) < 0.5) {
        ++copeland.wins[j];
      } else {
        copeland.ties.emplace_back(i, j);
      }
    }
  }
  const auto most = *std::max_element(copeland.wins.begin(), copeland.wins.end());
  for (Arm i = 0; i < matrix.num_arms(); ++i) {
    if (copeland.wins[i] == most) copeland.winners.push_back(i);
  }
  return copeland;
}

double BordaScores::best() const { return *std::max_element(scores.begin(), scores.end()); }

BordaScores borda_scores(const PreferenceMatrix& matrix) {
  const double opponents = static_cast<double>(matrix.num_arms() - 1);
  BordaScores borda;
  for (Arm i = 0; i < matrix.num_arms(); ++i) {
    double sum = 0;
    for (Arm j = 0; j < matrix.num_arms(); ++j) {
      if (j != i) sum += matrix(i, j);
    }
    borda.scores.push_back(opponents > 0 ? sum / opponents : 0.5);
  }
  // Equal sums may round differently; a tie must not be decided by that.
  constexpr double kRounding = 1e-9;
  const double threshold = borda.best() - kRounding;
  for (Arm i = 0; i < matrix.num_arms(); ++i) {
    if (borda.scores[i] >= threshold) borda.winners.push_back(i);
  }
  return borda;
}

std::optional<std::vector<Arm>> dominant_set(const PreferenceMatrix& matrix, std::size_t k) {
  // A member beats all K - k outside; an outsider, which beats no member, at most K - k - 1.
  const auto wins = copeland_scores(matrix).wins;
  std::vector<Arm> members;
  for (Arm i = 0; i < matrix.num_arms(); ++i) {
    if (wins[i] + k >= matrix.num_arms()) members.push_back(i);
  }
  if (members.size() != k) return std::nullopt;
  for (const Arm i : members) {
    for (Arm j = 0; j < matrix.num_arms(); ++j) {
      const bool outside = !std::binary_search(members.begin(), members.end(), j);
      if (outside && matrix(i, j) <= 0.5) return std::nullopt;
    }
  }
  return members;
}

std::optional<std::vector<Arm>> ordered_top(const PreferenceMatrix& matrix, std::size_t k) {
  // The first arm beats K - 1. The second beats all but the first, so K - 2; and so on.
  const auto wins = copeland_scores(matrix).wins;
  std::vector<Arm> order;
  for (std::size_t place = 1; place <= k; ++place) {
    const auto found = std::find(wins.begin(), wins.end(), matrix.num_arms() - place);
    if (found == wins.end()) return std::nullopt;
    order.push_back(static_cast<Arm>(found - wins.begin()));
  }
  return order;
}

std::vector<Arm> arms_within(const PreferenceMatrix& matrix, double epsilon) {
  std::vector<Arm> arms;
  for (Arm i = 0; i < matrix.num_arms(); ++i) {
    const auto row = matrix.row(i);
    if (*std::min_element(row.begin(), row.end()) >= 0.5 - epsilon) arms.push_back(i);
  }
  return arms;
}

std::vector<Arm> smith_set(const PreferenceMatrix& matrix) {
  // A member beats every arm outside, an outsider at most the other outsiders. So the arm with the
  // most wins is a member, and so is every arm that some member does not beat.
  const auto wins = copeland_scores(matrix).wins;
  const auto seed = static_cast<Arm>(std::max_element(wins.begin(), wins.end()) - wins.begin());
  std::vector<bool> is_member(matrix.num_arms(), false);
  std::vector<Arm> members{seed};
  is_member[seed] = true;
  for (std::size_t next = 0; next < members.size(); ++next) {
    const Arm i = members[next];
    for (Arm j = 0; j < matrix.num_arms(); ++j) {
      if (!is_member[j] && matrix(i, j) <= 0.5) {
        is_member[j] = true;
        members.push_back(j);
      }
    }
  }
  std::sort(members.begin(), members.end());
  return members;
}

Result<VonNeumannWinner> von_neumann_winner(const PreferenceMatrix& matrix) {
  const std::vector<Arm> arms = smith_set(matrix);
  const bool programmed = arms.size() <= kMostProgrammedArms;
  VonNeumannWinner winner;
  winner.weights.assign(matrix.num_arms(), 0.0);
  if (arms.size() == 1) {
    winner.weights[arms.front()] = 1.0;
  } else {
    std::vector<double> weights =
        programmed ? solve_maximin(matrix, arms) : approximate_maximin(matrix, arms);
    clean_distribution(weights);
    for (std::size_t a = 0; a < arms.size(); ++a) winner.weights[arms[a]] = weights[a];
  }
  winner.guarantee = worst_reply(matrix, winner.weights);
  if (!(winner.guarantee >= 0.5 - (programmed ? kProgrammedShortfall : kSelfPlayShortfall))) {
    return Error::unsupported(
        "the von Neumann winner was not found with the accuracy that is promised",
        "matrix '" + matrix.name() + "'");
  }
  return winner;
}

std::vector<std::uint32_t> ranks_by_gap(const std::vector<double>& gaps) {
  return ranks_of(gaps.size(),
                  [&](Arm a, Arm b) { return std::tie(gaps[a], a) < std::tie(gaps[b], b); });
}

std::vector<std::uint32_t> merit_ranks(const PreferenceMatrix& matrix) {
  if (const auto winner = condorcet_winner(matrix)) {
    return ranks_by_gap(gaps_to_winner(matrix, *winner));
  }
  const auto wins = copeland_scores(matrix).wins;
  const auto borda = borda_scores(matrix).scores;
  return ranks_of(matrix.num_arms(), [&](Arm a, Arm b) {
    return std::tie(wins[b], borda[b], a) < std::tie(wins[a], borda[a], b);
  });
}

}  // namespace duel
