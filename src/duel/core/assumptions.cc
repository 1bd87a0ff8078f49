#include "duel/core/assumptions.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "duel/core/winners.h"

namespace duel {
namespace {

constexpr double kSlack = 1e-9;

Arm arm_count(const PreferenceMatrix& matrix) { return static_cast<Arm>(matrix.num_arms()); }

std::vector<std::vector<Arm>> beaten_by_each(const PreferenceMatrix& matrix) {
  std::vector<std::vector<Arm>> beaten(matrix.num_arms());
  for (Arm i = 0; i < arm_count(matrix); ++i) {
    for (Arm j = 0; j < arm_count(matrix); ++j) {
      if (matrix(i, j) > 0.5) beaten[i].push_back(j);
    }
  }
  return beaten;
}

void record(ChainCheck& check, const Chain& chain, double excess) {
  ++check.violations;
  if (!check.worst || excess > check.worst->excess) {
    check.worst = chain;
    check.worst->excess = excess;
  }
}

// Adds the chains that start with i, j.
void add_chains(ChainChecks& checks, const PreferenceMatrix& matrix, Arm i, Arm j,
                const std::vector<Arm>& beaten_by_j) {
  const auto row_i = matrix.row(i);
  const auto row_j = matrix.row(j);
  const double gap_ij = row_i[j] - 0.5;
  for (const Arm k : beaten_by_j) {
    const double gap_jk = row_j[k] - 0.5;
    const double gap_ik = row_i[k] - 0.5;
    const double longest = std::max(gap_ij, gap_jk);
    const double sum = gap_ij + gap_jk;
    if (gap_ik > checks.triangle_factor * sum) checks.triangle_factor = gap_ik / sum;
    if (gap_ik >= 0 && gap_ik + kSlack >= longest && gap_ik <= sum + kSlack) continue;
    const Chain chain{i, j, k, gap_ij, gap_jk, gap_ik, 0};
    if (gap_ik < 0) record(checks.weak, chain, -gap_ik);
    if (gap_ik + kSlack < longest) record(checks.strong, chain, longest - gap_ik);
    if (gap_ik > sum + kSlack) record(checks.triangle, chain, gap_ik - sum);
  }
  // k = i cannot occur: j does not beat i.
  for (ChainCheck* check : {&checks.weak, &checks.strong, &checks.triangle}) {
    check->examined += beaten_by_j.size();
  }
}

ChainChecks chains_from(const PreferenceMatrix& matrix, const std::vector<std::vector<Arm>>& beaten,
                        Arm begin, Arm end) {
  ChainChecks checks;
  for (Arm i = begin; i < end; ++i) {
    for (const Arm j : beaten[i]) add_chains(checks, matrix, i, j, beaten[j]);
  }
  return checks;
}

}  // namespace

std::optional<double> ChainCheck::share() const {
  if (examined == 0) return std::nullopt;
  return static_cast<double>(examined - violations) / static_cast<double>(examined);
}

TotalOrderCheck check_total_order(const PreferenceMatrix& matrix) {
  const auto wins = copeland_scores(matrix).wins;
  std::vector<Arm> order(matrix.num_arms());
  std::iota(order.begin(), order.end(), Arm{0});
  std::sort(order.begin(), order.end(),
            [&](Arm a, Arm b) { return std::tie(wins[b], a) < std::tie(wins[a], b); });
  TotalOrderCheck check;
  for (std::size_t a = 0; a < order.size(); ++a) {
    for (std::size_t b = a + 1; b < order.size(); ++b) {
      ++check.examined;
      const double p = matrix(order[a], order[b]);
      if (p > 0.5) continue;
      ++check.violations;
      if (!check.worst || p < check.worst->p) check.worst = OrderWitness{order[a], order[b], p};
    }
  }
  return check;
}

std::optional<double> relaxed_sst_gamma(const PreferenceMatrix& matrix) {
  const auto winner = condorcet_winner(matrix);
  if (!winner) return std::nullopt;
  double gamma = 1;
  for (Arm j = 0; j < arm_count(matrix); ++j) {
    for (Arm k = 0; k < arm_count(matrix); ++k) {
      if (j == *winner || matrix(j, k) <= 0.5) continue;
      const double longest = std::max(matrix.gap(*winner, j), matrix.gap(j, k));
      gamma = std::max(gamma, longest / matrix.gap(*winner, k));
    }
  }
  return gamma;
}

Assumptions check_assumptions(const PreferenceMatrix& matrix) {
  const auto beaten = beaten_by_each(matrix);
  Assumptions assumptions;
  assumptions.total_order = check_total_order(matrix);
  assumptions.chains = chains_from(matrix, beaten, 0, arm_count(matrix));
  if (const auto winner = condorcet_winner(matrix)) {
    assumptions.winner_chains = chains_from(matrix, beaten, *winner, *winner + 1);
  }
  assumptions.relaxed_sst_gamma = relaxed_sst_gamma(matrix);
  return assumptions;
}

}  // namespace duel
