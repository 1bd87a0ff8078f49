#include "duel/truth/assumptions.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "duel/truth/winners.h"

namespace duel {
namespace {

constexpr double kSlack = 1e-9;

std::vector<std::vector<Arm>> beaten_by_each(const PreferenceMatrix& matrix) {
  std::vector<std::vector<Arm>> beaten(matrix.num_arms());
  for (Arm i = 0; i < matrix.num_arms(); ++i) {
    for (Arm j = 0; j < matrix.num_arms(); ++j) {
      if (matrix(i, j) > 0.5) beaten[i].push_back(j);
    }
  }
  return beaten;
}

// Counts the chains i, j, . that exceed what a condition allows, and remembers the worst of them.
// The last arm of a chain is passed around alone; the rest is filled in at the end, since this is
// the inner loop of K^3 steps.
class ExcessCounter {
 public:
  ExcessCounter(ChainCheck& check, double allowed)
      : check_(check), allowed_(allowed), worst_(check.worst ? check.worst->excess : allowed) {}

  void add(double excess, Arm k) {
    violations_ += excess > allowed_ ? 1 : 0;
    if (excess > worst_) {
      worst_ = excess;
      worst_k_ = k;
    }
  }

  void finish(const PreferenceMatrix& matrix, Arm i, Arm j, std::size_t examined) {
    check_.examined += examined;
    check_.violations += violations_;
    if (!worst_k_) return;
    const Arm k = *worst_k_;
    check_.worst = Chain{i, j, k, matrix.gap(i, j), matrix.gap(j, k), matrix.gap(i, k), worst_};
  }

 private:
  ChainCheck& check_;
  double allowed_;
  double worst_;
  std::uint64_t violations_ = 0;
  std::optional<Arm> worst_k_;
};

// Adds the chains that start with i, j. (k = i cannot occur: j does not beat i.)
void add_chains(ChainChecks& checks, const PreferenceMatrix& matrix, Arm i, Arm j,
                const std::vector<Arm>& beaten_by_j) {
  const auto row_i = matrix.row(i);
  const auto row_j = matrix.row(j);
  const double gap_ij = row_i[j] - 0.5;
  ExcessCounter weak(checks.weak, 0);
  ExcessCounter strong(checks.strong, kSlack);
  ExcessCounter triangle(checks.triangle, kSlack);
  double factor = checks.triangle_factor;
  for (const Arm k : beaten_by_j) {
    const double gap_jk = row_j[k] - 0.5;
    const double gap_ik = row_i[k] - 0.5;
    const double sum = gap_ij + gap_jk;
    weak.add(-gap_ik, k);
    strong.add(std::max(gap_ij, gap_jk) - gap_ik, k);
    triangle.add(gap_ik - sum, k);
    if (gap_ik > factor * sum) factor = gap_ik / sum;
  }
  checks.triangle_factor = factor;
  for (ExcessCounter* counter : {&weak, &strong, &triangle}) {
    counter->finish(matrix, i, j, beaten_by_j.size());
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
  for (Arm j = 0; j < matrix.num_arms(); ++j) {
    for (Arm k = 0; k < matrix.num_arms(); ++k) {
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
  assumptions.chains = chains_from(matrix, beaten, 0, static_cast<Arm>(matrix.num_arms()));
  if (const auto winner = condorcet_winner(matrix)) {
    assumptions.winner_chains = chains_from(matrix, beaten, *winner, *winner + 1);
  }
  assumptions.relaxed_sst_gamma = relaxed_sst_gamma(matrix);
  return assumptions;
}

}  // namespace duel
