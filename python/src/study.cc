// Leagues and plans.
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conversions.h"
#include "duel/core/checkpoints.h"
#include "duel/core/described_json.h"
#include "duel/study/league.h"
#include "duel/study/plan.h"
#include "duel/study/spec.h"
#include "matrix.h"
#include "python_policy.h"

namespace duel::python {
namespace {

py::object league(const std::vector<std::pair<std::string, MatrixObject>>& problems,
                  const std::vector<std::string>& policies, const py::handle& rounds,
                  const py::handle& trials, const py::handle& seed, const py::handle& max_wrong,
                  const py::handle& threads, const py::object& progress) {
  LeagueSpec spec;
  for (const auto& [name, matrix] : problems) spec.problems.push_back({name, matrix.matrix});
  if (spec.problems.empty()) {
    spec.problems = unwrap(in_field("matrices", league_problems(league_matrices(), {})));
  }
  spec.policies = calls_of(policies, "policies");
  if (spec.policies.empty()) spec.policies = league_policies();
  spec.rounds = count_of(rounds, "rounds", 1, kMaxRounds);
  spec.trials = static_cast<std::uint32_t>(count_of(trials, "trials", 1, kMaxTrials));
  spec.seed = count_of(seed, "seed", 0, kMaxSeed);
  spec.max_wrong = number_of(max_wrong, "max_wrong");
  if (!(spec.max_wrong >= 0 && spec.max_wrong <= 1)) {
    reject("max_wrong", "out of range", "0 to 1; 1 ranks everybody");
  }
  spec.threads = static_cast<unsigned>(count_of(threads, "threads", 0, kMaxThreads));
  const bool chosen = !policies.empty();
  const auto failure = std::make_shared<PythonFailure>();
  std::optional<LeagueResults> results;
  const RegistryReader reading;
  try {
    run_unlocked(progress, [&](const std::atomic<bool>& stop, Progress& now) {
      const FailuresOf failures(failure);
      LeagueOptions options;
      options.stop = &stop;
      options.refused_everywhere_is_error = chosen;
      options.progress = [&](const LeagueProgress& at) {
        now.total = at.trials_total;
        now.done = at.trials_done;
      };
      results = unwrap(in_field("policies", run_league(spec, options)));
    });
  } catch (const ErrorRaised&) {
    if (failure->exception) std::rethrow_exception(std::exchange(failure->exception, nullptr));
    throw;
  }
  return to_python(duel::to_json(*results));
}

py::object plan(const py::dict& request, const py::object& progress) {
  PlanQuestion question;
  const auto has = [&](const char* key) {
    return request.contains(key) && !request[key].is_none();
  };
  if (has("matrix")) question.matrix = text_of(request["matrix"], "matrix");
  if (has("pilot")) question.pilot = text_of(request["pilot"], "pilot");
  if (has("arms")) question.arms = count_of(request["arms"], "arms", 2, 10'000);
  if (has("gap")) question.gap = number_of(request["gap"], "gap");
  if (has("spread")) question.spread = number_of(request["spread"], "spread");
  if (has("policies")) question.policy = texts_of(request["policies"], "policies");
  if (has("goal")) question.goal = text_of(request["goal"], "goal");
  if (has("top")) question.top = count_of(request["top"], "top", 0, 1'000'000);
  if (has("epsilon")) question.epsilon = number_of(request["epsilon"], "epsilon");
  if (has("assume")) question.assume = text_of(request["assume"], "assume");
  if (has("alpha")) question.alpha = number_of(request["alpha"], "alpha");
  if (has("max_duels")) {
    question.max_duels = count_of(request["max_duels"], "max_duels", 1, 1'000'000'000);
  }
  if (has("tie_rate")) question.tie_rate = number_of(request["tie_rate"], "tie_rate");
  if (has("parallel")) question.parallel = count_of(request["parallel"], "parallel", 1, 10'000);
  if (has("shared_causes"))
    question.shared_causes = flag_of(request["shared_causes"], "shared_causes");
  if (has("trials")) question.trials = count_of(request["trials"], "trials", 2, 10'000'000);
  if (has("seed")) question.seed = count_of(request["seed"], "seed", 0, kMaxSeed);
  if (has("threads")) question.threads = count_of(request["threads"], "threads", 0, kMaxThreads);
  if (has("cost_per_duel"))
    question.cost_per_duel = number_of(request["cost_per_duel"], "cost_per_duel");
  const PlanSpec spec = unwrap(plan_spec(question));
  std::optional<PlanResults> results;
  const RegistryReader reading;
  run_unlocked(progress, [&](const std::atomic<bool>& stop, Progress& now) {
    PlanHooks hooks;
    hooks.stop = &stop;
    hooks.progress = [&](std::uint64_t done, std::uint64_t total) {
      now.total = total;
      now.done = done;
    };
    results = unwrap(run_plan(spec, hooks));
  });
  return to_python(described_json(*results));
}

}  // namespace

void bind_study(py::module_& module) {
  module.def("league", &league, "problems"_a, "policies"_a, "rounds"_a, "trials"_a, "seed"_a,
             "max_wrong"_a, "threads"_a, "progress"_a);
  module.def("plan", &plan, "request"_a, "progress"_a);
}

}  // namespace duel::python
