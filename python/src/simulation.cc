// Trials of policies, native and Python, on matrices and on environments written in Python.
#include "duel/simulation/simulation.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conversions.h"
#include "duel/core/checkpoints.h"
#include "duel/study/results.h"
#include "duel/study/spec.h"
#include "duel/study/study_files.h"
#include "matrix.h"
#include "python_policy.h"

namespace duel::python {
namespace {

std::vector<Round> rounds_of(const py::handle& given) {
  std::vector<Round> rounds;
  for (const py::handle round : given) {
    rounds.push_back(count_of(round, "checkpoints", 1, kMaxRounds));
  }
  return rounds;
}

// A callable that answers duels: answer(first, second, u), where u is uniform on [0, 1) and the
// same for all policies of a trial at the same meeting of the pair.
class PythonEnvironment final : public OutcomeSource {
 public:
  PythonEnvironment(py::handle answer, OutcomeStream outcomes,
                    std::shared_ptr<PythonFailure> failure)
      : answer_(answer), outcomes_(outcomes), failure_(std::move(failure)) {}

  Outcome answer(Arm low, Arm high, std::uint32_t meeting) override {
    const double u = static_cast<double>(outcomes_.draw(low, high, meeting)) * 0x1p-53;
    if (failure_->stopped()) throw std::runtime_error("stopped");
    const py::gil_scoped_acquire locked;
    try {
      return outcome_of(answer_(low, high, u));
    } catch (...) {
      if (!failure_->exception) failure_->exception = std::current_exception();
      throw std::runtime_error("the environment raised an exception");
    }
  }

 private:
  py::handle answer_;  // the caller of the simulation holds it
  OutcomeStream outcomes_;
  std::shared_ptr<PythonFailure> failure_;
};

std::vector<RegretNotion> notions_of(const std::vector<std::string>& names) {
  std::vector<RegretNotion> notions;
  for (const std::string& name : names) {
    notions.push_back(unwrap(in_field("regret", parse_regret_notion(name))));
    if (std::count(notions.begin(), notions.end(), notions.back()) > 1) {
      reject("regret", "'" + name + "' is given twice");
    }
  }
  if (notions.empty()) reject("regret", "no notion is given");
  return notions;
}

// The trials of one policy that a shard has, in their order.
using OwnTrials = std::vector<std::uint32_t>;

template <class T, class Value>
py::array_t<T> cells(const TrialTable& table, const OwnTrials& own, const Value& value) {
  py::array_t<T> array({own.size(), table.num_checkpoints()});
  T* to = array.mutable_data();
  for (const std::uint32_t trial : own) {
    for (std::size_t c = 0; c < table.num_checkpoints(); ++c) *to++ = value(trial, c);
  }
  return array;
}

py::dict record_of(const PolicyRecord& record, const OwnTrials& own) {
  const TrialTable& table = record.trials;
  py::array_t<double> regret({table.num_regrets(), own.size(), table.num_checkpoints()});
  double* to = regret.mutable_data();
  for (std::size_t r = 0; r < table.num_regrets(); ++r) {
    for (const std::uint32_t trial : own) {
      for (std::size_t c = 0; c < table.num_checkpoints(); ++c) *to++ = table.value(trial, c, r);
    }
  }
  const auto correct = [&](std::uint32_t trial, std::size_t c) { return table.correct(trial, c); };
  const auto informative = [&](std::uint32_t trial, std::size_t c) {
    return table.informative(trial, c);
  };
  return py::dict("policy"_a = record.policy, "regret"_a = regret,
                  "correct"_a = cells<bool>(table, own, correct),
                  "informative"_a = cells<std::uint64_t>(table, own, informative),
                  "seconds"_a = record.seconds, "cpu_seconds"_a = record.cpu_seconds);
}

SimulationPlan plan_of(const ProblemObject& problem, const py::dict& request) {
  SimulationPlan plan;
  set_problem_of(plan, *problem.problem);
  const Round rounds = count_of(request["rounds"], "rounds", 1, kMaxRounds);
  const std::vector<Round> given = rounds_of(request["checkpoints"]);
  plan.checkpoints = unwrap(in_field("checkpoints", complete_checkpoints(given, rounds)));
  plan.trials = static_cast<std::uint32_t>(count_of(request["trials"], "trials", 1, kMaxTrials));
  plan.seed = count_of(request["seed"], "seed", 0, kMaxSeed);
  plan.regrets = notions_of(texts_of(request["regret"], "regret"));
  plan.threads = static_cast<unsigned>(count_of(request["threads"], "threads", 0, kMaxThreads));
  plan.horizon_per_checkpoint =
      flag_of(request["horizon_per_checkpoint"], "horizon_per_checkpoint");
  plan.feedback = {.batch = count_of(request["batch"], "batch", 1, kMostOutstanding),
                   .delay = count_of(request["delay"], "delay", 0, kMostOutstanding)};
  for (const std::string& text : texts_of(request["policies"], "policies")) {
    plan.policies.push_back(call_of(text, "policies"));
  }
  if (plan.policies.empty()) reject("policies", "no policy is given");
  return plan;
}

// The trials of one shard (study/study_files.h) of all policies.
py::list simulate(const ProblemObject& problem, const py::dict& request,
                  const py::object& environment, bool truth, const py::object& progress) {
  const auto failure = std::make_shared<PythonFailure>();
  const std::shared_ptr<const Problem> held = problem.problem;
  SimulationPlan plan = plan_of(problem, request);
  if (environment.is_none()) {
    plan.outcomes = held->outcomes();
  } else {
    if (PyCallable_Check(environment.ptr()) == 0) {
      throw py::type_error("the environment must be callable");
    }
    const py::handle answer = environment;
    plan.outcomes = [answer, failure](std::uint64_t seed, std::uint32_t trial) {
      return std::make_unique<PythonEnvironment>(answer, OutcomeStream(seed, trial), failure);
    };
    if (!truth) plan.right_arms.emplace();
  }
  Shard shard;
  shard.count = static_cast<std::uint32_t>(count_of(request["shards"], "shards", 1, kMaxTrials));
  shard.number = static_cast<std::uint32_t>(count_of(request["shard"], "shard", 1, shard.count));
  std::optional<Simulation> simulation;
  {
    const FailuresOf failures(failure);
    simulation = unwrap(Simulation::create(plan));
  }
  for (std::size_t p = 0; p < simulation->num_policies(); ++p) {
    for (std::size_t q = 0; q < p; ++q) {
      if (simulation->label(q) != simulation->label(p)) continue;
      reject("policies", "policy '" + simulation->label(p) + "' is given twice");
    }
  }

  std::vector<OwnTrials> own(simulation->num_policies());
  for (std::size_t p = 0; p < own.size(); ++p) {
    for (std::uint32_t trial = 0; trial < plan.trials; ++trial) {
      if (shard.has(std::uint64_t{p} * plan.trials + trial)) own[p].push_back(trial);
    }
  }
  std::vector<PolicyRecord> records;
  try {
    run_unlocked(progress, [&](const std::atomic<bool>& stop, Progress& now) {
      failure->stop = &stop;
      now.total = shard.share_of(std::uint64_t{plan.trials} * simulation->num_policies());
      std::uint64_t before = 0;  // of the policies that are through
      for (std::size_t p = 0; p < simulation->num_policies() && !stop.load(); ++p) {
        RunHooks hooks;
        hooks.stop = &stop;
        hooks.wanted = [&, first = std::uint64_t{p} * plan.trials](std::uint32_t trial) {
          return shard.has(first + trial);
        };
        hooks.on_progress = [&](std::uint32_t finished) { now.done = before + finished; };
        auto record = simulation->run(p, hooks);
        before += own[p].size();
        if (!record.ok()) raise(Error(record.error()).in_field("policies"));
        records.push_back(*std::move(record));
      }
    });
  } catch (const ErrorRaised&) {
    if (failure->exception) std::rethrow_exception(std::exchange(failure->exception, nullptr));
    throw;
  }
  if (failure->exception) std::rethrow_exception(std::exchange(failure->exception, nullptr));
  py::list list;
  for (std::size_t p = 0; p < records.size(); ++p) list.append(record_of(records[p], own[p]));
  return list;
}

// What `duel simulate --json` would print of these trials.
py::object summarize(const ProblemObject& problem, const py::dict& request, bool truth,
                     const py::list& records) {
  const SimulationPlan plan = plan_of(problem, request);
  const auto checkpoints = plan.checkpoints.size();
  StudyResults results;
  results.rounds = plan.checkpoints.back();
  results.trials = plan.trials;
  results.seed = plan.seed;
  results.regrets = plan.regrets;
  MatrixResult run;
  run.facts = facts_of(*problem.problem, problem.problem->schedule.name);
  if (problem.problem->right_arms || !truth || !plan.changes.empty()) {
    run.facts.condorcet_winner.clear();
    run.facts.lower_bound = run.facts.lower_bound_condorcet_target = kUndefined;
  }
  for (const py::handle item : records) {
    const auto dict = item.cast<py::dict>();
    const auto regret = dict["regret"].cast<py::array_t<double>>().unchecked<3>();
    const auto correct = dict["correct"].cast<py::array_t<bool>>().unchecked<2>();
    const auto informative = dict["informative"].cast<py::array_t<std::uint64_t>>().unchecked<2>();
    const auto trials = static_cast<py::ssize_t>(plan.trials);
    if (regret.shape(0) != static_cast<py::ssize_t>(plan.regrets.size()) ||
        regret.shape(1) != trials || regret.shape(2) != static_cast<py::ssize_t>(checkpoints) ||
        correct.shape(0) != trials || correct.shape(1) != static_cast<py::ssize_t>(checkpoints) ||
        informative.shape(0) != trials ||
        informative.shape(1) != static_cast<py::ssize_t>(checkpoints)) {
      raise(Error::invalid_argument("the arrays do not fit the request"));
    }
    PolicyRecord record{dict["policy"].cast<std::string>(),
                        TrialTable(plan.trials, checkpoints, plan.regrets.size())};
    record.seconds = dict["seconds"].cast<double>();
    record.cpu_seconds = dict["cpu_seconds"].cast<double>();
    for (std::uint32_t trial = 0; trial < plan.trials; ++trial) {
      for (std::size_t c = 0; c < checkpoints; ++c) {
        const auto at = static_cast<py::ssize_t>(c);
        for (std::size_t r = 0; r < plan.regrets.size(); ++r) {
          record.trials.set(trial, c, r, regret(static_cast<py::ssize_t>(r), trial, at));
        }
        record.trials.set_facts(trial, c, correct(trial, at), informative(trial, at));
      }
      record.trials.finish(trial);
    }
    run.policies.push_back(summarize_policy(record, plan.checkpoints));
  }
  results.runs.push_back(std::move(run));
  return to_python(duel::to_json(results));
}

// What the simulator answers to the duels of one trial, duel by duel.
class Answers : public MadeByInit {
 public:
  Answers(const MatrixObject& matrix, const py::handle& seed, const py::handle& trial)
      : matrix_(matrix.matrix),
        outcomes_(count_of(seed, "seed", 0, kMaxSeed),
                  static_cast<std::uint32_t>(count_of(trial, "trial", 0, kMaxTrials - 1))),
        meetings_(matrix.matrix->num_arms() * matrix.matrix->num_arms()) {}

  bool first_wins(std::size_t first, std::size_t second) {
    const std::size_t num_arms = matrix_->num_arms();
    if (first >= num_arms || second >= num_arms) {
      raise(Error::invalid_argument("there is no such arm")
                .with_hint("0 .. " + std::to_string(num_arms - 1)));
    }
    if (first == second) return true;
    const auto low = static_cast<Arm>(std::min(first, second));
    const auto high = static_cast<Arm>(std::max(first, second));
    const std::uint64_t draw = outcomes_.draw(low, high, meetings_[low * num_arms + high]++);
    const bool low_wins = static_cast<double>(draw) < (*matrix_)(low, high) * 0x1p53;
    return low_wins == (first == low);
  }

 private:
  SharedMatrix matrix_;
  OutcomeStream outcomes_;
  std::vector<std::uint32_t> meetings_;
};

}  // namespace

void bind_simulation(py::module_& module) {
  module.def("simulate", &simulate, "problem"_a, "request"_a, "environment"_a, "truth"_a,
             "progress"_a);
  module.def("summarize", &summarize, "problem"_a, "request"_a, "truth"_a, "records"_a);
  module.def("checkpoints", [](const py::handle& rounds, const py::list& given) {
    const std::vector<Round> list = rounds_of(given);
    return unwrap(in_field("checkpoints",
                           complete_checkpoints(list, count_of(rounds, "rounds", 1, kMaxRounds))));
  });
  py::class_<Answers, std::shared_ptr<Answers>> answers(
      module, "Answers", "Answers duels by a matrix as the simulator does in one trial.");
  refuse_pickling(answers);
  answers
      .def(
          py::init([](const MatrixObject& matrix, const py::handle& seed, const py::handle& trial) {
            return std::make_shared<Answers>(matrix, seed, trial);
          }),
          "matrix"_a, "seed"_a = 0, "trial"_a = 0)
      .def(
          "__call__",
          [](Answers& self, const Duel& duel) {
            return self.first_wins(duel.first, duel.second) ? "first" : "second";
          },
          "duel"_a)
      .def(
          "__call__",
          [](Answers& self, const py::int_& first, const py::int_& second) {
            constexpr std::uint64_t kMost = 0xffff'ffff;
            return self.first_wins(count_of(first, "first", 0, kMost),
                                   count_of(second, "second", 0, kMost))
                       ? "first"
                       : "second";
          },
          "first"_a, "second"_a);
}

}  // namespace duel::python
