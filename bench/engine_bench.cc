// What the engine costs: jumping against the literal loop, per informative duel, as T and K grow,
// in memory, and on two threads. `scripts/bench` runs it; bench/performance.md quotes it.
#include <Random123/philox.h>
#include <fmt/format.h>

#include <fstream>
#include <string>
#include <vector>

#include "bench/trial_cost.h"
#include "bench/workloads.h"
#include "duel/core/rows.h"
#include "duel/simulation/simulation.h"
#include "duel/truth/matrix_catalogue.h"
#include "tests/policies/twins/rmed_twin.h"
#include "tests/policies/twins/rucb_twin.h"

namespace duel {
namespace {

// Keeps the compiler from dropping a computed value.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

// One Philox draw and one pass over three rows of K doubles: what a duel cannot cost less than.
double floor_seconds(std::size_t num_arms) {
  const std::size_t stride = padded_row(num_arms);
  const int repeats = 200000;
  std::vector<double> rows(3 * stride, 0.25), runs;
  for (int run = 0; run < 5; ++run) {
    std::uint32_t chain = 0;
    double total = 0;
    runs.push_back(seconds_of([&] {
      for (int k = 0; k < repeats; ++k) {
        // Each draw waits for the one before, as a duel waits for the last outcome.
        const auto out =
            r123::Philox4x32()({{static_cast<std::uint32_t>(k), chain, 0, 0}}, {{1, 2}});
        chain = out[0] & 1;
        rows[chain] = static_cast<double>(chain);
        total += largest(stride, [&](std::size_t i) {
          return load_lanes<DoubleLanes>(&rows[i]) *
                 (load_lanes<DoubleLanes>(&rows[stride + i]) +
                  load_lanes<DoubleLanes>(&rows[2 * stride + i]));
        });
      }
      keep(total);
    }));
  }
  return median_of(runs) / repeats;
}

double resident_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return 1024.0 * std::stod(line.substr(6));
  }
  return 0;
}

void against_the_literal_loop() {
  const BenchProblem problem("bradley-terry(k=64,seed=1,spread=1)");
  const Round rounds = 10'000'000;
  fmt::print(
      "\n## Jumping against a literal O(K^2) loop: bradley-terry(k=64,seed=1,spread=1), "
      "T = 1e7, one core\n\n");
  fmt::print(
      "| policy | jumping, ms per trial | informative duels | literal, us per round | "
      "literal, s per 1e7 rounds | ratio |\n|---|---|---|---|---|---|\n");
  const auto row = [&](const std::string& name, double literal) {
    const TrialCost cost = trial_cost(problem, name, rounds, 15);
    fmt::print("| {} | {:.1f} | {:.0f} | {:.2f} | {:.0f} | {:.0f} |\n", name, 1e3 * cost.seconds,
               cost.informative, 1e6 * literal, literal * rounds, literal * rounds / cost.seconds);
  };
  row("rucb", literal_seconds_per_round(problem, RucbTwin(true, 0.51, 2, Ties::coin, false, 64),
                                        "rucb", 100'000));
  row("rmed1",
      literal_seconds_per_round(problem, RmedTwin(RmedTwinOptions{}, 64), "rmed1", 50'000));
}

void per_informative_duel() {
  fmt::print("\n## Cost of an informative duel\n\n");
  fmt::print("The floor is one Philox draw plus one pass over three rows of K doubles.\n\n");
  fmt::print(
      "| policy | problem | ns per informative duel | floor, ns | times the floor |\n"
      "|---|---|---|---|---|\n");
  for (const std::string name : {"rucb", "rmed1"}) {
    for (const std::string text : {"arxiv", "bradley-terry(k=64,seed=1,spread=1)"}) {
      const BenchProblem problem(text);
      const TrialCost cost = trial_cost(problem, name, 10'000'000, text == "arxiv" ? 200 : 15);
      const double floor = floor_seconds(problem.matrix.num_arms());
      fmt::print("| {} | {} | {:.0f} | {:.1f} | {:.1f} |\n", name, text,
                 1e9 * cost.seconds / cost.informative, 1e9 * floor,
                 cost.seconds / cost.informative / floor);
    }
  }
}

void growth() {
  fmt::print("\n## Growth with T: ms per trial, bradley-terry(k=64,seed=1,spread=1)\n\n");
  fmt::print(
      "| policy | 1e5 | 1e6 | 1e7 | 1e8 | 1e9 | 1e9 over 1e7 |\n|---|---|---|---|---|---|---|\n");
  const BenchProblem problem("bradley-terry(k=64,seed=1,spread=1)");
  for (const std::string name : {"rucb", "rmed1", "rmed2", "rmed2fh"}) {
    fmt::print("| {} ", name);
    double at_1e7 = 0, last = 0;
    for (const Round rounds : {Round{100'000}, Round{1'000'000}, Round{10'000'000},
                               Round{100'000'000}, Round{1'000'000'000}}) {
      last = trial_cost(problem, name, rounds, 9).seconds;
      if (rounds == 10'000'000) at_1e7 = last;
      fmt::print("| {:.1f} ", 1e3 * last);
    }
    fmt::print("| {:.2f} |\n", last / at_1e7);
  }
  fmt::print("\n## Growth with K: bradley-terry(k=K,seed=1,spread=1), T = 1e6\n\n");
  fmt::print(
      "| policy | K | ms per trial | informative duels | ns per informative duel |\n"
      "|---|---|---|---|---|\n");
  for (const std::string name : {"rucb", "rmed1"}) {
    for (const int k : {4, 16, 64, 256, 1000}) {
      const BenchProblem sized(fmt::format("bradley-terry(k={},seed=1,spread=1)", k));
      const TrialCost cost = trial_cost(sized, name, 1'000'000, k > 100 ? 3 : 9);
      fmt::print("| {} | {} | {:.1f} | {:.0f} | {:.0f} |\n", name, k, 1e3 * cost.seconds,
                 cost.informative, 1e9 * cost.seconds / cost.informative);
    }
  }
}

// First of all, so that the peak is this one's.
void memory() {
  fmt::print("\n## Memory: bradley-terry(k=1000,seed=1,spread=1), T = 1e6, one trial\n\n");
  const double before = resident_bytes();
  for (const std::string name : {"rmed1", "rucb"}) {
    const BenchProblem problem("bradley-terry(k=1000,seed=1,spread=1)");
    trial_cost(problem, name, 1'000'000, 1);
    fmt::print(
        "- {}: peak of the whole process so far, less its start: {:.1f} bytes per ordered "
        "pair (truth, meetings and policy together)\n",
        name, (resident_bytes() - before) / 1e6);
  }
}

void threads() {
  fmt::print("\n## Threads: rucb, arxiv, T = 1e7, 400 trials\n\n");
  const PreferenceMatrix matrix = resolve_matrix("arxiv").value();
  const auto wall = [&](unsigned count) {
    SimulationPlan plan;
    plan.matrix = &matrix;
    plan.policies = {parse_call("rucb").value()};
    plan.checkpoints = {10'000'000};
    plan.trials = 400;
    plan.threads = count;
    const Simulation simulation = Simulation::create(plan).value();
    std::vector<double> runs;
    for (int run = 0; run < 5; ++run) runs.push_back(simulation.run(0).value().seconds);
    return median_of(runs);
  };
  const double one = wall(1), two = wall(2);
  fmt::print("wall time, one thread {:.3f} s, two threads {:.3f} s: {:.2f} times\n", one, two,
             one / two);
}

}  // namespace

void engine_workload() {
  memory();
  against_the_literal_loop();
  per_informative_duel();
  growth();
  threads();
}

}  // namespace duel
