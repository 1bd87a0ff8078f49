#include "duel/study/league_certificates.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "duel/core/check.h"
#include "duel/core/jobs.h"
#include "duel/inference/fixed_n_interval.h"
#include "duel/policies/registry.h"
#include "duel/truth/winners.h"

namespace duel {
namespace {

std::vector<std::string> right_winners(const PreferenceMatrix& matrix, Goal goal) {
  std::vector<Arm> arms;
  if (goal == Goal::copeland) {
    arms = copeland_scores(matrix).winners;
  } else if (goal == Goal::borda) {
    arms = borda_scores(matrix).winners;
  } else if (const auto winner = condorcet_winner(matrix)) {
    arms = {*winner};
  }
  std::vector<std::string> names;
  for (const Arm arm : arms) names.push_back(matrix.arm_name(arm));
  return names;
}

// A design of one problem: a policy, or all pairs in turn.
struct Design {
  std::shared_ptr<const ConfiguredPolicy> policy;  // null: round-robin
  bool plays = true;                               // false: refuses the problem
};

struct Prepared {
  CertificateTable table;  // facts alone
  std::vector<Design> designs;
};

Status check_spec(const CertificateLeagueSpec& spec) {
  const auto missing = [](const char* what) {
    return Error::invalid_argument(fmt::format("a league needs a {}", what));
  };
  if (spec.problems.empty()) return missing("problem");
  if (spec.policies.empty()) return missing("policy");
  if (!(spec.alpha > 0 && spec.alpha < 0.5)) {
    return Error::invalid_argument(fmt::format("{} is out of range", spec.alpha), "--alpha",
                                   "0 < alpha < 0.5");
  }
  DUEL_CHECK(spec.max_duels >= 1 && spec.trials >= 1);
  for (const CallSpec& call : spec.policies) DUEL_RETURN_IF_ERROR(find_policy(call.name));
  for (const LeagueProblem& problem : spec.problems) {
    if (problem.matrix->num_arms() < 2) {
      return Error::invalid_argument("one arm has no rival", problem.name,
                                     "at least two arms are needed");
    }
  }
  return Done{};
}

Result<Prepared> prepare(const CertificateLeagueSpec& spec, const LeagueProblem& problem) {
  const PreferenceMatrix& matrix = *problem.matrix;
  Prepared prepared;
  CertificateTable& table = prepared.table;
  table.league.problem = problem.name;
  table.league.num_arms = matrix.num_arms();
  if (const auto winner = condorcet_winner(matrix)) {
    table.league.condorcet_winner = matrix.arm_name(*winner);
  }
  table.winners = right_winners(matrix, spec.goal);
  if (spec.goal == Goal::condorcet) table.least = least_duels_of_winner(matrix, spec.alpha);

  const PolicySetting setting{.num_arms = matrix.num_arms(),
                              .rounds = spec.max_duels,
                              .aim = Aim::certificate,
                              .goal = spec.goal,
                              .alpha = spec.alpha};
  std::vector<std::string> labels;
  for (const CallSpec& call : spec.policies) {
    auto configured = configure_policy(call, setting);
    if (!configured.ok()) {
      table.league.left_out.push_back({to_string(call), configured.error().to_string()});
      prepared.designs.push_back({.policy = nullptr, .plays = false});
      continue;
    }
    const std::string label = (*configured)->canonical();
    if (std::find(labels.begin(), labels.end(), label) != labels.end()) {
      return Error::invalid_argument(fmt::format("policy '{}' is given twice", label));
    }
    labels.push_back(label);
    prepared.designs.push_back({.policy = *std::move(configured)});
  }
  if (spec.round_robin) prepared.designs.push_back({});
  return prepared;
}

// The rule and the answers of `plan`, one duel at a time and without ties.
PlanSpec plan_of(const CertificateLeagueSpec& spec) {
  PlanSpec plan;
  plan.goal = spec.goal;
  plan.alpha = spec.alpha;
  plan.max_duels = spec.max_duels;
  plan.trials = spec.trials;
  plan.seed = spec.seed;
  return plan;
}

// The tables of the league's statistics, with what a plan knows of every design.
CertificateLeagueResults judged(const CertificateLeagueSpec& spec,
                                const std::vector<std::string>& names,
                                const std::vector<Prepared>& prepared,
                                std::vector<std::vector<PlanEntry>> played, bool interrupted) {
  std::vector<LeagueScores> scores;
  for (std::size_t m = 0; m < played.size(); ++m) {
    LeagueScores score;
    score.facts = prepared[m].table.league;
    score.facts.complete = !(interrupted && m + 1 == played.size());
    score.values.resize(names.size());
    for (std::size_t p = 0; p < names.size(); ++p) {
      for (const PlanTrial& trial : played[m][p].trials) {
        score.values[p].push_back(static_cast<double>(trial.duels));
      }
    }
    scores.push_back(std::move(score));
  }
  LeagueResults ranking = judge_league(names, scores);
  CertificateLeagueResults results{.goal = spec.goal,
                                   .alpha = spec.alpha,
                                   .max_duels = spec.max_duels,
                                   .trials = spec.trials,
                                   .seed = spec.seed,
                                   .problems = {},
                                   .standings = {},
                                   .interrupted = interrupted};
  for (const LeagueStanding& standing : ranking.standings) {
    CertificateStanding mine{.league = standing};
    const auto p = static_cast<std::size_t>(std::find(names.begin(), names.end(), standing.policy) -
                                            names.begin());
    for (std::size_t m = 0; m < played.size(); ++m) {
      if (!ranking.problems[m].complete) continue;
      mine.experiments += played[m][p].trials.size();
      mine.undecided += played[m][p].undecided;
      mine.wrong += played[m][p].wrong;
    }
    // One side of an interval with 5 % on each.
    mine.wrong_limit = fixed_n_clopper_pearson(mine.wrong, mine.experiments, 0.1).upper;
    results.standings.push_back(std::move(mine));
  }
  for (std::size_t m = 0; m < played.size(); ++m) {
    CertificateTable table = prepared[m].table;
    table.league = std::move(ranking.problems[m]);
    for (const LeagueEntry& entry : table.league.entries) {
      const auto p = static_cast<std::size_t>(std::find(names.begin(), names.end(), entry.policy) -
                                              names.begin());
      table.entries.push_back(std::move(played[m][p]));
      table.entries.back().trials.clear();
    }
    results.problems.push_back(std::move(table));
  }
  return results;
}

}  // namespace

std::vector<CallSpec> certificate_league_policies() {
  std::vector<CallSpec> policies = league_policies();
  std::erase_if(policies, [](const CallSpec& call) { return call.name == "self-sparring"; });
  return policies;
}

Result<CertificateLeagueResults> run_certificate_league(const CertificateLeagueSpec& spec,
                                                        const LeagueOptions& options) {
  DUEL_RETURN_IF_ERROR(check_spec(spec));
  std::vector<std::string> names;
  for (const CallSpec& call : spec.policies) names.push_back(to_string(call));
  if (spec.round_robin) names.emplace_back(kRoundRobin);
  std::vector<Prepared> prepared;
  std::vector<std::size_t> refusals(names.size(), 0);
  LeagueProgress progress;
  for (const LeagueProblem& problem : spec.problems) {
    DUEL_ASSIGN(Prepared next, prepare(spec, problem));
    for (std::size_t p = 0; p < names.size(); ++p) {
      refusals[p] += next.designs[p].plays ? 0 : 1;
      progress.trials_total += next.designs[p].plays ? spec.trials : 0;
    }
    prepared.push_back(std::move(next));
  }
  for (const LeftOut& left_out : prepared.front().table.league.left_out) {
    const auto p = static_cast<std::size_t>(std::find(names.begin(), names.end(), left_out.policy) -
                                            names.begin());
    if (options.refused_everywhere_is_error && refusals[p] == spec.problems.size()) {
      return Error::invalid_argument(left_out.reason, "policy '" + left_out.policy + "'");
    }
  }

  const PlanSpec plan = plan_of(spec);
  std::vector<std::vector<PlanEntry>> played;
  bool interrupted = false;
  for (std::size_t m = 0; m < prepared.size() && !interrupted; ++m) {
    played.emplace_back(names.size());
    progress.problem = spec.problems[m].name;
    for (std::size_t p = 0; p < names.size() && !interrupted; ++p) {
      const Design& design = prepared[m].designs[p];
      if (!design.plays) continue;
      progress.policy = names[p];
      const std::uint64_t before = progress.trials_done;
      JobHooks hooks;
      hooks.stop = options.stop;
      hooks.on_progress = [&](std::uint64_t finished) {
        progress.trials_done = before + finished;
        if (options.progress) options.progress(progress);
      };
      std::vector<PlanTrial> trials(spec.trials);
      DUEL_ASSIGN(const JobsRun jobs,
                  run_jobs(
                      spec.trials, spec.threads, hooks,
                      [&](std::uint64_t number, const std::atomic<bool>& stop) {
                        if (stop.load(std::memory_order_relaxed)) return false;
                        trials[number] =
                            play_plan_trial(plan, design.policy.get(), *spec.problems[m].matrix,
                                            static_cast<std::uint32_t>(number));
                        return true;
                      },
                      [&](std::uint64_t) {
                        return fmt::format("policy '{}' on '{}'", names[p], spec.problems[m].name);
                      }));
      interrupted = jobs.finished < spec.trials;
      if (!interrupted) played[m][p] = summarise_plan(names[p], std::move(trials));
    }
  }
  return judged(spec, names, prepared, std::move(played), interrupted);
}

}  // namespace duel
