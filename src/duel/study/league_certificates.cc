#include "duel/study/league_certificates.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "duel/core/check.h"
#include "duel/core/numbers.h"
#include "duel/inference/fixed_n_interval.h"
#include "duel/inference/order_threshold.h"
#include "duel/policies/registry.h"

namespace duel {
namespace {

Status check_spec(const CertificateLeagueSpec& spec) {
  DUEL_RETURN_IF_ERROR(check_league(spec.problems, spec.policies));
  if (!(spec.alpha > 0 && spec.alpha < 0.5)) {
    return Error::invalid_argument(fmt::format("{} is out of range", spec.alpha))
        .with_hint("0 < alpha < 0.5")
        .in_field("alpha");
  }
  DUEL_CHECK(spec.max_duels >= 1 && spec.trials >= 1);
  for (const CallSpec& call : spec.policies) DUEL_RETURN_IF_ERROR(find_policy(call.name));
  return Done{};
}

Status check_problem(const Goal& goal, const LeagueProblem& problem) {
  if (!problem.matrix) {
    return Error::unsupported(
        fmt::format("'{}' has no matrix to certify anything of", problem.name));
  }
  if (problem.matrix->num_arms() >= 2) {
    const Status fits = check_goal(goal, problem.matrix->num_arms());
    if (fits.ok()) return Done{};
    Error error = fits.error();
    error.where = problem.name;
    return error;
  }
  return Error::invalid_argument("one arm has no rival", problem.name,
                                 "at least two arms are needed");
}

using PlayedProblem = std::map<std::string, PlanEntry>;  // by policy
using PlayedProblems = std::map<std::string, PlayedProblem>;

// The duels of every trial; the entry goes to `played` under the policy's name.
Result<TrialValues> duels_of(const PlanSpec& plan, const PlanDesign& design,
                             const std::string& name, const JobHooks& hooks,
                             PlayedProblem& played) {
  DUEL_ASSIGN(auto entry, play_design(plan, design, hooks));
  if (!entry) return TrialValues();
  PlayedTrials duels;  // which of them are wrong the entry says, and they bar nobody
  for (const PlanTrial& trial : entry->trials) {
    duels.values.push_back(static_cast<double>(trial.duels));
  }
  entry->policy = name;
  entry->trials.clear();
  played.emplace(name, *std::move(entry));
  return TrialValues(std::move(duels));
}

LeagueGame certificate_game(const CertificateLeagueSpec& spec, PlayedProblems& played) {
  LeagueGame game;
  game.check = [&spec](const LeagueProblem& problem) { return check_problem(spec.goal, problem); };
  game.enter = [&](const LeagueProblem& problem, const CallSpec& call) -> Result<LeaguePlayer> {
    PlanSpec plan = spec;
    plan.truth = known_truth(problem.matrix);
    plan.parallel = problem.batch;
    plan.together = true;
    DUEL_ASSIGN(const PlanDesign design,
                plan_design(plan, spec.own_stop ? at_level(call, spec.alpha) : call));
    return LeaguePlayer{design.name, [plan, design, name = to_string(call),
                                      &mine = played.at(problem.name)](const JobHooks& hooks) {
                          return duels_of(plan, design, name, hooks, mine);
                        }};
  };
  return game;
}

// A problem's table with what a plan knows of every design.
CertificateTable table_of(const CertificateLeagueSpec& spec, const LeagueProblem& problem,
                          LeagueTable league, const PlayedProblem& played) {
  CertificateTable table;
  for (const LeagueEntry& entry : league.entries) table.entries.push_back(played.at(entry.policy));
  for (const Arm arm : winners_of(*problem.matrix, spec.goal)) {
    table.winners.push_back(problem.matrix->arm_name(arm));
  }
  if (spec.goal.assume == Assumption::none) {
    table.least = least_duels(*problem.matrix, spec.goal, spec.alpha);
  }
  table.league = std::move(league);
  return table;
}

// A policy's standing with its experiments on finished problems.
CertificateStanding standing_of(const LeagueStanding& league, std::uint32_t trials,
                                const std::vector<LeagueTable>& problems,
                                const PlayedProblems& played) {
  CertificateStanding standing{.league = league};
  for (const LeagueTable& problem : problems) {
    const auto found = played.at(problem.problem).find(league.policy);
    if (!problem.complete || found == played.at(problem.problem).end()) continue;
    standing.experiments += trials;
    standing.undecided += found->second.undecided;
    standing.wrong += found->second.wrong;
    standing.far += found->second.far;
  }
  // One side of an interval with 5 % on each.
  standing.wrong_limit = fixed_n_clopper_pearson(standing.wrong, standing.experiments, 0.1).upper;
  return standing;
}

}  // namespace

std::vector<CallSpec> certificate_league_policies() {
  std::vector<CallSpec> policies = league_policies();
  std::erase_if(policies, [](const CallSpec& call) { return call.name == "self-sparring"; });
  return policies;
}

std::vector<CallSpec> identification_league_policies() {
  std::vector<CallSpec> policies = {{"certify", {}}};
  for (const std::string& name : stopping_policy_names()) policies.push_back({name, {}});
  return policies;
}

std::vector<std::string> identification_league_matrices() {
  return {"arxiv",
          "cyclic",
          "arithmetic(k=8,step=0.05)",
          "bradley-terry(k=16,seed=1,spread=1)",
          "bradley-terry(k=32,seed=1,spread=1)",
          "random-condorcet(k=10,seed=1,gap=0.05)",
          "no-condorcet(k=5,seed=1)"};
}

CallSpec at_level(const CallSpec& call, double alpha) {
  const auto kind = find_policy(call.name);
  if (!kind.ok()) return call;
  const auto is_level = [](const std::string& name) { return name == "delta"; };
  const bool has_level = std::ranges::any_of((*kind)->options, is_level, &OptionFact::name);
  const bool is_given = std::ranges::any_of(
      call.arguments, [&](const auto& argument) { return is_level(argument.first); });
  CallSpec levelled = call;
  if (has_level && !is_given && find_stopping_policy(call.name) != nullptr) {
    levelled.arguments.emplace_back("delta", format_number(alpha));
  }
  return levelled;
}

Result<CertificateLeagueResults> run_certificate_league(const CertificateLeagueSpec& spec,
                                                        const LeagueOptions& options) {
  DUEL_RETURN_IF_ERROR(check_spec(spec));
  std::vector<CallSpec> policies = spec.policies;
  if (spec.round_robin) policies.push_back({kRoundRobin, {}});
  PlayedProblems played;
  for (const LeagueProblem& problem : spec.problems) played[problem.name] = {};
  DUEL_ASSIGN(LeagueResults league, play_league(spec.problems, policies, spec.trials,
                                                certificate_game(spec, played), options));
  CertificateLeagueResults results{.goal = spec.goal,
                                   .alpha = spec.alpha,
                                   .max_duels = spec.max_duels,
                                   .trials = spec.trials,
                                   .seed = spec.seed,
                                   .own_stop = spec.own_stop,
                                   .problems = {},
                                   .standings = {},
                                   .interrupted = league.interrupted};
  for (const LeagueStanding& standing : league.standings) {
    results.standings.push_back(standing_of(standing, spec.trials, league.problems, played));
  }
  for (std::size_t m = 0; m < league.problems.size(); ++m) {
    const LeagueProblem& problem = spec.problems[m];
    results.problems.push_back(
        table_of(spec, problem, std::move(league.problems[m]), played.at(problem.name)));
  }
  return results;
}

}  // namespace duel
