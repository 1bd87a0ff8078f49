// Regret with many duels outstanding: the answer of a duel arrives when `outstanding` - 1 later
// ones have gone out. Also in batches, where all answers arrive together, and with ties.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/trial_cost.h"
#include "bench/workloads.h"
#include "duel/truth/winners.h"

namespace duel {
namespace {

struct Way {
  std::string name;
  std::size_t outstanding = 1;
  bool in_batches = false;
  double tied = 0;  // share of answers that are ties
};

double regret_of(const BenchProblem& problem, const std::string& policy_text, const Way& way,
                 std::uint32_t trial, Round rounds) {
  const auto configured =
      configure_policy(parse_call(policy_text).value(), {problem.matrix.num_arms(), rounds})
          .value();
  const TrialStreams streams(1, trial, configured->facts().name);
  const Stream ties(1, trial, Purpose::test, "ties");
  const auto policy = configured->make(streams.choice.at(0));
  MatrixArena arena(problem.matrix, problem.ranks, OutcomeStream(1, trial));
  const Arm winner = *condorcet_winner(problem.matrix);
  double regret = 0;
  std::vector<Duel> out;
  for (Round t = 1; t <= rounds; ++t) {
    const Duel duel = policy->select(t, streams.choice.at(t));
    policy->issued(duel, streams.choice.at(t));
    regret += (problem.matrix(winner, duel.first) + problem.matrix(winner, duel.second) - 1) / 2;
    out.push_back(duel);
    if (out.size() < way.outstanding) continue;
    const std::size_t answered = way.in_batches ? out.size() : 1;
    for (std::size_t k = 0; k < answered; ++k) {
      RoundRng answer = streams.answer.at(out[k].round);
      Outcome outcome = Outcome::first_wins;
      if (!out[k].is_self()) {
        outcome = arena.meet(out[k]);
        if (ties.at(out[k].round).bernoulli(way.tied)) outcome = Outcome::tie;
      }
      policy->observe(out[k], outcome, answer);
    }
    out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(answered));
  }
  return regret;
}

}  // namespace

void outstanding_workload() {
  constexpr Round kRounds = 20'000;
  constexpr int kTrials = 40;
  fmt::print(
      "\n## Average regret after {} rounds with duels outstanding, mean ± standard error of {} "
      "trials\n\n| problem | policy ",
      kRounds, kTrials);
  const std::vector<Way> ways = {{"one at a time"},
                                 {"8 late", 8},
                                 {"64 late", 64},
                                 {"batches of 8", 8, true},
                                 {"batches of 64", 64, true},
                                 {"a third ties", 1, false, 1.0 / 3}};
  for (const Way& way : ways) fmt::print("| {} ", way.name);
  fmt::print("|\n|---|---");
  for (std::size_t k = 0; k < ways.size(); ++k) fmt::print("|--:");
  fmt::print("|\n");
  for (const std::string matrix : {"arxiv", "bradley-terry(k=16,seed=2,spread=1)"}) {
    const BenchProblem problem(matrix);
    for (const std::string policy : {"imed", "dts-plus", "rmed1"}) {
      fmt::print("| {} | {} ", matrix, policy);
      for (const Way& way : ways) {
        double sum = 0, squares = 0;
        for (int k = 0; k < kTrials; ++k) {
          const double regret =
              regret_of(problem, policy, way, static_cast<std::uint32_t>(k), kRounds);
          sum += regret;
          squares += regret * regret;
        }
        const double mean = sum / kTrials;
        const double variance = (squares - sum * mean) / (kTrials - 1);
        fmt::print("| {:.0f} ± {:.1f} ", mean, std::sqrt(variance / kTrials));
      }
      fmt::print("|\n");
      std::fflush(stdout);
    }
  }
}

}  // namespace duel
