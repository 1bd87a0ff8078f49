#include "duel/study/league.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "duel/core/check.h"
#include "duel/core/directory.h"
#include "duel/policies/stopping.h"
#include "duel/simulation/simulation.h"
#include "duel/study/problem.h"
#include "duel/study/spec.h"
#include "duel/truth/matrix_catalogue.h"
#include "duel/truth/matrix_changes.h"
#include "duel/truth/winners.h"

namespace duel {
namespace {

// NAME.KIND.csv beside NAME.csv.
bool is_side_file(const std::filesystem::path& file) {
  const std::string stem = file.stem().string();
  const auto dot = stem.find('.');
  if (dot == std::string::npos || dot == 0) return false;
  std::error_code ignored;
  return std::filesystem::exists(file.parent_path() / (stem.substr(0, dot) + ".csv"), ignored);
}

Result<std::vector<std::string>> matrix_files(const std::string& directory) {
  DUEL_ASSIGN(const auto entries, directory_entries(directory));
  std::vector<std::string> files;
  for (const std::filesystem::path& path : entries) {
    std::error_code ignored;
    if (path.extension() != ".csv" || path.filename().string().front() == '.' ||
        !std::filesystem::is_regular_file(path, ignored) || is_side_file(path)) {
      continue;
    }
    files.push_back(path.string());
  }
  if (files.empty()) {
    return Error::not_found("there is no matrix (*.csv) in the directory", directory,
                            "docs/formats.md says what a matrix file is");
  }
  return files;
}

Status add_problem(const std::string& text, std::vector<LeagueProblem>& problems) {
  LeagueProblem added;
  if (is_other_problem(text)) {
    DUEL_ASSIGN(Problem other, resolve_problem(text, 1));
    added.name = other.schedule.name;
    added.other = std::make_shared<const Problem>(std::move(other));
  } else {
    DUEL_ASSIGN(PreferenceMatrix matrix, resolve_matrix(text));
    added.name = matrix.name();
    added.matrix = std::make_shared<const PreferenceMatrix>(std::move(matrix));
  }
  const auto taken = [&](const std::string& name) {
    return std::any_of(problems.begin(), problems.end(),
                       [&](const LeagueProblem& problem) { return problem.name == name; });
  };
  if (taken(added.name)) added.name = text;  // two files of the same name
  if (taken(added.name)) {
    return Error::invalid_argument(fmt::format("matrix '{}' is given twice", text));
  }
  problems.push_back(std::move(added));
  return Done{};
}

LeagueTable facts_of_other(const Problem& problem) {
  LeagueTable table;
  if (problem.strengths) {
    table.num_arms = problem.strengths->num_arms();
    table.condorcet_winner = problem.strengths->arm_name(problem.strengths->winner());
    table.regret = RegretNotion::utility;
    return table;
  }
  table.num_arms = problem.by_round->num_arms();
  if (const PreferenceMatrix* matrix = problem.by_round->matrix()) {
    table.condorcet_winner = matrix->arm_name(*condorcet_winner(*matrix));
  }
  if (problem.by_round->has_utilities()) table.regret = RegretNotion::utility;
  return table;
}

LeagueTable facts_of_problem(const LeagueProblem& problem) {
  LeagueTable table;
  if (problem.other) {
    table = facts_of_other(*problem.other);
    table.problem = problem.name;
    return table;
  }
  table.problem = problem.name;
  table.num_arms = problem.matrix->num_arms();
  const std::optional<Arm> winner = condorcet_winner(*problem.matrix);
  if (winner) table.condorcet_winner = problem.matrix->arm_name(*winner);
  table.regret = winner ? RegretNotion::average : RegretNotion::copeland;
  table.bars_wrong = !problem.schedule;
  return table;
}

double mean_difference(const std::vector<double>& a, const std::vector<double>& b, double& se) {
  DUEL_CHECK(a.size() == b.size());
  std::vector<double> differences(a.size());
  for (std::size_t t = 0; t < a.size(); ++t) differences[t] = a[t] - b[t];
  const double difference = mean(differences);
  se = standard_error(differences, difference);
  return difference;
}

// A NaN, the error of a single trial, tells nothing apart.
bool is_told_apart(double difference, double se) { return difference > kToldApart * se; }

// Rows of `values` that played: those that are ranked before the others, the smallest mean first,
// the earlier row where equal.
struct Player {
  std::size_t row;
  Summary regret;
  std::uint64_t wrong;
  bool ranked;
};

std::vector<Player> players_by_mean(const LeagueScores& scores, double max_wrong) {
  std::vector<Player> players;
  for (std::size_t p = 0; p < scores.values.size(); ++p) {
    if (scores.values[p].empty()) continue;
    const std::uint64_t wrong = scores.wrong.empty() ? 0 : scores.wrong[p];
    const bool ranked =
        !scores.facts.bars_wrong || !is_wrong_too_often(wrong, scores.values[p].size(), max_wrong);
    players.push_back({p, summarize(scores.values[p]), wrong, ranked});
  }
  std::sort(players.begin(), players.end(), [](const Player& a, const Player& b) {
    return std::tuple(!a.ranked, a.regret.mean, a.row) <
           std::tuple(!b.ranked, b.regret.mean, b.row);
  });
  return players;
}

LeagueTable table_of(const LeagueScores& scores, const std::vector<Player>& players,
                     const std::vector<std::string>& policies) {
  LeagueTable table = scores.facts;
  table.entries.clear();
  for (std::size_t k = 0; k < players.size(); ++k) {
    const Player& best = players.front();
    LeagueEntry entry;
    entry.policy = policies[players[k].row];
    entry.regret = players[k].regret;
    entry.wrong = players[k].wrong;
    const bool shares_rank = k > 0 && players[k - 1].regret.mean == entry.regret.mean;
    if (players[k].ranked) entry.rank = shares_rank ? table.entries.back().rank : k + 1;
    if (best.regret.mean > 0) entry.ratio = entry.regret.mean / best.regret.mean;
    if (k > 0) {
      entry.difference = mean_difference(scores.values[players[k].row], scores.values[best.row],
                                         entry.difference_se);
      // One that is no yardstick is not the best, however little its regret.
      entry.told_apart = is_told_apart(entry.difference, entry.difference_se) || entry.rank == 0;
    }
    table.entries.push_back(std::move(entry));
  }
  return table;
}

// What each trial says of a policy's log_ratio. By the delta method
//   ln(mean x / mean b) ~ mean_t (x_t / mean x - b_t / mean b) + const,
// and the same trial of different problems draws from the same streams, so the trial, summed over
// the problems, is what is independent.
class Standings {
 public:
  Standings(const std::vector<std::string>& policies, std::uint32_t trials, double max_wrong)
      : max_wrong_(max_wrong),
        standings_(policies.size()),
        influence_(policies.size(), std::vector<double>(trials, 0.0)) {
    for (std::size_t p = 0; p < policies.size(); ++p) {
      standings_[p].policy = policies[p];
      standings_[p].log_ratio = 0;
    }
  }

  void add(const LeagueScores& scores, const LeagueTable& table,
           const std::vector<Player>& players) {
    ++problems_;
    const Player& best = players.front();
    for (std::size_t k = 0; k < players.size(); ++k) {
      const std::size_t p = players[k].row;
      LeagueStanding& standing = standings_[p];
      const LeagueEntry& entry = table.entries[k];
      ++standing.problems;
      standing.log_ratio += std::log(entry.ratio);
      if (!entry.told_apart) ++standing.best_on;
      if (table.bars_wrong) {
        standing.trials += influence_[p].size();
        standing.wrong += entry.wrong;
      }
      if (!(entry.ratio <= standing.worst_ratio)) {
        standing.worst_ratio = entry.ratio;
        standing.worst_problem = table.problem;
      }
      for (std::size_t t = 0; t < influence_[p].size(); ++t) {
        influence_[p][t] += scores.values[p][t] / players[k].regret.mean -
                            scores.values[best.row][t] / best.regret.mean;
      }
    }
  }

  std::vector<LeagueStanding> ranked() {
    std::vector<std::size_t> order;
    for (std::size_t p = 0; p < standings_.size(); ++p) {
      LeagueStanding& standing = standings_[p];
      const auto count = static_cast<double>(standing.problems);
      standing.log_ratio = standing.problems == 0 ? kUndefined : standing.log_ratio / count;
      for (double& value : influence_[p]) value /= count;
      if (standing.problems > 0) {
        standing.log_ratio_se = standard_error(influence_[p], mean(influence_[p]));
        order.push_back(p);
      }
    }
    // Those who played everywhere first; the mean over other problems is not comparable.
    const auto is_barred = [&](const LeagueStanding& standing) {
      return is_wrong_too_often(standing.wrong, standing.trials, max_wrong_);
    };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const auto key = [&](std::size_t p) {
        const LeagueStanding& standing = standings_[p];
        return std::tuple(standing.problems < problems_, is_barred(standing), standing.log_ratio,
                          p);
      };
      return key(a) < key(b);
    });
    std::vector<LeagueStanding> ranked;
    for (std::size_t k = 0; k < order.size(); ++k) {
      LeagueStanding& standing = standings_[order[k]];
      if (standing.problems == problems_ && !is_barred(standing)) {
        const LeagueStanding& leader = standings_[order[0]];
        standing.rank = k + 1;
        standing.difference = standing.log_ratio - leader.log_ratio;
        mean_difference(influence_[order[k]], influence_[order[0]], standing.difference_se);
        standing.told_apart = is_told_apart(standing.difference, standing.difference_se);
      }
      ranked.push_back(standing);
    }
    return ranked;
  }

 private:
  double max_wrong_;
  std::size_t problems_ = 0;
  std::vector<LeagueStanding> standings_;
  std::vector<std::vector<double>> influence_;  // by policy and trial
};

// One problem and those who play on it.
struct PreparedProblem {
  LeagueTable facts;
  std::vector<std::optional<LeaguePlayer>> players;  // by policy; none where it refuses
};

Result<PreparedProblem> prepare(const LeagueGame& game, const LeagueProblem& problem,
                                const std::vector<CallSpec>& policies) {
  DUEL_RETURN_IF_ERROR(game.check(problem));
  PreparedProblem prepared;
  prepared.facts = facts_of_problem(problem);
  std::set<std::string> labels;
  for (const CallSpec& call : policies) {
    auto player = game.enter(problem, call);
    if (!player.ok()) {
      prepared.facts.left_out.push_back({to_string(call), player.error().to_string()});
      prepared.players.emplace_back();
      continue;
    }
    if (!labels.insert(player->label).second) {
      return Error::invalid_argument(fmt::format("policy '{}' is given twice", player->label));
    }
    prepared.players.emplace_back(*std::move(player));
  }
  return prepared;
}

// A policy that all problems refuse, as an error.
Status check_refusals(const std::vector<PreparedProblem>& prepared,
                      const std::vector<std::string>& names) {
  for (const LeftOut& left_out : prepared.front().facts.left_out) {
    const auto p = static_cast<std::size_t>(std::find(names.begin(), names.end(), left_out.policy) -
                                            names.begin());
    const bool plays = std::any_of(prepared.begin(), prepared.end(), [&](const auto& problem) {
      return problem.players[p].has_value();
    });
    if (plays) continue;
    return Error::invalid_argument(left_out.reason, "policy '" + left_out.policy + "'");
  }
  return Done{};
}

Result<Simulation> simulation_of(const LeagueSpec& spec, const LeagueProblem& problem,
                                 std::vector<CallSpec> policies) {
  SimulationPlan plan;
  if (problem.other) {
    set_problem_of(plan, *problem.other);
  } else {
    plan.matrix = problem.matrix.get();
  }
  if (problem.schedule) {
    for (const auto& segment : std::span(problem.schedule->segments).subspan(1)) {
      plan.changes.push_back({segment.from, &segment.matrix});
    }
  }
  plan.policies = std::move(policies);
  plan.checkpoints = {spec.rounds};
  plan.trials = spec.trials;
  plan.seed = spec.seed;
  plan.regrets = {facts_of_problem(problem).regret};
  plan.threads = spec.threads;
  plan.feedback = {.batch = problem.batch};
  return Simulation::create(plan);
}

Result<TrialValues> regrets_of(const Simulation& simulation, const JobHooks& hooks) {
  DUEL_ASSIGN(const PolicyRecord ran, simulation.run(0, {hooks, {}, {}}));
  if (ran.interrupted) return TrialValues();
  PlayedTrials played;
  for (std::uint32_t trial = 0; trial < ran.trials.num_trials(); ++trial) {
    played.values.push_back(ran.trials.value(trial, 0, 0));
    if (!ran.trials.correct(trial, 0)) ++played.wrong;
  }
  return TrialValues(std::move(played));
}

LeagueGame regret_game(const LeagueSpec& spec) {
  LeagueGame game;
  game.max_wrong = spec.max_wrong;
  game.check = [&spec](const LeagueProblem& problem) -> Status {
    DUEL_RETURN_IF_ERROR(simulation_of(spec, problem, {}));
    return Done{};
  };
  game.enter = [&spec](const LeagueProblem& problem,
                       const CallSpec& policy) -> Result<LeaguePlayer> {
    DUEL_ASSIGN(Simulation made, simulation_of(spec, problem, {policy}));
    const auto simulation = std::make_shared<const Simulation>(std::move(made));
    return LeaguePlayer{simulation->label(0), [simulation](const JobHooks& hooks) {
                          return regrets_of(*simulation, hooks);
                        }};
  };
  return game;
}

}  // namespace

// In the last two, the arms that beat a wrong champion are clearly beaten by others. A policy that
// therefore stops asking about them never tests that champion, and settles on it.
std::vector<std::string> league_matrices() {
  return split_list(
      "arxiv, slides, mslr-slide, cyclic, arithmetic(k=8,step=0.05), mallows(k=10,phi=0.7), "
      "bradley-terry(k=16,seed=1,spread=1), plackett-luce(k=10,seed=1,spread=1), "
      "thurstone(k=10,seed=1,spread=1), random-condorcet(k=10,seed=1,gap=0.05), "
      "random-condorcet(k=32,seed=1,gap=0.05), no-condorcet(k=5,seed=1), "
      "no-condorcet(k=10,seed=1), no-condorcet(k=16,seed=1), "
      "no-condorcet(k=5,seed=6), no-condorcet(k=8,seed=66)");
}

std::vector<CallSpec> league_policies() {
  std::vector<CallSpec> policies;
  for (const PolicyKind& kind : policy_catalogue()) {
    const PolicyFacts& facts = kind.facts;
    if (facts.name == "auto" || facts.uses_features || find_stopping_policy(facts.name)) continue;
    policies.push_back({kind.facts.name, {}});
  }
  return policies;
}

Result<std::vector<LeagueProblem>> league_problems(const std::vector<std::string>& matrices,
                                                   const std::vector<std::string>& directories) {
  std::vector<LeagueProblem> problems;
  for (const std::string& text : matrices) DUEL_RETURN_IF_ERROR(add_problem(text, problems));
  for (const std::string& directory : directories) {
    DUEL_ASSIGN(const std::vector<std::string> files, matrix_files(directory));
    for (const std::string& file : files) DUEL_RETURN_IF_ERROR(add_problem(file, problems));
  }
  return problems;
}

Result<std::vector<LeagueProblem>> with_changes(const std::vector<LeagueProblem>& problems,
                                                const std::vector<std::uint64_t>& changes,
                                                Round rounds, std::uint64_t seed) {
  std::vector<LeagueProblem> changing;
  for (const LeagueProblem& problem : problems) {
    for (const std::uint64_t count : changes) {
      if (count == 0) {
        changing.push_back(problem);
        continue;
      }
      if (!problem.matrix) {
        return Error::unsupported(
            fmt::format("the arms of '{}' cannot exchange their places", problem.name));
      }
      DUEL_ASSIGN(MatrixSchedule made, switching_schedule(*problem.matrix, count, rounds, seed));
      const auto schedule = std::make_shared<const MatrixSchedule>(std::move(made));
      changing.push_back({schedule->name, problem.matrix, schedule});
    }
  }
  return changing;
}

std::vector<LeagueProblem> with_batches(const std::vector<LeagueProblem>& problems,
                                        const std::vector<std::uint64_t>& sizes) {
  std::vector<LeagueProblem> batched;
  for (const LeagueProblem& problem : problems) {
    for (const std::uint64_t size : sizes) {
      batched.push_back(problem);
      batched.back().batch = size;
      if (size > 1) batched.back().name += fmt::format(" in batches of {}", size);
    }
  }
  return batched;
}

std::vector<std::string> feature_league_problems() {
  std::vector<std::string> problems;
  for (const char* size : {"k=20,d=5", "k=20,d=20", "k=1000,d=5", "k=1000,d=20"}) {
    problems.push_back(fmt::format("linear({},seed=1,scale=5)", size));
  }
  for (const char* size : {"k=20,d=5", "k=20,d=20"}) {
    problems.push_back(fmt::format("linear({},seed=1,scale=5,fresh=true)", size));
  }
  return problems;
}

std::vector<CallSpec> feature_league_policies() {
  std::vector<CallSpec> policies;
  for (const char* text : {"lin-ts", "lin-maxinp", "lin-maxinp(width=0.25)", "lin-maxpairucb",
                           "lin-maxpairucb(width=0.25)", "colstim", "colstim(width=0.25)",
                           "self-sparring", "imed", "uniform"}) {
    policies.push_back(parse_call(text).value());
  }
  return policies;
}

std::vector<std::string> changing_league_matrices() {
  return {"arxiv", "cyclic", "bradley-terry(k=16,seed=1,spread=1)",
          "random-condorcet(k=10,seed=1,gap=0.05)"};
}

std::vector<CallSpec> changing_league_policies() {
  std::vector<CallSpec> policies;
  for (const char* text : {"imed", "dts", "rucb", "ws-s", "self-sparring", "versatile-db", "rex3",
                           "sparring-exp3s", "btw", "btwr", "watch", "mdb", "sliding", "discount",
                           "sliding(inner=dts)", "discount(inner=dts)", "uniform"}) {
    policies.push_back(parse_call(text).value());
  }
  return policies;
}

bool is_wrong_too_often(std::uint64_t wrong, std::uint64_t trials, double max_wrong) {
  return wrong > 1 && static_cast<double>(wrong) > max_wrong * static_cast<double>(trials);
}

LeagueResults judge_league(const std::vector<std::string>& policies,
                           const std::vector<LeagueScores>& scores, double max_wrong) {
  LeagueResults results;
  results.max_wrong = max_wrong;
  for (const LeagueScores& problem : scores) {
    for (const auto& values : problem.values) {
      if (values.empty()) continue;
      DUEL_CHECK(results.trials == 0 || results.trials == values.size());
      results.trials = static_cast<std::uint32_t>(values.size());
    }
  }
  Standings all(policies, results.trials, max_wrong);
  Standings with_winner = all;
  std::size_t counted = 0, counted_with_winner = 0;
  for (const LeagueScores& problem : scores) {
    DUEL_CHECK(problem.values.size() == policies.size());
    DUEL_CHECK(problem.wrong.empty() || problem.wrong.size() == policies.size());
    const std::vector<Player> players = players_by_mean(problem, max_wrong);
    results.problems.push_back(table_of(problem, players, policies));
    if (!problem.facts.complete || players.empty()) continue;
    if (!(players.front().regret.mean > 0)) {
      results.not_counted.push_back(problem.facts.problem);
      continue;
    }
    all.add(problem, results.problems.back(), players);
    ++counted;
    if (problem.facts.condorcet_winner.empty()) continue;
    with_winner.add(problem, results.problems.back(), players);
    ++counted_with_winner;
  }
  results.standings = all.ranked();
  if (counted_with_winner > 0 && counted_with_winner < counted) {
    results.condorcet_standings = with_winner.ranked();
  }
  return results;
}

Status check_league(const std::vector<LeagueProblem>& problems,
                    const std::vector<CallSpec>& policies) {
  if (problems.empty()) return Error::invalid_argument("a league needs a problem");
  if (policies.empty()) return Error::invalid_argument("a league needs a policy");
  return Done{};
}

Result<LeagueResults> play_league(const std::vector<LeagueProblem>& problems,
                                  const std::vector<CallSpec>& policies, std::uint32_t trials,
                                  const LeagueGame& game, const LeagueOptions& options) {
  std::vector<std::string> names;
  for (const CallSpec& call : policies) names.push_back(to_string(call));
  std::vector<PreparedProblem> prepared;
  LeagueProgress progress;
  for (const LeagueProblem& problem : problems) {
    DUEL_ASSIGN(PreparedProblem next, prepare(game, problem, policies));
    progress.trials_total += (policies.size() - next.facts.left_out.size()) * trials;
    prepared.push_back(std::move(next));
  }
  if (options.refused_everywhere_is_error) DUEL_RETURN_IF_ERROR(check_refusals(prepared, names));

  std::vector<LeagueScores> scores;
  bool interrupted = false;
  for (std::size_t m = 0; m < problems.size() && !interrupted; ++m) {
    LeagueScores played{prepared[m].facts, std::vector<std::vector<double>>(names.size()),
                        std::vector<std::uint64_t>(names.size())};
    for (std::size_t p = 0; p < names.size() && !interrupted; ++p) {
      if (!prepared[m].players[p]) continue;
      progress.problem = problems[m].name;
      progress.policy = names[p];
      const std::uint64_t before = progress.trials_done;
      JobHooks hooks;
      hooks.stop = options.stop;
      hooks.on_progress = [&](std::uint64_t finished) {
        progress.trials_done = before + finished;
        if (options.progress) options.progress(progress);
      };
      auto values = prepared[m].players[p]->play(hooks);
      if (!values.ok()) {
        Error error = values.error();
        error.where = fmt::format("policy '{}' on '{}'", names[p], problems[m].name);
        return error;
      }
      interrupted = !values->has_value();
      if (interrupted) break;
      progress.trials_done = before + trials;
      played.values[p] = std::move((*values)->values);
      played.wrong[p] = (*values)->wrong;
    }
    played.facts.complete = !interrupted;
    scores.push_back(std::move(played));
  }
  LeagueResults results = judge_league(names, scores, game.max_wrong);
  results.trials = trials;
  results.interrupted = interrupted;
  return results;
}

Result<LeagueResults> run_league(const LeagueSpec& spec, const LeagueOptions& options) {
  DUEL_RETURN_IF_ERROR(check_league(spec.problems, spec.policies));
  DUEL_CHECK(spec.rounds >= 1 && spec.trials >= 1);
  for (const CallSpec& call : spec.policies) DUEL_RETURN_IF_ERROR(find_policy(call.name));
  DUEL_ASSIGN(LeagueResults results,
              play_league(spec.problems, spec.policies, spec.trials, regret_game(spec), options));
  results.rounds = spec.rounds;
  results.seed = spec.seed;
  return results;
}

}  // namespace duel
