#include "duel/study/problem.h"

#include <utility>

#include "duel/core/call_spec.h"
#include "duel/core/text_lines.h"
#include "duel/truth/feature_problem.h"
#include "duel/truth/set_problem.h"

namespace duel {

std::function<std::unique_ptr<OutcomeSource>(std::uint64_t, std::uint32_t)> Problem::outcomes()
    const {
  if (corruption) {
    return [held = corruption](std::uint64_t seed, std::uint32_t trial) {
      return held->outcomes(seed, trial);
    };
  }
  if (!clicks) return nullptr;
  return [environment = clicks](std::uint64_t seed, std::uint32_t trial) {
    return ClickEnvironment::outcomes(environment, seed, trial);
  };
}

void set_problem_of(SimulationPlan& plan, const Problem& problem) {
  plan.outcomes = problem.outcomes();
  plan.right_arms = problem.right_arms;
  plan.strengths = problem.strengths.get();
  plan.by_round = problem.by_round.get();
  plan.features = problem.features;
  plan.matrix = nullptr;
  plan.changes.clear();
  if (plan.strengths != nullptr || plan.by_round != nullptr) return;
  const auto& segments = problem.schedule.segments;
  plan.matrix = &segments.front().matrix;
  for (std::size_t k = 1; k < segments.size(); ++k) {
    plan.changes.push_back({segments[k].from, &segments[k].matrix});
  }
}

bool is_other_problem(std::string_view text) {
  const std::string_view name = trimmed(text.substr(0, text.find('(')));
  return is_feature_problem(name) || name == kChoice || name == kMultileave;
}

Result<Problem> resolve_problem(std::string_view text, unsigned threads) {
  Problem problem;
  const std::string_view name = trimmed(text.substr(0, text.find('(')));
  if (is_other_problem(text)) {
    DUEL_ASSIGN(const CallSpec call, parse_call(text));
    if (is_round_problem(call)) {
      DUEL_ASSIGN(problem.by_round, round_problem(call));
      problem.features = problem.by_round->features();
      problem.schedule.name = problem.by_round->name();
      if (problem.by_round->matrix() != nullptr) {
        problem.schedule.segments.push_back({1, *problem.by_round->matrix()});
      }
      return problem;
    }
    DUEL_ASSIGN(FeatureProblem made, feature_problem(call));
    problem.strengths = std::move(made.strengths);
    problem.features = std::move(made.features);
    problem.schedule.name = problem.strengths->name();
    return problem;
  }
  if (name == Corruption::kName) {
    DUEL_ASSIGN(const CallSpec call, parse_call(text));
    DUEL_ASSIGN(problem.corruption, Corruption::create(call));
    problem.schedule.name = problem.corruption->name();
    problem.schedule.segments.push_back({1, problem.corruption->matrix()});
    return problem;
  }
  if (name != Strengths::kName && name != ClickEnvironment::kName) {
    DUEL_ASSIGN(problem.schedule, resolve_schedule(text));
    return problem;
  }
  DUEL_ASSIGN(const CallSpec call, parse_call(text));
  if (name == Strengths::kName) {
    DUEL_ASSIGN(problem.strengths, Strengths::create(call));
    problem.schedule.name = problem.strengths->name();
    return problem;
  }
  DUEL_ASSIGN(problem.clicks, ClickEnvironment::create(call, threads));
  problem.schedule.name = problem.clicks->canonical();
  if (const auto& truth = problem.clicks->truth()) {
    problem.schedule.segments.push_back({1, *truth});
  } else {
    const auto& names = problem.clicks->queries().names();
    DUEL_ASSIGN(PreferenceMatrix unknown,
                PreferenceMatrix::create("unknown", names,
                                         std::vector<double>(names.size() * names.size(), 0.5)));
    problem.schedule.segments.push_back({1, std::move(unknown)});
    problem.right_arms = problem.clicks->best_by_judgement();
  }
  return problem;
}

}  // namespace duel
