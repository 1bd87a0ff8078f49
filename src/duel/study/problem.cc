#include "duel/study/problem.h"

#include <utility>

#include "duel/core/call_spec.h"
#include "duel/core/text_lines.h"

namespace duel {

std::function<std::unique_ptr<OutcomeSource>(std::uint64_t, std::uint32_t)> Problem::outcomes()
    const {
  if (!clicks) return nullptr;
  return [environment = clicks](std::uint64_t seed, std::uint32_t trial) {
    return ClickEnvironment::outcomes(environment, seed, trial);
  };
}

Result<Problem> resolve_problem(std::string_view text, unsigned threads) {
  Problem problem;
  const std::string_view name = trimmed(text.substr(0, text.find('(')));
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
